//! Commands that take session files.

use std::path::PathBuf;

use clap::Args;
use clap::error::ErrorKind;

use super::shared::{Database, Keep, Reading};
use super::values::Input;
use super::{Conflict, help};
use crate::target::TargetName;

/// `afterturn run`.
#[derive(Debug, Clone, Args)]
#[command(after_help = help::RUN, after_long_help = help::RUN_LONG)]
pub struct RunArgs {
    /// Recorded sessions; `-` reads one from standard input
    #[arg(value_name = "FILE", required = true, value_parser = input())]
    pub files: Vec<Input>,
    /// A target to keep a projection for; repeat it or separate names by commas
    ///
    /// The first one's prices and cache lifetime decide when clearing pays. By default the
    /// target of the provider that wrote the session, and its format's where that is not known.
    #[arg(long = "target", value_name = "NAME", value_delimiter = ',', value_parser = target())]
    pub targets: Vec<TargetName>,
    /// Keep everything in this database [default: a temporary one] [env: AFTERTURN_DB]
    ///
    /// What an earlier run put there is found again: nothing is done twice.
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// How many workers take turns, 1 to 64 [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub workers: Option<u8>,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
    /// How the files are read.
    #[command(flatten)]
    pub reading: Reading,
    /// What stays.
    #[command(flatten)]
    pub keep: Keep,
    /// Clear nothing: record, account and project only
    #[arg(long, conflicts_with_all = ["keep_tokens", "keep_results"])]
    pub no_compact: bool,
}

/// `afterturn import`.
#[derive(Debug, Clone, Args)]
#[command(after_help = help::IMPORT)]
pub struct ImportArgs {
    /// Recorded sessions; `-` reads one from standard input
    #[arg(value_name = "FILE", required = true, value_parser = input())]
    pub files: Vec<Input>,
    /// Where they go; made where there is none.
    #[command(flatten)]
    pub database: Database,
    /// A target the conversations are for; repeat it or separate names by commas
    ///
    /// By default the target of the provider that wrote the session, and its format's where
    /// that is not known.
    #[arg(long = "target", value_name = "NAME", value_delimiter = ',', value_parser = target())]
    pub targets: Vec<TargetName>,
    /// Print what was imported as JSON
    #[arg(long)]
    pub json: bool,
    /// How the files are read.
    #[command(flatten)]
    pub reading: Reading,
}

/// `afterturn project`.
#[derive(Debug, Clone, Args)]
#[command(after_help = help::PROJECT, after_long_help = help::PROJECT_LONG)]
pub struct ProjectArgs {
    /// A recorded session; `-` reads standard input
    #[arg(value_name = "FILE", value_parser = input())]
    pub file: Input,
    /// The target whose wire format is written; see `afterturn targets`
    #[arg(long, value_name = "NAME", value_parser = target())]
    pub target: TargetName,
    /// Compact as a run would have, turn by turn
    #[arg(long)]
    pub compact: bool,
    /// How the file is read.
    #[command(flatten)]
    pub reading: Reading,
    /// What stays, with --compact.
    #[command(flatten)]
    pub keep: Keep,
}

impl RunArgs {
    pub(super) fn check(&self) -> Result<(), Conflict> {
        at_most_one_stdin("run", &self.files)
    }
}

impl ImportArgs {
    pub(super) fn check(&self) -> Result<(), Conflict> {
        at_most_one_stdin("import", &self.files)
    }
}

impl ProjectArgs {
    pub(super) fn check(&self) -> Result<(), Conflict> {
        let keeps = self.keep.keep_tokens.is_some() || self.keep.keep_results.is_some();
        if keeps && !self.compact {
            return Err(Conflict {
                command: "project",
                kind: ErrorKind::MissingRequiredArgument,
                message: "--keep-tokens and --keep-results need --compact",
            });
        }
        Ok(())
    }
}

/// Standard input can be read once.
fn at_most_one_stdin(command: &'static str, files: &[Input]) -> Result<(), Conflict> {
    if files.iter().filter(|file| **file == Input::Stdin).count() > 1 {
        return Err(Conflict {
            command,
            kind: ErrorKind::ArgumentConflict,
            message: "`-` (standard input) can be given only once",
        });
    }
    Ok(())
}

fn input() -> impl clap::builder::TypedValueParser<Value = Input> {
    use clap::builder::TypedValueParser as _;
    clap::builder::OsStringValueParser::new().map(Input::from)
}

fn target() -> impl clap::builder::TypedValueParser<Value = TargetName> {
    use clap::builder::TypedValueParser as _;
    clap::builder::NonEmptyStringValueParser::new().map(TargetName::new)
}
