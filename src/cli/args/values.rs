//! Single values of a command line.

use std::fmt;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::target::TargetName;
use crate::tokens::Tokens;

/// Where a session is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input, written `-`.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl From<std::ffi::OsString> for Input {
    fn from(text: std::ffi::OsString) -> Self {
        if text == "-" { Self::Stdin } else { Self::File(text.into()) }
    }
}

impl fmt::Display for Input {
    /// The path as it was given; `-` for standard input.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("-"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// The formats of session files, as `--format` names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub enum FormatName {
    /// Claude Code session (~/.claude/projects/…/*.jsonl)
    ClaudeCode,
    /// Codex rollout (~/.codex/sessions/…/rollout-*.jsonl)
    Codex,
    /// OpenAI Chat messages: an object, an array, one a line, or a SWE-agent .traj
    OpenaiChat,
    /// pi session
    Pi,
    /// Anthropic Messages request
    Anthropic,
}

/// As what a conversation is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum View {
    /// Every message as it was recorded.
    Record,
    /// What it weighs.
    Tokens,
    /// What was cleared, when and why.
    Epochs,
    /// What a target receives.
    Target(TargetName),
}

impl From<String> for View {
    fn from(text: String) -> Self {
        match text.as_str() {
            "record" => Self::Record,
            "tokens" => Self::Tokens,
            "epochs" => Self::Epochs,
            _ => Self::Target(TargetName::new(text)),
        }
    }
}

/// Reads a number of tokens: `20000`, `20_000` or `20k`.
pub(super) fn token_count(text: &str) -> Result<Tokens, String> {
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1_000),
        None => (text, 1),
    };
    let well_formed = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '_');
    well_formed
        .then(|| digits.replace('_', ""))
        .and_then(|digits| digits.parse::<u64>().ok())
        .and_then(|count| count.checked_mul(unit))
        .map(Tokens::new)
        .ok_or_else(|| "expected a number of tokens, such as 20000 or 20k".to_owned())
}
