//! `compact`, `undo`, `recall`: what a person may ask of one conversation.

use serde::Serialize;

use super::context::{catalog, existing, policy, store_trouble, turn_trouble, turns};
use crate::cli::args::{CompactArgs, Global, Keep, RecallArgs, UndoArgs};
use crate::cli::exit::{Exit, Trouble};
use crate::cli::output::Output;
use crate::cli::paper::harmless;
use crate::compaction::{Epoch, Mode};
use crate::queue::now;
use crate::record::{
    Block, BlockRef, CallId, ConversationId, Message, Output as Piece, Seq, ToolResult,
};
use crate::replay::SeqRange;
use crate::store::{SqliteStore, Store};
use crate::worker::Really;

/// Clears now what may be cleared.
pub(super) fn compact(global: &Global, args: &CompactArgs) -> anyhow::Result<Exit> {
    let store = existing(&args.database.db)?;
    let turns = turns(store, catalog(global)?, policy(args.keep));
    let really = if args.dry_run { Really::DryRun } else { Really::Commit };
    let outcome =
        turns.pass(&args.conversation, Mode::Manual, Some(now()), really).map_err(turn_trouble)?;
    let mut output = Output::stdout();
    match outcome {
        Ok(epoch) if args.json => output.json(&epoch)?,
        Ok(epoch) => {
            let verb = if args.dry_run { "would clear" } else { "cleared" };
            output.line(&format!("epoch {} {verb} {}", epoch.number, told(&epoch)))?;
            output.line(&epoch.reason)?;
        }
        Err(why) if args.json => output.json(&Nothing { skipped: why.to_string() })?,
        Err(why) => output.line(&format!("nothing was cleared: {why}"))?,
    }
    output.finish()?;
    Ok(Exit::Done)
}

#[derive(Serialize)]
struct Nothing {
    skipped: String,
}

fn told(epoch: &Epoch) -> String {
    format!(
        "{} results: {} → {} tokens",
        epoch.clearings.len(),
        epoch.tokens_before,
        epoch.tokens_after
    )
}

/// Takes an epoch back.
pub(super) fn undo(global: &Global, args: &UndoArgs) -> anyhow::Result<Exit> {
    let store = existing(&args.database.db)?;
    let keep = Keep { keep_tokens: None, keep_results: None };
    let turns = turns(store, catalog(global)?, policy(keep));
    let epoch = turns.undo(&args.conversation, args.epoch).map_err(turn_trouble)?;
    let mut output = Output::stdout();
    if args.json {
        output.json(&epoch)?;
    } else {
        output.line(&format!("epoch {} brought back {}", epoch.number, told(&epoch)))?;
    }
    output.finish()?;
    Ok(Exit::Done)
}

/// Prints the original output of a call.
pub(super) fn recall(global: &Global, args: &RecallArgs) -> anyhow::Result<Exit> {
    let _ = global;
    let store = existing(&args.database.db)?;
    let found = find(&store, args)?;
    let mut output = Output::stdout();
    if args.json {
        output.json_line(&Block::ToolResult(found))?;
    } else {
        for piece in &found.output {
            match piece {
                Piece::Text(text) => output.line(&text.text)?,
                Piece::Image(image) => output.line(&named("image", &image.media_type))?,
                Piece::Document(file) => output.line(&named("document", &file.media_type))?,
            }
        }
    }
    output.finish()?;
    Ok(Exit::Done)
}

fn named(what: &str, media_type: &str) -> String {
    harmless(&format!("[{what}, {media_type}: --json prints its bytes]")).into_owned()
}

/// The newest result of a call of this id; or the one that a marker names by its place.
fn find(store: &SqliteStore, args: &RecallArgs) -> anyhow::Result<ToolResult> {
    let id = &args.conversation;
    let answers = match by_place(&args.call_id) {
        Some(place) => vec![place],
        None => store
            .find_calls(id, &args.call_id)
            .map_err(store_trouble)?
            .into_iter()
            .filter(|call| args.message.is_none_or(|seq| call.call.seq == seq))
            .filter_map(|call| call.answer)
            .collect(),
    };
    for at in answers {
        if let Some(result) = result_at(store, id, at)? {
            return Ok(result);
        }
    }
    let what = format!("conversation {id} holds no result of a call {:?}", args.call_id.as_str());
    Err(Trouble::new(Exit::BadInput, what)
        .help("the marker of a cleared output names the id; `show CONVERSATION --as record` shows all")
        .into())
}

/// `@12.0`: block 0 of message 12.
fn by_place(call_id: &CallId) -> Option<BlockRef> {
    let (seq, block) = call_id.as_str().strip_prefix('@')?.split_once('.')?;
    Some(BlockRef::new(Seq::new(seq.parse().ok()?), block.parse().ok()?))
}

fn result_at(
    store: &SqliteStore,
    id: &ConversationId,
    at: BlockRef,
) -> anyhow::Result<Option<ToolResult>> {
    let stored = store.messages(id, SeqRange::one(at.seq)).map_err(store_trouble)?;
    let Some(stored) = stored.first() else { return Ok(None) };
    let message = Message::parse(&stored.body)?;
    let block = usize::try_from(at.block)?;
    Ok(match message.blocks.into_iter().nth(block) {
        Some(Block::ToolResult(result)) => Some(result),
        Some(
            Block::Text(_)
            | Block::Reasoning(_)
            | Block::ToolCall(_)
            | Block::Image(_)
            | Block::Document(_),
        )
        | None => None,
    })
}
