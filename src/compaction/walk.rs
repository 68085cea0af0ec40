//! The policy stepped along a record, one message at a time.
//!
//! After *every* message the policy is asked once, in the phase that the message's role tells
//! (an assistant's: the turn ended; any other: input arrived), knowing nothing of what comes
//! later and no clock but the messages' own. So the decisions are a function of the record:
//! one pass over all of it, or any batches of it, make the same epochs (invariants 12, 13).

use super::account::Account;
use super::decision::{Decision, SkipReason};
use super::epoch::{Epoch, EpochNumber};
use super::facts::{MessageFacts, ResultFacts};
use super::index::{Index, Quotes};
use super::plan::{Clock, Mode, Phase, plan};
use super::policy::Policy;
use super::undo::{UndoPlan, effective};
use crate::record::{Role, Seq};
use crate::target::Target;
use crate::tokens::Tokens;

/// What is loaded before a batch and stored after it.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The results that may still be cleared.
    pub index: Index,
    /// What the conversation weighs and has paid.
    pub account: Account,
}

/// What came of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Where in a turn the record then stood.
    pub phase: Phase,
    /// The pass that was made, or why none was.
    pub outcome: Result<Epoch, SkipReason>,
    /// What the message quoted.
    pub quotes: Quotes,
}

impl State {
    /// Takes in one message and decides.
    pub fn step(&mut self, message: &MessageFacts, targets: &[&Target], policy: &Policy) -> Step {
        let idle_ms = self.account.idle_ms(message.created_at);
        let quotes = self.absorb(message, targets, policy);
        let phase = match message.role {
            Role::Assistant => Phase::TurnEnded,
            Role::User | Role::Tool | Role::System => Phase::InputArrived,
        };
        let outcome = self.decide(Clock { idle_ms }, targets, policy, Mode::Automatic(phase));
        Step { phase, outcome, quotes }
    }

    /// Takes in one message after which it was decided before what is cleared: `decided` are
    /// the passes made there, undos not among them. The account comes out as it would have by
    /// deciding.
    pub fn follow(
        &mut self,
        message: &MessageFacts,
        decided: &[&Epoch],
        targets: &[&Target],
        policy: &Policy,
    ) {
        let idle_ms = self.account.idle_ms(message.created_at);
        self.absorb(message, targets, policy);
        let mode = Mode::Automatic(match message.role {
            Role::Assistant => Phase::TurnEnded,
            Role::User | Role::Tool | Role::System => Phase::InputArrived,
        });
        let asked = plan(&self.index, &self.account, Clock { idle_ms }, targets, policy, mode);
        self.account.carried = asked.carried();
        for epoch in decided {
            self.apply(epoch);
        }
    }

    fn apply(&mut self, epoch: &Epoch) {
        let mut totals = self.account.totals.clone();
        let results: Vec<_> = epoch.clearings.iter().map(|clearing| clearing.result).collect();
        for result in results.iter().filter_map(|at| self.index.get(*at)) {
            for (target, total) in totals.iter_mut().enumerate() {
                *total -= result.net_on(target);
            }
        }
        self.index.clear(&results);
        self.account.epoch_made(epoch.number, totals);
    }

    /// Takes in one message without deciding anything.
    pub fn absorb(
        &mut self,
        message: &MessageFacts,
        targets: &[&Target],
        policy: &Policy,
    ) -> Quotes {
        let before = self.account.raw;
        let read_price = targets.first().map_or(0, |primary| primary.prices.read_permille);
        self.account.absorb(message, read_price);
        // Quotes first: an edit quotes what it then makes stale.
        let quotes = self.index.absorb_lines(message.seq, &message.lines);
        for call in &message.calls {
            self.index.absorb_call(call);
        }
        for result in &message.results {
            self.index.absorb_result(result, before, policy);
        }
        quotes
    }

    /// Decides on what was taken in so far, and notes what was decided.
    pub fn decide(
        &mut self,
        clock: Clock,
        targets: &[&Target],
        policy: &Policy,
        mode: Mode,
    ) -> Result<Epoch, SkipReason> {
        let decision = plan(&self.index, &self.account, clock, targets, policy, mode);
        self.account.carried = decision.carried();
        match decision {
            Decision::Clear(plan) => {
                let number = self.account.next_epoch();
                self.index.clear(&plan.results());
                self.account.epoch_made(number, plan.totals_after.clone());
                Ok(plan.epoch(number))
            }
            Decision::Skip(skipped) => Err(skipped.why),
        }
    }

    /// Brings back what `plan` undoes: `results` are its outputs, made anew from the record,
    /// `message_before` says what stands before a message with nothing cleared, `epochs` are
    /// those so far. The results count as used now: a person wanted them back, so the next
    /// pass does not take them first.
    pub fn undo(
        &mut self,
        plan: &UndoPlan,
        results: &[ResultFacts],
        message_before: impl Fn(Seq) -> Tokens,
        epochs: &[Epoch],
    ) -> Epoch {
        let mut in_force = effective(epochs);
        for clearing in &plan.clearings {
            in_force.remove(&clearing.result);
        }
        let now = self.account.through;
        self.index.restore(results, message_before, &in_force, now);
        let before = self.account.totals.first().copied().unwrap_or_default();
        for restored in results.iter().filter_map(|result| self.index.get(result.at)) {
            for (target, total) in self.account.totals.iter_mut().enumerate() {
                *total += restored.net_on(target);
            }
        }
        let first =
            results.iter().filter_map(|result| self.index.get(result.at)).min_by_key(|r| r.at);
        let rewrite =
            first.map_or(Tokens::ZERO, |first| self.account.raw - first.before - first.freed_after);
        self.account.epoch_made(plan.number, self.account.totals.clone());
        plan.epoch(now, before, rewrite)
    }
}

impl Account {
    /// The number that the next epoch gets.
    pub fn next_epoch(&self) -> EpochNumber {
        EpochNumber(self.last_epoch.as_ref().map_or(0, |last| last.number.0).saturating_add(1))
    }
}
