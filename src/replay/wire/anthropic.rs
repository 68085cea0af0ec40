//! Anthropic Messages (AN1 to AN9).
//!
//! Roles user and assistant only, in turn; results begin the user message after their calls;
//! signed thinking leads its message, unchanged, or stays out.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::record::{ProofKind, Reasoning, Status};
use crate::replay::item::{
    Call, Content, Evidence, Item, Outcome, Part, Piece, Round, SeenImage, Speaker, Speech,
};
use crate::replay::names::{Alphabet, wire_id, wire_name};
use crate::replay::reasoning::{Why, native};
use crate::replay::repairs::{Repair, Repairs};
use crate::replay::segment::Carry;
use crate::replay::text::{
    BEGINS_WITH_ASSISTANT, DID_NOT_COMPLETE, arguments, clean, evidence_head, is_blank, nothing,
    to_json,
};
use crate::replay::unseen::{Shown, ShownDocument, document, image};

/// AN2, for ids and names.
const WORD: Alphabet = Alphabet::word(64);

#[derive(Serialize)]
struct Message {
    role: Role,
    content: Vec<Block>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Box<RawValue>,
    },
    ToolResult(ToolResult),
    Image {
        source: Source,
    },
    Document {
        source: Source,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
}

#[derive(Serialize)]
struct ToolResult {
    tool_use_id: String,
    content: Vec<Block>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Source {
    Base64 { media_type: &'static str, data: String },
    Text { media_type: &'static str, data: String },
    Url { url: String },
}

pub(super) fn encode(items: &[Item<'_>], carry: &Carry<'_>, repairs: &mut Repairs) -> String {
    let mut out = Encoder { carry, repairs, messages: Vec::new() };
    let leading =
        if carry.starts { items.iter().take_while(|item| is_system(item)).count() } else { 0 };
    for item in &items[leading..] {
        match item {
            Item::Speech(speech) => out.speech(speech),
            Item::Round(round) => out.round(round),
            Item::Evidence(evidence) => out.evidence(evidence),
        }
    }
    out.finish()
}

/// What the operator says before anyone else is sent as `system`, beside the history (AN1).
fn is_system(item: &Item<'_>) -> bool {
    match item {
        Item::Speech(speech) => speech.speaker == Speaker::System,
        Item::Round(_) | Item::Evidence(_) => false,
    }
}

struct Encoder<'e> {
    carry: &'e Carry<'e>,
    repairs: &'e mut Repairs,
    messages: Vec<Message>,
}

impl Encoder<'_> {
    fn speech(&mut self, speech: &Speech<'_>) {
        match speech.speaker {
            Speaker::User => {
                let blocks = self.user_blocks(&speech.parts);
                self.push(Role::User, blocks);
            }
            // The wire has no operator in mid-history: the words stay where they were said,
            // and say whose they are.
            Speaker::System => {
                let mut blocks = self.user_blocks(&speech.parts);
                if !blocks.is_empty() {
                    let text = "[From the operator of this conversation:]".to_owned();
                    blocks.insert(0, Block::Text { text });
                }
                self.push(Role::User, blocks);
            }
            Speaker::Assistant => {
                let (thinking, words, shown) = self.lead(&speech.parts);
                self.assistant(thinking, words);
                self.push(Role::User, shown);
            }
        }
    }

    fn round(&mut self, round: &Round<'_>) {
        let (thinking, mut words, mut shown) = self.lead(&round.lead);
        let mut results = Vec::new();
        for (call, outcome) in round.calls() {
            let id = wire_id(call, WORD, self.repairs);
            let (result, beside) = self.outcome(id.clone(), outcome);
            results.push(Block::ToolResult(result));
            shown.extend(beside);
            words.push(self.tool_use(id, call));
        }
        self.assistant(thinking, words);
        // AN3: results first, then anything else.
        self.push(Role::User, results);
        self.push(Role::User, shown);
    }

    fn tool_use(&mut self, id: String, call: &Call<'_>) -> Block {
        let input = RawValue::from_string(arguments(call, self.repairs))
            .expect("arguments are the text of a JSON object, by their type or by our wrapping");
        Block::ToolUse { id, name: wire_name(call.name.as_str(), WORD, self.repairs), input }
    }

    /// A result, and what of it must stand after all results: the provider takes nothing but
    /// text in a result that is an error.
    fn outcome(&mut self, tool_use_id: String, outcome: &Outcome<'_>) -> (ToolResult, Vec<Block>) {
        let Outcome::Result { status, content } = outcome else {
            self.repairs.count(Repair::DidNotComplete);
            let content = vec![Block::Text { text: DID_NOT_COMPLETE.to_owned() }];
            return (ToolResult { tool_use_id, content, is_error: true }, Vec::new());
        };
        let content = match content {
            Content::Cleared(marker) => vec![Block::Text { text: marker.0.clone() }],
            Content::Whole(pieces) => pieces.iter().filter_map(|piece| self.piece(piece)).collect(),
        };
        let (mut content, beside) = match status {
            Status::Ok => (content, Vec::new()),
            Status::Error => {
                content.into_iter().partition(|block| matches!(block, Block::Text { .. }))
            }
        };
        if content.is_empty() {
            self.repairs.count(Repair::EmptyResult);
            content.push(Block::Text { text: nothing(*status).to_owned() });
        }
        let is_error = match status {
            Status::Ok => false,
            Status::Error => true,
        };
        (ToolResult { tool_use_id, content, is_error }, beside)
    }

    fn evidence(&mut self, evidence: &Evidence<'_>) {
        self.repairs.count(Repair::OrphanToProse);
        let mut blocks: Vec<_> =
            evidence.pieces.iter().filter_map(|piece| self.piece(piece)).collect();
        let head = evidence_head(evidence);
        match blocks.first_mut() {
            Some(Block::Text { text }) => *text = format!("{head} {text}"),
            Some(_) => blocks.insert(0, Block::Text { text: head }),
            None => {
                let text = format!("{head} {}", nothing(evidence.status));
                blocks.push(Block::Text { text });
            }
        }
        self.push(Role::User, blocks);
    }

    /// What leads an assistant message: thinking that crosses, words, and what only a user
    /// message can show. AN6: thinking stands before everything else or stays out.
    fn lead(&mut self, parts: &[Part<'_>]) -> (Vec<Lead>, Vec<Block>, Vec<Block>) {
        let mut thinking = Vec::new();
        let mut words = Vec::new();
        let mut shown = Vec::new();
        for part in parts {
            match part {
                Part::Reasoning(at, reasoning) => match self.thinking(*at, reasoning) {
                    Ok(_) if !words.is_empty() => self.repairs.leave_out(*at, Why::NotLeading),
                    Ok(block) => thinking.push(Lead { at: *at, block }),
                    Err(why) => self.repairs.leave_out(*at, why),
                },
                Part::Piece(Piece::Text(text)) => words.extend(self.words(text, true)),
                Part::Piece(piece @ (Piece::Image(_) | Piece::Document(_))) => {
                    shown.extend(self.piece(piece));
                }
            }
        }
        (thinking, words, shown)
    }

    fn thinking(&self, at: crate::record::BlockRef, reasoning: &Reasoning) -> Result<Block, Why> {
        native(reasoning, self.carry.target)?;
        if let Some(why) = self.carry.reasoning.ruled_out(at.seq) {
            return Err(why);
        }
        let proof = reasoning.proof.as_ref().ok_or(Why::NoProof)?;
        match proof.kind {
            ProofKind::Signature => Ok(Block::Thinking {
                thinking: reasoning.text.clone(),
                signature: proof.data.clone(),
            }),
            ProofKind::Redacted => Ok(Block::RedactedThinking { data: proof.data.clone() }),
            ProofKind::Encrypted | ProofKind::ThoughtSignature => Err(Why::OtherMaker),
        }
    }

    /// An assistant message. Thinking needs something to lead, and a message of its own.
    fn assistant(&mut self, thinking: Vec<Lead>, words: Vec<Block>) {
        let merges = self.messages.last().is_some_and(|last| last.role == Role::Assistant);
        let why = if words.is_empty() {
            Some(Why::NothingFollows)
        } else {
            merges.then_some(Why::NotLeading)
        };
        let mut blocks = Vec::new();
        for lead in thinking {
            match why {
                Some(why) => self.repairs.leave_out(lead.at, why),
                None => blocks.push(lead.block),
            }
        }
        blocks.extend(words);
        self.push(Role::Assistant, blocks);
    }

    fn user_blocks(&mut self, parts: &[Part<'_>]) -> Vec<Block> {
        let mut blocks = Vec::new();
        for part in parts {
            match part {
                Part::Piece(piece) => blocks.extend(self.piece(piece)),
                Part::Reasoning(at, _) => self.repairs.leave_out(*at, Why::WireHasNoPlace),
            }
        }
        blocks
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Option<Block> {
        match piece {
            Piece::Text(text) => self.words(text, false),
            Piece::Image(seen) => Some(self.image(*seen)),
            Piece::Document(file) => Some(self.file(file)),
        }
    }

    /// AN5. What the assistant says never ends in white space: a final message must not, and
    /// bytes do not depend on being final.
    fn words(&mut self, text: &str, assistant: bool) -> Option<Block> {
        if is_blank(text) {
            self.repairs.count(Repair::BlankLeftOut);
            return None;
        }
        let text = if assistant { text.trim_end() } else { text };
        Some(Block::Text { text: clean(text).into_owned() })
    }

    fn image(&mut self, seen: SeenImage<'_>) -> Block {
        match image(seen, self.carry.target, self.carry.images, self.repairs) {
            Ok(Shown::Bytes { media_type, base64 }) => {
                Block::Image { source: Source::Base64 { media_type, data: base64.into_owned() } }
            }
            Ok(Shown::Url(url)) => Block::Image { source: Source::Url { url: url.to_owned() } },
            Err(text) => Block::Text { text },
        }
    }

    fn file(&mut self, file: &crate::record::Document) -> Block {
        let title = file.title.as_deref().map(clean).filter(|title| !is_blank(title));
        let title = title.map(std::borrow::Cow::into_owned);
        let source = match document(file, self.carry.target, self.repairs) {
            Ok(ShownDocument::Pdf(data)) => {
                Source::Base64 { media_type: "application/pdf", data: data.into_owned() }
            }
            Ok(ShownDocument::Text(data)) if self.carry.target.documents => {
                Source::Text { media_type: "text/plain", data }
            }
            Ok(ShownDocument::Text(data)) => return Block::Text { text: data },
            Ok(ShownDocument::Url(url)) => Source::Url { url: url.to_owned() },
            Err(text) => return Block::Text { text },
        };
        Block::Document { source, title }
    }

    /// AN1: consecutive messages of one role are one.
    fn push(&mut self, role: Role, blocks: Vec<Block>) {
        if blocks.is_empty() {
            return;
        }
        match self.messages.last_mut() {
            Some(last) if last.role == role => last.content.extend(blocks),
            _ => self.messages.push(Message { role, content: blocks }),
        }
    }

    fn finish(mut self) -> String {
        let assistant_first =
            self.messages.first().is_some_and(|first| first.role == Role::Assistant);
        if self.carry.starts && assistant_first {
            self.repairs.count(Repair::BeginsWithAssistant);
            let text = BEGINS_WITH_ASSISTANT.to_owned();
            let marker = Message { role: Role::User, content: vec![Block::Text { text }] };
            self.messages.insert(0, marker);
        }
        let messages: Vec<_> = self.messages.iter().map(to_json).collect();
        messages.join(",")
    }
}

/// Thinking that may lead a message.
struct Lead {
    at: crate::record::BlockRef,
    block: Block,
}
