//! Points in time, as values: nothing below the line reads a clock.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A point in time in Unix milliseconds; RFC 3339 in JSON (a number of ms is read too).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From Unix milliseconds.
    pub const fn from_millis(ms: i64) -> Self {
        Self(ms)
    }

    /// Unix milliseconds.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Reads RFC 3339, with any offset. `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let time: jiff::Timestamp = text.parse().ok()?;
        Some(Self(time.as_millisecond()))
    }

    /// Milliseconds from `earlier` to this point; 0 when `earlier` is later.
    pub fn since(self, earlier: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC; a point out of the calendar's range as plain milliseconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{time:.3}"),
            Err(_) => write!(f, "{}", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(_) => serializer.collect_str(self),
            Err(_) => serializer.serialize_i64(self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Timestamp;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time in RFC 3339 or in Unix milliseconds")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
                Timestamp::parse(text)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }

            fn visit_i64<E: de::Error>(self, ms: i64) -> Result<Timestamp, E> {
                Ok(Timestamp(ms))
            }

            fn visit_u64<E: de::Error>(self, ms: u64) -> Result<Timestamp, E> {
                i64::try_from(ms)
                    .map(Timestamp)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(ms), &self))
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_offset_is_the_same_point_in_time() {
        let utc = Timestamp::parse("2025-12-08T22:41:05.306Z");
        assert_eq!(utc, Some(Timestamp::from_millis(1_765_233_665_306)));
        assert_eq!(utc, Timestamp::parse("2025-12-09T00:41:05.306+02:00"));
        assert_eq!(Timestamp::parse("yesterday"), None);
    }

    #[test]
    fn json_is_rfc_3339_and_reads_back_the_same() {
        let time = Timestamp::from_millis(1_765_233_665_306);
        let json = serde_json::to_string(&time).expect("a time serializes");
        assert_eq!(json, "\"2025-12-08T22:41:05.306Z\"");
        assert_eq!(serde_json::from_str::<Timestamp>(&json).ok(), Some(time));
    }

    #[test]
    fn a_time_outside_the_calendar_survives_as_milliseconds() {
        let time = Timestamp::from_millis(i64::MAX);
        let json = serde_json::to_string(&time).expect("a time serializes");
        assert_eq!(serde_json::from_str::<Timestamp>(&json).ok(), Some(time));
    }
}
