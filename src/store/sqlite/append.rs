//! The record: conversations and their messages.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{due, from_json, number, seq_at, to_json, unsigned};
use crate::record::{ConversationId, Seq, Timestamp};
use crate::replay::SeqRange;
use crate::store::{
    Appended, ConversationRow, NewConversation, NewMessage, StoreError, StoredBody, Wake,
};

const CREATE: &str = "INSERT INTO conversation (id, agent, targets, created_at, last_activity) \
     VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT (id) DO NOTHING";
const CONVERSATION: &str = "SELECT id, agent, targets, created_at, head, accounted, version, \
     last_activity FROM conversation WHERE id = ?1";
const CONVERSATIONS: &str = "SELECT id, agent, targets, created_at, head, accounted, version, \
     last_activity FROM conversation ORDER BY last_activity DESC, key DESC";
pub(super) const KNOWN: &str =
    "SELECT seq, body = ?3 FROM message WHERE conversation = ?1 AND id = ?2";
const HEAD: &str = "SELECT head FROM conversation WHERE key = ?1";
const ADD: &str =
    "INSERT INTO message (conversation, seq, id, at, body) VALUES (?1, ?2, ?3, ?4, ?5)";
const MOVE_HEAD: &str = "UPDATE conversation SET head = ?2, last_activity = ?3 WHERE key = ?1";
pub(super) const MESSAGES: &str = "SELECT seq, body FROM message \
     WHERE conversation = ?1 AND seq BETWEEN ?2 AND ?3 ORDER BY seq";

pub(super) fn create(connection: &Connection, new: &NewConversation) -> Result<bool, StoreError> {
    let made = connection.prepare_cached(CREATE)?.execute(params![
        new.id.as_str(),
        new.agent,
        to_json(&new.targets),
        new.created_at.millis(),
    ])?;
    Ok(made > 0)
}

/// Refuses a batch that holds a message above the limit, before anything is written.
pub(super) fn check_sizes(
    id: &ConversationId,
    batch: &[NewMessage],
    limit: u64,
) -> Result<(), StoreError> {
    match batch.iter().find(|message| message.body.len() as u64 > limit) {
        Some(message) => Err(StoreError::TooLarge {
            conversation: id.clone(),
            message: message.id.clone(),
            found: message.body.len() as u64,
            limit,
        }),
        None => Ok(()),
    }
}

pub(super) fn append(
    connection: &Connection,
    key: i64,
    id: &ConversationId,
    batch: &[NewMessage],
    at: Timestamp,
    wake: Wake,
) -> Result<Appended, StoreError> {
    let mut head: Seq = connection.prepare_cached(HEAD)?.query_row([key], |row| seq_at(row, 0))?;
    let mut seqs = Vec::with_capacity(batch.len());
    let mut new = 0;
    for message in batch {
        if let Some(seq) = known(connection, key, id, message)? {
            seqs.push(seq);
            continue;
        }
        head = head.next();
        connection.prepare_cached(ADD)?.execute(params![
            key,
            number(head.get()),
            message.id.as_str(),
            at.millis(),
            message.body,
        ])?;
        seqs.push(head);
        new += 1;
    }
    if new > 0 {
        let moved = params![key, number(head.get()), at.millis()];
        connection.prepare_cached(MOVE_HEAD)?.execute(moved)?;
    }
    match wake {
        Wake::Turn => due::wake(connection, key, "appended", at)?,
        Wake::Quiet => {}
    }
    Ok(Appended { head, seqs, new })
}

/// The place of a message that is there already, if its content is the same.
fn known(
    connection: &Connection,
    key: i64,
    id: &ConversationId,
    message: &NewMessage,
) -> Result<Option<Seq>, StoreError> {
    let found = connection
        .prepare_cached(KNOWN)?
        .query_row(params![key, message.id.as_str(), message.body], |row| {
            Ok((seq_at(row, 0)?, row.get::<_, bool>(1)?))
        })
        .optional()?;
    match found {
        None => Ok(None),
        Some((seq, true)) => Ok(Some(seq)),
        Some((seq, false)) => {
            Err(StoreError::Conflict { conversation: id.clone(), message: message.id.clone(), seq })
        }
    }
}

pub(super) fn conversation(
    connection: &Connection,
    id: &ConversationId,
) -> Result<Option<ConversationRow>, StoreError> {
    let row = connection
        .prepare_cached(CONVERSATION)?
        .query_row([id.as_str()], conversation_row)
        .optional()?;
    row.map(with_targets).transpose()
}

pub(super) fn conversations(connection: &Connection) -> Result<Vec<ConversationRow>, StoreError> {
    let mut statement = connection.prepare_cached(CONVERSATIONS)?;
    let rows = statement.query_map([], conversation_row)?;
    rows.map(|row| with_targets(row?)).collect()
}

fn conversation_row(row: &Row<'_>) -> rusqlite::Result<(ConversationRow, String)> {
    let conversation = ConversationRow {
        id: row.get::<_, String>(0)?.into(),
        agent: row.get(1)?,
        targets: Vec::new(),
        created_at: Timestamp::from_millis(row.get(3)?),
        head: seq_at(row, 4)?,
        accounted: seq_at(row, 5)?,
        version: unsigned(row.get(6)?),
        last_activity: Timestamp::from_millis(row.get(7)?),
    };
    Ok((conversation, row.get(2)?))
}

fn with_targets(
    (mut row, targets): (ConversationRow, String),
) -> Result<ConversationRow, StoreError> {
    row.targets = from_json("the targets of a conversation", &targets)?;
    Ok(row)
}

pub(super) fn messages(
    connection: &Connection,
    key: i64,
    range: SeqRange,
) -> Result<Vec<StoredBody>, StoreError> {
    let mut statement = connection.prepare_cached(MESSAGES)?;
    let bounds = params![key, number(range.first.get()), number(range.last.get())];
    let rows = statement
        .query_map(bounds, |row| Ok(StoredBody { seq: seq_at(row, 0)?, body: row.get(1)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
