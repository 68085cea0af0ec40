//! One result that may still be cleared.

use serde::{Deserialize, Serialize};

use super::epoch::{Clearing, Marker};
use super::facts::{PathHash, ResultFacts, Touch};
use crate::record::{BlockRef, CallId, Seq, Status, ToolName};
use crate::tokens::Tokens;

/// A result that may still be cleared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveResult {
    /// The result block.
    pub at: BlockRef,
    /// The call that it answers.
    pub call: BlockRef,
    /// The call's id.
    pub call_id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// How it went.
    pub status: Status,
    /// What it weighs for each target; policy decides on the first.
    pub tokens: Vec<Tokens>,
    /// What would cross instead.
    pub marker: Marker,
    /// What that weighs for each target.
    pub marker_tokens: Vec<Tokens>,
    /// What stands before it in the record on the first target, nothing cleared.
    pub before: Tokens,
    /// What the clearings in force behind it have freed on the first target.
    pub freed_after: Tokens,
    /// When it was last used.
    pub last_use: Seq,
    /// What that use was.
    pub used_by: UsedBy,
    /// Of its call's name and arguments.
    pub call_hash: u64,
    /// Of everything it shows.
    pub content_hash: u64,
    /// The file it shows.
    pub reads: Option<PathHash>,
    /// Why it is out of date, if it is.
    pub stale: Option<Stale>,
}

/// What the last use of a result was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsedBy {
    /// It came.
    Arrived,
    /// An assistant message quoted it.
    Quoted,
    /// Its clearing was undone.
    Restored,
}

/// Why a result is out of date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stale {
    /// The same call with the same arguments was made again.
    Repeated,
    /// The same content stands again later.
    SameContent,
    /// The file it shows was written after.
    FileWritten,
}

impl LiveResult {
    /// A result as it came, in a message before which `message_before` tokens stand on the
    /// first target.
    pub(super) fn arrived(facts: &ResultFacts, message_before: Tokens) -> Self {
        Self {
            at: facts.at,
            call: facts.call.at,
            call_id: facts.call.call_id.clone(),
            tool: facts.call.tool.clone(),
            status: facts.status,
            tokens: facts.tokens.clone(),
            marker: facts.marker.clone(),
            marker_tokens: facts.marker_tokens.clone(),
            before: message_before + facts.offset,
            freed_after: Tokens::ZERO,
            last_use: facts.at.seq,
            used_by: UsedBy::Arrived,
            call_hash: facts.call.hash,
            content_hash: facts.content_hash,
            reads: match facts.call.touch {
                Some(Touch::Reads(path)) => Some(path),
                Some(Touch::Writes(_)) | None => None,
            },
            stale: None,
        }
    }

    /// What it weighs on the first target.
    pub fn weight(&self) -> Tokens {
        self.tokens.first().copied().unwrap_or_default()
    }

    /// How many tokens less would cross on the first target, were it cleared.
    pub fn net(&self) -> Tokens {
        self.net_on(0)
    }

    /// How many tokens less would cross on the target at this place in the conversation's
    /// list, were it cleared.
    pub fn net_on(&self, target: usize) -> Tokens {
        let weight = self.tokens.get(target).copied().unwrap_or_default();
        weight - self.marker_tokens.get(target).copied().unwrap_or_default()
    }

    /// The clearing of it.
    pub fn clearing(&self) -> Clearing {
        Clearing {
            result: self.at,
            call: self.call,
            call_id: self.call_id.clone(),
            tool: self.tool.clone(),
            tokens: self.weight(),
            marker: self.marker.clone(),
            marker_tokens: self.marker_tokens.first().copied().unwrap_or_default(),
        }
    }
}
