//! From messages to items: results are taken to their calls, orphans become evidence.

use std::collections::BTreeMap;

use crate::compaction::Marker;
use crate::record::{Block, BlockRef, Message, Output, Role, Seq, Stored, ToolResult};

use super::binding::Links;
use super::item::{
    Call, Content, Evidence, Item, Outcome, Part, Piece, Round, SeenImage, Speaker, Speech,
};

/// A stretch of the record and what bears on it from outside.
#[derive(Debug, Clone, Copy)]
pub struct Span<'r> {
    /// The messages, without gaps.
    pub messages: &'r [Stored],
    /// Calls and answers that concern them.
    pub links: &'r Links,
    /// Answers to calls in the stretch that stand outside it.
    pub late: &'r BTreeMap<BlockRef, Late>,
    /// The markers of results that are cleared.
    pub cleared: &'r BTreeMap<BlockRef, Marker>,
    /// How many images the record holds before the stretch.
    pub images_before: u64,
}

/// An answer that stands outside the stretch.
#[derive(Debug, Clone)]
pub struct Late {
    /// The result.
    pub result: ToolResult,
    /// How many images the record holds before it.
    pub images_before: u64,
}

/// The items of a stretch, in the order of the messages that they stand at.
///
/// A result stands where its call does; what a person said in between comes after the round,
/// since it stands at its own message.
pub fn rounds<'r>(span: &Span<'r>) -> Vec<Item<'r>> {
    let answers = Answers::of(span);
    let mut items = Vec::new();
    for stored in span.messages {
        message_items(stored, span, &answers, &mut items);
    }
    items
}

/// The results of the stretch and the late ones, by where they stand, with the number of
/// images before each.
struct Answers<'r> {
    results: BTreeMap<BlockRef, (&'r ToolResult, u64)>,
    images_before: BTreeMap<Seq, u64>,
}

impl<'r> Answers<'r> {
    fn of(span: &Span<'r>) -> Self {
        let mut results: BTreeMap<_, _> =
            span.late.iter().map(|(at, late)| (*at, (&late.result, late.images_before))).collect();
        let mut images_before = BTreeMap::new();
        let mut images = span.images_before;
        for stored in span.messages {
            images_before.insert(stored.seq, images);
            for (block, content) in (0..).zip(&stored.message.blocks) {
                if let Block::ToolResult(result) = content {
                    results.insert(BlockRef::new(stored.seq, block), (result, images));
                }
                images += images_in(content);
            }
        }
        Self { results, images_before }
    }
}

/// How many images a block holds.
pub fn images_in(block: &Block) -> u64 {
    match block {
        Block::Image(_) => 1,
        Block::ToolResult(result) => {
            result.output.iter().filter(|output| matches!(output, Output::Image(_))).count() as u64
        }
        Block::Text(_) | Block::Reasoning(_) | Block::ToolCall(_) | Block::Document(_) => 0,
    }
}

/// The items of one message. What it said before an orphan result stays before it; its calls
/// come last, on one declaration.
fn message_items<'r>(
    stored: &'r Stored,
    span: &Span<'r>,
    answers: &Answers<'r>,
    items: &mut Vec<Item<'r>>,
) {
    let Stored { seq, message } = stored;
    let mut images = answers.images_before.get(seq).copied().unwrap_or_default();
    let mut parts = Vec::new();
    let mut calls = Vec::new();
    for (block, content) in (0..).zip(&message.blocks) {
        let at = BlockRef::new(*seq, block);
        match content {
            Block::Text(text) => parts.push(Part::Piece(Piece::Text(&text.text))),
            Block::Reasoning(reasoning) => parts.push(Part::Reasoning(at, reasoning)),
            Block::Image(image) => {
                parts.push(Part::Piece(Piece::Image(SeenImage { image, ordinal: images })));
            }
            Block::Document(document) => parts.push(Part::Piece(Piece::Document(document))),
            Block::ToolCall(call) => {
                let fact = span.links.call(at);
                let declared = Call {
                    at,
                    id: &call.call_id,
                    occurrence: fact.map_or(0, |fact| fact.occurrence),
                    name: &call.name,
                    arguments: &call.arguments,
                    form: call.form,
                    proof: call.proof.as_ref(),
                };
                let answer = fact.and_then(|fact| fact.answer);
                calls.push((declared, outcome(answer, span, answers)));
            }
            Block::ToolResult(result) => {
                if span.links.answered_by(at).is_none() {
                    flush(stored, &mut parts, items);
                    items.push(Item::Evidence(Evidence {
                        at,
                        name: result.name.as_ref(),
                        status: result.status,
                        pieces: pieces(result, images),
                    }));
                }
            }
        }
        images += images_in(content);
    }
    declare(stored, parts, calls, items);
}

fn declare<'r>(
    stored: &'r Stored,
    mut parts: Vec<Part<'r>>,
    calls: Vec<(Call<'r>, Outcome<'r>)>,
    items: &mut Vec<Item<'r>>,
) {
    let mut calls = calls.into_iter();
    let Some(first) = calls.next() else {
        flush(stored, &mut parts, items);
        return;
    };
    // Only the model's own words may stand on the message that declares its calls.
    match stored.message.role {
        Role::Assistant => {}
        Role::User | Role::Tool | Role::System => flush(stored, &mut parts, items),
    }
    items.push(Item::Round(Round {
        at: stored.seq,
        origin: stored.message.origin.as_ref(),
        lead: parts,
        first,
        others: calls.collect(),
    }));
}

fn flush<'r>(stored: &'r Stored, parts: &mut Vec<Part<'r>>, items: &mut Vec<Item<'r>>) {
    if !parts.is_empty() {
        items.push(Item::Speech(Speech {
            at: stored.seq,
            speaker: speaker(&stored.message),
            origin: stored.message.origin.as_ref(),
            parts: std::mem::take(parts),
        }));
    }
}

fn speaker(message: &Message) -> Speaker {
    match message.role {
        // What a tool says outside a result is input like any other.
        Role::User | Role::Tool => Speaker::User,
        Role::Assistant => Speaker::Assistant,
        Role::System => Speaker::System,
    }
}

fn outcome<'r>(answer: Option<BlockRef>, span: &Span<'r>, answers: &Answers<'r>) -> Outcome<'r> {
    let Some((at, (result, images))) = answer.and_then(|at| Some((at, *answers.results.get(&at)?)))
    else {
        return Outcome::DidNotComplete;
    };
    Outcome::Result {
        status: result.status,
        content: match span.cleared.get(&at) {
            Some(marker) => Content::Cleared(marker),
            None => Content::Whole(pieces(result, images)),
        },
    }
}

fn pieces(result: &ToolResult, images_before: u64) -> Vec<Piece<'_>> {
    let mut images = images_before;
    result
        .output
        .iter()
        .map(|output| match output {
            Output::Text(text) => Piece::Text(&text.text),
            Output::Document(document) => Piece::Document(document),
            Output::Image(image) => {
                images += 1;
                Piece::Image(SeenImage { image, ordinal: images - 1 })
            }
        })
        .collect()
}
