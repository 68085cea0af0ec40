//! What to let go of: which results may be cleared, whether it pays now, and what stands in
//! their place. Policy and nothing else: values in, decision and reasons out.

mod epoch;

pub use epoch::{Clearing, Epoch, EpochNumber, Marker, Trigger};
