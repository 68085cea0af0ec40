//! How long turns took.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// How many turns were made, and how long they took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TurnTimes {
    /// How many.
    pub count: u64,
    /// Half of them took at most this long; `null` where there were none.
    #[serde(rename = "p50_ms", serialize_with = "as_milliseconds")]
    pub p50: Option<Duration>,
    /// 99 of 100 took at most this long; `null` where there were none.
    #[serde(rename = "p99_ms", serialize_with = "as_milliseconds")]
    pub p99: Option<Duration>,
}

impl TurnTimes {
    /// Of these turns, in any order.
    ///
    /// Percentiles by nearest rank: the smallest time such that at least that share of the
    /// turns took no longer. It is always a time that was measured, never one in between.
    pub fn of(mut turns: Vec<Duration>) -> Self {
        turns.sort_unstable();
        Self {
            count: u64::try_from(turns.len()).unwrap_or(u64::MAX),
            p50: nearest_rank(&turns, 50),
            p99: nearest_rank(&turns, 99),
        }
    }
}

fn nearest_rank(sorted: &[Duration], percent: usize) -> Option<Duration> {
    let rank = sorted.len().saturating_mul(percent).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

#[expect(clippy::ref_option, reason = "serde hands a reference to the field")]
fn as_milliseconds<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
    // Whole microseconds: more digits would claim more than a clock tells.
    time.map(|time| (time.as_secs_f64() * 1e6).round() / 1e3).serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(times: &[u64]) -> Vec<Duration> {
        times.iter().copied().map(Duration::from_millis).collect()
    }

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let times = TurnTimes::of(ms(&[40, 10, 30, 20]));
        assert_eq!(times.count, 4);
        assert_eq!(times.p50, Some(Duration::from_millis(20)));
        assert_eq!(times.p99, Some(Duration::from_millis(40)));
    }

    #[test]
    fn of_two_hundred_turns_the_ninety_ninth_percentile_is_the_third_slowest() {
        let times = TurnTimes::of(ms(&(1..=200).collect::<Vec<_>>()));
        assert_eq!(times.p50, Some(Duration::from_millis(100)));
        assert_eq!(times.p99, Some(Duration::from_millis(198)));
    }

    #[test]
    fn one_turn_is_every_percentile() {
        let times = TurnTimes::of(ms(&[7]));
        assert_eq!((times.p50, times.p99), (ms(&[7]).pop(), ms(&[7]).pop()));
    }

    #[test]
    fn no_turns_have_no_percentiles() {
        let json = serde_json::to_string(&TurnTimes::of(Vec::new())).expect("plain values");
        assert_eq!(json, r#"{"count":0,"p50_ms":null,"p99_ms":null}"#);
    }

    #[test]
    fn json_has_milliseconds_to_the_microsecond() {
        let times = TurnTimes::of(vec![Duration::from_nanos(1_234_567)]);
        let json = serde_json::to_string(&times).expect("plain values");
        assert_eq!(json, r#"{"count":1,"p50_ms":1.235,"p99_ms":1.235}"#);
    }
}
