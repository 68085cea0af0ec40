//! One message of a record, and the message with its place.

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::block::Block;
use super::error::RecordError;
use super::fields::{Extra, Fields, entry_if};
use super::ids::{MessageId, Seq};
use super::json_text::replace_lone_surrogates;
use super::time::Timestamp;

/// One message: who spoke or acted, and in which blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Names it inside its conversation.
    pub id: MessageId,
    /// Whose it is.
    pub role: Role,
    /// What was said and done, in order; may be empty.
    pub blocks: Vec<Block>,
    /// Which model wrote it, where one did.
    pub origin: Option<Origin>,
    /// What the provider reported for the call that made it.
    pub usage: Option<Usage>,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// Fields the record does not know.
    pub extra: Extra,
}

/// Whose a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A person's, or another program's in that place.
    User,
    /// The model's.
    Assistant,
    /// A tool's.
    Tool,
    /// The operator's.
    System,
}

/// Which model wrote a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// As `anthropic`.
    pub provider: String,
    /// As `claude-opus-4-5`; empty where the source does not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
}

/// Tokens of one model call, as the provider reported them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Fresh input: neither read from the prompt cache nor written to it.
    #[serde(default)]
    pub input: u64,
    /// Output.
    #[serde(default)]
    pub output: u64,
    /// Input read from the prompt cache.
    #[serde(default)]
    pub cache_read: u64,
    /// Input written to the prompt cache.
    #[serde(default)]
    pub cache_write: u64,
}

impl Usage {
    /// All input tokens of the call, however they were priced.
    pub const fn total_input(self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

/// A message with its place in the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its place.
    pub seq: Seq,
    /// The message.
    pub message: Message,
}

impl Message {
    /// A message of `role` with nothing known about it but its blocks.
    pub fn new(id: impl Into<MessageId>, role: Role, blocks: Vec<Block>) -> Self {
        Self {
            id: id.into(),
            role,
            blocks,
            origin: None,
            usage: None,
            created_at: None,
            extra: Extra::NONE,
        }
    }

    /// Reads the JSON of one message. Escaped lone surrogates, which no Rust string can hold,
    /// are read as U+FFFD; a store that keeps the JSON keeps them.
    pub fn parse(json: &str) -> Result<Self, RecordError> {
        let json = replace_lone_surrogates(json);
        let mut fields = Fields::read(&json, "")?;
        Ok(Self {
            id: fields.required("id", "a string")?,
            role: fields.required("role", "user, assistant, tool or system")?,
            blocks: fields.list("blocks", "a list of blocks", Block::read)?,
            origin: fields.optional("origin", "{provider, model}")?,
            usage: fields.optional("usage", "{input, output, cache_read, cache_write}")?,
            created_at: fields.optional("created_at", "a time in RFC 3339 or Unix ms")?,
            extra: fields.rest(),
        })
    }

    /// The message as JSON, fields in a fixed order, unknown ones last.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a message has string keys only and writes to memory")
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("role", &self.role)?;
        map.serialize_entry("blocks", &self.blocks)?;
        entry_if(&mut map, "origin", self.origin.as_ref())?;
        entry_if(&mut map, "usage", self.usage.as_ref())?;
        entry_if(&mut map, "created_at", self.created_at.as_ref())?;
        self.extra.serialize_into(&mut map)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY_KIND: &str = concat!(
        r#"{"id":"m1","role":"assistant","blocks":["#,
        r#"{"type":"text","text":"hi","cache":{"a":1}},"#,
        r#"{"type":"reasoning","text":"","proof":{"provider":"anthropic","model":"claude","kind":"signature","data":"s"}},"#,
        r#"{"type":"tool_call","call_id":"c","name":"bash","arguments":{"n": 1.0e400, "a":"\u0000"}},"#,
        r#"{"type":"tool_call","call_id":"","name":"bash","arguments":"{broken","form":"custom"},"#,
        r#"{"type":"tool_result","call_id":"c","status":"error","output":[{"type":"text","text":"no"},"#,
        r#"{"type":"image","media_type":"image/png","source":{"type":"base64","data":"AA=="},"width":1,"height":2}]},"#,
        r#"{"type":"document","media_type":"application/pdf","source":{"type":"url","url":"https://x"},"title":"t"}],"#,
        r#""origin":{"provider":"anthropic","model":"claude"},"#,
        r#""usage":{"input":1,"output":2,"cache_read":3,"cache_write":4},"#,
        r#""created_at":"2025-12-08T22:41:05.306Z","mood":[1,2.50]}"#,
    );

    #[test]
    fn every_kind_and_every_unknown_field_comes_back_byte_equal() {
        let message = Message::parse(EVERY_KIND).expect("it is a message");
        assert_eq!(message.to_json(), EVERY_KIND);
        assert_eq!(message.extra.get("mood"), Some("[1,2.50]"));
    }

    #[test]
    fn an_unknown_block_type_is_refused_with_its_path_and_the_known_types() {
        let json =
            r#"{"id":"m","role":"user","blocks":[{"type":"text","text":""},{"type":"video"}]}"#;
        let error = Message::parse(json).expect_err("video is no block type");
        assert_eq!(
            error.to_string(),
            "blocks[1].type: unknown block type \"video\"; known types are \
             text, reasoning, tool_call, tool_result, image, document"
        );
    }

    #[test]
    fn an_unknown_output_type_is_refused_where_it_stands() {
        let json = r#"{"id":"m","role":"tool","blocks":[{"type":"tool_result","call_id":"c","status":"ok","output":[{"type":"tool_call"}]}]}"#;
        let error = Message::parse(json).expect_err("a call is no output");
        assert!(error.to_string().starts_with("blocks[0].output[0].type: unknown block type"));
    }

    #[test]
    fn a_wrong_shape_says_what_was_expected_what_was_found_and_where() {
        let json = r#"{"id":"m","role":"user","blocks":[{"type":"text","text":7}]}"#;
        let error = Message::parse(json).expect_err("7 is no string");
        assert_eq!(error.to_string(), "blocks[0].text: expected a string, found 7");
        let error = Message::parse("[]").expect_err("a list is no message");
        assert_eq!(error.to_string(), "message: expected an object, found []");
        assert!(matches!(Message::parse("{"), Err(RecordError::NotJson(_))));
    }

    #[test]
    fn a_lone_surrogate_does_not_lose_the_message() {
        let json = r#"{"id":"m","role":"user","blocks":[{"type":"text","text":"cut \ud83d"}]}"#;
        let message = Message::parse(json).expect("it is read");
        assert_eq!(message.blocks, [Block::text("cut \u{fffd}")]);
    }
}
