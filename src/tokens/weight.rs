//! What blocks and messages weigh: counted once per encoding, then read on any target.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::amount::{Encoding, Tokens};
use super::count::count;
use super::document::{DocumentWeight, weigh_document};
use super::image::{Dimensions, dimensions};
use super::overhead::{call_overhead, message_overhead};
use crate::record::{
    Block, Message, Output, Proof, ProofKind, Reasoning, Role, ToolCall, ToolResult, decode_strings,
};
use crate::target::{Target, Wire};

/// What a message weighs, block by block. Stored as JSON; blocks never change, so neither
/// does this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageWeight {
    blocks: Vec<BlockWeight>,
}

/// Text counted in each encoding that was asked for.
pub type Counts = BTreeMap<Encoding, Tokens>;

/// What a block weighs, before a target is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockWeight {
    /// Text that always crosses.
    Text(Counts),
    /// Reasoning: crosses only to the maker of its proof.
    Reasoning(Counts, Option<ProofWeight>),
    /// A call: its name and arguments.
    Call {
        /// As the JSON that was written.
        written: Counts,
        /// As the values that the JSON holds.
        read: Counts,
    },
    /// A result: its text, and what is not text.
    Result(Counts, Vec<MediaWeight>),
    /// An image or document of a message's own.
    Media(MediaWeight),
}

/// What is not text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaWeight {
    /// An image; `None`: its sides are not known.
    Image(Option<Dimensions>),
    /// A document.
    Document(DocumentWeight),
}

/// Who made a proof, and how large it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofWeight {
    provider: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    model: String,
    kind: ProofKind,
    bytes: u64,
}

/// What the text that names an image or document as unseen weighs, about (invariant 7).
pub const UNSEEN: Tokens = Tokens::new(30);

/// Weighs each block of `message`, its text once in each of `encodings`.
pub fn weigh(message: &Message, encodings: &BTreeSet<Encoding>) -> MessageWeight {
    let blocks = message.blocks.iter().map(|block| weigh_block(block, encodings)).collect();
    MessageWeight { blocks }
}

/// What a text weighs on `target`, counted now.
pub fn text_on(text: &str, target: &Target) -> Tokens {
    target.scale.apply(count(target.encoding, text))
}

/// What a wire adds to one call, or to one result.
pub fn frame_on(target: &Target) -> Tokens {
    target.scale.apply(call_overhead(target.wire))
}

/// What a result that holds this text weighs on `target`, with what the wire adds to it.
pub fn result_on(text: &str, target: &Target) -> Tokens {
    target.scale.apply(count(target.encoding, text) + call_overhead(target.wire))
}

impl MessageWeight {
    /// The weights, one a block.
    pub fn blocks(&self) -> &[BlockWeight] {
        &self.blocks
    }

    /// The weight of the block at `index`.
    pub fn block(&self, index: usize) -> Option<&BlockWeight> {
        self.blocks.get(index)
    }

    /// What a wire adds to the message beside its content: its own frame, and those of its
    /// calls and results.
    pub fn framing_on(&self, role: Role, target: &Target) -> Tokens {
        let framed = |block: &&BlockWeight| match block {
            BlockWeight::Call { .. } | BlockWeight::Result(..) => true,
            BlockWeight::Text(_) | BlockWeight::Reasoning(..) | BlockWeight::Media(_) => false,
        };
        let frames = self.blocks.iter().filter(framed).count() as u64;
        let each = frame_on(target).get();
        target.scale.apply(message_overhead(target.wire, role)) + Tokens::new(frames * each)
    }

    /// What the whole message weighs on `target`, the wire's overhead included.
    pub fn on(&self, role: Role, target: &Target) -> Tokens {
        let overhead = target.scale.apply(message_overhead(target.wire, role));
        overhead + self.blocks.iter().map(|block| block.on(target)).sum()
    }
}

impl BlockWeight {
    /// What the block weighs on `target`, with what the wire adds to a call or a result;
    /// nothing where it does not cross (invariant 6).
    pub fn on(&self, target: &Target) -> Tokens {
        match self {
            Self::Text(counts) => scaled(counts, target),
            Self::Reasoning(counts, proof) => match proof {
                Some(proof) if target.accepts_from(&proof.provider, &proof.model) => {
                    scaled(counts, target).max(proof.thought())
                }
                Some(_) | None => Tokens::ZERO,
            },
            Self::Call { written, read } => match target.wire {
                // The wire carries arguments as a string, and the model sees that string.
                Wire::OpenaiChat => framed(written, target),
                // The model sees the values: over 456 billed calls of a long session, JSON
                // escapes would count a quarter too much.
                Wire::Anthropic => framed(read, target),
            },
            Self::Result(counts, media) => {
                framed(counts, target) + media.iter().map(|media| media.on(target)).sum()
            }
            Self::Media(media) => media.on(target),
        }
    }
}

impl MediaWeight {
    fn on(&self, target: &Target) -> Tokens {
        match self {
            Self::Image(sides) if target.vision => target.images.tokens(*sides),
            Self::Document(document) if target.documents => document.on(target),
            Self::Image(_) | Self::Document(_) => UNSEEN,
        }
    }
}

impl ProofWeight {
    fn new(proof: &Proof) -> Self {
        Self {
            provider: proof.provider.clone(),
            model: proof.model.clone(),
            kind: proof.kind,
            bytes: proof.data.len() as u64,
        }
    }

    /// An estimate of the thought that the proof holds, which is billed as input when it
    /// crosses: base64 of an envelope and of something as long as the thought, at four bytes a
    /// token.
    ///
    /// The envelope is 650 bytes for `encrypted_content` (as the Codex client estimates it) and
    /// 180 for Anthropic's signatures and redacted thoughts (25 signatures of a
    /// `claude-opus-4-5` session, 350 to 5 500 characters long). In sessions whose thinking is
    /// signed and empty, this halves the error of what is predicted. A signature on another part
    /// holds no thought of its own.
    fn thought(&self) -> Tokens {
        let envelope = match self.kind {
            ProofKind::Signature | ProofKind::Redacted => 180,
            ProofKind::Encrypted => 650,
            ProofKind::ThoughtSignature => return Tokens::ZERO,
        };
        Tokens::new((self.bytes / 4 * 3).saturating_sub(envelope) / 4)
    }
}

fn weigh_block(block: &Block, encodings: &BTreeSet<Encoding>) -> BlockWeight {
    match block {
        Block::Text(text) => BlockWeight::Text(counts(encodings, [text.text.as_str()])),
        Block::Reasoning(reasoning) => weigh_reasoning(reasoning, encodings),
        Block::ToolCall(call) => weigh_call(call, encodings),
        Block::ToolResult(result) => weigh_result(result, encodings),
        Block::Image(image) => BlockWeight::Media(MediaWeight::Image(dimensions(image))),
        Block::Document(document) => {
            BlockWeight::Media(MediaWeight::Document(weigh_document(document, encodings)))
        }
    }
}

fn weigh_reasoning(reasoning: &Reasoning, encodings: &BTreeSet<Encoding>) -> BlockWeight {
    let proof = reasoning.proof.as_ref().map(ProofWeight::new);
    BlockWeight::Reasoning(counts(encodings, [reasoning.text.as_str()]), proof)
}

fn weigh_call(call: &ToolCall, encodings: &BTreeSet<Encoding>) -> BlockWeight {
    let (name, arguments) = (call.name.as_str(), call.arguments.as_written());
    let written = counts(encodings, [name, arguments]);
    let read = match decode_strings(arguments) {
        Cow::Borrowed(_) => written.clone(),
        Cow::Owned(decoded) => counts(encodings, [name, &decoded]),
    };
    BlockWeight::Call { written, read }
}

fn weigh_result(result: &ToolResult, encodings: &BTreeSet<Encoding>) -> BlockWeight {
    let texts = result.output.iter().filter_map(|piece| match piece {
        Output::Text(text) => Some(text.text.as_str()),
        Output::Document(_) | Output::Image(_) => None,
    });
    let media = result.output.iter().filter_map(|piece| match piece {
        Output::Text(_) => None,
        Output::Image(image) => Some(MediaWeight::Image(dimensions(image))),
        Output::Document(document) => {
            Some(MediaWeight::Document(weigh_document(document, encodings)))
        }
    });
    BlockWeight::Result(counts(encodings, texts), media.collect())
}

/// The texts' tokens in each encoding, each text counted by itself.
pub(super) fn counts<'t>(
    encodings: &BTreeSet<Encoding>,
    texts: impl IntoIterator<Item = &'t str>,
) -> Counts {
    let texts: Vec<&str> = texts.into_iter().collect();
    let sum = |encoding| texts.iter().map(|text| count(encoding, text)).sum();
    encodings.iter().map(|&encoding| (encoding, sum(encoding))).collect()
}

/// Counted text in the target's tokens.
pub(super) fn scaled(counts: &Counts, target: &Target) -> Tokens {
    target.scale.apply(counted(counts, target))
}

/// The text of a call or a result in the target's tokens, with what the wire adds to it.
fn framed(counts: &Counts, target: &Target) -> Tokens {
    target.scale.apply(counted(counts, target) + call_overhead(target.wire))
}

/// A target whose encoding was not asked for when the message was weighed reads the one that
/// was: off by some percent, not by everything.
fn counted(counts: &Counts, target: &Target) -> Tokens {
    let counted = counts.get(&target.encoding).or_else(|| counts.values().next());
    counted.copied().unwrap_or_default()
}

#[cfg(test)]
#[path = "weight_tests.rs"]
mod tests;
