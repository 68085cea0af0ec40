//! What a record weighs: tokens per block and encoding, counted once.
//!
//! Lives here: counting text, images and documents; wire overheads; calibration against what
//! providers report. Never lives here: what to do about it (`compaction`).
//!
//! Invariant 15: the same block weighs the same on any machine; nothing here reads a clock
//! or walks a map in an order of its own.

mod amount;
mod calibration;
mod count;
mod document;
mod image;
mod overhead;
mod pieces;
mod weight;

pub use amount::{Encoding, Scale, Tokens};
pub use calibration::Calibration;
pub use count::count;
pub use document::DocumentWeight;
pub use image::{Dimensions, dimensions};
pub use weight::{
    BlockWeight, Counts, MediaWeight, MessageWeight, ProofWeight, UNSEEN, frame_on, result_on,
    text_on, weigh,
};

#[cfg(test)]
mod real_session_tests;
