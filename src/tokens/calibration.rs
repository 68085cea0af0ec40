//! Counted tokens held against what the provider reports.
//!
//! A request carries more than the history: system prompt and tool declarations, which the
//! record does not hold. They are the same from call to call, so *differences* between
//! consecutive calls are compared: what the history grew by, counted, against what the input
//! grew by, reported.

use serde::{Deserialize, Serialize};

use super::amount::{Scale, Tokens};

/// Fewer pairs than this say nothing.
const ENOUGH: u64 = 8;
/// A ratio beyond these is a provider's own edit of the history, not a tokenizer.
const LIMITS: (u64, u64) = (500, 2500);

/// Reported usage against counted tokens, call by call. Bounded, integers only.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Calibration {
    previous: Option<Call>,
    pairs: u64,
    counted: u64,
    reported: u64,
    /// Sum of |reported − counted·target scale| over the pairs.
    error: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Call {
    model: String,
    counted: u64,
    reported: u64,
}

impl Calibration {
    /// Takes in one model call: `counted` tokens of history by the target's encoding at scale 1,
    /// `reported` input tokens however they were priced, and the target's own scale, by whose
    /// prediction the error is judged.
    pub fn call(&mut self, model: &str, counted: Tokens, reported: Tokens, scale: Scale) {
        let (counted, reported) = (counted.get(), reported.get());
        if let Some(previous) = self.previous.take().filter(|call| call.model == model) {
            self.pair(
                counted.saturating_sub(previous.counted),
                reported.saturating_sub(previous.reported),
                scale,
            );
        }
        self.previous = Some(Call { model: model.to_owned(), counted, reported });
    }

    fn pair(&mut self, counted: u64, reported: u64, scale: Scale) {
        let plausible = counted > 0
            && (counted * LIMITS.0 / 1000..=counted.saturating_mul(LIMITS.1) / 1000 + 16)
                .contains(&reported)
            && reported > 0;
        if plausible {
            self.pairs += 1;
            self.counted = self.counted.saturating_add(counted);
            self.reported = self.reported.saturating_add(reported);
            self.error = self
                .error
                .saturating_add(scale.apply(Tokens::new(counted)).get().abs_diff(reported));
        }
    }

    /// The history changed under the count (an epoch, a provider's own compaction): what was
    /// reported before is not compared with what is counted after.
    pub fn interrupt(&mut self) {
        self.previous = None;
    }

    /// How many of the provider's tokens one counted token stands for; `None` until enough
    /// calls were seen.
    pub fn scale(&self) -> Option<Scale> {
        if self.pairs < ENOUGH {
            return None;
        }
        let ratio = self.reported.saturating_mul(1000) / self.counted.max(1);
        let ratio = ratio.clamp(LIMITS.0, LIMITS.1);
        Some(Scale::permille(u32::try_from(ratio).unwrap_or(u32::MAX)))
    }

    /// How far the target's prediction was off, in thousandths of what was reported.
    pub fn error_permille(&self) -> Option<u64> {
        (self.pairs >= ENOUGH).then(|| self.error.saturating_mul(1000) / self.reported.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(overhead: u64, permille: u64, count: u64) -> Calibration {
        let mut calibration = Calibration::default();
        for call in 1..=count {
            let counted = call * 1000;
            let reported = overhead + counted * permille / 1000;
            calibration.call("m", Tokens::new(counted), Tokens::new(reported), Scale::ONE);
        }
        calibration
    }

    #[test]
    fn the_scale_is_found_whatever_the_requests_carry_beside_the_history() {
        assert_eq!(calls(0, 1200, 20).scale(), Some(Scale::permille(1200)));
        assert_eq!(calls(20_000, 1200, 20).scale(), Some(Scale::permille(1200)));
        assert_eq!(calls(20_000, 1200, 20).error_permille(), Some(166));
    }

    #[test]
    fn few_calls_say_nothing() {
        assert_eq!(calls(0, 1200, ENOUGH).scale(), None);
        assert_eq!(calls(0, 1200, ENOUGH).error_permille(), None);
    }

    #[test]
    fn calls_on_two_sides_of_an_epoch_or_of_a_model_switch_are_not_compared() {
        let mut calibration = calls(0, 1000, 10);
        let before = calibration.clone();
        calibration.interrupt();
        calibration.call("m", Tokens::new(100), Tokens::new(90_000), Scale::ONE);
        calibration.call("other", Tokens::new(200), Tokens::new(190_000), Scale::ONE);
        assert_eq!(calibration.scale(), before.scale());
        assert_eq!(calibration.pairs, before.pairs);
    }
}
