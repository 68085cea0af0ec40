//! The figures that the policy is set by.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::record::ToolName;
use crate::target::Target;
use crate::tokens::Tokens;

/// What a conversation lets go of, and when. The default is what the design measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Whether passes are made without a person asking.
    pub enabled: bool,
    /// How many of the newest results are always kept.
    pub keep_results: usize,
    /// The share of the smallest window that goes to results in use, in thousandths.
    pub keep_share_permille: u64,
    /// The budget for results in use, where it is not a share of the window.
    pub keep_tokens: Option<Tokens>,
    /// A result of this size or less is never cleared.
    pub min_result_tokens: Tokens,
    /// What a pass over a cold cache must free at least.
    pub min_cold_tokens: Tokens,
    /// What any other pass must free at least.
    ///
    /// Every pass makes the next call wait for an uncached prompt and adds an epoch to
    /// explain, costs that the prices do not hold. On three real sessions anything from 0 to
    /// 4 000 gives the same input cost within 1 %, since rent rarely buys so little; 1 000 is
    /// where a pass stops being worth its line in the ledger.
    pub min_gain: Tokens,
    /// How full a window may be before everything that may go goes, in thousandths.
    pub high_watermark_permille: u64,
    /// By how much of the window the projection must grow after an epoch before pressure may
    /// fire again, in thousandths.
    pub regrow_permille: u64,
    /// Tools whose results are never cleared.
    pub never_clear: BTreeSet<ToolName>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            enabled: true,
            keep_results: 5,
            keep_share_permille: 100,
            keep_tokens: None,
            min_result_tokens: Tokens::new(200),
            min_cold_tokens: Tokens::new(2_000),
            min_gain: Tokens::new(1_000),
            high_watermark_permille: 750,
            regrow_permille: 100,
            never_clear: BTreeSet::new(),
        }
    }
}

impl Policy {
    /// How many tokens of results in use are kept beyond those that always are.
    pub fn keep_budget(&self, targets: &[&Target]) -> Tokens {
        let smallest = targets.iter().map(|target| target.window).min().unwrap_or_default();
        self.keep_tokens.unwrap_or_else(|| smallest.permille(self.keep_share_permille))
    }
}
