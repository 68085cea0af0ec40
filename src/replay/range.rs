//! Stretches of a record.

use serde::{Deserialize, Serialize};

use crate::record::Seq;

/// Messages `first` to `last`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeqRange {
    /// The first message.
    pub first: Seq,
    /// The last message; [`SeqRange::OPEN`] where the end is not known yet.
    pub last: Seq,
}

impl SeqRange {
    /// An end that is not known yet.
    pub const OPEN: Seq = Seq::new(u64::MAX >> 1);

    /// `first` to `last`.
    pub const fn new(first: Seq, last: Seq) -> Self {
        Self { first, last }
    }

    /// One message.
    pub const fn one(seq: Seq) -> Self {
        Self { first: seq, last: seq }
    }

    /// From `first` on.
    pub const fn from(first: Seq) -> Self {
        Self { first, last: Self::OPEN }
    }

    /// Whether `seq` is in it.
    pub fn holds(self, seq: Seq) -> bool {
        (self.first..=self.last).contains(&seq)
    }

    /// Whether the two share a message.
    pub fn meets(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// Puts `range` among `ranges`, which stay ordered and apart.
    pub fn insert_into(self, ranges: &mut Vec<Self>) {
        let mut merged = self;
        ranges.retain(|range| {
            let apart = range.last.next() < merged.first || merged.last.next() < range.first;
            if !apart {
                merged.first = merged.first.min(range.first);
                merged.last = merged.last.max(range.last);
            }
            apart
        });
        let at = ranges.partition_point(|range| range.first < merged.first);
        ranges.insert(at, merged);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(first: u64, last: u64) -> SeqRange {
        SeqRange::new(Seq::new(first), Seq::new(last))
    }

    #[test]
    fn ranges_that_touch_become_one_and_others_stay_apart() {
        let mut ranges = Vec::new();
        for next in [range(10, 12), range(1, 2), range(5, 6), range(3, 4), range(12, 20)] {
            next.insert_into(&mut ranges);
        }
        assert_eq!(ranges, [range(1, 6), range(10, 20)]);
    }
}
