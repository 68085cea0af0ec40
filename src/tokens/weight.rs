//! What blocks and messages weigh: counted once per encoding, then read on any target.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::amount::{Encoding, Tokens};
use super::count::count;
use super::image::{Dimensions, dimensions};
use crate::record::{Block, Document, Output, Proof, ProofKind, Role, Source, ToolCall};
use crate::target::{Target, Wire};

/// What a message weighs, block by block. Stored; blocks never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageWeight {
    blocks: Vec<BlockWeight>,
}

/// Text counted in each encoding that was asked for.
type Counts = BTreeMap<Encoding, Tokens>;

/// What a block weighs, before a target is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockWeight {
    /// Text that always crosses.
    Text(Counts),
    /// Reasoning: crosses only to the maker of its proof.
    Reasoning(Counts, Option<OpaqueProof>),
    /// A call: its name and arguments.
    Call(Counts),
    /// A result: its text and what is not text.
    Result(Counts, Vec<MediaWeight>),
    /// An image or document of a message's own.
    Media(MediaWeight),
}

/// What is not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaWeight {
    /// An image; `None`: its sides are not known.
    Image(Option<Dimensions>),
    /// A document, by its estimated tokens.
    Document(Tokens),
}

/// Who made a proof, and how large it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpaqueProof {
    provider: String,
    model: String,
    kind: ProofKind,
    bytes: u64,
}

/// What the text that names an image or document as unseen weighs, about.
const UNSEEN: Tokens = Tokens::new(30);
/// A PDF page is some 2 000 tokens of text and image and some 50 KB (Anthropic, "PDF
/// support": 1 500 to 3 000 a page); so 25 bytes a token.
const DOCUMENT_BYTES_PER_TOKEN: u64 = 25;
/// Encrypted thoughts are base64 of something near their text: some 6 characters a token.
/// Measured bodies vary by half; it is an estimate and said to be one.
const OPAQUE_BYTES_PER_TOKEN: u64 = 6;

/// Weighs each block of `message`, its text once in each of `encodings`.
pub fn weigh(blocks: &[Block], encodings: &BTreeSet<Encoding>) -> MessageWeight {
    MessageWeight { blocks: blocks.iter().map(|block| weigh_block(block, encodings)).collect() }
}

fn weigh_block(block: &Block, encodings: &BTreeSet<Encoding>) -> BlockWeight {
    let text = |text: &str| counts(encodings, [text]);
    match block {
        Block::Text(block) => BlockWeight::Text(text(&block.text)),
        Block::Reasoning(block) => {
            BlockWeight::Reasoning(text(&block.text), block.proof.as_ref().map(opaque))
        }
        Block::ToolCall(call) => BlockWeight::Call(weigh_call(call, encodings)),
        Block::ToolResult(result) => weigh_output(&result.output, encodings),
        Block::Image(image) => BlockWeight::Media(MediaWeight::Image(dimensions(image))),
        Block::Document(document) => {
            BlockWeight::Media(MediaWeight::Document(document_tokens(document)))
        }
    }
}

fn weigh_call(call: &ToolCall, encodings: &BTreeSet<Encoding>) -> Counts {
    counts(encodings, [call.name.as_str(), call.arguments.as_written()])
}

/// Weighs a result's output.
pub fn weigh_output(output: &[Output], encodings: &BTreeSet<Encoding>) -> BlockWeight {
    let texts = output.iter().filter_map(|piece| match piece {
        Output::Text(text) => Some(text.text.as_str()),
        Output::Document(_) | Output::Image(_) => None,
    });
    let media = output.iter().filter_map(|piece| match piece {
        Output::Text(_) => None,
        Output::Image(image) => Some(MediaWeight::Image(dimensions(image))),
        Output::Document(document) => Some(MediaWeight::Document(document_tokens(document))),
    });
    BlockWeight::Result(counts(encodings, texts), media.collect())
}

fn counts<'t>(encodings: &BTreeSet<Encoding>, texts: impl IntoIterator<Item = &'t str>) -> Counts {
    let texts: Vec<&str> = texts.into_iter().collect();
    let sum = |encoding| texts.iter().map(|text| count(encoding, text)).sum();
    encodings.iter().map(|&encoding| (encoding, sum(encoding))).collect()
}

/// An estimate by size: pages and prose cannot be counted without opening the file.
fn document_tokens(document: &Document) -> Tokens {
    let per_token =
        if document.media_type.starts_with("text/") { 4 } else { DOCUMENT_BYTES_PER_TOKEN };
    match &document.source {
        Source::Base64 { data } => Tokens::new((data.len() as u64 / 4 * 3).div_ceil(per_token)),
        Source::Url { url } => Tokens::new(url.len() as u64 / 4),
    }
}

fn opaque(proof: &Proof) -> OpaqueProof {
    OpaqueProof {
        provider: proof.provider.clone(),
        model: proof.model.clone(),
        kind: proof.kind,
        bytes: proof.data.len() as u64,
    }
}

impl OpaqueProof {
    /// What the proof itself adds. A signature beside readable text is not billed as input.
    fn tokens(&self) -> Tokens {
        match self.kind {
            ProofKind::Signature | ProofKind::ThoughtSignature => Tokens::ZERO,
            ProofKind::Redacted | ProofKind::Encrypted => {
                Tokens::new(self.bytes.div_ceil(OPAQUE_BYTES_PER_TOKEN))
            }
        }
    }
}

impl MessageWeight {
    /// The weights, one a block.
    pub fn blocks(&self) -> &[BlockWeight] {
        &self.blocks
    }

    /// What the whole message weighs on `target`, the wire's overhead included.
    pub fn on(&self, role: Role, target: &Target) -> Tokens {
        let overhead = match role {
            Role::User | Role::Assistant | Role::System => message_overhead(target.wire),
            // Results are counted as messages of their own below.
            Role::Tool => Tokens::ZERO,
        };
        overhead + self.blocks.iter().map(|block| block.on(target)).sum()
    }
}

/// What a wire adds to each message: `OpenAI` documents 3 tokens; the others frame their
/// turns alike.
const fn message_overhead(wire: Wire) -> Tokens {
    match wire {
        Wire::OpenaiChat | Wire::Anthropic => Tokens::new(3),
    }
}

/// What a wire adds to each call and to each result: ids, names of fields. `OpenAI` frames a
/// function call in about 8 tokens; Anthropic's `tool_use` and `tool_result` in about 12.
const fn call_overhead(wire: Wire) -> Tokens {
    match wire {
        Wire::OpenaiChat => Tokens::new(8),
        Wire::Anthropic => Tokens::new(12),
    }
}

impl BlockWeight {
    /// What the block weighs on `target`; nothing where it does not cross.
    pub fn on(&self, target: &Target) -> Tokens {
        match self {
            Self::Text(counts) => scaled(counts, target),
            Self::Reasoning(counts, proof) => match proof {
                Some(proof) if target.accepts_from(&proof.provider, &proof.model) => {
                    scaled(counts, target) + proof.tokens()
                }
                Some(_) | None => Tokens::ZERO,
            },
            Self::Call(counts) => call_overhead(target.wire) + scaled(counts, target),
            Self::Result(counts, media) => {
                let media: Tokens = media.iter().map(|media| media.on(target)).sum();
                call_overhead(target.wire) + scaled(counts, target) + media
            }
            Self::Media(media) => media.on(target),
        }
    }
}

impl MediaWeight {
    fn on(self, target: &Target) -> Tokens {
        match self {
            Self::Image(sides) if target.vision => target.images.tokens(sides),
            Self::Document(tokens) if target.documents => tokens,
            Self::Image(_) | Self::Document(_) => UNSEEN,
        }
    }
}

/// Counted text in the target's tokens. An encoding that was not counted weighs as the one
/// that was: the estimate is off by some percent, not by everything.
fn scaled(counts: &Counts, target: &Target) -> Tokens {
    let counted = counts.get(&target.encoding).or_else(|| counts.values().next());
    target.scale.apply(counted.copied().unwrap_or_default())
}

/// What a text weighs on `target`, counted now.
pub fn text_on(text: &str, target: &Target) -> Tokens {
    target.scale.apply(count(target.encoding, text))
}
