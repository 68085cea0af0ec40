//! How much of what a provider has cached stays valid from turn to turn.

/// Adds up, turn by turn, how much of the projection before stands unchanged at the head of
/// the projection after. What changes behind a byte costs a cache; what is appended does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PrefixStability {
    unchanged: u128,
    all: u128,
}

impl PrefixStability {
    /// One turn: the projection before it had `before` bytes; the first `common` of them are
    /// byte-equal in the projection after.
    pub fn turn(&mut self, before: u64, common: u64) {
        self.all += u128::from(before);
        self.unchanged += u128::from(common.min(before));
    }

    /// The bytes that stayed, of all the bytes that were there before a turn, as a share from
    /// 0 to 1, rounded down to ten-thousandths: 1 says that not a byte changed. 1 where no
    /// turn had anything before it.
    pub fn share(self) -> f64 {
        let parts = (self.unchanged * 10_000).checked_div(self.all).unwrap_or(10_000);
        u32::try_from(parts).map_or(1.0, |parts| f64::from(parts) / 10_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "these shares are exact")]
    fn it_is_the_share_of_bytes_that_stayed() {
        let mut stability = PrefixStability::default();
        assert_eq!(stability.share(), 1.0);
        stability.turn(0, 0);
        stability.turn(1_000, 1_000);
        assert_eq!(stability.share(), 1.0);
        stability.turn(3_000, 2_000);
        assert_eq!(stability.share(), 0.75);
    }

    #[test]
    fn one_changed_byte_is_never_rounded_to_none() {
        let mut stability = PrefixStability::default();
        stability.turn(1_000_000_000, 999_999_999);
        assert!(stability.share() < 1.0);
    }

    #[test]
    fn more_in_common_than_there_was_counts_as_all() {
        let mut stability = PrefixStability::default();
        stability.turn(10, 20);
        assert!((stability.share() - 1.0).abs() < f64::EPSILON);
    }
}
