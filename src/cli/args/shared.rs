//! Groups of options that several commands share.

use std::path::PathBuf;

use clap::Args;

use super::values::{FormatName, token_count};
use crate::tokens::Tokens;

/// The database that a command works on.
#[derive(Debug, Clone, Args)]
pub struct Database {
    /// The database: a SQLite file, as made by run or import [env: AFTERTURN_DB]
    #[arg(long, value_name = "FILE")]
    pub db: PathBuf,
}

/// How session files are read.
#[derive(Debug, Clone, Copy, Args)]
pub struct Reading {
    /// The format of the files; by default it is recognised by their content
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<FormatName>,
    /// Refuse a file with a line that cannot be read
    ///
    /// By default such a line is reported with its number and the rest is kept.
    #[arg(long)]
    pub strict: bool,
}

/// What stays of tool output, whatever it would save.
#[derive(Debug, Clone, Copy, Args)]
pub struct Keep {
    /// How many tokens of tool output stay, by last use
    ///
    /// A result is in use when it came, and again whenever the assistant quotes it. By default
    /// a tenth of the smallest target's window: 20 000 at a window of 200 000.
    #[arg(long, value_name = "N", value_parser = token_count)]
    pub keep_tokens: Option<Tokens>,
    /// How many of the newest results always stay [default: 5]
    #[arg(long, value_name = "N")]
    pub keep_results: Option<usize>,
}
