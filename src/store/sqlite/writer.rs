//! One thread that writes, and commits together what comes together.
//!
//! SQLite has one writer at a time anyway; giving it a thread of its own lets concurrent
//! producers share the cost of a durable commit. A job runs in a savepoint, so that one that
//! fails takes nothing of the others with it, and is answered only after the commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use crate::store::StoreError;

/// The most jobs in one commit.
const BATCH: usize = 256;

/// How sure a commit must be before it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Durability {
    /// It survives the process; a loss of power may take it. For what can be made again.
    Derived,
    /// It survives a loss of power.
    Full,
}

/// Tells a job how the commit went; `None`: well.
type Answer = Box<dyn FnOnce(Option<&StoreError>) + Send>;
/// Runs in a transaction, or hears why there is none.
type Work = Box<dyn FnOnce(Result<&Connection, StoreError>) -> Answer + Send>;

struct Job {
    durability: Durability,
    work: Work,
}

/// The way to the writing thread. Dropping it ends the thread when its work is done.
pub(super) struct Writer {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread on a connection of its own.
    pub(super) fn start(connection: Connection) -> std::io::Result<Self> {
        let (jobs, received) = channel();
        let thread = std::thread::Builder::new()
            .name("afterturn-writer".into())
            .spawn(move || write_loop(&connection, &received))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Runs `job` in the next commit and waits for it.
    pub(super) fn run<T: Send + 'static>(
        &self,
        durability: Durability,
        job: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = sync_channel(1);
        let work: Work = Box::new(move |connection| {
            answer_with(connection.and_then(|connection| in_savepoint(connection, job)), reply)
        });
        let jobs = self.jobs.as_ref().ok_or(StoreError::Closed)?;
        jobs.send(Job { durability, work }).map_err(|_| StoreError::Closed)?;
        answer.recv().map_err(|_| StoreError::Closed)?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was answered to whoever waited for it.
            let _ = thread.join();
        }
    }
}

fn answer_with<T: Send + 'static>(
    result: Result<T, StoreError>,
    reply: SyncSender<Result<T, StoreError>>,
) -> Answer {
    Box::new(move |failed| {
        let result = match failed {
            Some(error) => result.and(Err(error.clone())),
            None => result,
        };
        // Nobody waits any more: the work is committed all the same.
        let _ = reply.send(result);
    })
}

fn in_savepoint<T>(
    connection: &Connection,
    job: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    connection.execute_batch("SAVEPOINT job")?;
    let result = catch_unwind(AssertUnwindSafe(|| job(connection)))
        .unwrap_or_else(|_| Err(StoreError::Sqlite("a write panicked".into())));
    match &result {
        Ok(_) => connection.execute_batch("RELEASE job")?,
        Err(_) => connection.execute_batch("ROLLBACK TO job; RELEASE job")?,
    }
    result
}

fn write_loop(connection: &Connection, jobs: &Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        let mut batch = vec![first];
        batch.extend(jobs.try_iter().take(BATCH - 1));
        let durability = batch.iter().map(|job| job.durability).max();
        let synchronous = match durability {
            Some(Durability::Full) => "FULL",
            Some(Durability::Derived) | None => "NORMAL",
        };
        commit(connection, synchronous, batch);
    }
}

fn commit(connection: &Connection, synchronous: &str, batch: Vec<Job>) {
    let begun = connection
        .execute_batch(&format!("PRAGMA synchronous={synchronous}; BEGIN IMMEDIATE"))
        .map_err(StoreError::from);
    if let Err(error) = begun {
        for job in batch {
            (job.work)(Err(error.clone()))(None);
        }
        return;
    }
    let answers: Vec<Answer> = batch.into_iter().map(|job| (job.work)(Ok(connection))).collect();
    let failed = connection.execute_batch("COMMIT").map_err(StoreError::from).err();
    if failed.is_some() && !connection.is_autocommit() {
        // The commit's own error is the one to tell.
        let _ = connection.execute_batch("ROLLBACK");
    }
    for answer in answers {
        answer(failed.as_ref());
    }
}
