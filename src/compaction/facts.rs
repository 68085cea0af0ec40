//! What policy needs to know of one message. Made once, when the message is absorbed; policy
//! itself never sees text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::epoch::Marker;
use super::lines::{LineHash, lines_of_result};
use super::marker::{Extent, marker};
use crate::record::{
    Arguments, BlockRef, CallId, Output, Role, Seq, Source, Status, Timestamp, ToolCall, ToolName,
    ToolResult,
};
use crate::tokens::Tokens;

/// One message, as policy sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageFacts {
    /// Its place.
    pub seq: Seq,
    /// Whose it is.
    pub role: Role,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// What it weighs with nothing cleared, for each target of the conversation.
    pub tokens: Vec<Tokens>,
    /// Whether it holds anything but results.
    pub speaks: bool,
    /// Its calls, in order.
    pub calls: Vec<CallFacts>,
    /// Its results that answer a call. An orphan crosses as prose and is never a candidate.
    pub results: Vec<ResultFacts>,
    /// What it may quote: [`super::lines::lines_of_assistant`]; empty for other roles.
    pub lines: Vec<LineHash>,
}

/// One call, as policy sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFacts {
    /// The call block.
    pub at: BlockRef,
    /// Its id.
    pub call_id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// Of the name and the arguments, as they were written.
    pub hash: u64,
    /// The file it reads or writes, where its arguments say so.
    pub touch: Option<Touch>,
}

/// Stands for a path, as the call wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PathHash(pub u64);

/// What a call does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// Its result shows the file.
    Reads(PathHash),
    /// It replaces the file.
    Writes(PathHash),
}

/// One result that answers a call, as policy sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultFacts {
    /// The result block.
    pub at: BlockRef,
    /// The call that it answers.
    pub call: CallFacts,
    /// How it went.
    pub status: Status,
    /// What it weighs for each target; the first one decides.
    pub tokens: Vec<Tokens>,
    /// What would cross instead.
    pub marker: Marker,
    /// What that weighs for each target.
    pub marker_tokens: Vec<Tokens>,
    /// What the message's blocks before it weigh on the first target.
    pub offset: Tokens,
    /// Of everything it shows.
    pub content_hash: u64,
    /// Its size.
    pub extent: Extent,
    /// What a later message may quote.
    pub lines: Vec<LineHash>,
}

impl CallFacts {
    /// Of the call that stands at `at`.
    pub fn of(at: BlockRef, call: &ToolCall) -> Self {
        let mut hash = Xxh3::new();
        hash.update(call.name.as_str().as_bytes());
        hash.update(b"\0");
        hash.update(call.arguments.as_written().as_bytes());
        Self {
            at,
            call_id: call.call_id.clone(),
            tool: call.name.clone(),
            hash: hash.digest(),
            touch: touch(call),
        }
    }
}

impl ResultFacts {
    /// Of the result at `at` that answers `call`. `tokens` is what it weighs for each target,
    /// `weigh` counts a text for each target, `offset` is what the message's blocks before it
    /// weigh on the first.
    pub fn of(
        at: BlockRef,
        result: &ToolResult,
        call: CallFacts,
        tokens: Vec<Tokens>,
        offset: Tokens,
        weigh: impl Fn(&str) -> Vec<Tokens>,
    ) -> Self {
        let extent = Extent::of(result);
        let weight = tokens.first().copied().unwrap_or_default();
        let marker = marker(&call.tool, result.status, weight, extent, &call.call_id, at);
        Self {
            at,
            status: result.status,
            marker_tokens: weigh(&marker.0),
            marker,
            tokens,
            offset,
            content_hash: content_hash(result),
            extent,
            lines: lines_of_result(result),
            call,
        }
    }
}

fn content_hash(result: &ToolResult) -> u64 {
    let mut hash = Xxh3::new();
    for output in &result.output {
        let (kind, content) = match output {
            Output::Text(text) => (b"t", text.text.as_str()),
            Output::Image(image) => (b"i", source_text(&image.source)),
            Output::Document(document) => (b"d", source_text(&document.source)),
        };
        hash.update(kind);
        hash.update(&(content.len() as u64).to_le_bytes());
        hash.update(content.as_bytes());
    }
    hash.digest()
}

fn source_text(source: &Source) -> &str {
    match source {
        Source::Base64 { data } => data,
        Source::Url { url } => url,
    }
}

/// The names under which tools take a path.
const PATH_KEYS: [&str; 7] =
    ["path", "file_path", "filePath", "filename", "target_file", "absolute_path", "notebook_path"];
/// Words in the names of tools that replace the file they are given.
const WRITES: [&str; 2] = ["write", "create"];
/// Words in the names of tools that show the file they are given.
const READS: [&str; 3] = ["read", "view", "open"];

/// An edit is no write: it quotes what it replaces, the rest of what was read still stands,
/// and models go on quoting it. Taking edits for writes forgot 26 of the 224 quotes of one
/// session where this forgets 20, and cost more.
fn touch(call: &ToolCall) -> Option<Touch> {
    let Arguments::Object(object) = &call.arguments else { return None };
    // Values stay raw, so the depth of the arguments costs nothing.
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(object.as_str()).ok()?;
    let text = |key: &str| serde_json::from_str::<String>(fields.get(key)?.get()).ok();
    let path = PATH_KEYS.iter().find_map(|key| text(key))?;
    let path = PathHash(xxh3_64(path.as_bytes()));
    // An editor tool that does several things says which in `command`.
    let deed = text("command").unwrap_or_else(|| call.name.as_str().to_lowercase());
    let does = |words: &[&str]| words.iter().any(|word| deed.contains(word));
    if does(&WRITES) {
        Some(Touch::Writes(path))
    } else {
        does(&READS).then_some(Touch::Reads(path))
    }
}
