//! One turn of a conversation: load, account, plan, project, commit.
//!
//! Lives here: the order of these five, retries, and stopping. Never lives here: policy
//! (`compaction`), wire forms (`replay`), SQL (`store`).
//!
//! Invariants kept here:
//! - *At least once, idempotent* (13): a turn works from what the store holds, and commits
//!   against the version that it loaded; who loses reads again.
//! - *The last good projection stays* (14): nothing is written but a whole commit.
//! - *Frozen* (11): epochs go in with the projections that show them, in one transaction.

mod error;
mod pages;
mod pool;
mod shutdown;
mod turn;
mod upkeep;

pub use error::TurnError;
pub use pool::{Pool, PoolOptions, Settled};
pub use shutdown::{Shutdown, Stop, shutdown};
pub use turn::{Finished, Setup, Stability, Turns};
pub use upkeep::Really;
