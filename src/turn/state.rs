//! What is carried from turn to turn: bounded, however long the conversation is.

use serde::{Deserialize, Serialize};

use crate::compaction::{Account, EpochNumber};
use crate::replay::{ImageLedger, ReasoningLedger};
use crate::target::TargetName;
use crate::tokens::Calibration;

/// The turn engine's memory of a conversation, stored as JSON beside it.
///
/// Everything in here can be made again from the record and its epochs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The targets it was made for, in order; the first decides.
    pub targets: Vec<TargetName>,
    /// What the policy decides on, besides the live results.
    pub account: Account,
    /// Per target: which reasoning stays out.
    pub reasoning: Vec<ReasoningLedger>,
    /// How many images the record holds, and which of them may still be seen.
    pub images: ImageLedger,
    /// Reported usage held against counted tokens.
    pub calibration: Calibration,
    /// The epoch whose effect the next reported usage will show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaiting_usage: Option<EpochNumber>,
}

impl State {
    /// Nothing has been said yet.
    pub fn new(targets: Vec<TargetName>) -> Self {
        Self {
            reasoning: vec![ReasoningLedger::default(); targets.len()],
            account: Account::default(),
            images: ImageLedger::default(),
            calibration: Calibration::default(),
            awaiting_usage: None,
            targets,
        }
    }
}
