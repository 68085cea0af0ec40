//! The report as a value. Its JSON is an interface: fields are added, never changed.
//!
//! The order of the fields is the order of the JSON.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::kept::Kept;
use super::money::Usd;
use super::times::TurnTimes;
use crate::compaction::{EpochNumber, Trigger};
use crate::record::{CallId, ConversationId, ToolName};
use crate::target::{Prices, TargetName};
use crate::tokens::{Scale, Tokens};

/// What `afterturn run` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// Every conversation, in the order of the files.
    pub conversations: Vec<ConversationReport>,
    /// How long the turns of all of them took.
    pub turns: TurnTimes,
    /// Where everything is kept.
    pub database: DatabaseReport,
    /// Whether anything could be cleared at all: false under `--no-compact`.
    pub compaction: bool,
    /// Files of which nothing could be read.
    pub unread: Vec<UnreadInput>,
    /// Conversations whose turns could not all be done.
    pub failed: Vec<FailedConversation>,
}

/// A conversation that is not ready. Its record is kept, and its last good projection too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedConversation {
    /// Which.
    pub id: ConversationId,
    /// Why, from the last attempt.
    pub error: String,
    /// How often it was tried.
    pub attempts: u32,
}

/// Where everything is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DatabaseReport {
    /// The file.
    pub path: String,
    /// Whether it was made for this run alone.
    pub temporary: bool,
}

/// A file of which nothing could be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadInput {
    /// The path as it was given.
    pub source: String,
    /// Why.
    pub error: String,
}

/// One conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConversationReport {
    /// Its id in the database.
    pub id: ConversationId,
    /// The file it came from, as it was given.
    pub source: String,
    /// The file's format, as `--format` names it.
    pub format: String,
    /// How many messages its record holds.
    pub messages: u64,
    /// How many calls.
    pub calls: u64,
    /// How many results.
    pub results: u64,
    /// What of the file is no part of the conversation, by kind.
    pub skipped: BTreeMap<String, u64>,
    /// What each target received; the first one decided when to clear.
    pub targets: Vec<TargetReport>,
    /// Lines that could not be read.
    pub unreadable: Vec<UnreadableLine>,
    /// What else the reader should know, a sentence each.
    pub notes: Vec<String>,
}

/// A line that could not be read. Nothing else was lost with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadableLine {
    /// Its number in the file, from 1.
    pub line: u64,
    /// Why.
    pub error: String,
}

/// One conversation on one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetReport {
    /// The target.
    pub target: TargetName,
    /// What the whole history weighs with nothing cleared.
    pub tokens_before: Tokens,
    /// What it weighs as it stands.
    pub tokens_after: Tokens,
    /// How many results stand cleared.
    pub cleared_results: u64,
    /// The passes, in order.
    pub epochs: Vec<EpochReport>,
    /// The size of the projection.
    pub bytes: u64,
    /// How much of each turn's projection stayed byte-equal at the head of the next, from 0 to
    /// 1: [`super::PrefixStability::share`].
    pub prefix_stable: f64,
    /// What the history's input cost over the session.
    pub cost: Costs,
    /// At which prices.
    pub pricing: Pricing,
    /// How many model calls the cost is summed over.
    pub model_calls: u64,
    /// What still stands whole, and why.
    pub kept: Kept,
    /// How often a turn cleared nothing, by reason.
    pub not_cleared: BTreeMap<String, u64>,
    /// Why the last turn cleared nothing, in words; absent where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_reason: Option<String>,
    /// How often later messages quoted what was cleared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regret: Option<Regret>,
    /// How many reasoning blocks did not cross: signed by another provider, or not at all.
    pub reasoning_left_out: u64,
    /// What the record lacked and the projection makes good, by kind; as
    /// `calls answered as not completed`.
    pub repairs: BTreeMap<String, u64>,
    /// How well tokens are counted, where the session says what its provider counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounting: Option<Accounting>,
}

/// One pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EpochReport {
    /// Why it was made.
    pub trigger: Trigger,
    /// How many results it cleared; of an undo, how many came back.
    pub cleared: u64,
    /// What the history weighed before.
    pub tokens_before: Tokens,
    /// And after.
    pub tokens_after: Tokens,
    /// Its number in the conversation.
    pub number: EpochNumber,
    /// The reason in words, with the figures.
    pub reason: String,
    /// The largest result it cleared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<ClearedResult>,
}

/// A result that was cleared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClearedResult {
    /// By which it can be recalled.
    pub call_id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// What it weighed.
    pub tokens: Tokens,
}

/// What the history's input cost over a session, in dollars, by policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Costs {
    /// With nothing cleared.
    pub none: Usd,
    /// With all but the newest three results cleared at each call.
    pub keep3: Usd,
    /// As Afterturn cleared.
    pub afterturn: Usd,
}

/// The prices that costs are counted at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Pricing {
    /// Dollars a million fresh input tokens.
    #[serde(rename = "input_usd_per_million")]
    pub input: Usd,
    /// Writing to the prompt cache, relative to fresh input.
    #[serde(serialize_with = "as_factor")]
    pub write: u64,
    /// Reading from it.
    #[serde(serialize_with = "as_factor")]
    pub read: u64,
    /// How long it lives after a request, in milliseconds.
    pub cache_lifetime_ms: u64,
}

/// How often later messages quoted output that was cleared at the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Regret {
    /// How often they quoted any output.
    pub quotes: u64,
    /// How often Afterturn had cleared it.
    pub afterturn_missed: u64,
    /// How often keeping three would have.
    pub keep3_missed: u64,
}

/// How counted tokens compare with what the provider reported.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Accounting {
    /// How many of the target's tokens a counted one stands for; a plain factor in JSON.
    #[serde(serialize_with = "scale_as_factor")]
    pub scale: Scale,
    /// The mean error, as a share: 0.03 is three percent.
    pub error: f64,
    /// How many reports were compared.
    pub compared: u64,
}

impl Pricing {
    /// From a target's facts.
    pub const fn new(prices: Prices, cache_lifetime_ms: u64) -> Self {
        Self {
            input: Usd::micros(prices.input_micro_usd),
            write: prices.write_permille,
            read: prices.read_permille,
            cache_lifetime_ms,
        }
    }
}

/// Thousandths as a plain factor: 1250 is 1.25.
#[expect(clippy::cast_precision_loss, reason = "factors are small")]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference to the field")]
fn as_factor<S: Serializer>(permille: &u64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(*permille as f64 / 1000.0)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference to the field")]
fn scale_as_factor<S: Serializer>(scale: &Scale, to: S) -> Result<S::Ok, S::Error> {
    as_factor(&u64::from(scale.get()), to)
}
