//! The commands: each asks the rooms below and shows what they answered.

mod context;
mod conversation;
mod import;
mod project;
mod run;
mod sessions;
mod show;
mod targets;

use std::io::IsTerminal as _;

use super::args::{Cli, Command, completions};
use super::exit::Exit;
use super::output::Output;
use super::paper::Paper;

/// Runs what the command line asks for.
pub fn dispatch(cli: Cli) -> anyhow::Result<Exit> {
    let global = cli.global;
    match cli.command {
        Command::Run(args) => run::run(&global, &args),
        Command::Import(args) => import::import(&global, &args),
        Command::Show(args) => show::show(&global, &args),
        Command::Project(args) => project::project(&global, &args),
        Command::Compact(args) => conversation::compact(&global, &args),
        Command::Undo(args) => conversation::undo(&global, &args),
        Command::Recall(args) => conversation::recall(&global, &args),
        Command::Targets(args) => targets::targets(&global, &args),
        Command::Completions(args) => {
            let mut output = Output::stdout();
            output.bytes(&completions(args.shell))?;
            output.finish()?;
            Ok(Exit::Done)
        }
    }
}

/// How standard output takes text.
fn stdout_paper() -> Paper {
    Paper::of(
        std::io::stdout().is_terminal(),
        std::env::var_os("NO_COLOR").as_deref(),
        std::env::var_os("TERM").as_deref(),
    )
}
