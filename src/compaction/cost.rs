//! What input costs, in one unit for every provider.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

use crate::tokens::Tokens;

/// A cost in thousandths of one token of fresh input. Prices are relative to fresh input, so
/// costs on one target compare without knowing its currency. Arithmetic stops at the ends.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Cost(u64);

impl Cost {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// `n` thousandths of a fresh token.
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// What `tokens` cost at `price` thousandths of fresh input each.
    pub const fn of(tokens: Tokens, price: u64) -> Self {
        Self(tokens.get().saturating_mul(price))
    }

    /// The plain thousandths.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// By how many thousandths this is less than `other`; 0 where it is not less.
    pub fn permille_under(self, other: Self) -> u64 {
        let saved = u128::from(other.0.saturating_sub(self.0));
        let share = (saved * 1000).checked_div(u128::from(other.0)).unwrap_or(0);
        // A part of a whole is at most 1000 thousandths.
        u64::try_from(share).unwrap_or(1000)
    }
}

impl Add for Cost {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Cost {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Cost {
    /// In whole fresh tokens, rounded down: the unit that people know.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 / 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_token_costs_a_tenth_of_a_fresh_one() {
        assert_eq!(Cost::of(Tokens::new(12_345), 100), Cost::new(1_234_500));
        assert_eq!(Cost::of(Tokens::new(12_345), 100).to_string(), "1234");
    }

    #[test]
    fn the_largest_amounts_stop_at_the_end_instead_of_wrapping() {
        let all = Cost::of(Tokens::new(u64::MAX), u64::MAX);
        assert_eq!(all, Cost::new(u64::MAX));
        assert_eq!(all + all, all);
        assert_eq!(Cost::ZERO - all, Cost::ZERO);
        assert_eq!(Cost::ZERO.permille_under(all), 1000);
        assert_eq!(Cost::ZERO.permille_under(Cost::ZERO), 0);
    }
}
