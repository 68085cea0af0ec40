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
    /// How many of the newest results are always kept, of those that could be cleared at all.
    pub keep_results: usize,
    /// The share of the smallest window that goes to kept results, in thousandths.
    pub keep_share_permille: u64,
    /// The budget for kept results, where it is not a share of the window.
    pub keep_tokens: Option<Tokens>,
    /// A result of this size or less is never cleared.
    pub min_result_tokens: Tokens,
    /// What a pass over a cold cache must free at least.
    pub min_cold_tokens: Tokens,
    /// What any other automatic pass must free at least, in thousandths of the smallest
    /// window: 4 000 tokens at 200 000.
    ///
    /// Rent rarely buys less by itself; it is pressure that would write a hundred thousand
    /// tokens anew to free one. On real sessions anything up to 4 000 forgets as much and costs
    /// the same within half a per cent, 4 000 the least. A share, so that a small window keeps
    /// the passes that are worth it there.
    pub min_gain_permille: u64,
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
            min_gain_permille: 20,
            high_watermark_permille: 750,
            regrow_permille: 100,
            never_clear: BTreeSet::new(),
        }
    }
}

impl Policy {
    /// How many tokens of results are kept: those that always are, and those in use.
    pub fn keep_budget(&self, targets: &[&Target]) -> Tokens {
        self.keep_tokens
            .unwrap_or_else(|| smallest_window(targets).permille(self.keep_share_permille))
    }

    /// What an automatic pass on a warm cache must free at least.
    pub fn min_gain(&self, targets: &[&Target]) -> Tokens {
        smallest_window(targets).permille(self.min_gain_permille)
    }
}

fn smallest_window(targets: &[&Target]) -> Tokens {
    targets.iter().map(|target| target.window).min().unwrap_or_default()
}
