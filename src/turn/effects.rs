//! What a stretch of turns changed, to be committed in one transaction.

use crate::compaction::{Changes, Epoch, EpochNumber, SkipReason};
use crate::record::{BlockRef, CallId, Seq};
use crate::replay::{CallFact, SeqRange};
use crate::tokens::{MessageWeight, Tokens};

use super::state::State;

/// All that a stretch of turns changed. Writing it down is the worker's; nothing here is I/O.
#[derive(Debug)]
pub struct Effects {
    /// The state after the last message.
    pub state: State,
    /// What changed in the live index.
    pub index: Changes,
    /// What each message holds that later turns must know, in order.
    pub messages: Vec<MessageEffects>,
    /// Calls that were answered: (call, result).
    pub answers: Vec<(BlockRef, BlockRef)>,
    /// Epochs that were decided.
    pub epochs: Vec<Epoch>,
    /// What the call after an epoch was reported to write.
    pub realised: Vec<(EpochNumber, Tokens)>,
    /// Why nothing was cleared, at each place where it was asked.
    pub skips: Vec<Skip>,
    /// Per target, in order: the stretches of the record whose projection must be made again.
    /// What is new is not listed; it is made in any case.
    pub dirty: Vec<Vec<SeqRange>>,
}

/// What one message holds that later turns must know.
#[derive(Debug)]
pub struct MessageEffects {
    /// The message.
    pub seq: Seq,
    /// What its blocks weigh.
    pub weight: MessageWeight,
    /// How many images stood in the record before it.
    pub images_before: u64,
    /// The calls that it declared.
    pub calls: Vec<(CallId, CallFact)>,
}

/// A place where nothing was cleared, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// The message after which it was asked.
    pub at: Seq,
    /// The reason, with its figures.
    pub why: SkipReason,
}
