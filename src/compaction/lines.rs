//! Finding, without a model, that an assistant message quotes a result: by the hashes of
//! their lines.
//!
//! Every line of at least [`MIN_CHARS`] characters is hashed. A line number or a diff sign in
//! front of a line is how a tool shows it, not what it says, so both are taken off first: what
//! `read` printed as `  12→let x = …` is quoted by an edit as `let x = …`.
//!
//! Work is proportional to the text, and bounded by [`MAX_LINES`] a message.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::record::{Arguments, Block, Message, Output, ToolResult, replace_lone_surrogates};

/// A shorter line (trimmed) is too common to point at one result.
pub const MIN_CHARS: usize = 40;

/// How many different lines of one message are looked at. More than a window of 200 000
/// tokens holds, as a line of 40 characters weighs about ten.
pub const MAX_LINES: usize = 20_000;

/// Stands for one line of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LineHash(pub u64);

/// The lines of `text` that are long enough to be recognised, in order, repeats included.
pub fn quotable_lines(text: &str) -> impl Iterator<Item = LineHash> + '_ {
    text.lines()
        .map(said)
        .filter(|line| line.chars().nth(MIN_CHARS - 1).is_some())
        .map(|line| LineHash(xxh3_64(line.as_bytes())))
}

/// The lines of a result's text, each once, in order of their hash.
pub fn lines_of_result(result: &ToolResult) -> Vec<LineHash> {
    let mut lines = Lines::default();
    for output in &result.output {
        match output {
            Output::Text(text) => lines.add(&text.text),
            Output::Image(_) | Output::Document(_) => {}
        }
    }
    lines.done()
}

/// The lines of what a message says and of what its calls are called with, each once. What it
/// thinks is not speech (invariant 6).
pub fn lines_of_assistant(message: &Message) -> Vec<LineHash> {
    let mut lines = Lines::default();
    for block in &message.blocks {
        match block {
            Block::Text(text) => lines.add(&text.text),
            Block::ToolCall(call) => add_arguments(&mut lines, &call.arguments),
            Block::Reasoning(_) | Block::ToolResult(_) | Block::Image(_) | Block::Document(_) => {}
        }
    }
    lines.done()
}

#[derive(Default)]
struct Lines(BTreeSet<LineHash>);

impl Lines {
    fn add(&mut self, text: &str) {
        for line in quotable_lines(text) {
            if self.0.len() == MAX_LINES {
                return;
            }
            self.0.insert(line);
        }
    }

    fn done(self) -> Vec<LineHash> {
        self.0.into_iter().collect()
    }
}

/// Escapes hide both the line breaks and the words of a quote, so strings are decoded.
fn add_arguments(lines: &mut Lines, arguments: &Arguments) {
    match arguments {
        Arguments::Object(object) => {
            for json in json_strings(object.as_str()) {
                if let Ok(text) = serde_json::from_str::<String>(&replace_lone_surrogates(json)) {
                    lines.add(&text);
                }
            }
        }
        Arguments::Broken(text) => lines.add(text),
    }
}

/// The string literals of valid JSON, quotes included, keys too (a key of forty characters is
/// no harm). Walks bytes, so depth costs nothing.
fn json_strings(json: &str) -> impl Iterator<Item = &str> {
    let bytes = json.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes.get(at..)?.iter().position(|&byte| byte == b'"')?;
        let mut end = start + 1;
        while *bytes.get(end)? != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        at = end + 1;
        json.get(start..at)
    })
}

/// What a line says, without how a tool shows it.
fn said(line: &str) -> &str {
    let line = line.trim();
    let line = without_number(line).unwrap_or(line).trim_start();
    line.strip_prefix(['+', '-']).unwrap_or(line).trim()
}

/// `12→text`, `12: text`, `12|text`, `12\ttext`: the text.
fn without_number(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == line.len() {
        return None;
    }
    rest.strip_prefix(['→', ':', '|', '\t'])
}
