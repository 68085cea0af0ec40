//! What a turn begins with, and what it commits.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, params};

use super::{append, block_at, from_json, number, seq_at, to_json, unsigned};
use crate::compaction::{Epoch, Holders, LineHash, LiveResult};
use crate::record::{CallId, ConversationId};
use crate::replay::{IdFacts, SeqRange};
use crate::store::{Committed, Replacement, StoreError, StoredBody, TurnCommit, TurnStart};

const STATE: &str = "SELECT data FROM turn_state WHERE conversation = ?1";
const LIVE: &str = "SELECT data FROM live WHERE conversation = ?1 ORDER BY seq, block";
pub(super) const NEW: &str = "SELECT seq, body FROM message \
     WHERE conversation = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
// Named, since the planner would rather walk the whole conversation in order.
pub(super) const DECLARED: &str = "SELECT occurrence FROM call INDEXED BY call_by_id \
     WHERE conversation = ?1 AND call_id = ?2 ORDER BY seq DESC, block DESC LIMIT 1";
pub(super) const OPEN: &str = "SELECT seq, block FROM call INDEXED BY call_open \
     WHERE conversation = ?1 AND call_id = ?2 AND answer_seq IS NULL ORDER BY seq, block";
const LINES: &str = "SELECT seq, block, hashes FROM line WHERE conversation = ?1";

const VERSION: &str = "SELECT version FROM conversation WHERE key = ?1";
const ADVANCE: &str = "UPDATE conversation SET version = ?2, accounted = ?3 WHERE key = ?1";
const SET_TARGETS: &str = "UPDATE conversation SET targets = ?2 WHERE key = ?1";
const PUT_STATE: &str = "INSERT INTO turn_state (conversation, data) VALUES (?1, ?2) \
     ON CONFLICT (conversation) DO UPDATE SET data = excluded.data";
const PUT_LIVE: &str = "INSERT INTO live (conversation, seq, block, data) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (conversation, seq, block) DO UPDATE SET data = excluded.data";
const DROP_LIVE: &str = "DELETE FROM live WHERE conversation = ?1 AND seq = ?2 AND block = ?3";
const PUT_LINES: &str = "INSERT INTO line (conversation, seq, block, hashes) \
     VALUES (?1, ?2, ?3, ?4) ON CONFLICT (conversation, seq, block) DO UPDATE SET \
     hashes = excluded.hashes";
const DROP_LINES: &str = "DELETE FROM line WHERE conversation = ?1 AND seq = ?2 AND block = ?3";
const PUT_CALL: &str = "INSERT INTO call (conversation, seq, block, call_id, occurrence) \
     VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING";
const PUT_ANSWER: &str = "UPDATE call SET answer_seq = ?4, answer_block = ?5 \
     WHERE conversation = ?1 AND seq = ?2 AND block = ?3";
const PUT_WEIGHT: &str = "INSERT INTO weight (conversation, seq, images_before, data) \
     VALUES (?1, ?2, ?3, ?4) ON CONFLICT (conversation, seq) DO UPDATE SET \
     images_before = excluded.images_before, data = excluded.data";
const PUT_EPOCH: &str = "INSERT INTO epoch (conversation, number, data) VALUES (?1, ?2, ?3) \
     ON CONFLICT DO NOTHING";
const REALISE: &str =
    "UPDATE epoch SET realised = ?3 WHERE conversation = ?1 AND number = ?2 AND realised IS NULL";
const PUT_CLEARING: &str = "INSERT INTO clearing \
     (conversation, call_seq, call_block, seq, block, marker) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (conversation, call_seq, call_block) DO UPDATE SET \
     seq = excluded.seq, block = excluded.block, marker = excluded.marker";
const DROP_CLEARING: &str =
    "DELETE FROM clearing WHERE conversation = ?1 AND call_seq = ?2 AND call_block = ?3";
const DROP_SEGMENTS: &str = "DELETE FROM segment \
     WHERE conversation = ?1 AND target = ?2 AND first >= ?3 AND first <= ?4";
const PUT_SEGMENT: &str = "INSERT INTO segment \
     (conversation, target, first, last, bytes, repairs) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
/// Everything that a state made anew replaces. Epochs are decisions and stay.
const DERIVED: [&str; 6] = ["turn_state", "weight", "call", "live", "line", "segment"];

pub(super) fn begin(
    connection: &Connection,
    key: i64,
    id: &ConversationId,
    messages: u32,
    bytes: u64,
) -> Result<TurnStart, StoreError> {
    let row =
        append::conversation(connection, id)?.ok_or_else(|| StoreError::NotFound(id.clone()))?;
    let state = connection.prepare_cached(STATE)?.query_row([key], |row| row.get(0)).optional()?;
    let mut new = Vec::new();
    let mut held = 0;
    let mut statement = connection.prepare_cached(NEW)?;
    let mut rows = statement.query(params![key, number(row.accounted.get()), messages])?;
    while let Some(next) = rows.next()? {
        let body = StoredBody { seq: seq_at(next, 0)?, body: next.get(1)? };
        held += body.body.len() as u64;
        new.push(body);
        if held >= bytes {
            break;
        }
    }
    Ok(TurnStart { live: live(connection, key)?, row, state, new })
}

fn live(connection: &Connection, key: i64) -> Result<Vec<LiveResult>, StoreError> {
    let mut statement = connection.prepare_cached(LIVE)?;
    let rows = statement.query_map([key], |row| row.get::<_, String>(0))?;
    rows.map(|data| from_json("a live result", &data?)).collect()
}

pub(super) fn id_facts(
    connection: &Connection,
    key: i64,
    ids: &BTreeSet<CallId>,
) -> Result<BTreeMap<CallId, IdFacts>, StoreError> {
    let mut facts = BTreeMap::new();
    let mut declared = connection.prepare_cached(DECLARED)?;
    let mut open = connection.prepare_cached(OPEN)?;
    for id in ids {
        let last: Option<u32> =
            declared.query_row(params![key, id.as_str()], |row| row.get(0)).optional()?;
        let Some(last) = last else { continue };
        let rows = open.query_map(params![key, id.as_str()], |row| block_at(row, 0))?;
        let open = rows.collect::<Result<_, _>>()?;
        facts.insert(id.clone(), IdFacts { declared: last + 1, open });
    }
    Ok(facts)
}

pub(super) fn holders(
    connection: &Connection,
    key: i64,
    lines: &BTreeSet<LineHash>,
) -> Result<Holders, StoreError> {
    let mut holders = Holders::new();
    if lines.is_empty() {
        return Ok(holders);
    }
    let mut statement = connection.prepare_cached(LINES)?;
    let mut rows = statement.query([key])?;
    while let Some(row) = rows.next()? {
        let at = block_at(row, 0)?;
        let hashes = row.get_ref(2)?.as_blob().unwrap_or_default();
        for hash in hashes.as_chunks().0 {
            let line = LineHash(u64::from_le_bytes(*hash));
            if lines.contains(&line) {
                holders.entry(line).or_default().push(at);
            }
        }
    }
    Ok(holders)
}

pub(super) fn commit(
    connection: &Connection,
    key: i64,
    commit: &TurnCommit,
) -> Result<Committed, StoreError> {
    let version: i64 = connection.prepare_cached(VERSION)?.query_row([key], |row| row.get(0))?;
    if unsigned(version) != commit.expected_version {
        return Ok(Committed::Stale(unsigned(version)));
    }
    if commit.anew {
        for table in DERIVED {
            connection.execute(&format!("DELETE FROM {table} WHERE conversation = ?1"), [key])?;
        }
    }
    if let Some(targets) = &commit.targets {
        connection.prepare_cached(SET_TARGETS)?.execute(params![key, to_json(targets)])?;
    }
    put_state(connection, key, commit)?;
    put_index(connection, key, commit)?;
    put_record_facts(connection, key, commit)?;
    for epoch in &commit.epochs {
        put_epoch(connection, key, epoch)?;
    }
    for (number, tokens) in &commit.realised {
        let realised = params![key, number.0, self::number(tokens.get())];
        connection.prepare_cached(REALISE)?.execute(realised)?;
    }
    for replacement in &commit.segments {
        put_segments(connection, key, replacement)?;
    }
    Ok(Committed::Done(commit.expected_version + 1))
}

fn put_state(connection: &Connection, key: i64, commit: &TurnCommit) -> Result<(), StoreError> {
    let version = number(commit.expected_version + 1);
    let accounted = number(commit.accounted.get());
    connection.prepare_cached(ADVANCE)?.execute(params![key, version, accounted])?;
    connection.prepare_cached(PUT_STATE)?.execute(params![key, commit.state])?;
    Ok(())
}

fn put_index(connection: &Connection, key: i64, commit: &TurnCommit) -> Result<(), StoreError> {
    for at in &commit.live_drop {
        let place = params![key, number(at.seq.get()), at.block];
        connection.prepare_cached(DROP_LIVE)?.execute(place)?;
        connection.prepare_cached(DROP_LINES)?.execute(place)?;
    }
    for live in &commit.live_put {
        let row = params![key, number(live.at.seq.get()), live.at.block, to_json(live)];
        connection.prepare_cached(PUT_LIVE)?.execute(row)?;
    }
    for (at, lines) in &commit.lines {
        let hashes: Vec<u8> = lines.iter().flat_map(|line| line.0.to_le_bytes()).collect();
        let row = params![key, number(at.seq.get()), at.block, hashes];
        connection.prepare_cached(PUT_LINES)?.execute(row)?;
    }
    Ok(())
}

fn put_record_facts(
    connection: &Connection,
    key: i64,
    commit: &TurnCommit,
) -> Result<(), StoreError> {
    for (call_id, fact) in &commit.calls {
        let place = (number(fact.at.seq.get()), fact.at.block);
        let row = params![key, place.0, place.1, call_id.as_str(), fact.occurrence];
        connection.prepare_cached(PUT_CALL)?.execute(row)?;
    }
    for (call, result) in &commit.answers {
        connection.prepare_cached(PUT_ANSWER)?.execute(params![
            key,
            number(call.seq.get()),
            call.block,
            number(result.seq.get()),
            result.block,
        ])?;
    }
    for message in &commit.messages {
        connection.prepare_cached(PUT_WEIGHT)?.execute(params![
            key,
            number(message.seq.get()),
            number(message.images_before),
            to_json(&message.weight),
        ])?;
    }
    Ok(())
}

/// An epoch, and the clearings that it puts in force; an undo takes them out of force.
fn put_epoch(connection: &Connection, key: i64, epoch: &Epoch) -> Result<(), StoreError> {
    connection.prepare_cached(PUT_EPOCH)?.execute(params![key, epoch.number.0, to_json(epoch)])?;
    for clearing in &epoch.clearings {
        let call = (number(clearing.call.seq.get()), clearing.call.block);
        if epoch.undoes.is_some() {
            connection.prepare_cached(DROP_CLEARING)?.execute(params![key, call.0, call.1])?;
        } else {
            connection.prepare_cached(PUT_CLEARING)?.execute(params![
                key,
                call.0,
                call.1,
                number(clearing.result.seq.get()),
                clearing.result.block,
                clearing.marker.0,
            ])?;
        }
    }
    Ok(())
}

fn put_segments(
    connection: &Connection,
    key: i64,
    replacement: &Replacement,
) -> Result<(), StoreError> {
    let target = replacement.target.as_str();
    let SeqRange { first, last } = replacement.range;
    let gone = params![key, target, number(first.get()), number(last.get())];
    connection.prepare_cached(DROP_SEGMENTS)?.execute(gone)?;
    for segment in &replacement.segments {
        connection.prepare_cached(PUT_SEGMENT)?.execute(params![
            key,
            target,
            number(segment.range.first.get()),
            number(segment.range.last.get()),
            segment.bytes,
            to_json(&segment.repairs),
        ])?;
    }
    Ok(())
}
