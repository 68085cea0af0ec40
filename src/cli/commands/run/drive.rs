//! Turn by turn through queue and workers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::super::context::{store_trouble, turn_trouble};
use super::super::sessions::Session;
use crate::cli::exit::{Exit, Trouble};
use crate::cli::progress::Progress;
use crate::cli::report::{FailedConversation, PrefixStability};
use crate::queue::{EmbeddedQueue, LeaseOptions, QueueError, now};
use crate::record::{ConversationId, Seq};
use crate::store::{NewMessage, SqliteStore, Store as _, Wake};
use crate::target::Target;
use crate::turn::Skip;
use crate::worker::{Pool, PoolOptions, Settled, Turns, shutdown};

/// A session and what it is projected for.
pub(super) struct Job {
    pub(super) session: Session,
    pub(super) targets: Vec<Target>,
}

/// How a session went.
#[derive(Default)]
pub(super) struct Driven {
    /// From the append to the projection, a turn each.
    pub(super) times: Vec<Duration>,
    /// How much of each target's projection stayed, in the order of the targets.
    pub(super) stability: Vec<PrefixStability>,
    /// Why nothing was cleared, where it was asked.
    pub(super) skips: Vec<Skip>,
    /// Why it did not get through.
    pub(super) failed: Option<FailedConversation>,
}

/// Drives all sessions, as many at once as there are workers.
pub(super) async fn drive(
    store: &Arc<SqliteStore>,
    turns: &Arc<Turns<SqliteStore>>,
    jobs: &[Job],
    workers: usize,
    progress: &Progress,
) -> anyhow::Result<Vec<Driven>> {
    let queue = Arc::new(EmbeddedQueue::new(Arc::clone(store), LeaseOptions::default()));
    let (stop, stopped) = shutdown();
    let (tell, settled) = unbounded_channel();
    // A person waits for this: trouble with the database is told, not waited out.
    let options =
        PoolOptions { workers, attempts: 1, give_up_after: Some(3), ..PoolOptions::default() };
    let pool = Pool::new(Arc::clone(&queue), Arc::clone(turns), options).report_to(tell);
    let mut pool = tokio::spawn(pool.run(stopped));

    let driver = Driver { store, turns, queue: &queue, progress };
    let driven = tokio::select! {
        driven = driver.all(jobs, settled, workers) => driven,
        gave_up = &mut pool => return Err(gave_up_trouble(gave_up?)),
        _ = tokio::signal::ctrl_c() => Err(Trouble::new(Exit::Interrupted, "interrupted")
            .help("every finished turn is kept; the same command with the same --db goes on from there")
            .into()),
    };
    stop.request();
    pool.await??;
    driven
}

/// The workers ended before the work did.
fn gave_up_trouble(gave_up: Result<(), QueueError>) -> anyhow::Error {
    match gave_up {
        Err(QueueError::Store(error)) => store_trouble(error),
        Err(error @ QueueError::Thread(_)) => error.into(),
        Ok(()) => anyhow::anyhow!("the workers stopped before the work was done"),
    }
}

struct Driver<'d> {
    store: &'d Arc<SqliteStore>,
    turns: &'d Arc<Turns<SqliteStore>>,
    queue: &'d Arc<EmbeddedQueue>,
    progress: &'d Progress,
}

impl Driver<'_> {
    async fn all(
        &self,
        jobs: &[Job],
        mut settled: UnboundedReceiver<Settled>,
        at_once: usize,
    ) -> anyhow::Result<Vec<Driven>> {
        let mut listeners: HashMap<ConversationId, UnboundedSender<Settled>> = HashMap::new();
        let mut inboxes = Vec::new();
        for job in jobs {
            let (tell, inbox) = unbounded_channel();
            listeners.insert(job.session.id.clone(), tell);
            inboxes.push(inbox);
        }
        let forward = async move {
            while let Some(one) = settled.recv().await {
                if let Some(listener) = listeners.get(&one.conversation) {
                    // A session that is through does not listen any more.
                    let _ = listener.send(one);
                }
            }
            // The pool is gone: nobody will be told anything. Wait to be dropped.
            std::future::pending::<()>().await;
        };
        let permits = tokio::sync::Semaphore::new(at_once.max(1));
        let sessions = jobs.iter().zip(inboxes).map(|(job, inbox)| {
            let permits = &permits;
            async move {
                let _permit = permits.acquire().await?;
                self.one(job, inbox).await
            }
        });
        tokio::select! {
            driven = join_all(sessions) => driven,
            () = forward => Err(anyhow::anyhow!("nobody is left to tell how turns went")),
        }
    }

    async fn one(
        &self,
        job: &Job,
        mut inbox: UnboundedReceiver<Settled>,
    ) -> anyhow::Result<Driven> {
        self.begin(job).await?;
        let turns = job.session.turns();
        self.progress.expect(turns.len() as u64);
        self.progress.conversation(&job.session.source);
        let mut driven = Driven {
            stability: vec![PrefixStability::default(); job.targets.len()],
            ..Driven::default()
        };
        for turn in turns {
            let begun = Instant::now();
            let head = self.append(&job.session.id, turn).await?;
            if let Err(failed) = ready(head, &mut inbox, &mut driven).await {
                driven.failed = Some(failed);
                break;
            }
            driven.times.push(begun.elapsed());
            self.progress.turn_done();
        }
        Ok(driven)
    }

    /// Makes the conversation, or takes the one that is there on with these targets.
    async fn begin(&self, job: &Job) -> anyhow::Result<()> {
        let targets: Vec<Target> = job.targets.clone();
        let new = job.session.conversation(&targets.iter().collect::<Vec<_>>());
        let (store, turns) = (Arc::clone(self.store), Arc::clone(self.turns));
        blocking(move || {
            if store.create(&new).map_err(store_trouble)? {
                return Ok(());
            }
            let row = store.conversation(&new.id).map_err(store_trouble)?;
            if row.is_some_and(|row| row.targets != new.targets) {
                let targets: Vec<&Target> = targets.iter().collect();
                turns.retarget(&new.id, &targets).map_err(turn_trouble)?;
            }
            Ok(())
        })
        .await
    }

    async fn append(&self, id: &ConversationId, turn: Vec<NewMessage>) -> anyhow::Result<Seq> {
        let (store, id) = (Arc::clone(self.store), id.clone());
        let appended =
            blocking(move || store.append(&id, &turn, now(), Wake::Turn).map_err(store_trouble))
                .await?;
        self.queue.nudge();
        Ok(appended.seqs.last().copied().unwrap_or(appended.head))
    }
}

/// Waits until a worker has brought the conversation up to `head`.
async fn ready(
    head: Seq,
    inbox: &mut UnboundedReceiver<Settled>,
    driven: &mut Driven,
) -> Result<(), FailedConversation> {
    while let Some(settled) = inbox.recv().await {
        match settled.result {
            Ok(finished) => {
                for (all, turn) in driven.stability.iter_mut().zip(&finished.stability) {
                    all.turn(turn.before, turn.common);
                }
                driven.skips.extend(finished.skips);
                if finished.accounted >= head {
                    return Ok(());
                }
            }
            Err(error) if settled.dead => {
                return Err(FailedConversation {
                    id: settled.conversation,
                    error,
                    attempts: settled.attempt,
                });
            }
            // It will be tried again.
            Err(_) => {}
        }
    }
    Ok(())
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    tokio::task::spawn_blocking(work).await?
}

/// Polls all futures in this task, so that they may borrow; gives their results in order.
async fn join_all<F, T>(futures: impl Iterator<Item = F>) -> anyhow::Result<Vec<T>>
where
    F: Future<Output = anyhow::Result<T>>,
{
    let mut pending: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        let mut waiting = false;
        for (future, done) in &mut pending {
            if done.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(result) => *done = Some(result),
                    std::task::Poll::Pending => waiting = true,
                }
            }
        }
        if waiting { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
    })
    .await;
    pending.into_iter().filter_map(|(_, done)| done).collect()
}
