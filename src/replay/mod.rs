//! What to carry forward: the record as each provider takes it.
//!
//! Two steps. [`rounds()`] turns messages into items that cannot express a half-pair; one
//! encoder per wire (`wire/`) turns items into bytes. [`project`] does both for a stretch of
//! the record, cut into segments that can each be made again alone.
//!
//! Never lives here: what is let go of (`compaction`), where bytes are kept (`store`), who is
//! acting now (`principal`; [`assemble()`] is only handed its text).
//!
//! Invariants kept here:
//! - *One declaration* (3) and *always answered* (4): a [`Round`] holds calls with outcomes;
//!   there is no item for a call without one, or for an outcome without a call.
//! - *Doing never becomes saying* (5): only [`Evidence`] becomes prose, and only an orphan
//!   result becomes evidence.
//! - *Reasoning is not speech* (6): encoders see reasoning as [`Part::Reasoning`], which has a
//!   native form or none.
//! - *Unseen is named* (7): see `unseen`.
//! - *Incremental equals whole* (12): segments are cut only where neither side can depend on
//!   the other (see `segment`).

mod assemble;
mod binding;
mod images;
mod item;
mod names;
mod range;
mod reasoning;
mod repairs;
mod rounds;
mod segment;
mod text;
mod unseen;
mod whole;
mod wire;

pub use assemble::{Request, assemble, history};
pub use binding::{Binder, Bound, CallFact, IdFacts, Links, ids_in};
pub use images::{ImageLedger, ImageLimits};
pub use item::{
    Call, Content, Evidence, Item, Outcome, Part, Piece, Round, SeenImage, Speaker, Speech,
};
pub use range::SeqRange;
pub use reasoning::{ReasoningLedger, Why};
pub use repairs::{LeftOut, Repair, Repairs};
pub use rounds::{Late, Span, images_in, rounds};
pub use segment::{Carry, Cut, Segment, join, project};
pub use whole::{Projection, image_homes, leading_system, project_whole};
