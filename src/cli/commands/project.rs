//! `afterturn project`: a session as a provider's history, for pipes. Nothing is kept.

use super::context::{catalog, policy};
use super::sessions::{Session, known, read_input};
use crate::cli::args::{Global, ProjectArgs};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::compaction::{Epoch, Policy};
use crate::record::{Seq, Stored};
use crate::replay::{Cut, history, project_whole};
use crate::target::Target;
use crate::turn::{Order, walk};

/// Prints one JSON value a conversation.
pub(super) fn project(global: &Global, args: &ProjectArgs) -> anyhow::Result<Exit> {
    let catalog = catalog(global)?;
    let target = known(&args.target, &catalog)?;
    let sessions = read_input(&args.file, args.reading)?;
    let policy = args.compact.then(|| policy(args.keep));
    let mut output = Output::stdout();
    for session in sessions {
        output.line(&projected(session, target, policy.as_ref()))?;
    }
    output.finish()?;
    Ok(Exit::Done)
}

fn projected(session: Session, target: &Target, policy: Option<&Policy>) -> String {
    let messages: Vec<Stored> = (1..)
        .zip(session.messages)
        .map(|(seq, message)| Stored { seq: Seq::new(seq), message })
        .collect();
    let epochs = policy.map_or_else(Vec::new, |policy| epochs(&messages, target, policy));
    let projection = project_whole(&messages, &epochs, target, Cut::Never);
    history(target, &projection.system, &projection.history())
}

fn epochs(messages: &[Stored], target: &Target, policy: &Policy) -> Vec<Epoch> {
    let order = Order { targets: &[target], policy };
    walk(order, messages).engine.finish().epochs
}
