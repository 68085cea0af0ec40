//! One turn, as values: account, decide, and say what must be projected again.
//!
//! The one place where accounting, policy and replay meet. Lives here: the order in which they
//! are asked, and the state that is carried from turn to turn. Never lives here: policy itself
//! (`compaction`), wire forms (`replay`), or where state is kept (`store`, `worker`). Pure: the
//! worker runs it on what it loaded, `project` and the tests run it on a whole record.
//!
//! Invariants kept here:
//! - *Incremental equals whole* (12): [`Engine`] walks the record message by message and decides
//!   only at places that the record itself defines, so how many messages came at once changes
//!   nothing.
//! - *Current authority never replays* (9): nothing in here knows who is acting.
//! - *Deterministic* (15): the only clock is the messages' own `created_at`.

mod effects;
mod engine;
mod state;
mod whole;

pub use effects::{Effects, MessageEffects, Skip};
pub use engine::{Engine, Known, Order, call_facts};
pub use state::State;
pub use whole::{Followed, follow, walk};
