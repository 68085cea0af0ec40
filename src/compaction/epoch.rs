//! The durable facts of a compaction pass.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::record::{BlockRef, CallId, Seq, ToolName};
use crate::tokens::Tokens;

/// Numbers the epochs of one conversation, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EpochNumber(pub u32);

impl fmt::Display for EpochNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The exact text that crosses instead of a cleared output.
///
/// Invariant 11: written down with the clearing, never made again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Marker(pub String);

/// The durable decision that one result's bulk no longer crosses to models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clearing {
    /// The result block.
    pub result: BlockRef,
    /// The call that it answers.
    pub call: BlockRef,
    /// The call's id, by which the output can be recalled.
    pub call_id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// What the output weighed on the first target.
    pub tokens: Tokens,
    /// What crosses instead.
    pub marker: Marker,
    /// What the marker weighs on the first target.
    pub marker_tokens: Tokens,
}

impl Clearing {
    /// How many tokens less cross on the first target.
    pub fn net(&self) -> Tokens {
        self.tokens - self.marker_tokens
    }
}

/// Why a pass was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// Carrying on had cost as much as clearing would.
    Rent,
    /// The prompt cache had expired: everything would be written anew anyway.
    Cold,
    /// The window was filling.
    Pressure,
    /// A person asked.
    Manual,
    /// An earlier epoch was undone.
    Undo,
}

impl Trigger {
    /// As JSON and metrics name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rent => "rent",
            Self::Cold => "cold",
            Self::Pressure => "pressure",
            Self::Manual => "manual",
            Self::Undo => "undo",
        }
    }
}

/// One compaction pass: clearings decided together, with what they were decided on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Epoch {
    /// Its number in the conversation.
    pub number: EpochNumber,
    /// The head of the record when it was decided; it knows of nothing later.
    pub at: Seq,
    /// Why.
    pub trigger: Trigger,
    /// The reason in words, with the figures.
    pub reason: String,
    /// What it cleared; for an undo, what came back.
    pub clearings: Vec<Clearing>,
    /// The epoch that this one undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<EpochNumber>,
    /// What the history weighed on the first target before.
    pub tokens_before: Tokens,
    /// And after.
    pub tokens_after: Tokens,
    /// How many tokens the prompt cache was expected to write anew.
    pub predicted_rewrite: Tokens,
    /// How many tokens each later call was expected to carry less.
    pub predicted_saving: Tokens,
    /// How many tokens the provider then reported as written or fresh on the next call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub realised_rewrite: Option<Tokens>,
}
