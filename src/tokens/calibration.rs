//! Counted tokens held against what the provider reports.
//!
//! A request carries more than the history: system prompt and tool declarations, which the
//! record does not hold. They are the same from call to call, so *differences* between
//! consecutive calls are compared: what the input grew by, reported, against what the history
//! grew by, counted.

use serde::{Deserialize, Serialize};

use super::amount::{Scale, Tokens};

/// Fewer pairs than this say nothing.
const ENOUGH: u64 = 8;
/// No tokenizer is further than this from a public one, in thousandths; a ratio beyond it is
/// something else and is clamped.
const LIMITS: (u64, u64) = (500, 2500);

/// Reported usage against counted tokens, call by call: what one counted token stands for,
/// what requests carry beside the history, and how well both predict the next report.
///
/// Bounded: sums and the last call only. Integers only (invariant 15).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Calibration {
    /// The last call, while the next may be compared with it.
    last: Option<Call>,
    /// The consecutive calls that were compared.
    pairs: Sums,
    /// All calls.
    calls: Sums,
    /// The calls that were predicted before they were taken in.
    predictions: u64,
    /// Sum of |predicted − reported| / reported, in thousandths.
    error: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Call {
    model: String,
    /// Whether nothing happened since that makes the next call incomparable.
    linked: bool,
    counted: u64,
    reported: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Sums {
    n: u64,
    counted: u64,
    reported: u64,
}

impl Sums {
    fn add(&mut self, counted: u64, reported: u64) {
        self.n += 1;
        self.counted = self.counted.saturating_add(counted);
        self.reported = self.reported.saturating_add(reported);
    }
}

impl Calibration {
    /// How many pairs of calls were compared.
    pub fn compared(&self) -> u64 {
        self.pairs.n
    }

    /// Takes in one call of `model`, which is compared with the call before it where that was of
    /// the same model and both counts grew: `counted` tokens of history at scale 1, and `reported`
    /// input tokens, however they were priced ([`Usage::total_input`]). A call that reports
    /// nothing was cut short and says nothing.
    ///
    /// [`Usage::total_input`]: crate::record::Usage::total_input
    pub fn call(&mut self, model: &str, counted: Tokens, reported: Tokens) {
        let (counted, reported) = (counted.get(), reported.get());
        if reported == 0 {
            return;
        }
        self.judge(counted, reported);
        if let Some(last) = &self.last {
            let comparable = last.linked && last.model == model;
            if comparable && counted > last.counted && reported > last.reported {
                self.pairs.add(counted - last.counted, reported - last.reported);
            }
        }
        self.calls.add(counted, reported);
        self.last = Some(Call { model: model.to_owned(), linked: true, counted, reported });
    }

    /// The history changed under the count (an epoch, a client's own compaction): what was
    /// reported before is not compared with what is counted after.
    pub fn epoch(&mut self) {
        if let Some(last) = &mut self.last {
            last.linked = false;
        }
    }

    /// How many of the provider's tokens one counted token stands for; `None` until enough
    /// calls were compared.
    pub fn scale(&self) -> Option<Scale> {
        if self.pairs.n < ENOUGH {
            return None;
        }
        let ratio = rounded(self.pairs.reported.saturating_mul(1000), self.pairs.counted);
        let ratio = ratio.clamp(LIMITS.0, LIMITS.1);
        u32::try_from(ratio).ok().map(Scale::permille)
    }

    /// What requests carry beside the history, on average: system prompt, tool declarations.
    pub fn fixed_overhead(&self) -> Option<Tokens> {
        let history = self.scale()?.apply(Tokens::new(self.calls.counted));
        let beside = Tokens::new(self.calls.reported) - history;
        Some(Tokens::new(rounded(beside.get(), self.calls.n)))
    }

    /// How far off the prediction of a whole request was on average, in thousandths of what was
    /// then reported. Each call is predicted from the one before it: what that reported, and
    /// what the history has grown by since; the first after a break from all before it.
    pub fn error_permille(&self) -> Option<u64> {
        (self.predictions > 0).then(|| rounded(self.error, self.predictions))
    }

    fn judge(&mut self, counted: u64, reported: u64) {
        let Some(predicted) = self.predict(counted) else { return };
        self.predictions += 1;
        let off = predicted.abs_diff(reported).saturating_mul(1000) / reported;
        self.error = self.error.saturating_add(off);
    }

    fn predict(&self, counted: u64) -> Option<u64> {
        let scale = self.scale()?;
        match self.last.as_ref().filter(|last| last.linked && last.counted <= counted) {
            Some(last) => {
                let grown = Tokens::new(counted - last.counted);
                Some(last.reported.saturating_add(scale.apply(grown).get()))
            }
            None => Some((scale.apply(Tokens::new(counted)) + self.fixed_overhead()?).get()),
        }
    }
}

fn rounded(amount: u64, by: u64) -> u64 {
    amount.saturating_add(by / 2) / by.max(1)
}

#[cfg(test)]
#[path = "calibration_tests.rs"]
mod tests;
