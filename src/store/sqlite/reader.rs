//! Connections that only read. In WAL mode they never wait for the writer.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OpenFlags};

use crate::store::StoreError;

/// Idle reading connections of one file.
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::default() }
    }

    /// Runs `read` in one read transaction: it sees one moment of the file.
    pub(super) fn run<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let connection = self.take()?;
        connection.execute_batch("BEGIN")?;
        let result = read(&connection);
        // A read transaction has nothing to lose.
        if connection.execute_batch("COMMIT").is_ok() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        result
    }

    fn take(&self) -> Result<Connection, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(connection) = idle {
            return Ok(connection);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(super::BUSY_TIMEOUT)?;
        connection.pragma_update(None, "query_only", true)?;
        super::tune(&connection)?;
        Ok(connection)
    }
}
