//! N workers that take turn messages and settle them.
//!
//! A worker knows nothing of what a turn is: it takes a delivery, runs the turn on a blocking
//! thread, and tells the queue what came of it. A panic in a turn is a failed attempt, not a
//! dead worker.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinSet};
use tracing::{debug, error, info, warn};

use super::error::TurnError;
use super::shutdown::Shutdown;
use super::turn::{Finished, Turns};
use crate::queue::{Backoff, Delivery, Queue, QueueError, Verdict};
use crate::record::ConversationId;
use crate::store::Store;

/// How a pool works.
#[derive(Debug, Clone)]
pub struct PoolOptions {
    /// How many turns are worked on at once.
    pub workers: usize,
    /// How often a turn is tried before it goes to the dead list.
    pub attempts: u32,
    /// How long a failed turn waits before the next attempt.
    pub backoff: Backoff,
    /// How often a lease is renewed while a turn is worked on.
    pub renew_every: Duration,
    /// How often in a row taking a message may fail before the pool gives up; `None`: it tries
    /// for ever, as a service should.
    pub give_up_after: Option<u32>,
    /// How long a stop waits for turns in flight.
    pub drain: Duration,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self {
            workers: 2,
            attempts: 5,
            backoff: Backoff::default(),
            renew_every: Duration::from_secs(10),
            give_up_after: None,
            drain: Duration::from_secs(30),
        }
    }
}

/// What became of one delivery; for those who wait for a conversation to be ready.
#[derive(Debug)]
pub struct Settled {
    /// Which conversation.
    pub conversation: ConversationId,
    /// What came out, or why nothing did.
    pub result: Result<Finished, String>,
    /// How often it was tried.
    pub attempt: u32,
    /// Whether it will not be tried again.
    pub dead: bool,
}

/// N workers over one queue and one store.
pub struct Pool<Q, S> {
    queue: Arc<Q>,
    turns: Arc<Turns<S>>,
    options: PoolOptions,
    settled: Option<mpsc::UnboundedSender<Settled>>,
}

impl<Q: Queue, S: Store> Pool<Q, S> {
    /// A pool that takes from `queue` and runs `turns`.
    pub fn new(queue: Arc<Q>, turns: Arc<Turns<S>>, options: PoolOptions) -> Self {
        Self { queue, turns, options, settled: None }
    }

    /// Tells `listener` of each settled delivery.
    #[must_use]
    pub fn report_to(mut self, listener: mpsc::UnboundedSender<Settled>) -> Self {
        self.settled = Some(listener);
        self
    }

    /// Works until the stop is asked for, then finishes what is in flight within the drain
    /// limit. What is not finished by then comes back to the queue when its lease expires.
    pub async fn run(self, mut shutdown: Shutdown) -> Result<(), QueueError> {
        let pool = Arc::new(self);
        let mut workers = JoinSet::new();
        for _ in 0..pool.options.workers {
            workers.spawn(Arc::clone(&pool).work());
        }
        let mut gave_up = Ok(());
        tokio::select! {
            () = shutdown.wait() => {}
            // Before the stop, a worker ends only by giving up.
            Some(Ok(Err(error))) = workers.join_next() => gave_up = Err(error),
        }
        // Closing makes every waiting `receive` return `None`; a lease that was just taken is
        // still handed out, so none is lost between the queue and the worker.
        pool.queue.close();
        let finish = async { while workers.join_next().await.is_some() {} };
        if tokio::time::timeout(pool.options.drain, finish).await.is_err() {
            warn!("turns were still in flight when the drain limit passed; they will be retried");
        }
        gave_up
    }

    async fn work(self: Arc<Self>) -> Result<(), QueueError> {
        let mut failures = 0;
        loop {
            match self.queue.receive().await {
                Ok(Some(delivery)) => {
                    failures = 0;
                    self.handle(delivery).await;
                }
                Ok(None) => return Ok(()),
                Err(error) => {
                    // The queue itself is in trouble (disk, broker). The store holds the truth,
                    // so trying again loses nothing.
                    failures += 1;
                    error!(%error, failures, "could not take a turn message");
                    if self.options.give_up_after.is_some_and(|limit| failures >= limit) {
                        return Err(error);
                    }
                    let wait = self.options.backoff.delay(failures, fastrand::f64());
                    tokio::time::sleep(wait).await;
                }
            }
        }
    }

    async fn handle(&self, delivery: Delivery) {
        let conversation = delivery.message.conversation.clone();
        let turns = Arc::clone(&self.turns);
        let id = conversation.clone();
        let mut task = tokio::task::spawn_blocking(move || turns.run(&id));
        let joined = loop {
            tokio::select! {
                joined = &mut task => break joined,
                () = tokio::time::sleep(self.options.renew_every) => {
                    if let Err(error) = self.queue.renew(&delivery).await {
                        warn!(%conversation, %error, "could not renew the lease of a long turn");
                    }
                }
            }
        };
        let (verdict, result) = self.judge(&delivery, joined);
        let attempt = delivery.attempt;
        let dead = matches!(verdict, Verdict::Dead { .. });
        if let Err(error) = self.queue.settle(delivery, verdict).await {
            // The work is committed; the message comes again and finds nothing to do.
            warn!(%conversation, %error, "could not settle a turn message");
        }
        if let Some(listener) = &self.settled {
            // A listener that is gone has no more questions.
            let _ = listener.send(Settled { conversation, result, attempt, dead });
        }
    }

    fn judge(
        &self,
        delivery: &Delivery,
        joined: Result<Result<Finished, TurnError>, JoinError>,
    ) -> (Verdict, Result<Finished, String>) {
        let conversation = &delivery.message.conversation;
        let (reason, may_pass) = match joined {
            Ok(Ok(finished)) => {
                debug!(%conversation, attempt = delivery.attempt, "turn done");
                return (Verdict::Done, Ok(finished));
            }
            Ok(Err(error)) => (chain(&error), error.may_pass()),
            Err(panic) => (format!("the turn panicked: {panic}"), true),
        };
        if may_pass && delivery.attempt < self.options.attempts {
            let after = self.options.backoff.delay(delivery.attempt, fastrand::f64());
            info!(%conversation, attempt = delivery.attempt, reason, ?after, "turn will be retried");
            (Verdict::Retry { after, reason: reason.clone() }, Err(reason))
        } else {
            error!(%conversation, attempt = delivery.attempt, reason, "turn is given up");
            (Verdict::Dead { reason: reason.clone() }, Err(reason))
        }
    }
}

/// An error with its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
