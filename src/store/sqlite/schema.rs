//! Tables and their migrations.
//!
//! A file is ours by its application id, and of a version by `user_version`. A newer version
//! is refused and never altered; an older one is brought forward step by step.

use std::path::Path;

use rusqlite::Connection;

use crate::store::StoreError;

/// "AFTN": marks our files in the header.
const APPLICATION_ID: i64 = 0x4146_544E;

/// Each step brings a file one version forward; the number of steps is the version.
const MIGRATIONS: [&str; 1] = [include_str!("schema_1.sql")];

/// The version that this program writes.
fn known() -> i64 {
    i64::try_from(MIGRATIONS.len()).expect("there are few migrations")
}

/// Refuses what is not ours or newer, and brings the rest forward.
pub(super) fn prepare(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let not_ours = |why: String| StoreError::NotOurs { path: path.to_owned(), why };
    let pragma = |name: &str| -> Result<i64, StoreError> {
        connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(|error| not_ours(error.to_string()))
    };
    let application = pragma("application_id")?;
    let version = pragma("user_version")?;
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|error| not_ours(error.to_string()))?;
    if application != APPLICATION_ID && (tables > 0 || application != 0 || version != 0) {
        return Err(not_ours(format!("{tables} tables of another program are in it")));
    }
    if version > known() {
        return Err(StoreError::NewerSchema {
            path: path.to_owned(),
            found: version,
            known: known(),
        });
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    migrate(connection)
}

/// Whether a migration is needed is asked again inside the transaction: two processes may open
/// a new file at once.
fn migrate(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let steps = || -> Result<(), rusqlite::Error> {
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let done = usize::try_from(version).unwrap_or(0);
        for step in MIGRATIONS.iter().skip(done) {
            connection.execute_batch(step)?;
        }
        if done < MIGRATIONS.len() {
            connection.pragma_update(None, "application_id", APPLICATION_ID)?;
            connection.pragma_update(None, "user_version", known())?;
        }
        Ok(())
    };
    match steps() {
        Ok(()) => Ok(connection.execute_batch("COMMIT")?),
        Err(error) => {
            // The first error is the one to tell; without a transaction there is nothing to undo.
            let _ = connection.execute_batch("ROLLBACK");
            Err(error.into())
        }
    }
}
