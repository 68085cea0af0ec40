//! What can go wrong with a store, and what to do about it.

use std::path::PathBuf;

use rusqlite::ErrorCode;
use thiserror::Error;

use crate::record::{ConversationId, MessageId, Seq};

/// What can go wrong with a store. Nothing was written by halves.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    /// No such conversation.
    #[error("conversation {0} is not in this store")]
    NotFound(ConversationId),
    /// The id is taken by a message with other content.
    #[error(
        "conversation {conversation}: message id {message} already names another message (seq \
         {seq}); a stored message is never rewritten, append it under a new id"
    )]
    Conflict {
        /// The conversation.
        conversation: ConversationId,
        /// The id.
        message: MessageId,
        /// Where the other message stands.
        seq: Seq,
    },
    /// A message above the limit.
    #[error(
        "conversation {conversation}: message {message} has {found} bytes, the limit is {limit}"
    )]
    TooLarge {
        /// The conversation.
        conversation: ConversationId,
        /// The message.
        message: MessageId,
        /// Its bytes.
        found: u64,
        /// The most bytes.
        limit: u64,
    },
    /// Written by a newer program.
    #[error(
        "{path}: its schema is version {found}, this program knows up to {known}; use a newer \
         afterturn (the file was not touched)"
    )]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest known.
        known: i64,
    },
    /// Not one of our files.
    #[error("{path}: not an afterturn database: {why} (the file was not touched)")]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// What was found.
        why: String,
    },
    /// The file cannot be opened or made.
    #[error("{path}: cannot be opened: {why}")]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The disk is full.
    #[error("the disk is full: nothing was written; free some space and run the command again")]
    Full,
    /// Another process holds the database.
    #[error("the database is locked by another process; try again when it is done")]
    Busy,
    /// The file is damaged.
    #[error("the database is damaged: {0}; restore it from a copy")]
    Corrupt(String),
    /// A derived row that this program cannot read.
    #[error("{what} cannot be read: {why}")]
    Row {
        /// Which.
        what: &'static str,
        /// Why.
        why: String,
    },
    /// The writer has stopped.
    #[error("the store is closed")]
    Closed,
    /// Anything else that SQLite says.
    #[error("the database says: {0}")]
    Sqlite(String),
}

impl StoreError {
    /// Whether trying again later may help.
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::Full | Self::Busy | Self::Sqlite(_) | Self::Open { .. } => true,
            Self::NotFound(_)
            | Self::Conflict { .. }
            | Self::TooLarge { .. }
            | Self::NewerSchema { .. }
            | Self::NotOurs { .. }
            | Self::Corrupt(_)
            | Self::Row { .. }
            | Self::Closed => false,
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Corrupt(error.to_string())
            }
            _ => Self::Sqlite(error.to_string()),
        }
    }
}
