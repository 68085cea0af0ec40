//! Which reasoning crosses to a target (invariant 6).
//!
//! A block crosses only as the provider's own proof, to who made it, and only while what it is
//! bound to is unchanged. Two facts reach further than the block: AN6, when reasoning of a tool
//! loop cannot cross, none of that loop's does; AN7, on targets that bind thinking, an epoch
//! takes the reasoning behind its first change with it. Both are kept as ranges of messages.

use serde::{Deserialize, Serialize};

use super::range::SeqRange;
use super::text::is_blank;
use crate::record::{Block, ProofKind, Reasoning, Role, Seq, Stored};
use crate::target::{Target, Wire};

/// Why reasoning does not cross.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The wire has no place for it.
    WireHasNoPlace,
    /// It carries no proof.
    NoProof,
    /// Another provider or model family made it.
    OtherMaker,
    /// It holds NUL, which no wire takes (C4), and changed it would prove nothing.
    HoldsNul,
    /// Other reasoning of the same tool loop cannot cross (AN6).
    LoopIsMixed,
    /// An epoch changed what it is bound to (AN7).
    PrefixChanged,
    /// Something else of the same wire message stands before it (AN6).
    NotLeading,
    /// Nothing that crosses follows it in its message.
    NothingFollows,
}

impl Why {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WireHasNoPlace => "this wire has no place for reasoning",
            Self::NoProof => "it carries no proof",
            Self::OtherMaker => "another provider or model made it",
            Self::HoldsNul => "it holds NUL, and must not be changed",
            Self::LoopIsMixed => "other reasoning of the same tool loop cannot cross",
            Self::PrefixChanged => "an epoch changed what it is bound to",
            Self::NotLeading => "something else stands before it in its message",
            Self::NothingFollows => "nothing that crosses follows it in its message",
        }
    }
}

/// Whether a block has a native form on `target`, by itself.
pub(super) fn native(reasoning: &Reasoning, target: &Target) -> Result<(), Why> {
    match target.wire {
        Wire::OpenaiChat => Err(Why::WireHasNoPlace),
        Wire::Anthropic => {
            let proof = reasoning.proof.as_ref().ok_or(Why::NoProof)?;
            match proof.kind {
                ProofKind::Signature | ProofKind::Redacted if proof.data.is_empty() => {
                    Err(Why::NoProof)
                }
                ProofKind::Signature | ProofKind::Redacted
                    if reasoning.text.contains('\0') || proof.data.contains('\0') =>
                {
                    Err(Why::HoldsNul)
                }
                ProofKind::Signature | ProofKind::Redacted if target.accepts(proof) => Ok(()),
                ProofKind::Signature
                | ProofKind::Redacted
                | ProofKind::Encrypted
                | ProofKind::ThoughtSignature => Err(Why::OtherMaker),
            }
        }
    }
}

/// Which stretches of a record keep their reasoning back from one target. Bounded by the
/// number of loops that mix, which is small; grows by message, never shrinks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReasoningLedger {
    mixed: Vec<SeqRange>,
    changed: Vec<SeqRange>,
    current: Loop,
}

/// What is known of the tool loop in progress: all that stands between two user speeches.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Loop {
    first: Option<Seq>,
    crosses: bool,
    fails: bool,
}

impl ReasoningLedger {
    /// Takes in the next message. Gives the stretch that must be made again, where reasoning
    /// that crossed until now no longer does.
    pub fn absorb(&mut self, stored: &Stored, target: &Target) -> Option<SeqRange> {
        if ends_loop(stored) {
            self.end_loop(stored.seq);
            return None;
        }
        let was_mixed = self.current.crosses && self.current.fails;
        for block in &stored.message.blocks {
            let Block::Reasoning(reasoning) = block else { continue };
            self.current.first.get_or_insert(stored.seq);
            match native(reasoning, target) {
                Ok(()) => self.current.crosses = true,
                Err(Why::WireHasNoPlace) => {}
                Err(_) => self.current.fails = true,
            }
        }
        let mixed = self.current.crosses && self.current.fails;
        let first = self.current.first.filter(|_| mixed && !was_mixed)?;
        SeqRange::from(first).insert_into(&mut self.mixed);
        Some(SeqRange::from(first))
    }

    /// Notes an epoch on a target that binds thinking: it changed bytes from `first` on and
    /// was decided at `at`.
    pub fn epoch(&mut self, first: Seq, at: Seq) {
        SeqRange::new(first, at).insert_into(&mut self.changed);
    }

    /// Why reasoning at `seq` is kept back, if it is.
    pub fn ruled_out(&self, seq: Seq) -> Option<Why> {
        let in_one = |ranges: &[SeqRange]| ranges.iter().any(|range| range.holds(seq));
        if in_one(&self.mixed) {
            Some(Why::LoopIsMixed)
        } else {
            in_one(&self.changed).then_some(Why::PrefixChanged)
        }
    }

    /// A loop that was ruled out stays so: its bytes must not change back.
    fn end_loop(&mut self, at: Seq) {
        for range in &mut self.mixed {
            if range.last == SeqRange::OPEN {
                range.last = at;
            }
        }
        self.current = Loop::default();
    }
}

/// A person (or the operator) who says something ends the loop.
fn ends_loop(stored: &Stored) -> bool {
    match stored.message.role {
        Role::Assistant | Role::Tool => false,
        Role::User | Role::System => stored.message.blocks.iter().any(|block| match block {
            Block::Text(text) => !is_blank(&text.text),
            Block::Image(_) | Block::Document(_) => true,
            Block::Reasoning(_) | Block::ToolCall(_) | Block::ToolResult(_) => false,
        }),
    }
}
