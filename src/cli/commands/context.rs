//! What most commands need first: targets, policy, the database.

use std::path::Path;
use std::sync::Arc;

use crate::cli::args::{Global, Keep};
use crate::cli::exit::{Exit, OrTrouble as _, Trouble};
use crate::compaction::Policy;
use crate::store::{Options, SqliteStore, StoreError};
use crate::target::Catalog;
use crate::worker::{Setup, TurnError, Turns};

/// The built-in targets, with what a targets file adds.
pub(super) fn catalog(global: &Global) -> anyhow::Result<Catalog> {
    let Some(path) = &global.targets_file else { return Ok(Catalog::builtin()) };
    let cannot = || Trouble::new(Exit::BadInput, format!("cannot use {}", path.display()));
    let text = std::fs::read_to_string(path).or_trouble(cannot)?;
    Catalog::with_toml(&text).or_trouble(|| {
        cannot().help("`afterturn targets --help` shows what such a file looks like")
    })
}

/// The default policy with what the command line says.
pub(super) fn policy(keep: Keep) -> Policy {
    let default = Policy::default();
    Policy {
        keep_tokens: keep.keep_tokens.or(default.keep_tokens),
        keep_results: keep.keep_results.unwrap_or(default.keep_results),
        ..default
    }
}

/// A database that must be there.
pub(super) fn existing(path: &Path) -> anyhow::Result<Arc<SqliteStore>> {
    let help = "`afterturn run FILE --db FILE` or `afterturn import FILE --db FILE` makes one";
    if !path.exists() {
        let what = format!("there is no database {}", path.display());
        return Err(Trouble::new(Exit::Database, what).help(help).into());
    }
    open(path, Options { create: false, ..Options::default() })
}

/// A database that is made where it is not there.
pub(super) fn open(path: &Path, options: Options) -> anyhow::Result<Arc<SqliteStore>> {
    SqliteStore::open(path, options).map(Arc::new).or_trouble(|| {
        Trouble::new(Exit::Database, format!("cannot use database {}", path.display()))
    })
}

/// Turns over a database.
pub(super) fn turns(
    store: Arc<SqliteStore>,
    catalog: Catalog,
    policy: Policy,
) -> Turns<SqliteStore> {
    Turns::new(store, Setup { catalog, policy, measure: false })
}

/// What an error of the store means for the one who asked.
pub(super) fn store_trouble(error: StoreError) -> anyhow::Error {
    let exit = match &error {
        StoreError::NotFound(_) | StoreError::TooLarge { .. } | StoreError::Conflict { .. } => {
            Exit::BadInput
        }
        StoreError::NewerSchema { .. }
        | StoreError::NotOurs { .. }
        | StoreError::Open { .. }
        | StoreError::Full
        | StoreError::Busy
        | StoreError::Corrupt(_)
        | StoreError::Row { .. }
        | StoreError::Closed
        | StoreError::Sqlite(_) => Exit::Database,
    };
    Trouble::new(exit, error).into()
}

/// What an error of a turn means for the one who asked.
pub(super) fn turn_trouble(error: TurnError) -> anyhow::Error {
    match error {
        TurnError::Store(error) => store_trouble(error),
        TurnError::Target { .. } => Trouble::new(Exit::BadInput, error)
            .help("give the targets file that was used before, with --targets-file")
            .into(),
        TurnError::Undo { .. } => Trouble::new(Exit::BadInput, error)
            .help("`afterturn show CONVERSATION --as epochs` lists the epochs")
            .into(),
        TurnError::Message { .. } | TurnError::State { .. } | TurnError::Contended(_) => {
            Trouble::new(Exit::Failed, error).into()
        }
    }
}
