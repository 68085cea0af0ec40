//! `afterturn import`: sessions into a database, without driving them turn by turn.

use serde::Serialize;

use super::context::{catalog, open, store_trouble};
use super::sessions::{Session, read_input, tell_apart};
use crate::cli::args::{Global, ImportArgs};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::paper::harmless;
use crate::queue::now;
use crate::record::ConversationId;
use crate::store::{NewMessage, Options, Store as _, Wake};

/// What became of one conversation.
#[derive(Serialize)]
struct Imported {
    id: ConversationId,
    source: String,
    format: String,
    messages: usize,
    new: usize,
    skipped: std::collections::BTreeMap<String, u64>,
    unreadable: usize,
}

/// Reads all files before anything is written.
pub(super) fn import(global: &Global, args: &ImportArgs) -> anyhow::Result<Exit> {
    let catalog = catalog(global)?;
    let mut sessions = Vec::new();
    for file in &args.files {
        sessions.extend(read_input(file, args.reading)?);
    }
    tell_apart(&mut sessions);
    for session in &sessions {
        session.targets(&args.targets, &catalog)?;
    }
    let store = open(&args.database.db, Options::default())?;
    let mut imported = Vec::new();
    for session in sessions {
        let targets = session.targets(&args.targets, &catalog)?;
        store.create(&session.conversation(&targets)).map_err(store_trouble)?;
        let batch: Vec<NewMessage> = session.turns().concat();
        let appended =
            store.append(&session.id, &batch, now(), Wake::Turn).map_err(store_trouble)?;
        imported.push(told(session, appended.new));
    }
    tell(&imported, args.json)
}

fn told(session: Session, new: usize) -> Imported {
    Imported {
        messages: session.messages.len(),
        format: session.format.to_string(),
        unreadable: session.unreadable.len(),
        id: session.id,
        source: session.source,
        skipped: session.skipped,
        new,
    }
}

fn tell(imported: &[Imported], json: bool) -> anyhow::Result<Exit> {
    let mut output = Output::stdout();
    if json {
        output.json(&imported)?;
    } else {
        for one in imported {
            let Imported { id, source, format, messages, new, unreadable, .. } = one;
            let skipped: u64 = one.skipped.values().sum();
            output.line(&harmless(&format!(
                "{id}: {messages} messages, {new} new (from {source}, {format}; {skipped} lines \
                 skipped, {unreadable} unreadable)"
            )))?;
        }
    }
    output.finish()?;
    Ok(Exit::Done)
}
