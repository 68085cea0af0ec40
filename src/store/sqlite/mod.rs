//! SQLite behind the store's trait: one file, nothing to install.
//!
//! One thread writes (`writer`), any number read (`reader`). SQL stands in one file a group of
//! tables: `append` (the record), `turn` (what a turn begins with and commits), `rows` (derived
//! rows that projections need), `due` (the embedded queue).

mod append;
mod due;
#[cfg(test)]
mod plans;
mod reader;
mod rows;
mod schema;
mod turn;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row};

use super::{
    Appended, CachedProjection, ClearingRow, Committed, ConversationRow, FoundCall, MessageRow,
    NewConversation, NewMessage, Store, StoreError, StoredBody, TurnCommit, TurnStart, Wake,
};
use crate::compaction::{Epoch, Holders, LineHash};
use crate::record::{BlockRef, CallId, ConversationId, Seq, Timestamp};
use crate::replay::{CallFact, IdFacts, Segment, SeqRange};
use crate::target::TargetName;

pub use due::{DeadTurn, DueCounts, Lease};
use reader::Readers;
use writer::{Durability, Writer};

/// How long a writer waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How a store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether a file that is not there is made.
    pub create: bool,
    /// The most bytes of one message.
    pub most_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { create: true, most_bytes: 32 << 20 }
    }
}

/// A store in one SQLite file.
pub struct SqliteStore {
    readers: Readers,
    writer: Writer,
    options: Options,
}

impl SqliteStore {
    /// Opens a file, makes it if it may, and brings its schema forward. A file that is not
    /// ours, or newer than we are, is refused before anything is written.
    pub fn open(path: &Path, options: Options) -> Result<Self, StoreError> {
        let open = |why: String| StoreError::Open { path: path.to_owned(), why };
        prepare_file(path, options).map_err(|error| open(error.to_string()))?;
        check_header(path)?;
        let connection = Connection::open(path).map_err(|error| open(error.to_string()))?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        schema::prepare(&connection, path)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        tune(&connection)?;
        let writer = Writer::start(connection).map_err(|error| open(error.to_string()))?;
        Ok(Self { readers: Readers::new(path), writer, options })
    }

    fn read<T>(
        &self,
        id: &ConversationId,
        read: impl FnOnce(&Connection, i64) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.readers.run(|connection| read(connection, key_of(connection, id)?))
    }

    fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        id: &ConversationId,
        write: impl FnOnce(&Connection, i64) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let id = id.clone();
        self.writer.run(durability, move |connection| write(connection, key_of(connection, &id)?))
    }
}

/// Pages of large databases stay at hand: 32 MiB of cache, the rest mapped.
fn tune(connection: &Connection) -> Result<(), StoreError> {
    connection.pragma_update(None, "cache_size", -32 * 1024)?;
    connection.pragma_update(None, "mmap_size", 1_i64 << 30)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Makes the file with its mode before SQLite does, since SQLite gives its side files the mode
/// of the database.
fn prepare_file(path: &Path, options: Options) -> std::io::Result<()> {
    if path.is_dir() {
        return Err(std::io::Error::other("it is a folder; name a file in it"));
    }
    let mut open = OpenOptions::new();
    open.read(true).write(true).create(options.create);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
    open.open(path).map(drop)
}

/// A file that is no database at all is refused without SQLite's help, which would offer to
/// recover it.
fn check_header(path: &Path) -> Result<(), StoreError> {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(16).read_to_end(&mut head));
    read.map_err(|error| StoreError::Open { path: path.to_owned(), why: error.to_string() })?;
    if head.is_empty() || head == MAGIC {
        return Ok(());
    }
    Err(StoreError::NotOurs { path: path.to_owned(), why: "it is not an SQLite file".into() })
}

fn key_of(connection: &Connection, id: &ConversationId) -> Result<i64, StoreError> {
    connection
        .prepare_cached("SELECT key FROM conversation WHERE id = ?1")?
        .query_row([id.as_str()], |row| row.get(0))
        .optional()?
        .ok_or_else(|| StoreError::NotFound(id.clone()))
}

/// A number of ours as SQLite keeps it. They are counts and places, far below 2^63.
fn number(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A number that we put there.
fn unsigned(n: i64) -> u64 {
    u64::try_from(n).unwrap_or_default()
}

fn seq_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Seq> {
    row.get(column).map(|n| Seq::new(unsigned(n)))
}

fn block_at(row: &Row<'_>, column: usize) -> rusqlite::Result<BlockRef> {
    Ok(BlockRef::new(seq_at(row, column)?, row.get(column + 1)?))
}

/// JSON of ours, read back.
fn from_json<T: serde::de::DeserializeOwned>(
    what: &'static str,
    json: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::Row { what, why: error.to_string() })
}

/// A value of ours as JSON.
fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("our rows have string keys and write to memory")
}

impl Store for SqliteStore {
    fn create(&self, new: &NewConversation) -> Result<bool, StoreError> {
        let new = new.clone();
        self.writer.run(Durability::Full, move |connection| append::create(connection, &new))
    }

    fn append(
        &self,
        id: &ConversationId,
        batch: &[NewMessage],
        at: Timestamp,
        wake: Wake,
    ) -> Result<Appended, StoreError> {
        append::check_sizes(id, batch, self.options.most_bytes)?;
        let (conversation, batch) = (id.clone(), batch.to_vec());
        self.write(Durability::Full, id, move |connection, key| {
            append::append(connection, key, &conversation, &batch, at, wake)
        })
    }

    fn conversation(&self, id: &ConversationId) -> Result<Option<ConversationRow>, StoreError> {
        self.readers.run(|connection| append::conversation(connection, id))
    }

    fn conversations(&self) -> Result<Vec<ConversationRow>, StoreError> {
        self.readers.run(append::conversations)
    }

    fn messages(
        &self,
        id: &ConversationId,
        range: SeqRange,
    ) -> Result<Vec<StoredBody>, StoreError> {
        self.read(id, |connection, key| append::messages(connection, key, range))
    }

    fn begin_turn(
        &self,
        id: &ConversationId,
        messages: u32,
        bytes: u64,
    ) -> Result<TurnStart, StoreError> {
        self.read(id, |connection, key| turn::begin(connection, key, id, messages, bytes))
    }

    fn id_facts(
        &self,
        id: &ConversationId,
        ids: &BTreeSet<CallId>,
    ) -> Result<BTreeMap<CallId, IdFacts>, StoreError> {
        self.read(id, |connection, key| turn::id_facts(connection, key, ids))
    }

    fn holders(
        &self,
        id: &ConversationId,
        lines: &BTreeSet<LineHash>,
    ) -> Result<Holders, StoreError> {
        self.read(id, |connection, key| turn::holders(connection, key, lines))
    }

    fn calls(&self, id: &ConversationId, range: SeqRange) -> Result<Vec<CallFact>, StoreError> {
        self.read(id, |connection, key| rows::calls(connection, key, range))
    }

    fn find_calls(
        &self,
        id: &ConversationId,
        call_id: &CallId,
    ) -> Result<Vec<FoundCall>, StoreError> {
        self.read(id, |connection, key| rows::find_calls(connection, key, call_id))
    }

    fn clearings(
        &self,
        id: &ConversationId,
        calls: SeqRange,
    ) -> Result<Vec<ClearingRow>, StoreError> {
        self.read(id, |connection, key| rows::clearings(connection, key, calls))
    }

    fn message_rows(
        &self,
        id: &ConversationId,
        range: SeqRange,
    ) -> Result<Vec<MessageRow>, StoreError> {
        self.read(id, |connection, key| rows::message_rows(connection, key, range))
    }

    fn segments(
        &self,
        id: &ConversationId,
        target: &TargetName,
        range: SeqRange,
    ) -> Result<Vec<Segment>, StoreError> {
        self.read(id, |connection, key| rows::segments(connection, key, target, range))
    }

    fn open_segment(
        &self,
        id: &ConversationId,
        target: &TargetName,
    ) -> Result<Option<Segment>, StoreError> {
        self.read(id, |connection, key| rows::open_segment(connection, key, target))
    }

    fn projection_bytes(
        &self,
        id: &ConversationId,
        target: &TargetName,
        from: Seq,
    ) -> Result<u64, StoreError> {
        self.read(id, |connection, key| rows::projection_bytes(connection, key, target, from))
    }

    fn epochs(&self, id: &ConversationId) -> Result<Vec<Epoch>, StoreError> {
        self.read(id, rows::epochs)
    }

    fn commit_turn(&self, commit: TurnCommit) -> Result<Committed, StoreError> {
        let id = commit.id.clone();
        // An epoch is a decision: it must outlive a loss of power, since projections that were
        // handed out show it (invariant 11).
        let durability =
            if commit.epochs.is_empty() { Durability::Derived } else { Durability::Full };
        self.write(durability, &id, move |connection, key| turn::commit(connection, key, &commit))
    }

    fn projection(
        &self,
        id: &ConversationId,
        target: &TargetName,
    ) -> Result<Option<CachedProjection>, StoreError> {
        self.read(id, |connection, key| {
            let Some(row) = append::conversation(connection, id)? else { return Ok(None) };
            if !row.targets.contains(target) {
                return Ok(None);
            }
            let all = SeqRange::from(Seq::FIRST);
            let segments = rows::segments(connection, key, target, all)?;
            Ok(Some(CachedProjection { covers: row.accounted, head: row.head, segments }))
        })
    }
}
