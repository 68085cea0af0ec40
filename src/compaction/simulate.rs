//! What a session's input costs under one way of clearing or another, and what each forgets.
//!
//! Every model call sends the history that stands then. What it has in common with the
//! request before is read from the prompt cache, unless the cache has expired; the rest is
//! written to it. System prompt and tool declarations are not counted: they are the same for
//! all.

use std::collections::{BTreeMap, BTreeSet};

use super::cost::Cost;
use super::epoch::Epoch;
use super::facts::{MessageFacts, ResultFacts};
use super::lines::LineHash;
use super::policy::Policy;
use crate::record::{BlockRef, Role, Seq, Timestamp};
use crate::target::{Prices, Target};
use crate::tokens::Tokens;

/// One message, as the simulation sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moment {
    /// Its place.
    pub seq: Seq,
    /// What it weighs with nothing cleared.
    pub tokens: Tokens,
    /// Whether a model call made it.
    pub model_call: bool,
    /// When it was made.
    pub at: Option<Timestamp>,
    /// Its results that answer a call, in order.
    pub results: Vec<Weight>,
    /// The results that it quotes.
    pub quotes: BTreeSet<BlockRef>,
}

/// A result, whole and cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight {
    /// The result block.
    pub at: BlockRef,
    /// What the message's blocks before it weigh.
    pub offset: Tokens,
    /// What it weighs.
    pub tokens: Tokens,
    /// What its marker weighs.
    pub marker_tokens: Tokens,
}

/// A session as the simulation sees it, on the target at this place in the conversation's
/// list. A quote is of the newest result that holds the line, cleared or not, so that every
/// strategy is held against the same quotes.
pub fn moments(messages: &[MessageFacts], target: usize, policy: &Policy) -> Vec<Moment> {
    let on_target = |tokens: &[Tokens]| tokens.get(target).copied().unwrap_or_default();
    let mut newest: BTreeMap<LineHash, BlockRef> = BTreeMap::new();
    let moment = |message: &MessageFacts| {
        let quotes = message.lines.iter().filter_map(|line| newest.get(line)).copied().collect();
        for result in &message.results {
            if on_target(&result.tokens) > policy.min_result_tokens {
                newest.extend(result.lines.iter().map(|line| (*line, result.at)));
            }
        }
        let weight = |result: &ResultFacts| Weight {
            at: result.at,
            offset: result.offset,
            tokens: on_target(&result.tokens),
            marker_tokens: on_target(&result.marker_tokens),
        };
        Moment {
            seq: message.seq,
            tokens: on_target(&message.tokens),
            model_call: message.role == Role::Assistant,
            at: message.created_at,
            results: message.results.iter().map(weight).collect(),
            quotes,
        }
    };
    messages.iter().map(moment).collect()
}

/// A way of clearing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy<'a> {
    /// Nothing is ever cleared.
    NoClearing,
    /// At each call everything but the newest results of this number is cleared: what others
    /// do.
    KeepNewest(usize),
    /// What these epochs say, from the message after the one they were decided at.
    Epochs(&'a [Epoch]),
}

/// What a session costs and forgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// All input, at the target's prices.
    pub cost: Cost,
    /// Model calls.
    pub calls: u64,
    /// Input read from the cache, over all calls.
    pub cached: Tokens,
    /// Input written to the cache, over all calls.
    pub written: Tokens,
    /// The largest input of one call.
    pub peak: Tokens,
    /// How often a message quoted a result.
    pub quotes: u64,
    /// How often that result was cleared at the time: regret.
    pub regretted: u64,
}

/// Runs a session. Work grows with messages and changes, times the logarithm of the results.
pub fn simulate(moments: &[Moment], target: &Target, strategy: Strategy<'_>) -> Report {
    let mut session = Session::new(moments);
    let mut newest = Vec::new();
    let mut epochs = match strategy {
        Strategy::Epochs(epochs) => epochs.iter().peekable(),
        Strategy::NoClearing | Strategy::KeepNewest(_) => [].iter().peekable(),
    };
    for moment in moments {
        while let Some(epoch) = epochs.next_if(|epoch| epoch.at < moment.seq) {
            for clearing in &epoch.clearings {
                session.change(clearing.result, epoch.undoes.is_none());
            }
        }
        if moment.model_call {
            session.call(moment, target);
        }
        session.standing += moment.tokens;
        if let Strategy::KeepNewest(keep) = strategy {
            newest.extend(moment.results.iter().map(|result| result.at));
            for oldest in newest.drain(..newest.len().saturating_sub(keep)) {
                session.change(oldest, true);
            }
        }
    }
    session.report
}

/// A running session. `standing` is what the history weighs now.
struct Session {
    places: BTreeMap<BlockRef, Place>,
    freed: Prefixes,
    standing: Tokens,
    /// The last request: what it weighed, and how much of it stands unchanged.
    unchanged: Tokens,
    last_call: Option<Timestamp>,
    report: Report,
}

struct Place {
    rank: usize,
    before: Tokens,
    net: Tokens,
    cleared: bool,
}

impl Session {
    fn new(moments: &[Moment]) -> Self {
        let mut before = Tokens::ZERO;
        let mut places = BTreeMap::new();
        for moment in moments {
            for result in &moment.results {
                let rank = places.len();
                let net = result.tokens - result.marker_tokens;
                let before = before + result.offset;
                places.insert(result.at, Place { rank, before, net, cleared: false });
            }
            before += moment.tokens;
        }
        Self {
            freed: Prefixes::new(places.len()),
            places,
            standing: Tokens::ZERO,
            unchanged: Tokens::ZERO,
            last_call: None,
            report: Report::default(),
        }
    }

    fn change(&mut self, result: BlockRef, clear: bool) {
        let Some(place) = self.places.get_mut(&result) else { return };
        if place.cleared == clear || place.net == Tokens::ZERO {
            return;
        }
        place.cleared = clear;
        self.unchanged = self.unchanged.min(place.before - self.freed.before(place.rank));
        if clear {
            self.freed.add(place.rank, place.net);
            self.standing -= place.net;
        } else {
            self.freed.remove(place.rank, place.net);
            self.standing += place.net;
        }
    }

    fn call(&mut self, moment: &Moment, target: &Target) {
        let idle = match (self.last_call, moment.at) {
            (Some(last), Some(now)) => now.since(last),
            (None, _) | (_, None) => 0,
        };
        let warm = idle <= target.cache_lifetime_ms;
        let cached = if warm { self.unchanged } else { Tokens::ZERO };
        let written = self.standing - cached;
        self.report.cost += cost(target.prices, cached, written);
        self.report.calls += 1;
        self.report.cached += cached;
        self.report.written += written;
        self.report.peak = self.report.peak.max(self.standing);
        self.unchanged = self.standing;
        self.last_call = moment.at.or(self.last_call);
        for quoted in &moment.quotes {
            self.report.quotes += 1;
            let cleared = self.places.get(quoted).is_some_and(|place| place.cleared);
            self.report.regretted += u64::from(cleared);
        }
    }
}

fn cost(prices: Prices, cached: Tokens, written: Tokens) -> Cost {
    Cost::of(cached, prices.read_permille) + Cost::of(written, prices.write_permille)
}

/// Sums of what was freed before a result, by Fenwick's tree.
struct Prefixes(Vec<Tokens>);

impl Prefixes {
    fn new(results: usize) -> Self {
        Self(vec![Tokens::ZERO; results + 1])
    }

    fn add(&mut self, rank: usize, amount: Tokens) {
        self.each(rank, |sum| *sum += amount);
    }

    fn remove(&mut self, rank: usize, amount: Tokens) {
        self.each(rank, |sum| *sum -= amount);
    }

    fn each(&mut self, rank: usize, change: impl Fn(&mut Tokens)) {
        let mut at = rank + 1;
        while let Some(sum) = self.0.get_mut(at) {
            change(sum);
            at += at & at.wrapping_neg();
        }
    }

    /// What was freed by the results before this one.
    fn before(&self, rank: usize) -> Tokens {
        let mut sum = Tokens::ZERO;
        let mut at = rank;
        while at > 0 {
            sum += self.0[at];
            at -= at & at.wrapping_neg();
        }
        sum
    }
}
