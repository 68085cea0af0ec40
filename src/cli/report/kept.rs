//! What was not cleared, and why.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::tokens::Tokens;

/// Why a result still stands whole at the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptWhy {
    /// It came in the current turn.
    CurrentTurn,
    /// It is one of the newest.
    Newest,
    /// It is in use: by last use it fits the budget.
    InUse,
    /// It is too small to be worth a marker.
    Small,
    /// Its tool's output is never cleared.
    NeverClear,
    /// It could go, but clearing does not pay yet.
    Waiting,
}

impl KeptWhy {
    /// For people.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::CurrentTurn => "from the current turn",
            Self::Newest => "among the newest",
            Self::InUse => "in use (recent or quoted)",
            Self::Small => "too small to clear",
            Self::NeverClear => "of tools that are never cleared",
            Self::Waiting => "could go, once that pays",
        }
    }
}

/// A number of results and what they weigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Amount {
    /// How many results.
    pub results: u64,
    /// What they weigh.
    pub tokens: Tokens,
}

/// What was kept, by reason; a reason that kept nothing is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Kept(BTreeMap<KeptWhy, Amount>);

impl Kept {
    /// One more result that was kept.
    pub fn add(&mut self, why: KeptWhy, tokens: Tokens) {
        let amount = self.0.entry(why).or_default();
        amount.results += 1;
        amount.tokens += tokens;
    }

    /// By reason, in the order of [`KeptWhy`].
    pub fn iter(&self) -> impl Iterator<Item = (KeptWhy, Amount)> + '_ {
        self.0.iter().map(|(why, amount)| (*why, *amount))
    }

    /// All of it.
    pub fn total(&self) -> Amount {
        self.iter().fold(Amount::default(), |sum, (_, amount)| Amount {
            results: sum.results + amount.results,
            tokens: sum.tokens + amount.tokens,
        })
    }
}

impl FromIterator<(KeptWhy, Tokens)> for Kept {
    fn from_iter<I: IntoIterator<Item = (KeptWhy, Tokens)>>(results: I) -> Self {
        let mut kept = Self::default();
        for (why, tokens) in results {
            kept.add(why, tokens);
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_add_up_by_reason() {
        let kept: Kept = [
            (KeptWhy::InUse, Tokens::new(300)),
            (KeptWhy::CurrentTurn, Tokens::new(10)),
            (KeptWhy::InUse, Tokens::new(200)),
        ]
        .into_iter()
        .collect();
        assert_eq!(kept.total(), Amount { results: 3, tokens: Tokens::new(510) });
        assert_eq!(
            serde_json::to_string(&kept).expect("plain values"),
            r#"{"current_turn":{"results":1,"tokens":10},"in_use":{"results":2,"tokens":500}}"#
        );
    }
}
