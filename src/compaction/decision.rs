//! A decision with its reasons: what is cleared and on which figures, or why nothing is.

use std::fmt;

use super::account::Account;
use super::cost::Cost;
use super::epoch::{Clearing, Epoch, EpochNumber, Trigger};
use super::index::Index;
use super::live::LiveResult;
use super::survey::Survey;
use crate::record::{BlockRef, Seq};
use crate::target::TargetName;
use crate::tokens::Tokens;

/// What was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Clear these.
    Clear(Plan),
    /// Clear nothing now.
    Skip(Skipped),
}

/// A pass to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The head of the record.
    pub at: Seq,
    /// Why.
    pub trigger: Trigger,
    /// Why, in words, with the figures.
    pub reason: String,
    /// What is cleared, in the order of the record.
    pub clearings: Vec<Clearing>,
    /// What the projection weighs before, for each target.
    pub totals_before: Vec<Tokens>,
    /// And after.
    pub totals_after: Vec<Tokens>,
    /// What stands behind the first changed byte after the pass: what the cache writes anew.
    pub rewrite: Tokens,
    /// What each later call carries less.
    pub saving: Tokens,
}

/// Nothing is cleared, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Why.
    pub why: SkipReason,
    /// What could have been cleared: what the next model call pays rent on.
    pub carried: Tokens,
}

/// Why nothing is cleared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkipReason {
    /// The policy is switched off, and nobody asked.
    Disabled,
    /// The conversation has no target to decide for.
    NoTarget,
    /// Every live result is kept.
    NothingToClear {
        /// How many are live.
        live: usize,
    },
    /// A target binds signed reasoning to all that stands before it, and a tool loop is open.
    ToolLoop {
        /// That target.
        target: TargetName,
    },
    /// The cache is cold, but there is too little to free.
    TooLittleCold {
        /// What would be freed.
        gain: Tokens,
        /// What must be.
        minimum: Tokens,
    },
    /// A pass is due, but would free too little.
    TooLittle {
        /// Why it is due.
        due: Trigger,
        /// What would be freed.
        gain: Tokens,
        /// What must be.
        minimum: Tokens,
    },
    /// The window is filling, but the last pass was just made, and rent does not buy yet.
    CoolingDown {
        /// The target whose window it is.
        target: TargetName,
        /// What the projection has grown by since.
        grown: Tokens,
        /// What it must grow by.
        needed: Tokens,
    },
    /// Carrying on has not cost as much as clearing would.
    RentBelowPrice {
        /// What carrying has cost since the last epoch.
        rent: Cost,
        /// What clearing would cost now.
        price: Cost,
    },
    /// A model call is about to be made on a warm cache that fits: it need not wait.
    InputWaits,
    /// A sweep found the cache still warm, or does not know.
    NotCold {
        /// How long since the last model call, in milliseconds.
        idle_ms: Option<u64>,
        /// How long the cache lives, in milliseconds.
        lifetime_ms: u64,
    },
}

impl SkipReason {
    /// As metrics name it.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::NoTarget => "no_target",
            Self::NothingToClear { .. } => "nothing_to_clear",
            Self::ToolLoop { .. } => "tool_loop",
            Self::TooLittleCold { .. } => "too_little_cold",
            Self::TooLittle { .. } => "too_little",
            Self::CoolingDown { .. } => "cooling_down",
            Self::RentBelowPrice { .. } => "rent_below_price",
            Self::InputWaits => "input_waits",
            Self::NotCold { .. } => "not_cold",
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => write!(f, "compaction is switched off"),
            Self::NoTarget => write!(f, "the conversation has no target"),
            Self::NothingToClear { live } => {
                write!(f, "nothing to clear: all {live} live results are in use")
            }
            Self::ToolLoop { target } => write!(
                f,
                "not inside a tool loop: {target} binds its reasoning to what stands before it"
            ),
            Self::TooLittleCold { gain, minimum } => write!(
                f,
                "the cache is cold, but clearing would free {gain} tokens of at least {minimum}"
            ),
            Self::TooLittle { due, gain, minimum } => write!(
                f,
                "{} calls for a pass, but it would free {gain} tokens of at least {minimum}",
                due.as_str()
            ),
            Self::CoolingDown { target, grown, needed } => write!(
                f,
                "the window of {target} is filling, but since the last epoch the history has \
                 grown by {grown} tokens of {needed}"
            ),
            Self::RentBelowPrice { rent, price } => write!(
                f,
                "carrying on has cost {rent} tokens of fresh input since the last epoch, \
                 clearing would cost {price}"
            ),
            Self::InputWaits => {
                write!(f, "a model call is due on a warm cache; rent is weighed when it is done")
            }
            Self::NotCold { idle_ms: Some(idle), lifetime_ms } => write!(
                f,
                "the cache is warm: the last call was {} s ago, it lives {} s",
                idle / 1000,
                lifetime_ms / 1000
            ),
            Self::NotCold { idle_ms: None, lifetime_ms: _ } => {
                write!(f, "it is not known when the last model call was")
            }
        }
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}

impl Decision {
    /// What the next model call pays rent on.
    pub const fn carried(&self) -> Tokens {
        match self {
            Self::Clear(_) => Tokens::ZERO,
            Self::Skip(skipped) => skipped.carried,
        }
    }
}

impl Plan {
    pub(super) fn new(
        index: &Index,
        account: &Account,
        survey: &Survey,
        rewrite: Tokens,
        trigger: Trigger,
        reason: String,
    ) -> Self {
        let cleared: Vec<&LiveResult> =
            survey.candidates.iter().filter_map(|at| index.get(*at)).collect();
        let totals_after = account.totals.iter().enumerate().map(|(target, total)| {
            *total - cleared.iter().map(|result| result.net_on(target)).sum::<Tokens>()
        });
        Self {
            at: account.through,
            trigger,
            reason,
            totals_before: account.totals.clone(),
            totals_after: totals_after.collect(),
            clearings: cleared.iter().map(|result| result.clearing()).collect(),
            rewrite,
            saving: survey.gain,
        }
    }

    /// The results that it clears, in the order of the record.
    pub fn results(&self) -> Vec<BlockRef> {
        self.clearings.iter().map(|clearing| clearing.result).collect()
    }

    /// The epoch that this plan makes.
    pub fn epoch(&self, number: EpochNumber) -> Epoch {
        Epoch {
            number,
            at: self.at,
            trigger: self.trigger,
            reason: self.reason.clone(),
            clearings: self.clearings.clone(),
            undoes: None,
            tokens_before: self.totals_before.first().copied().unwrap_or_default(),
            tokens_after: self.totals_after.first().copied().unwrap_or_default(),
            predicted_rewrite: self.rewrite,
            predicted_saving: self.saving,
            realised_rewrite: None,
        }
    }
}
