//! What stands in the place of a cleared output.
//!
//! Invariant 15: made of the record's facts only, so the same on any machine. Invariant 11:
//! made once, stored with the clearing, and never made again.

use std::fmt::Write;

use super::epoch::Marker;
use crate::record::{BlockRef, CallId, Output, Status, ToolName, ToolResult};
use crate::tokens::Tokens;

/// Tool names and ids are cut to this many characters.
const MAX_NAME: usize = 64;

/// How much there is of an output, apart from its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Lines of text.
    pub lines: u64,
    /// Bytes of text.
    pub bytes: u64,
    /// Pictures.
    pub images: u64,
    /// Files.
    pub documents: u64,
}

impl Extent {
    /// Measures a result.
    pub fn of(result: &ToolResult) -> Self {
        let mut extent = Self::default();
        for output in &result.output {
            match output {
                Output::Text(text) => {
                    extent.lines += text.text.lines().count() as u64;
                    extent.bytes += text.text.len() as u64;
                }
                Output::Image(_) => extent.images += 1,
                Output::Document(_) => extent.documents += 1,
            }
        }
        extent
    }
}

/// The text that crosses instead of the output of one call.
///
/// It is one line in brackets: it names the tool, the outcome, the size, and how to get the
/// output back. It says that the tool *completed*, so it does not read as a failure of the
/// clearing; and it begins with what happened to the output, so it does not read as output.
///
/// The id to recall by is the call's own where that is plain, else `@seq.block`, which no
/// plain id can be.
pub fn marker(
    tool: &ToolName,
    status: Status,
    tokens: Tokens,
    extent: Extent,
    call_id: &CallId,
    at: BlockRef,
) -> Marker {
    let outcome = match status {
        Status::Ok => "ok",
        Status::Error => "error",
    };
    let mut text = format!(
        "[Output cleared to save context. {} completed: {outcome}, {}",
        plain_name(tool.as_str()),
        count(tokens.get(), "token"),
    );
    for (n, what) in
        [(extent.lines, "line"), (extent.images, "image"), (extent.documents, "document")]
    {
        if n > 0 {
            text.push_str(", ");
            text.push_str(&count(n, what));
        }
    }
    text.push_str(". Recall with id ");
    if is_plain_id(call_id.as_str()) {
        text.push_str(call_id.as_str());
    } else {
        write!(text, "@{}.{}", at.seq, at.block).expect("writing to a string does not fail");
    }
    text.push_str(".]");
    Marker(text)
}

fn count(n: u64, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {what}{plural}")
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | '|')
}

fn is_plain_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_NAME && id.chars().all(is_plain)
}

/// A tool's name, cut, with anything that could end the line or the brackets replaced.
fn plain_name(name: &str) -> String {
    if name.is_empty() {
        return "tool".to_owned();
    }
    let mut plain: String = name
        .chars()
        .take(MAX_NAME)
        .map(|c| if is_plain(c) || c.is_alphanumeric() { c } else { '_' })
        .collect();
    if name.chars().nth(MAX_NAME).is_some() {
        plain.push('…');
    }
    plain
}
