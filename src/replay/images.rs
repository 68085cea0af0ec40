//! Limits that hold for all images of a request together (AN8).
//!
//! A provider takes large images only while there are few, and only so many in all. So that
//! bytes seldom change, images are numbered as they come, and the oldest become unseen in
//! steps.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::range::SeqRange;
use crate::record::Seq;

/// Above this many images a request may hold no large ones (AN8).
const FEW: u64 = 20;
/// The most images of one request (AN8).
const MOST: u64 = 100;
/// How many images become unseen at once.
const STEP: u64 = 50;
/// The longest side of an image that is not large, in pixels (AN8).
pub(super) const SMALL_SIDE: u32 = 2000;

/// Which images may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImageLimits {
    /// Images with a smaller ordinal are too many.
    pub unseen_below: u64,
    /// Only small images may be shown.
    pub small_only: bool,
}

/// How many images the record holds, and where those stand that a limit may still reach.
/// Bounded by what a request can hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImageLedger {
    seen: u64,
    shown: VecDeque<Seq>,
}

impl ImageLedger {
    /// How many images the record holds.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// What may be shown now.
    pub fn limits(&self) -> ImageLimits {
        let above = self.seen.saturating_sub(MOST);
        ImageLimits { unseen_below: above.div_ceil(STEP) * STEP, small_only: self.seen > FEW }
    }

    /// Takes in images by the messages they cross at, in the order of the record. Gives the
    /// stretches that must be made again, since a limit has moved.
    pub fn absorb(&mut self, images: impl IntoIterator<Item = Seq>) -> Vec<SeqRange> {
        let before = self.limits();
        for at in images {
            self.seen += 1;
            self.shown.push_back(at);
        }
        let now = self.limits();
        let mut again = Vec::new();
        if now.small_only && !before.small_only {
            again.extend(self.shown.iter().map(|&at| SeqRange::one(at)));
        }
        let unseen = usize::try_from(now.unseen_below - before.unseen_below).unwrap_or(usize::MAX);
        let gone = self.shown.drain(..unseen.min(self.shown.len()));
        again.extend(gone.map(SeqRange::one));
        again.dedup();
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_move_in_steps_and_say_what_they_change() {
        let mut ledger = ImageLedger::default();
        let mut moved = Vec::new();
        for n in 1..=151 {
            let again = ledger.absorb([Seq::new(n)]);
            if !again.is_empty() {
                moved.push((n, again.len(), ledger.limits().unseen_below));
            }
        }
        assert_eq!(moved, [(21, 21, 0), (101, 50, 50), (151, 50, 100)]);
        assert_eq!(ledger.seen(), 151);
        assert!(ledger.limits().small_only);
    }

    #[test]
    fn many_at_once_are_as_many_one_by_one() {
        let mut at_once = ImageLedger::default();
        at_once.absorb((1..=260).map(Seq::new));
        let mut one_by_one = ImageLedger::default();
        for n in 1..=260 {
            one_by_one.absorb([Seq::new(n)]);
        }
        assert_eq!(at_once, one_by_one);
    }
}
