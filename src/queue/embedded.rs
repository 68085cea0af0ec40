//! The queue in the store's own file: no broker, nothing to install, the same guarantees.
//!
//! Level-triggered: `receive` asks the table, and is woken to ask again. A wake-up in this
//! process is instant; for another process's appends the table is polled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::Notify;

use super::{Delivery, Queue, QueueError, TurnMessage, Verdict, Why};
use crate::record::Timestamp;
use crate::store::{DueCounts, SqliteStore};

/// How leases are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseOptions {
    /// How long a worker may be silent before its work is given to another.
    pub lease: Duration,
    /// How often the table is asked without a wake-up.
    pub poll: Duration,
}

impl Default for LeaseOptions {
    fn default() -> Self {
        Self { lease: Duration::from_secs(30), poll: Duration::from_millis(250) }
    }
}

/// The embedded queue.
pub struct EmbeddedQueue {
    store: Arc<SqliteStore>,
    options: LeaseOptions,
    wake: Notify,
    closed: AtomicBool,
}

impl EmbeddedQueue {
    /// A queue over the due list of `store`.
    pub fn new(store: Arc<SqliteStore>, options: LeaseOptions) -> Self {
        Self { store, options, wake: Notify::new(), closed: AtomicBool::new(false) }
    }

    /// Tells that an append in this process has made a conversation due.
    pub fn nudge(&self) {
        self.wake.notify_one();
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&SqliteStore) -> Result<T, crate::store::StoreError> + Send + 'static,
    ) -> Result<T, QueueError> {
        let store = Arc::clone(&self.store);
        let result = tokio::task::spawn_blocking(move || work(&store)).await;
        Ok(result.map_err(|error| QueueError::Thread(error.to_string()))??)
    }

    async fn take(&self) -> Result<Option<Delivery>, QueueError> {
        let until = self.options.lease;
        // Random, so that a lease of a process that died is never mistaken for ours.
        let token = fastrand::i64(1..);
        let lease = self.blocking(move |store| {
            let now = now();
            store.lease(now, after(now, until), token)
        });
        let Some(lease) = lease.await? else { return Ok(None) };
        // Somebody else may wait for the next one.
        self.wake.notify_one();
        let message =
            TurnMessage { conversation: lease.conversation.clone(), why: Why::parse(&lease.why) };
        Ok(Some(Delivery { message, attempt: lease.attempt, lease }))
    }
}

impl Queue for EmbeddedQueue {
    async fn publish(&self, message: &TurnMessage) -> Result<(), QueueError> {
        let TurnMessage { conversation, why } = message.clone();
        self.blocking(move |store| store.wake(&conversation, why.as_str(), now())).await?;
        self.nudge();
        Ok(())
    }

    async fn receive(&self) -> Result<Option<Delivery>, QueueError> {
        loop {
            // Registered before the table is asked, so that what becomes due in between wakes us.
            let woken = self.wake.notified();
            if self.closed.load(Ordering::SeqCst) {
                // One wake-up stops one waiter; each passes it on.
                self.wake.notify_one();
                return Ok(None);
            }
            if let Some(delivery) = self.take().await? {
                return Ok(Some(delivery));
            }
            // The poll is for appends of other processes, and for waits and leases that end.
            let _ = tokio::time::timeout(self.options.poll, woken).await;
        }
    }

    async fn renew(&self, delivery: &Delivery) -> Result<bool, QueueError> {
        let (lease, until) = (delivery.lease.clone(), self.options.lease);
        self.blocking(move |store| store.renew(&lease, after(now(), until))).await
    }

    async fn settle(&self, delivery: Delivery, verdict: Verdict) -> Result<(), QueueError> {
        let Delivery { message, lease, .. } = delivery;
        self.blocking(move |store| match verdict {
            Verdict::Done => store.settle_done(&lease, now()),
            Verdict::Retry { after: wait, reason } => {
                store.settle_retry(&lease, after(now(), wait), &reason)
            }
            Verdict::Dead { reason } => {
                let body = serde_json::to_string(&message)
                    .expect("a turn message has string keys and writes to memory");
                store.settle_dead(&lease, &body, &reason, now())
            }
            Verdict::Release => store.settle_release(&lease),
        })
        .await?;
        self.nudge();
        Ok(())
    }

    async fn depth(&self) -> Result<DueCounts, QueueError> {
        self.blocking(|store| store.due_counts(now())).await
    }

    fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.wake.notify_one();
        self.wake.notify_waiters();
    }
}

/// The clock, read at the edge.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

fn after(time: Timestamp, wait: Duration) -> Timestamp {
    let wait = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(time.millis().saturating_add(wait))
}
