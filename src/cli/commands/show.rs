//! `afterturn show`: one conversation, as it is kept.

use serde::Serialize;

use super::context::{catalog, existing, policy, store_trouble, turn_trouble, turns};
use super::sessions::known;
use crate::cli::args::{Global, Keep, ShowArgs, View};
use crate::cli::exit::{Exit, Trouble};
use crate::cli::output::Output;
use crate::cli::paper::harmless;
use crate::compaction::Epoch;
use crate::record::{Message, Role, Seq, Stored};
use crate::replay::{SeqRange, history, join, leading_system};
use crate::store::{SqliteStore, Store};
use crate::target::{Target, TargetName};
use crate::tokens::Tokens;

/// Prints a conversation in the form that was asked for.
pub(super) fn show(global: &Global, args: &ShowArgs) -> anyhow::Result<Exit> {
    let store = existing(&args.database.db)?;
    let mut output = Output::stdout();
    match &args.view {
        View::Record => record(&store, args, &mut output)?,
        View::Epochs => epochs(&store, args, &mut output)?,
        View::Tokens => tokens(global, &store, args, &mut output)?,
        View::Target(name) => target(global, &store, args, name, &mut output)?,
    }
    output.finish()?;
    Ok(Exit::Done)
}

type Stdout = Output<std::io::StdoutLock<'static>>;

/// What was stored, byte for byte, a message a line (invariant 2).
fn record(store: &SqliteStore, args: &ShowArgs, output: &mut Stdout) -> anyhow::Result<()> {
    let all = SeqRange::from(Seq::FIRST);
    for stored in store.messages(&args.conversation, all).map_err(store_trouble)? {
        output.line(&stored.body)?;
    }
    Ok(())
}

fn epochs(store: &SqliteStore, args: &ShowArgs, output: &mut Stdout) -> anyhow::Result<()> {
    let epochs = store.epochs(&args.conversation).map_err(store_trouble)?;
    if args.json {
        return Ok(output.json(&epochs)?);
    }
    if epochs.is_empty() {
        output.line("No epochs: nothing was ever cleared.")?;
    }
    for epoch in &epochs {
        epoch_line(epoch, args.explain, output)?;
    }
    Ok(())
}

fn epoch_line(epoch: &Epoch, explain: bool, output: &mut Stdout) -> anyhow::Result<()> {
    let verb = if epoch.undoes.is_some() { "brought back" } else { "cleared" };
    output.line(&format!(
        "epoch {} at message {}: {}: {verb} {} results, {} → {} tokens",
        epoch.number,
        epoch.at,
        epoch.trigger.as_str(),
        epoch.clearings.len(),
        epoch.tokens_before,
        epoch.tokens_after
    ))?;
    output.line(&format!("  {}", epoch.reason))?;
    if let Some(realised) = epoch.realised_rewrite {
        output.line(&format!(
            "  expected to write {} tokens anew; the next call reported {realised}",
            epoch.predicted_rewrite
        ))?;
    }
    for clearing in epoch.clearings.iter().filter(|_| explain) {
        output.line(&harmless(&format!(
            "  {:>8} tokens  {} {} ({})",
            clearing.tokens.get(),
            clearing.tool,
            clearing.call_id,
            clearing.result
        )))?;
    }
    Ok(())
}

#[derive(Serialize)]
struct MessageTokens {
    seq: Seq,
    role: Role,
    tokens: Vec<TargetTokens>,
}

#[derive(Serialize)]
struct TargetTokens {
    target: TargetName,
    whole: Tokens,
}

/// What each message weighs, for each target, with nothing cleared.
fn tokens(
    global: &Global,
    store: &std::sync::Arc<SqliteStore>,
    args: &ShowArgs,
    output: &mut Stdout,
) -> anyhow::Result<()> {
    let id = &args.conversation;
    let catalog = catalog(global)?;
    turns(store.clone(), catalog.clone(), policy(Keep { keep_tokens: None, keep_results: None }))
        .run(id)
        .map_err(turn_trouble)?;
    let row = store.conversation(id).map_err(store_trouble)?;
    let names = row.map(|row| row.targets).unwrap_or_default();
    let targets: Vec<&Target> =
        names.iter().map(|name| known(name, &catalog)).collect::<Result<_, _>>()?;
    let all = SeqRange::from(Seq::FIRST);
    let weights = store.message_rows(id, all).map_err(store_trouble)?;
    let bodies = store.messages(id, all).map_err(store_trouble)?;
    let mut rows = Vec::new();
    for (weight, body) in weights.iter().zip(&bodies) {
        let role = Message::parse(&body.body)?.role;
        let on = |target: &&Target| TargetTokens {
            target: target.name.clone(),
            whole: weight.weight.on(role, target),
        };
        rows.push(MessageTokens {
            seq: weight.seq,
            role,
            tokens: targets.iter().map(on).collect(),
        });
    }
    if args.json {
        return Ok(output.json(&rows)?);
    }
    for row in &rows {
        let each: Vec<_> = row
            .tokens
            .iter()
            .map(|tokens| format!("{:>9} {}", tokens.whole.get(), tokens.target))
            .collect();
        output.line(&format!(
            "{:>6} {:<9} {}",
            row.seq.get(),
            role_name(row.role),
            each.join("  ")
        ))?;
    }
    for (index, target) in targets.iter().enumerate() {
        let sum: Tokens = rows.iter().map(|row| row.tokens[index].whole).sum();
        output.line(&format!("{:>6} {:<9} {:>9} {}", "", "total", sum.get(), target.name))?;
    }
    Ok(())
}

const fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::System => "system",
    }
}

/// The cached projection, brought up to date first: stale is never shown unmarked
/// (invariant 14).
fn target(
    global: &Global,
    store: &std::sync::Arc<SqliteStore>,
    args: &ShowArgs,
    name: &TargetName,
    output: &mut Stdout,
) -> anyhow::Result<()> {
    let id = &args.conversation;
    let catalog = catalog(global)?;
    let target = known(name, &catalog)?.clone();
    turns(store.clone(), catalog, policy(Keep { keep_tokens: None, keep_results: None }))
        .run(id)
        .map_err(turn_trouble)?;
    let Some(projection) = store.projection(id, name).map_err(store_trouble)? else {
        let row = store.conversation(id).map_err(store_trouble)?;
        let targets = row.map(|row| row.targets).unwrap_or_default();
        let targets: Vec<_> = targets.iter().map(TargetName::as_str).collect();
        let what = format!("conversation {id} is not projected for {name}");
        let help = format!("it is projected for {}", targets.join(", "));
        return Err(Trouble::new(Exit::BadInput, what).help(help).into());
    };
    let system = leading(store, args)?;
    let bytes = join(projection.segments.iter().map(|segment| segment.bytes.as_str()));
    output.line(&history(&target, &system, &bytes))?;
    Ok(())
}

/// What the operator said first: only the beginning of the record is read.
fn leading(store: &SqliteStore, args: &ShowArgs) -> anyhow::Result<Vec<String>> {
    let mut leading = Vec::new();
    let mut seq = Seq::FIRST;
    loop {
        let stored =
            store.messages(&args.conversation, SeqRange::one(seq)).map_err(store_trouble)?;
        let Some(stored) = stored.first() else { break };
        let message = Message::parse(&stored.body)?;
        if message.role != Role::System {
            break;
        }
        leading.push(Stored { seq, message });
        seq = seq.next();
    }
    Ok(leading_system(&leading))
}
