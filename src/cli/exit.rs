//! How the process ends: exit codes, and how an error is told.
//!
//! An error that a person can do something about is wrapped in a [`Trouble`] where it is met:
//! it says what was being done, which exit code that is, and what to do.

use std::fmt;
use std::io::Write;
use std::process::ExitCode;

use thiserror::Error;

use super::output::OutputError;
use super::paper::{Paper, harmless};

/// How the process ends. The help of `afterturn` lists the codes; they do not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exit {
    /// 0: done.
    Done,
    /// 1: the work failed.
    Failed,
    /// 2: the command line is wrong. Also what clap ends with.
    Usage,
    /// 3: an input is wrong or missing: a session, a targets file, a conversation, a call.
    BadInput,
    /// 4: the database cannot be opened, read or written.
    Database,
    /// 130: interrupted, as shells say it (128 + SIGINT).
    Interrupted,
}

impl Exit {
    /// The number that the process ends with.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::BadInput => 3,
            Self::Database => 4,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// What was being done when an error came, and what to do about it. A context for
/// [`anyhow::Error`]; the outermost one in a chain decides.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what}")]
pub struct Trouble {
    /// The exit code.
    pub exit: Exit,
    /// What failed, as `cannot read session.jsonl`.
    pub what: String,
    /// What to do, where that is known: a sentence without a full stop.
    pub help: Option<String>,
}

impl Trouble {
    /// Nothing is known to do about it.
    pub fn new(exit: Exit, what: impl fmt::Display) -> Self {
        Self { exit, what: what.to_string(), help: None }
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl fmt::Display) -> Self {
        self.help = Some(help.to_string());
        self
    }
}

/// Says which trouble an error means.
pub trait OrTrouble<T> {
    /// Wraps an error.
    fn or_trouble(self, trouble: impl FnOnce() -> Trouble) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> OrTrouble<T> for Result<T, E> {
    fn or_trouble(self, trouble: impl FnOnce() -> Trouble) -> anyhow::Result<T> {
        self.map_err(|error| error.into().context(trouble()))
    }
}

/// Ends a command: tells its error, if any, and says which exit code it means.
///
/// A closed standard output is no error: people pipe to `head`.
pub fn conclude(outcome: anyhow::Result<Exit>, paper: Paper, stderr: &mut impl Write) -> Exit {
    let error = match outcome {
        Ok(exit) => return exit,
        Err(error) => error,
    };
    if is_closed_output(&error) {
        return Exit::Done;
    }
    // Nobody is left to tell where standard error is gone too; the exit code still says it.
    let _ = stderr.write_all(tell(&error, paper).as_bytes());
    error.downcast_ref::<Trouble>().map_or(Exit::Failed, |trouble| trouble.exit)
}

/// `error: …`, its causes indented below it, then `help: …`.
fn tell(error: &anyhow::Error, paper: Paper) -> String {
    let mut told = format!("{} {}\n", paper.error("error:"), harmless(&error.to_string()));
    let mut above = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Many errors repeat their source in their own text.
        if !above.contains(&cause) {
            for line in cause.lines() {
                told.extend(["  ", &harmless(line), "\n"]);
            }
        }
        above = cause;
    }
    if let Some(help) = error.downcast_ref::<Trouble>().and_then(|trouble| trouble.help.as_ref()) {
        told.extend([&paper.good("help:"), " ", &harmless(help), "\n"]);
    }
    told
}

fn is_closed_output(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| matches!(cause.downcast_ref(), Some(OutputError::Closed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concluded(outcome: anyhow::Result<Exit>) -> (u8, String) {
        let mut stderr = Vec::new();
        let exit = conclude(outcome, Paper::PLAIN, &mut stderr);
        (exit.code(), String::from_utf8(stderr).expect("text"))
    }

    #[test]
    fn trouble_says_what_failed_why_and_what_to_do() {
        let error = std::io::Error::other("schema 7 is newer than this program knows (3)");
        let outcome = Err::<Exit, _>(error).or_trouble(|| {
            Trouble::new(Exit::Database, "cannot open agent.db")
                .help("use the Afterturn that wrote it, or another --db FILE")
        });
        assert_eq!(
            concluded(outcome),
            (
                4,
                "error: cannot open agent.db\n  \
                 schema 7 is newer than this program knows (3)\n\
                 help: use the Afterturn that wrote it, or another --db FILE\n"
                    .to_owned()
            )
        );
    }

    #[test]
    fn an_error_without_trouble_is_failed_work() {
        assert_eq!(concluded(Err(anyhow::anyhow!("oh"))), (1, "error: oh\n".to_owned()));
    }

    #[test]
    fn the_outermost_trouble_decides() {
        let inner = Trouble::new(Exit::BadInput, "inner").help("inner help");
        let outer = Trouble::new(Exit::Database, "outer");
        let error = anyhow::Error::new(inner).context(outer);
        assert_eq!(concluded(Err(error)), (4, "error: outer\n  inner\n".to_owned()));
    }

    #[test]
    fn a_cause_that_was_already_told_is_not_told_twice() {
        let cause = std::io::Error::other("line 3: not JSON");
        let error = anyhow::Error::new(cause).context("cannot read a.jsonl: line 3: not JSON");
        assert_eq!(concluded(Err(error)).1, "error: cannot read a.jsonl: line 3: not JSON\n");
    }

    #[test]
    fn a_closed_output_is_a_quiet_success() {
        let error = anyhow::Error::new(OutputError::Closed).context("while writing the report");
        assert_eq!(concluded(Err(error)), (0, String::new()));
    }

    #[test]
    fn an_error_cannot_steer_a_terminal() {
        let (_, told) = concluded(Err(anyhow::anyhow!("no file \x1b[2J")));
        assert_eq!(told, "error: no file \\u{1b}[2J\n");
    }

    #[test]
    fn no_error_says_nothing() {
        assert_eq!(concluded(Ok(Exit::Interrupted)), (130, String::new()));
        assert_eq!(concluded(Ok(Exit::Done)), (0, String::new()));
    }
}
