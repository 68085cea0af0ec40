//! What to let go of: which results may be cleared, whether it pays now, and what stands in
//! their place. Policy and nothing else: values in, decision and reasons out.
//!
//! Reads from the top: [`MessageFacts`] are made of each new message; [`State`] takes them in
//! ([`Index`]: the results that may still be cleared; [`Account`]: what was paid); [`survey()`]
//! says what is in use; [`plan()`] whether it pays; an [`Epoch`] is what is kept of it.
//! [`simulate`] says what a session costs under one policy or another.
//!
//! Never lives here: text (past the making of facts), storage, a clock, a token counter.
//!
//! Invariants kept here:
//! - *Calls are kept* (10): a [`Clearing`] can name a result only; none is made that would not
//!   be smaller on every target.
//! - *Frozen* (11): the marker is made when the result comes and copied from then on.
//! - *Incremental equals whole* (12, 13): decisions depend on the record alone.
//! - *Deterministic* (15): integers only, ordered maps only.

mod account;
mod cost;
mod decision;
mod epoch;
mod facts;
mod index;
pub mod lines;
mod live;
mod marker;
mod plan;
mod policy;
pub mod simulate;
mod survey;
mod undo;
mod walk;

pub use account::{Account, LastEpoch};
pub use cost::Cost;
pub use decision::{Decision, Plan, SkipReason, Skipped};
pub use epoch::{Clearing, Epoch, EpochNumber, Marker, Trigger};
pub use facts::{CallFacts, MessageFacts, PathHash, ResultFacts, Touch};
pub use index::{Changes, Holders, Index, Quotes};
pub use lines::LineHash;
pub use live::{LiveResult, Stale, UsedBy};
pub use marker::{Extent, marker};
pub use plan::{Clock, Mode, Phase, plan};
pub use policy::Policy;
pub use survey::{KeptBecause, Survey, survey};
pub use undo::{UndoError, UndoPlan, effective, next_number, undo};
pub use walk::{State, Step};

#[cfg(test)]
mod tests;
