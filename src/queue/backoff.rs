//! How long a failed turn waits. Pure: chance comes in as a value.

use std::time::Duration;

/// Waits that double from try to try, up to a limit, with full jitter.
///
/// Source: "Exponential Backoff And Jitter", AWS Architecture Blog (2015): full jitter finishes
/// competing work soonest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// The longest wait after the first failure.
    pub base: Duration,
    /// The longest wait of all.
    pub limit: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { base: Duration::from_millis(500), limit: Duration::from_secs(300) }
    }
}

impl Backoff {
    /// How long to wait after failure number `attempt` (from 1), where `chance` is in 0..1.
    pub fn delay(self, attempt: u32, chance: f64) -> Duration {
        let doubled = 2_u32.checked_pow(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
        let longest = self.base.saturating_mul(doubled).min(self.limit);
        longest.mul_f64(chance.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_wait_doubles_up_to_the_limit() {
        let backoff = Backoff { base: Duration::from_secs(1), limit: Duration::from_secs(60) };
        let longest: Vec<_> =
            [1, 2, 3, 7, 100].map(|attempt| backoff.delay(attempt, 1.0).as_secs()).into();
        assert_eq!(longest, [1, 2, 4, 60, 60]);
        assert_eq!(backoff.delay(3, 0.5), Duration::from_secs(2));
        assert_eq!(backoff.delay(3, 0.0), Duration::ZERO);
    }
}
