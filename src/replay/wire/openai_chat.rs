//! `OpenAI` Chat Completions (OC1 to OC6).
//!
//! Roles system, user, assistant, tool; results are `tool` messages directly after the message
//! that declares their calls; images stand only in user messages, so those of a result follow
//! the last result of its round.

use serde::Serialize;

use crate::record::Status;
use crate::replay::item::{Call, Content, Evidence, Item, Outcome, Part, Piece, Round, Speaker};
use crate::replay::item::{SeenImage, Speech};
use crate::replay::names::{Alphabet, wire_id, wire_name};
use crate::replay::reasoning::native;
use crate::replay::repairs::{Repair, Repairs};
use crate::replay::segment::Carry;
use crate::replay::text::{
    DID_NOT_COMPLETE, arguments, clean, evidence_head, is_blank, nothing, to_json,
};
use crate::replay::unseen::{Shown, ShownDocument, document, image};

/// OC2.
const ID: Alphabet = Alphabet::word(40);
/// OC2.
const NAME: Alphabet = Alphabet::word(64);

#[derive(Serialize)]
struct Message<'m> {
    role: &'static str,
    content: Option<Body>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'m str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Body {
    Text(String),
    Parts(Vec<UserPart>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum UserPart {
    Text { text: String },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct ToolCall {
    id: String,
    r#type: &'static str,
    function: Function,
}

#[derive(Serialize)]
struct Function {
    name: String,
    arguments: String,
}

pub(super) fn encode(items: &[Item<'_>], carry: &Carry<'_>, repairs: &mut Repairs) -> String {
    let mut out = Encoder { carry, repairs, messages: Vec::new() };
    for item in items {
        match item {
            Item::Speech(speech) => out.speech(speech),
            Item::Round(round) => out.round(round),
            Item::Evidence(evidence) => out.evidence(evidence),
        }
    }
    out.messages.join(",")
}

struct Encoder<'e> {
    carry: &'e Carry<'e>,
    repairs: &'e mut Repairs,
    messages: Vec<String>,
}

impl Encoder<'_> {
    fn speech(&mut self, speech: &Speech<'_>) {
        match speech.speaker {
            Speaker::User => {
                let parts = self.user_parts(&speech.parts);
                self.user(parts);
            }
            Speaker::System => {
                let (text, shown) = self.words(&speech.parts);
                if let Some(text) = text {
                    self.push("system", Some(Body::Text(text)), None, Vec::new());
                }
                self.user(shown);
            }
            Speaker::Assistant => {
                let (text, shown) = self.words(&speech.parts);
                if let Some(text) = text {
                    self.push("assistant", Some(Body::Text(text)), None, Vec::new());
                }
                self.user(shown);
            }
        }
    }

    fn round(&mut self, round: &Round<'_>) {
        let (text, mut shown) = self.words(&round.lead);
        let calls: Vec<_> = round.calls().map(|(call, _)| self.call(call)).collect();
        let ids: Vec<_> = calls.iter().map(|call| call.id.clone()).collect();
        self.push("assistant", text.map(Body::Text), None, calls);
        for ((call, outcome), id) in round.calls().zip(ids) {
            let (text, images) = self.outcome(call, outcome);
            self.push("tool", Some(Body::Text(text)), Some(&id), Vec::new());
            shown.extend(images);
        }
        self.user(shown);
    }

    fn evidence(&mut self, evidence: &Evidence<'_>) {
        self.repairs.count(Repair::OrphanToProse);
        let (text, shown) = self.pieces(&evidence.pieces, "the result above");
        let text = text.unwrap_or_else(|| nothing(evidence.status).to_owned());
        let mut parts =
            vec![UserPart::Text { text: format!("{} {text}", evidence_head(evidence)) }];
        parts.extend(shown);
        self.user(parts);
    }

    fn call(&mut self, call: &Call<'_>) -> ToolCall {
        ToolCall {
            id: wire_id(call, ID, self.repairs),
            r#type: "function",
            function: Function {
                name: wire_name(call.name.as_str(), NAME, self.repairs),
                arguments: arguments(call, self.repairs),
            },
        }
    }

    /// The text of a `tool` message, and the images that follow the round (OC4).
    fn outcome(&mut self, call: &Call<'_>, outcome: &Outcome<'_>) -> (String, Vec<UserPart>) {
        let Outcome::Result { status, content } = outcome else {
            self.repairs.count(Repair::DidNotComplete);
            return (DID_NOT_COMPLETE.to_owned(), Vec::new());
        };
        match content {
            Content::Cleared(marker) => (marker.0.clone(), Vec::new()),
            Content::Whole(pieces) => {
                let label = format!("the result of {}", clean(call.name.as_str()));
                let (text, shown) = self.pieces(pieces, &label);
                let text = match text {
                    Some(text) => as_outcome(*status, text),
                    None if shown.is_empty() => {
                        self.repairs.count(Repair::EmptyResult);
                        nothing(*status).to_owned()
                    }
                    None => as_outcome(*status, "[The tool returned an image; it follows.]".into()),
                };
                (text, shown)
            }
        }
    }

    /// The text of pieces, and the images among them with a label.
    fn pieces(&mut self, pieces: &[Piece<'_>], label: &str) -> (Option<String>, Vec<UserPart>) {
        let mut texts = Vec::new();
        let mut shown = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.words_into(&mut texts, text),
                Piece::Document(file) => texts.push(self.file(file)),
                Piece::Image(seen) => match self.image(*seen) {
                    Ok(part) => {
                        shown.push(UserPart::Text { text: format!("[Image from {label}:]") });
                        shown.push(part);
                    }
                    Err(text) => texts.push(text),
                },
            }
        }
        ((!texts.is_empty()).then(|| texts.join("\n")), shown)
    }

    /// What the assistant (or the operator) said, as one text; images cannot stand with them.
    fn words(&mut self, parts: &[Part<'_>]) -> (Option<String>, Vec<UserPart>) {
        let mut texts = Vec::new();
        let mut shown = Vec::new();
        for part in parts {
            match part {
                Part::Piece(Piece::Text(text)) => self.words_into(&mut texts, text),
                Part::Piece(Piece::Document(file)) => {
                    let text = self.file(file);
                    shown.push(UserPart::Text { text });
                }
                Part::Piece(Piece::Image(seen)) => match self.image(*seen) {
                    Ok(part) => {
                        let text = "[Image from the message above:]".to_owned();
                        shown.extend([UserPart::Text { text }, part]);
                    }
                    Err(text) => shown.push(UserPart::Text { text }),
                },
                Part::Reasoning(at, reasoning) => {
                    if let Err(why) = native(reasoning, self.carry.target) {
                        self.repairs.leave_out(*at, why);
                    }
                }
            }
        }
        ((!texts.is_empty()).then(|| texts.join("\n\n")), shown)
    }

    fn user_parts(&mut self, parts: &[Part<'_>]) -> Vec<UserPart> {
        let mut out = Vec::new();
        for part in parts {
            match part {
                Part::Piece(Piece::Text(text)) => {
                    let mut texts = Vec::new();
                    self.words_into(&mut texts, text);
                    out.extend(texts.into_iter().map(|text| UserPart::Text { text }));
                }
                Part::Piece(Piece::Document(file)) => {
                    let text = self.file(file);
                    out.push(UserPart::Text { text });
                }
                Part::Piece(Piece::Image(seen)) => {
                    out.push(self.image(*seen).unwrap_or_else(|text| UserPart::Text { text }));
                }
                Part::Reasoning(at, reasoning) => {
                    if let Err(why) = native(reasoning, self.carry.target) {
                        self.repairs.leave_out(*at, why);
                    }
                }
            }
        }
        out
    }

    fn words_into(&mut self, texts: &mut Vec<String>, text: &str) {
        if is_blank(text) {
            self.repairs.count(Repair::BlankLeftOut);
        } else {
            texts.push(clean(text).into_owned());
        }
    }

    fn image(&mut self, seen: SeenImage<'_>) -> Result<UserPart, String> {
        let url = match image(seen, self.carry.target, self.carry.images, self.repairs)? {
            Shown::Url(url) => url.to_owned(),
            Shown::Bytes { media_type, base64 } => format!("data:{media_type};base64,{base64}"),
        };
        Ok(UserPart::ImageUrl { image_url: ImageUrl { url } })
    }

    /// A document as text. The wire's file parts are not in the rules; a URL is named.
    fn file(&mut self, file: &crate::record::Document) -> String {
        let title = file.title.as_deref().map(clean).unwrap_or_default();
        match document(file, self.carry.target, self.repairs) {
            Ok(ShownDocument::Text(text)) => format!("[Document {title}]\n{text}"),
            Ok(ShownDocument::Url(url)) => format!("[Document {title} at {url}: not read.]"),
            Ok(ShownDocument::Pdf(_)) => {
                self.repairs.count(Repair::DocumentUnseen);
                format!("[Document {title} not shown: this wire takes no PDF. Not read.]")
            }
            Err(text) => text,
        }
    }

    fn user(&mut self, mut parts: Vec<UserPart>) {
        if parts.is_empty() {
            return;
        }
        let body = match parts.as_mut_slice() {
            [UserPart::Text { text }] => Body::Text(std::mem::take(text)),
            _ => Body::Parts(parts),
        };
        self.push("user", Some(body), None, Vec::new());
    }

    fn push(
        &mut self,
        role: &'static str,
        content: Option<Body>,
        tool_call_id: Option<&str>,
        tool_calls: Vec<ToolCall>,
    ) {
        self.messages.push(to_json(&Message { role, content, tool_call_id, tool_calls }));
    }
}

/// The wire has no error flag, so an error says that it is one.
fn as_outcome(status: Status, text: String) -> String {
    let says_so = text.trim_start().get(..5).is_some_and(|head| head.eq_ignore_ascii_case("error"));
    match status {
        Status::Error if !says_so => format!("Error: {text}"),
        Status::Ok | Status::Error => text,
    }
}
