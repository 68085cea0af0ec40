//! Derived rows that projections are made from and kept in.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{block_at, from_json, number, seq_at, unsigned};
use crate::compaction::{Epoch, Marker};
use crate::record::{BlockRef, CallId, Seq};
use crate::replay::{CallFact, Segment, SeqRange};
use crate::store::{ClearingRow, FoundCall, MessageRow, StoreError};
use crate::target::TargetName;
use crate::tokens::Tokens;

pub(super) const DECLARED: &str = "SELECT seq, block, occurrence, answer_seq, answer_block FROM call \
     WHERE conversation = ?1 AND seq BETWEEN ?2 AND ?3";
pub(super) const ANSWERED: &str = "SELECT seq, block, occurrence, answer_seq, answer_block FROM call \
     WHERE conversation = ?1 AND answer_seq BETWEEN ?2 AND ?3";
pub(super) const BY_ID: &str = "SELECT seq, block, answer_seq, answer_block \
     FROM call INDEXED BY call_by_id \
     WHERE conversation = ?1 AND call_id = ?2 ORDER BY seq DESC, block DESC";
pub(super) const CLEARINGS: &str = "SELECT seq, block, call_seq, call_block, marker FROM clearing \
     WHERE conversation = ?1 AND call_seq BETWEEN ?2 AND ?3";
pub(super) const MESSAGES: &str = "SELECT seq, images_before, data FROM weight \
     WHERE conversation = ?1 AND seq BETWEEN ?2 AND ?3 ORDER BY seq";
// The segment that holds the first message of the stretch begins at or before it.
pub(super) const SEGMENTS: &str = "SELECT first, last, bytes, repairs FROM segment \
     WHERE conversation = ?1 AND target = ?2 AND first <= ?4 AND first >= coalesce( \
         (SELECT max(first) FROM segment \
          WHERE conversation = ?1 AND target = ?2 AND first <= ?3), 0) \
     ORDER BY first";
pub(super) const LAST_SEGMENT: &str = "SELECT first, last, bytes, repairs FROM segment \
     WHERE conversation = ?1 AND target = ?2 ORDER BY first DESC LIMIT 1";
const BYTES: &str = "SELECT sum(octet_length(bytes)) FROM segment \
     WHERE conversation = ?1 AND target = ?2 AND first >= ?3";
const EPOCHS: &str = "SELECT data, realised FROM epoch WHERE conversation = ?1 ORDER BY number";

/// Calls that are declared or answered in a stretch, each once.
pub(super) fn calls(
    connection: &Connection,
    key: i64,
    range: SeqRange,
) -> Result<Vec<CallFact>, StoreError> {
    let bounds = params![key, number(range.first.get()), number(range.last.get())];
    let mut calls = Vec::new();
    for statement in [DECLARED, ANSWERED] {
        let mut statement = connection.prepare_cached(statement)?;
        for call in statement.query_map(bounds, call_fact)? {
            calls.push(call?);
        }
    }
    calls.sort_unstable_by_key(|call| call.at);
    calls.dedup_by_key(|call| call.at);
    Ok(calls)
}

fn call_fact(row: &Row<'_>) -> rusqlite::Result<CallFact> {
    Ok(CallFact { at: block_at(row, 0)?, occurrence: row.get(2)?, answer: answer_at(row, 3)? })
}

fn answer_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<BlockRef>> {
    match row.get::<_, Option<i64>>(column)? {
        Some(_) => block_at(row, column).map(Some),
        None => Ok(None),
    }
}

pub(super) fn find_calls(
    connection: &Connection,
    key: i64,
    call_id: &CallId,
) -> Result<Vec<FoundCall>, StoreError> {
    let mut statement = connection.prepare_cached(BY_ID)?;
    let rows = statement.query_map(params![key, call_id.as_str()], |row| {
        Ok(FoundCall { call: block_at(row, 0)?, answer: answer_at(row, 2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn clearings(
    connection: &Connection,
    key: i64,
    range: SeqRange,
) -> Result<Vec<ClearingRow>, StoreError> {
    let mut statement = connection.prepare_cached(CLEARINGS)?;
    let bounds = params![key, number(range.first.get()), number(range.last.get())];
    let rows = statement.query_map(bounds, |row| {
        Ok(ClearingRow {
            result: block_at(row, 0)?,
            call: block_at(row, 2)?,
            marker: Marker(row.get(4)?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn message_rows(
    connection: &Connection,
    key: i64,
    range: SeqRange,
) -> Result<Vec<MessageRow>, StoreError> {
    let mut statement = connection.prepare_cached(MESSAGES)?;
    let bounds = params![key, number(range.first.get()), number(range.last.get())];
    let rows = statement.query_map(bounds, |row| {
        Ok((seq_at(row, 0)?, unsigned(row.get(1)?), row.get::<_, String>(2)?))
    })?;
    rows.map(|row| {
        let (seq, images_before, data) = row?;
        Ok(MessageRow { seq, images_before, weight: from_json("a weight", &data)? })
    })
    .collect()
}

pub(super) fn segments(
    connection: &Connection,
    key: i64,
    target: &TargetName,
    range: SeqRange,
) -> Result<Vec<Segment>, StoreError> {
    let mut statement = connection.prepare_cached(SEGMENTS)?;
    let (first, last) = (number(range.first.get()), number(range.last.get()));
    let rows = statement.query_map(params![key, target.as_str(), first, last], segment_row)?;
    rows.map(|row| segment(row?)).collect()
}

pub(super) fn open_segment(
    connection: &Connection,
    key: i64,
    target: &TargetName,
) -> Result<Option<Segment>, StoreError> {
    let row = connection
        .prepare_cached(LAST_SEGMENT)?
        .query_row(params![key, target.as_str()], segment_row)
        .optional()?;
    row.map(segment).transpose()
}

type SegmentRow = (SeqRange, String, String);

fn segment_row(row: &Row<'_>) -> rusqlite::Result<SegmentRow> {
    Ok((SeqRange::new(seq_at(row, 0)?, seq_at(row, 1)?), row.get(2)?, row.get(3)?))
}

fn segment((range, bytes, repairs): SegmentRow) -> Result<Segment, StoreError> {
    Ok(Segment { range, bytes, repairs: from_json("the repairs of a segment", &repairs)? })
}

pub(super) fn projection_bytes(
    connection: &Connection,
    key: i64,
    target: &TargetName,
    from: Seq,
) -> Result<u64, StoreError> {
    let bytes: Option<i64> = connection
        .prepare_cached(BYTES)?
        .query_row(params![key, target.as_str(), number(from.get())], |row| row.get(0))?;
    Ok(bytes.map_or(0, unsigned))
}

pub(super) fn epochs(connection: &Connection, key: i64) -> Result<Vec<Epoch>, StoreError> {
    let mut statement = connection.prepare_cached(EPOCHS)?;
    let rows = statement
        .query_map([key], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Option<i64>>(1)?)))?;
    rows.map(|row| {
        let (data, realised) = row?;
        let mut epoch: Epoch = from_json("an epoch", &data)?;
        epoch.realised_rewrite = realised.map(|tokens| Tokens::new(unsigned(tokens)));
        Ok(epoch)
    })
    .collect()
}
