//! Reading other agents' session files into the record.
//!
//! Lives here: one importer per format, and telling formats apart by content. Never lives here:
//! opening files (callers hand in bytes), or what becomes of a record. Pure.
//!
//! Nothing is lost silently: what the record cannot hold is counted by kind in
//! [`Transcript::skipped`], what cannot be read is listed with its line in
//! [`Transcript::unreadable`], what had to be altered is counted in [`Transcript::notes`].

mod blocks;
mod detect;
mod lines;
mod tally;
mod value;

mod anthropic_messages;
mod claude_code;
mod codex;
mod openai_chat;
mod pi;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::record::{ConversationId, Message};

pub use detect::detect;
use tally::Tally;

/// A session format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// `~/.claude/projects/<dir>/<session>.jsonl`
    ClaudeCode,
    /// `~/.codex/sessions/…/rollout-*.jsonl`
    Codex,
    /// Chat Completions messages, one conversation a file or a line; SWE-agent `.traj`.
    OpenaiChat,
    /// A pi session.
    Pi,
    /// An Anthropic Messages request.
    AnthropicMessages,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] =
        [Self::ClaudeCode, Self::Codex, Self::OpenaiChat, Self::Pi, Self::AnthropicMessages];

    /// As the command line and reports name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::OpenaiChat => "openai-chat",
            Self::Pi => "pi",
            Self::AnthropicMessages => "anthropic",
        }
    }
}

impl Format {
    /// The provider whose wire a session of this format was most likely written for, where the
    /// session itself does not say.
    pub const fn home(self) -> &'static str {
        match self {
            Self::Codex | Self::OpenaiChat => "openai",
            Self::ClaudeCode | Self::Pi | Self::AnthropicMessages => "anthropic",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = TranscriptError;

    fn from_str(name: &str) -> Result<Self, TranscriptError> {
        Self::ALL
            .into_iter()
            .find(|format| format.as_str() == name)
            .ok_or_else(|| TranscriptError::UnknownFormat { found: name.to_owned() })
    }
}

/// A file's bytes and its name.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The name as it was given; its stem names a conversation that has no id of its own.
    pub name: &'a str,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// What a file held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// How it was read.
    pub format: Format,
    /// Its conversations; at least one.
    pub conversations: Vec<Conversation>,
    /// What the record does not hold, by kind.
    pub skipped: BTreeMap<String, u64>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
    /// What was kept but altered, by kind.
    pub notes: BTreeMap<String, u64>,
}

/// One conversation of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// Its own id, else made of the file's name.
    pub id: ConversationId,
    /// Its messages, in order; their ids are unique in it and stay the same as the file grows.
    pub messages: Vec<Message>,
}

/// A piece of a file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Its line, from 1; 0 where the file is one JSON value.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// A file that cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TranscriptError {
    /// Nothing in it.
    #[error("{name}: expected a session file, found an empty one")]
    Empty {
        /// The file.
        name: String,
    },
    /// Not text.
    #[error("{name}: expected JSON or JSON lines, found binary data")]
    Binary {
        /// The file.
        name: String,
    },
    /// Text, but not JSON, or cut off.
    #[error("{name}: expected JSON or JSON lines: {reason}")]
    NotJson {
        /// The file.
        name: String,
        /// What the parser said.
        reason: String,
    },
    /// JSON, but of no format that is known.
    #[error("{name}: not a session format that is known here{}; known are claude-code, codex, openai-chat, pi, anthropic", looks(.looks_like.as_deref()))]
    Unrecognised {
        /// The file.
        name: String,
        /// What it looks like, where that can be told.
        looks_like: Option<String>,
    },
    /// Read as a format in which nothing of it is conversation.
    #[error("{name}: read as {format}, but no conversation is in it ({detail})")]
    NoConversation {
        /// The file.
        name: String,
        /// The format.
        format: Format,
        /// What was found instead.
        detail: String,
    },
    /// A format name that is not known.
    #[error(
        "there is no format {found:?}; known are claude-code, codex, openai-chat, pi, anthropic"
    )]
    UnknownFormat {
        /// What was asked for.
        found: String,
    },
}

fn looks(like: Option<&str>) -> String {
    like.map(|like| format!(" (it looks like {like})")).unwrap_or_default()
}

/// Reads a file as `format`.
pub fn read(source: &Source<'_>, format: Format) -> Result<Transcript, TranscriptError> {
    lines::check_text(source)?;
    let mut tally = Tally::default();
    let conversations = match format {
        Format::ClaudeCode => claude_code::read(source, &mut tally),
        Format::Codex => codex::read(source, &mut tally),
        Format::OpenaiChat => openai_chat::read(source, &mut tally)?,
        Format::Pi => pi::read(source, &mut tally),
        Format::AnthropicMessages => anthropic_messages::read(source, &mut tally)?,
    };
    let conversations: Vec<_> = conversations
        .into_iter()
        .filter(|conversation| !conversation.messages.is_empty())
        .collect();
    if conversations.is_empty() {
        return Err(TranscriptError::NoConversation {
            name: source.name.to_owned(),
            format,
            detail: tally.detail(),
        });
    }
    Ok(tally.transcript(format, conversations))
}
