//! How a worker hears that a conversation is due.
//!
//! Lives here: the trait, the turn message, and the embedded queue. Never lives here: what a
//! turn is. A turn message is a hint; the store is the truth.
//!
//! Invariant 13: any message may be lost, doubled, late or out of order.

mod backoff;
mod embedded;

use std::future::Future;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::record::ConversationId;
use crate::store::{DueCounts, Lease, StoreError};

pub use backoff::Backoff;
pub use embedded::{EmbeddedQueue, LeaseOptions, now};

/// What travels on the queue: a conversation and why. Fields that are not known are ignored,
/// so that a newer producer does not stop an older worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnMessage {
    /// The conversation.
    pub conversation: ConversationId,
    /// Why it is due.
    pub why: Why,
}

/// Why a conversation is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Messages were appended.
    Appended,
    /// A sweep found it.
    Sweep,
    /// A person asked.
    Manual,
}

impl Why {
    /// As JSON and metrics name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Appended => "appended",
            Self::Sweep => "sweep",
            Self::Manual => "manual",
        }
    }

    fn parse(text: &str) -> Self {
        [Self::Appended, Self::Sweep, Self::Manual]
            .into_iter()
            .find(|why| why.as_str() == text)
            .unwrap_or(Self::Appended)
    }
}

/// A turn message that was handed to a worker, to be settled once.
#[derive(Debug)]
pub struct Delivery {
    /// The message.
    pub message: TurnMessage,
    /// How often it was handed out, from 1.
    pub attempt: u32,
    lease: Lease,
}

/// What came of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The work is committed.
    Done,
    /// It failed, and may pass.
    Retry {
        /// How long to wait.
        after: Duration,
        /// Why it failed.
        reason: String,
    },
    /// It cannot pass; a person must look.
    Dead {
        /// Why.
        reason: String,
    },
    /// It was not begun.
    Release,
}

/// What can go wrong with a queue.
#[derive(Debug, Error)]
pub enum QueueError {
    /// The store behind it.
    #[error("the queue's tables: {0}")]
    Store(#[from] StoreError),
    /// A blocking thread was lost.
    #[error("a thread of the queue was lost: {0}")]
    Thread(String),
}

/// Hands out turn messages: each to one worker at a time, until it is settled.
pub trait Queue: Send + Sync + 'static {
    /// Makes a conversation due.
    fn publish(&self, message: &TurnMessage)
    -> impl Future<Output = Result<(), QueueError>> + Send;

    /// Waits for the next message; `None` after [`Queue::close`].
    fn receive(&self) -> impl Future<Output = Result<Option<Delivery>, QueueError>> + Send;

    /// Keeps a delivery for longer. `false`: somebody else has it by now.
    fn renew(&self, delivery: &Delivery) -> impl Future<Output = Result<bool, QueueError>> + Send;

    /// Says what came of a delivery.
    fn settle(
        &self,
        delivery: Delivery,
        verdict: Verdict,
    ) -> impl Future<Output = Result<(), QueueError>> + Send;

    /// How many messages stand where.
    fn depth(&self) -> impl Future<Output = Result<DueCounts, QueueError>> + Send;

    /// Makes every `receive` give `None` from now on. What was handed out is settled as ever.
    fn close(&self);
}
