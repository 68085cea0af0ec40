//! The embedded queue's tables: which conversations are due, who works on them, and what was
//! given up.
//!
//! One row a conversation, so ten messages for it are one turn's work. A message raises the
//! row's generation; work that was done for an older generation does not remove the row.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::writer::Durability;
use super::{SqliteStore, key_of, unsigned};
use crate::record::{ConversationId, Timestamp};
use crate::store::StoreError;

const WAKE: &str = "INSERT INTO due (conversation, why, generation, not_before, first_at) \
     VALUES (?1, ?2, 1, ?3, ?3) ON CONFLICT (conversation) DO UPDATE SET \
     generation = generation + 1, attempts = 0, not_before = min(not_before, excluded.not_before)";
// The oldest that may be worked on; a lease that ran out is nobody's.
const NEXT: &str = "SELECT due.conversation, conversation.id, why, generation, attempts \
     FROM due JOIN conversation ON conversation.key = due.conversation \
     WHERE not_before <= ?1 AND (lease_until IS NULL OR lease_until <= ?1) \
     ORDER BY not_before LIMIT 1";
const TAKE: &str = "UPDATE due SET lease = ?2, lease_until = ?3, attempts = attempts + 1 \
     WHERE conversation = ?1";
const RENEW: &str = "UPDATE due SET lease_until = ?3 WHERE conversation = ?1 AND lease = ?2";
const DONE: &str = "DELETE FROM due WHERE conversation = ?1 AND lease = ?2 AND generation = ?3";
// Something came while it was worked on: it is due again, and the attempts start anew.
const AGAIN: &str = "UPDATE due SET lease = NULL, lease_until = NULL, attempts = 0, \
     not_before = ?3 WHERE conversation = ?1 AND lease = ?2";
const RETRY: &str = "UPDATE due SET lease = NULL, lease_until = NULL, not_before = ?3, \
     last_error = ?4 WHERE conversation = ?1 AND lease = ?2";
const RELEASE: &str = "UPDATE due SET lease = NULL, lease_until = NULL, \
     attempts = max(attempts - 1, 0) WHERE conversation = ?1 AND lease = ?2";
const BURY: &str = "INSERT INTO dead (conversation, body, reason, attempts, first_at, last_at) \
     SELECT ?2, ?3, ?4, attempts, first_at, ?5 FROM due WHERE conversation = ?1 AND lease = ?6";
const COUNTS: &str = "SELECT \
     (SELECT count(*) FROM due WHERE lease_until IS NULL AND not_before <= ?1), \
     (SELECT count(*) FROM due WHERE lease_until > ?1), \
     (SELECT count(*) FROM due WHERE (lease_until IS NULL OR lease_until <= ?1) \
        AND not_before > ?1), \
     (SELECT count(*) FROM dead)";
const DEAD: &str = "SELECT key, conversation, body, reason, attempts, first_at, last_at \
     FROM dead ORDER BY key";
const BEHIND: &str = "INSERT INTO due (conversation, why, generation, not_before, first_at) \
     SELECT key, 'sweep', 1, ?1, ?1 FROM conversation WHERE head > accounted \
     ON CONFLICT DO NOTHING";

/// A conversation that one worker may work on for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The conversation.
    pub conversation: ConversationId,
    /// Why it is due, as it was written.
    pub why: String,
    /// How often it was taken, from 1.
    pub attempt: u32,
    pub(super) key: i64,
    pub(super) token: i64,
    pub(super) generation: i64,
}

/// How many turns stand where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DueCounts {
    /// May be worked on now.
    pub ready: u64,
    /// Are worked on.
    pub leased: u64,
    /// Wait for their next attempt.
    pub delayed: u64,
    /// Were given up.
    pub dead: u64,
}

/// A turn that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadTurn {
    /// Names it in the dead list.
    pub key: i64,
    /// The conversation.
    pub conversation: ConversationId,
    /// The turn message, as it was.
    pub body: String,
    /// Why it was given up.
    pub reason: String,
    /// How often it was tried.
    pub attempts: u32,
    /// When it came.
    pub first_at: Timestamp,
    /// When it was given up.
    pub last_at: Timestamp,
}

/// Makes a conversation due; part of whatever transaction it is called in.
pub(super) fn wake(
    connection: &Connection,
    key: i64,
    why: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    connection.prepare_cached(WAKE)?.execute(params![key, why, at.millis()])?;
    Ok(())
}

impl SqliteStore {
    /// Makes a conversation due.
    pub fn wake(&self, id: &ConversationId, why: &str, at: Timestamp) -> Result<(), StoreError> {
        let why = why.to_owned();
        self.write(Durability::Full, id, move |connection, key| wake(connection, key, &why, at))
    }

    /// Makes every conversation due whose record is ahead of its projections: what a lost
    /// message would have told. Gives how many.
    pub fn wake_those_behind(&self, at: Timestamp) -> Result<usize, StoreError> {
        self.writer.run(Durability::Derived, move |connection| {
            Ok(connection.prepare_cached(BEHIND)?.execute([at.millis()])?)
        })
    }

    /// Takes the conversation that has been due the longest. `token` tells this lease from
    /// every other.
    pub fn lease(
        &self,
        now: Timestamp,
        until: Timestamp,
        token: i64,
    ) -> Result<Option<Lease>, StoreError> {
        if self.readers.run(|connection| next(connection, now, token))?.is_none() {
            return Ok(None);
        }
        // Asked again where nobody else can take it.
        self.writer.run(Durability::Derived, move |connection| {
            let Some(lease) = next(connection, now, token)? else { return Ok(None) };
            let taken = params![lease.key, token, until.millis()];
            connection.prepare_cached(TAKE)?.execute(taken)?;
            Ok(Some(lease))
        })
    }

    /// Keeps a lease for longer. `false`: it is somebody else's by now.
    pub fn renew(&self, lease: &Lease, until: Timestamp) -> Result<bool, StoreError> {
        let (key, token) = (lease.key, lease.token);
        self.writer.run(Durability::Derived, move |connection| {
            let renewed = params![key, token, until.millis()];
            Ok(connection.prepare_cached(RENEW)?.execute(renewed)? > 0)
        })
    }

    /// The work is done: the row goes, unless something came meanwhile.
    pub fn settle_done(&self, lease: &Lease, now: Timestamp) -> Result<(), StoreError> {
        let lease = lease.clone();
        self.writer.run(Durability::Derived, move |connection| {
            let done = params![lease.key, lease.token, lease.generation];
            if connection.prepare_cached(DONE)?.execute(done)? == 0 {
                let again = params![lease.key, lease.token, now.millis()];
                connection.prepare_cached(AGAIN)?.execute(again)?;
            }
            Ok(())
        })
    }

    /// The work failed and is tried again at `not_before`.
    pub fn settle_retry(
        &self,
        lease: &Lease,
        not_before: Timestamp,
        error: &str,
    ) -> Result<(), StoreError> {
        let (key, token, error) = (lease.key, lease.token, error.to_owned());
        self.writer.run(Durability::Derived, move |connection| {
            let retry = params![key, token, not_before.millis(), error];
            connection.prepare_cached(RETRY)?.execute(retry)?;
            Ok(())
        })
    }

    /// The work was not begun, and counts as no attempt.
    pub fn settle_release(&self, lease: &Lease) -> Result<(), StoreError> {
        let (key, token) = (lease.key, lease.token);
        self.writer.run(Durability::Derived, move |connection| {
            connection.prepare_cached(RELEASE)?.execute(params![key, token])?;
            Ok(())
        })
    }

    /// The work is given up: it goes to the dead list with its reason.
    pub fn settle_dead(
        &self,
        lease: &Lease,
        body: &str,
        reason: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (lease, body, reason) = (lease.clone(), body.to_owned(), reason.to_owned());
        self.writer.run(Durability::Full, move |connection| {
            connection.prepare_cached(BURY)?.execute(params![
                lease.key,
                lease.conversation.as_str(),
                body,
                reason,
                now.millis(),
                lease.token,
            ])?;
            let done = params![lease.key, lease.token, lease.generation];
            if connection.prepare_cached(DONE)?.execute(done)? == 0 {
                let again = params![lease.key, lease.token, now.millis()];
                connection.prepare_cached(AGAIN)?.execute(again)?;
            }
            Ok(())
        })
    }

    /// How many turns stand where.
    pub fn due_counts(&self, now: Timestamp) -> Result<DueCounts, StoreError> {
        self.readers.run(|connection| {
            Ok(connection.prepare_cached(COUNTS)?.query_row([now.millis()], |row| {
                Ok(DueCounts {
                    ready: unsigned(row.get(0)?),
                    leased: unsigned(row.get(1)?),
                    delayed: unsigned(row.get(2)?),
                    dead: unsigned(row.get(3)?),
                })
            })?)
        })
    }

    /// The dead list, the oldest first.
    pub fn dead_turns(&self) -> Result<Vec<DeadTurn>, StoreError> {
        self.readers.run(|connection| {
            let mut statement = connection.prepare_cached(DEAD)?;
            let rows = statement.query_map([], dead_turn)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Takes a turn off the dead list and makes its conversation due. `false`: it is not there.
    pub fn requeue_dead(&self, key: i64, at: Timestamp) -> Result<bool, StoreError> {
        self.writer.run(Durability::Full, move |connection| {
            let id: Option<String> = connection
                .prepare_cached("DELETE FROM dead WHERE key = ?1 RETURNING conversation")?
                .query_row([key], |row| row.get(0))
                .optional()?;
            let Some(id) = id else { return Ok(false) };
            let key = key_of(connection, &ConversationId::new(id))?;
            wake(connection, key, "manual", at)?;
            Ok(true)
        })
    }

    /// Takes a turn off the dead list for good. `false`: it is not there.
    pub fn drop_dead(&self, key: i64) -> Result<bool, StoreError> {
        self.writer.run(Durability::Full, move |connection| {
            Ok(connection.prepare_cached("DELETE FROM dead WHERE key = ?1")?.execute([key])? > 0)
        })
    }
}

fn next(connection: &Connection, now: Timestamp, token: i64) -> Result<Option<Lease>, StoreError> {
    let lease = connection
        .prepare_cached(NEXT)?
        .query_row([now.millis()], |row| {
            Ok(Lease {
                key: row.get(0)?,
                conversation: row.get::<_, String>(1)?.into(),
                why: row.get(2)?,
                generation: row.get(3)?,
                attempt: row.get::<_, u32>(4)? + 1,
                token,
            })
        })
        .optional()?;
    Ok(lease)
}

fn dead_turn(row: &Row<'_>) -> rusqlite::Result<DeadTurn> {
    Ok(DeadTurn {
        key: row.get(0)?,
        conversation: row.get::<_, String>(1)?.into(),
        body: row.get(2)?,
        reason: row.get(3)?,
        attempts: row.get(4)?,
        first_at: Timestamp::from_millis(row.get(5)?),
        last_at: Timestamp::from_millis(row.get(6)?),
    })
}
