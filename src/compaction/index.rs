//! The results that may still be cleared, and what is known of their use.
//!
//! Only results that can be cleared at all are here: larger than the minimum and than their
//! marker, of a tool that may be cleared, and not cleared yet. So a turn's work grows with
//! what is live, never with the length of the conversation.
//!
//! Invariant 10: a result enters only if it is larger than its marker on every target.

use std::collections::{BTreeMap, BTreeSet};

use super::epoch::Clearing;
use super::facts::{CallFacts, ResultFacts, Touch};
use super::lines::LineHash;
use super::live::{LiveResult, Stale, UsedBy};
use super::policy::Policy;
use crate::record::{BlockRef, Seq};
use crate::tokens::Tokens;

/// The results that a line stands in; the newest live one counts.
pub type Holders = BTreeMap<LineHash, Vec<BlockRef>>;

/// The live results of one conversation, and what changed since they were loaded.
#[derive(Debug, Clone, Default)]
pub struct Index {
    live: BTreeMap<BlockRef, LiveResult>,
    stored: BTreeSet<BlockRef>,
    touched: BTreeSet<BlockRef>,
    holders: Holders,
    fresh_lines: BTreeMap<BlockRef, Vec<LineHash>>,
}

/// What to write back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// New results, with the lines to look quotes up by.
    pub inserted: Vec<(LiveResult, Vec<LineHash>)>,
    /// Results that were there and changed.
    pub updated: Vec<LiveResult>,
    /// Results that are no longer live; their lines go too.
    pub removed: Vec<BlockRef>,
}

/// Which results an assistant message quoted: for each of its lines the newest that holds it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quotes {
    /// Those that are live; they were refreshed.
    pub live: BTreeSet<BlockRef>,
    /// Those that are not, where no live result holds the line: regret. The store drops the
    /// lines of cleared results, so this sees only what the index itself has seen come.
    pub cleared: BTreeSet<BlockRef>,
}

impl Index {
    /// The live results of a conversation as they were stored.
    pub fn load(live: impl IntoIterator<Item = LiveResult>) -> Self {
        let live: BTreeMap<_, _> = live.into_iter().map(|result| (result.at, result)).collect();
        Self { stored: live.keys().copied().collect(), live, ..Self::default() }
    }

    /// Adds what the store knows of the lines about to be absorbed: for each of them *every*
    /// stored result that holds it. One would not do: when a pass clears it, the next newest
    /// is quoted, and a batch must see what single turns would have seen.
    pub fn add_holders(&mut self, stored: Holders) {
        for (line, results) in stored {
            self.holders.entry(line).or_default().extend(results);
        }
    }

    /// The live results, in the order of the record.
    pub fn live(&self) -> impl DoubleEndedIterator<Item = &LiveResult> {
        self.live.values()
    }

    /// One live result.
    pub fn get(&self, at: BlockRef) -> Option<&LiveResult> {
        self.live.get(&at)
    }

    /// Takes in a call: what it repeats or overwrites is stale from now on.
    pub fn absorb_call(&mut self, call: &CallFacts) {
        let written = match call.touch {
            Some(Touch::Writes(path)) => Some(path),
            Some(Touch::Reads(_)) | None => None,
        };
        for result in self.live.values_mut().filter(|result| result.stale.is_none()) {
            result.stale = if result.call_hash == call.hash {
                Some(Stale::Repeated)
            } else if written.is_some() && result.reads == written {
                Some(Stale::FileWritten)
            } else {
                continue;
            };
            self.touched.insert(result.at);
        }
    }

    /// Takes in a result of a message before which `message_before` tokens stand on the first
    /// target. Says whether it is live now.
    pub fn absorb_result(
        &mut self,
        facts: &ResultFacts,
        message_before: Tokens,
        policy: &Policy,
    ) -> bool {
        for older in self.live.values_mut() {
            if older.stale.is_none() && older.content_hash == facts.content_hash {
                older.stale = Some(Stale::SameContent);
                self.touched.insert(older.at);
            }
        }
        if !may_be_cleared(facts, policy) {
            return false;
        }
        self.add_lines(facts);
        self.live.insert(facts.at, LiveResult::arrived(facts, message_before));
        self.touched.insert(facts.at);
        true
    }

    fn add_lines(&mut self, facts: &ResultFacts) {
        for line in &facts.lines {
            self.holders.entry(*line).or_default().push(facts.at);
        }
        self.fresh_lines.insert(facts.at, facts.lines.clone());
    }

    /// Takes in what the assistant message `by` says: the newest live result that holds one of
    /// its lines is in use.
    pub fn absorb_lines(&mut self, by: Seq, lines: &[LineHash]) -> Quotes {
        let mut quotes = Quotes::default();
        for line in lines {
            let Some(results) = self.holders.get_mut(line) else { continue };
            let (live, dead): (Vec<_>, Vec<_>) =
                results.iter().copied().partition(|at| self.live.contains_key(at));
            let newest_dead = dead.into_iter().max();
            if let Some(at) = live.iter().max() {
                quotes.live.insert(*at);
            } else {
                quotes.cleared.extend(newest_dead);
            }
            // A line that every result holds must not cost more with every cleared one.
            *results = live;
            results.extend(newest_dead);
        }
        for &at in &quotes.live {
            self.quoted(at, by);
        }
        quotes
    }

    /// Notes that the assistant message `by` quotes a result.
    pub fn quoted(&mut self, result: BlockRef, by: Seq) {
        if let Some(result) = self.live.get_mut(&result) {
            result.last_use = result.last_use.max(by);
            result.used_by = UsedBy::Quoted;
            self.touched.insert(result.at);
        }
    }

    /// Takes results out of the index, as cleared.
    pub fn clear(&mut self, results: &[BlockRef]) {
        let mut freed: BTreeMap<BlockRef, Tokens> = BTreeMap::new();
        for at in results {
            if let Some(result) = self.live.remove(at) {
                freed.insert(*at, result.net());
                self.touched.insert(*at);
                self.fresh_lines.remove(at);
            }
        }
        let mut behind = Tokens::ZERO;
        for result in self.live.values_mut().rev() {
            while let Some(last) = freed.last_entry().filter(|last| *last.key() > result.at) {
                behind += last.remove();
            }
            if behind > Tokens::ZERO {
                result.freed_after += behind;
                self.touched.insert(result.at);
            }
        }
    }

    /// Puts results back whose clearing was undone, as used now: a person asked for them, so
    /// the next pass must not take them first. `in_force` is what is still cleared.
    pub fn restore(
        &mut self,
        results: &[ResultFacts],
        message_before: impl Fn(Seq) -> Tokens,
        in_force: &BTreeMap<BlockRef, &Clearing>,
        now: Seq,
    ) {
        for facts in results {
            let mut result = LiveResult::arrived(facts, message_before(facts.at.seq));
            result.last_use = now;
            result.used_by = UsedBy::Restored;
            self.add_lines(facts);
            self.live.insert(facts.at, result);
        }
        let mut behind = Tokens::ZERO;
        let mut cleared = in_force.iter().rev().peekable();
        for result in self.live.values_mut().rev() {
            while let Some((_, clearing)) = cleared.next_if(|(at, _)| **at > result.at) {
                behind += clearing.net();
            }
            result.freed_after = behind;
            self.touched.insert(result.at);
        }
    }

    /// What to write back since [`Self::load`].
    pub fn changes(&self) -> Changes {
        let mut changes = Changes::default();
        for at in &self.touched {
            match (self.live.get(at), self.stored.contains(at)) {
                (Some(result), true) => changes.updated.push(result.clone()),
                (Some(result), false) => {
                    let lines = self.fresh_lines.get(at).cloned().unwrap_or_default();
                    changes.inserted.push((result.clone(), lines));
                }
                (None, true) => changes.removed.push(*at),
                (None, false) => {}
            }
        }
        changes
    }
}

/// Invariant 10: never larger, on any target.
fn may_be_cleared(facts: &ResultFacts, policy: &Policy) -> bool {
    let weight = facts.tokens.first().copied().unwrap_or_default();
    weight > policy.min_result_tokens
        && !policy.never_clear.contains(&facts.call.tool)
        && facts.tokens.len() == facts.marker_tokens.len()
        && facts.tokens.iter().zip(&facts.marker_tokens).all(|(whole, marker)| whole > marker)
}
