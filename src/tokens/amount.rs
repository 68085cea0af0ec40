//! Amounts of tokens, and the encodings they are counted in.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use serde::{Deserialize, Serialize};

/// A number of tokens. Subtraction stops at zero: no history weighs less than nothing.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Tokens(u64);

impl Tokens {
    /// No tokens.
    pub const ZERO: Self = Self(0);

    /// `n` tokens.
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// The plain number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// This share of the amount, in thousandths, rounded down.
    #[must_use]
    pub const fn permille(self, share: u64) -> Self {
        Self(self.0.saturating_mul(share) / 1000)
    }
}

impl Add for Tokens {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Tokens {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Tokens {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A public byte-pair encoding that text is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// gpt-4o and later.
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// gpt-4 and gpt-3.5.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
}

/// How many of a target's tokens one counted token stands for, in thousandths; for providers
/// without a public tokenizer. 1000 is "as counted".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scale(u32);

impl Scale {
    /// As counted.
    pub const ONE: Self = Self(1000);

    /// `n` thousandths.
    pub const fn permille(n: u32) -> Self {
        Self(n)
    }

    /// The plain thousandths.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// A counted amount in the target's tokens, rounded up: a block that weighs anything
    /// weighs at least one token.
    pub const fn apply(self, counted: Tokens) -> Tokens {
        Tokens(counted.0.saturating_mul(self.0 as u64).div_ceil(1000))
    }
}

impl Default for Scale {
    fn default() -> Self {
        Self::ONE
    }
}
