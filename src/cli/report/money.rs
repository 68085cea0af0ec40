//! Dollars, without rounding until they are shown.

use std::iter::Sum;
use std::ops::Add;

use serde::{Serialize, Serializer};

/// An amount in US dollars. Kept in billionths, so that one cached token of the cheapest model
/// still counts; a number of dollars in JSON, to the millionth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Usd(u128);

impl Usd {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// From millionths of a dollar.
    pub const fn micros(micros: u64) -> Self {
        Self(micros as u128 * 1_000)
    }

    /// What so many thousandths of a fresh input token cost, at `input_micro_usd` millionths
    /// of a dollar for a million fresh tokens.
    pub const fn of_input(thousandths_of_fresh: u64, input_micro_usd: u64) -> Self {
        // thousandths · micro-dollars ÷ (1 000 · 1 000 000) is micro-dollars; · 1 000 billionths.
        Self(thousandths_of_fresh as u128 * input_micro_usd as u128 / 1_000_000)
    }

    /// In dollars, to the millionth.
    #[expect(clippy::cast_precision_loss, reason = "a display value; 2^53 micro-dollars is 9e9 $")]
    pub fn dollars(self) -> f64 {
        ((self.0 + 500) / 1_000) as f64 / 1e6
    }

    /// How this compares to `base`, as a share: -0.5 is half of it. `None` of nothing.
    #[expect(clippy::cast_precision_loss, reason = "a share is shown with three digits")]
    pub fn change_from(self, base: Self) -> Option<f64> {
        (base.0 > 0).then(|| self.0 as f64 / base.0 as f64 - 1.0)
    }
}

impl Add for Usd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(self.dollars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_fresh_tokens_cost_the_listed_price() {
        assert_eq!(Usd::of_input(1_000_000_000, 5_000_000), Usd::micros(5_000_000));
        // 200 000 tokens read from the cache at a tenth of 5 $ a million.
        assert_eq!(Usd::of_input(200_000 * 100, 5_000_000), Usd::micros(100_000));
    }

    #[test]
    fn json_has_dollars() {
        let json = |usd: Usd| serde_json::to_string(&usd).expect("a number");
        assert_eq!(json(Usd::micros(4_213_377)), "4.213377");
        assert_eq!(json(Usd::ZERO), "0.0");
    }

    #[test]
    fn a_change_is_relative_to_its_base() {
        assert_eq!(Usd::micros(50).change_from(Usd::micros(100)), Some(-0.5));
        assert_eq!(Usd::micros(50).change_from(Usd::ZERO), None);
    }

    #[test]
    fn the_largest_amounts_do_not_wrap() {
        let most = Usd::of_input(u64::MAX, u64::MAX);
        assert!(most + most > most);
    }
}
