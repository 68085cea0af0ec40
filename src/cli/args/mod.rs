//! What a command line may be. Parsing only: no file is opened, no environment is read here.
//!
//! The doc comments of this room are the help that people read: the first paragraph is `-h`,
//! all of it is `--help`.

#![expect(clippy::doc_markdown, reason = "the doc comments are help that a terminal shows")]

mod conversation;
mod help;
mod session;
mod shared;
mod values;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

pub use conversation::{CompactArgs, RecallArgs, ShowArgs, UndoArgs};
pub use session::{ImportArgs, ProjectArgs, RunArgs};
pub use shared::{Database, Keep, Reading};
pub use values::{FormatName, Input, View};

/// The environment variable that stands in for `--db`.
pub const DB_VARIABLE: &str = "AFTERTURN_DB";

/// Lets an LLM agent's history go of what it no longer uses, and carries it to any provider.
///
/// Afterturn does the work that belongs after an agent's turn. It keeps one record of the
/// conversation, clears the bulk of tool output that is no longer in use (never a call, and
/// never so that it cannot be fetched back), does so only when that costs less than carrying
/// on, and keeps the history ready in the form of each provider.
#[derive(Debug, Parser)]
#[command(
    name = "afterturn",
    version,
    arg_required_else_help = true,
    subcommand_required = true,
    max_term_width = 100,
    after_help = help::TOP,
    after_long_help = help::TOP_LONG
)]
pub struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// A TOML file that adds targets or overrides facts of the built-in ones
    ///
    /// A target is a provider's wire format with one model's facts: window, vision, prices,
    /// prompt cache lifetime, tokenizer. `afterturn targets` lists what is known; its --help
    /// shows what such a file looks like.
    #[arg(long, value_name = "FILE", global = true, help_heading = "Global options")]
    pub targets_file: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Drive recorded sessions turn by turn and report what was let go of and what it saved
    Run(RunArgs),
    /// Read recorded sessions into a database, without compacting them
    Import(ImportArgs),
    /// Show a stored conversation: as it was recorded, as a target receives it, or its account
    Show(ShowArgs),
    /// Print a session's history in a target's wire format, ready for a request
    Project(ProjectArgs),
    /// Clear now what is not in use, whether or not it pays yet
    Compact(CompactArgs),
    /// Bring back what one epoch cleared
    Undo(UndoArgs),
    /// Print the original output of a call, cleared or not
    Recall(RecallArgs),
    /// List the targets: provider, model, window, prices, cache lifetime
    #[command(after_long_help = help::TARGETS)]
    Targets(TargetsArgs),
    /// Print a completion script for a shell
    #[command(after_long_help = help::COMPLETIONS)]
    Completions(CompletionsArgs),
}

/// `afterturn targets`.
#[derive(Debug, Clone, Args)]
pub struct TargetsArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `afterturn completions`.
#[derive(Debug, Clone, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// Reads a command line. `database` is what [`DB_VARIABLE`] holds; it stands in for a `--db`
/// that is not given. Fails also for `--help` and `--version`, as clap does: let it `exit`.
pub fn parse<I, T>(args: I, database: Option<OsString>) -> Result<Cli, clap::Error>
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let mut command = command(database);
    let matches = command.try_get_matches_from_mut(args).map_err(advise_on_database)?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    match cli.check() {
        Ok(()) => Ok(cli),
        Err(conflict) => Err(conflict.on(command)),
    }
}

/// The completion script of a shell.
pub fn completions(shell: clap_complete::Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "afterturn", &mut script);
    script
}

fn command(database: Option<OsString>) -> clap::Command {
    let command = Cli::command();
    let Some(database) = database.filter(|path| !path.is_empty()) else { return command };
    // A default must be 'static. Leaked once in the life of the process.
    let database: &'static OsStr = Box::leak(database.into_boxed_os_str());
    command.mut_subcommands(|subcommand| {
        if subcommand.get_arguments().any(|arg| arg.get_id() == "db") {
            subcommand.mut_arg("db", |arg| {
                arg.required(false).default_value(database).hide_default_value(true)
            })
        } else {
            subcommand
        }
    })
}

/// Adds to "--db is missing" where a database comes from.
fn advise_on_database(mut error: clap::Error) -> clap::Error {
    use clap::error::{ContextKind, ContextValue};
    let is_about_database = error.context().any(|(kind, value)| {
        kind == ContextKind::InvalidArg
            && matches!(value, ContextValue::Strings(args) if args.iter().any(|arg| arg.starts_with("--db ")))
    });
    if is_about_database {
        let tip = format!(
            "give --db FILE or set {DB_VARIABLE}; `afterturn run FILE --db FILE` or \
             `afterturn import FILE --db FILE` makes a database"
        );
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

impl Cli {
    /// What holds between arguments and cannot be said to clap.
    fn check(&self) -> Result<(), Conflict> {
        match &self.command {
            Command::Run(run) => run.check(),
            Command::Import(import) => import.check(),
            Command::Show(show) => show.check(),
            Command::Project(project) => project.check(),
            Command::Compact(_)
            | Command::Undo(_)
            | Command::Recall(_)
            | Command::Targets(_)
            | Command::Completions(_) => Ok(()),
        }
    }
}

/// Arguments that are right each by itself, but not together.
struct Conflict {
    command: &'static str,
    kind: ErrorKind,
    message: &'static str,
}

impl Conflict {
    /// As an error that shows the usage of the command it is about.
    fn on(self, mut command: clap::Command) -> clap::Error {
        command.build();
        match command.find_subcommand_mut(self.command) {
            Some(subcommand) => subcommand.error(self.kind, self.message),
            None => command.error(self.kind, self.message),
        }
    }
}

#[cfg(test)]
mod tests;
