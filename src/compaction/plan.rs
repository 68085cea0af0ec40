//! Whether to clear now: rent or buy, and the facts that override it.
//!
//! Carrying candidates costs their tokens at the read price on every model call: rent.
//! Clearing them makes the provider write anew what stands behind the first changed byte: the
//! price. Buying once the rent paid reaches the price is the ski-rental rule: it costs at most
//! twice the best decision made in hindsight, and has no knob to tune.
//!
//! Source: Karlin, Manasse, Rudolph, Sleator, "Competitive snoopy caching" (1988).
//!
//! | | input arrived | turn ended | sweep | manual |
//! | --- | --- | --- | --- | --- |
//! | illegal now | refuses | refuses | refuses | refuses |
//! | cold | decides: the call that follows writes everything anyway | never: the call just made has warmed the cache | decides, nothing else does | – |
//! | pressure, with cool-down | decides: the next call must fit | decides | – | – |
//! | rent | – | decides | – | – |
//!
//! What has just arrived is the current turn and kept in every phase.

use std::cmp::Reverse;

use super::account::Account;
use super::cost::Cost;
use super::decision::{Decision, Plan, SkipReason, Skipped};
use super::epoch::Trigger;
use super::index::Index;
use super::policy::Policy;
use super::survey::{Survey, survey};
use crate::target::{Prices, Target};
use crate::tokens::Tokens;

/// What is known of time when a decision is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clock {
    /// Milliseconds since the last model call; `None` where it is not known, and then nothing
    /// is taken to be cold.
    pub idle_ms: Option<u64>,
}

/// On what occasion a decision is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// As the record grows.
    Automatic(Phase),
    /// Nothing new in the record, but time has passed.
    Sweep,
    /// A person asks: everything that may go goes, whatever it saves.
    Manual,
}

/// Where in a turn the record stands: told by its last message alone, so that any batching of
/// the same record makes the same decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// The last message is no assistant's: a model call is about to be made.
    InputArrived,
    /// The last message is the assistant's: a model call has just been made.
    TurnEnded,
}

/// Decides whether clearing pays now. Pure; says why not, where not.
///
/// `targets` are those of the conversation, in its order; prices and cache lifetime are the
/// first one's.
pub fn plan(
    index: &Index,
    account: &Account,
    clock: Clock,
    targets: &[&Target],
    policy: &Policy,
    mode: Mode,
) -> Decision {
    let survey = survey(index, account, policy, targets);
    let case = Case { account, clock, targets, policy, survey: &survey };
    let rewrite = rewrite(index, account, &survey);
    match case.verdict(mode, rewrite) {
        Ok((trigger, reason)) => {
            Decision::Clear(Plan::new(index, account, &survey, rewrite, trigger, reason))
        }
        Err(why) => Decision::Skip(Skipped { why, carried: survey.gain }),
    }
}

/// What would stand behind the first changed byte once the candidates are cleared.
fn rewrite(index: &Index, account: &Account, survey: &Survey) -> Tokens {
    let first = survey.candidates.first().and_then(|at| index.get(*at));
    first.map_or(Tokens::ZERO, |first| account.raw - first.before - first.freed_after - survey.gain)
}

/// What a verdict is found on.
struct Case<'a> {
    account: &'a Account,
    clock: Clock,
    targets: &'a [&'a Target],
    policy: &'a Policy,
    survey: &'a Survey,
}

type Verdict = Result<(Trigger, String), SkipReason>;

impl Case<'_> {
    fn verdict(&self, mode: Mode, rewrite: Tokens) -> Verdict {
        let primary = *self.targets.first().ok_or(SkipReason::NoTarget)?;
        match mode {
            Mode::Manual => {}
            Mode::Automatic(_) | Mode::Sweep if self.policy.enabled => {}
            Mode::Automatic(_) | Mode::Sweep => return Err(SkipReason::Disabled),
        }
        if self.survey.candidates.is_empty() {
            return Err(SkipReason::NothingToClear { live: self.survey.kept.len() });
        }
        self.legal_now()?;
        match mode {
            Mode::Manual => Ok((Trigger::Manual, format!("asked for: {}", self.frees()))),
            Mode::Sweep => self.cold(primary),
            Mode::Automatic(Phase::InputArrived) => self.input_arrived(primary),
            Mode::Automatic(Phase::TurnEnded) => self.turn_ended(primary, rewrite),
        }
    }

    fn legal_now(&self) -> Result<(), SkipReason> {
        let binding = self.targets.iter().find(|target| target.binds_thinking);
        match binding {
            Some(target) if self.account.in_tool_loop => {
                Err(SkipReason::ToolLoop { target: target.name.clone() })
            }
            Some(_) | None => Ok(()),
        }
    }

    fn input_arrived(&self, primary: &Target) -> Verdict {
        let cold = match self.cold(primary) {
            Err(SkipReason::NotCold { .. }) => SkipReason::InputWaits,
            decided @ Ok(_) => return decided,
            Err(why) => why,
        };
        match self.pressure() {
            Some(decided) => decided,
            None => Err(cold),
        }
    }

    fn turn_ended(&self, primary: &Target, rewrite: Tokens) -> Verdict {
        let rent = self.rent(primary.prices, rewrite);
        match self.pressure() {
            Some(Err(cooling)) => rent.map_err(|_| cooling),
            Some(decided) => decided,
            None => rent,
        }
    }

    /// The cache has expired: everything is written anew whatever is cleared.
    fn cold(&self, primary: &Target) -> Verdict {
        let (idle_ms, lifetime_ms) = (self.clock.idle_ms, primary.cache_lifetime_ms);
        let Some(idle) = idle_ms.filter(|idle| *idle > lifetime_ms) else {
            return Err(SkipReason::NotCold { idle_ms, lifetime_ms });
        };
        let (gain, minimum) = (self.survey.gain, self.policy.min_cold_tokens);
        if gain < minimum {
            return Err(SkipReason::TooLittleCold { gain, minimum });
        }
        let (idle, lifetime) = (idle / 1000, lifetime_ms / 1000);
        Ok((
            Trigger::Cold,
            format!(
                "cold: no call for {idle} s, the prompt cache lives {lifetime} s; {}",
                self.frees()
            ),
        ))
    }

    /// `None` while every window has room. Each target is held against its own window: where
    /// all count alike that is the smallest one, and where they do not it is the one that
    /// would be refused first.
    fn pressure(&self) -> Option<Verdict> {
        let (place, target, total) = self.fullest()?;
        let grown = self
            .account
            .last_epoch
            .as_ref()
            .map(|last| total - last.totals.get(place).copied().unwrap_or_default());
        let needed = target.window.permille(self.policy.regrow_permille);
        if let Some(grown) = grown.filter(|grown| *grown < needed) {
            let target = target.name.clone();
            return Some(Err(SkipReason::CoolingDown { target, grown, needed }));
        }
        let reason = format!(
            "pressure: {total} tokens in the window of {} ({}); {}",
            target.window,
            target.name,
            self.frees()
        );
        Some(self.worth_it(Trigger::Pressure, reason))
    }

    /// The target whose window is past the watermark, the fullest if several are.
    fn fullest(&self) -> Option<(usize, &Target, Tokens)> {
        let share = |target: &Target, total: Tokens| {
            u128::from(total.get()) * 1000 / u128::from(target.window.get().max(1))
        };
        let watermark = u128::from(self.policy.high_watermark_permille);
        let windows = self.targets.iter().zip(&self.account.totals).enumerate();
        windows
            .map(|(place, (target, total))| (place, *target, *total))
            .filter(|(_, target, total)| share(target, *total) >= watermark)
            .max_by_key(|(place, target, total)| (share(target, *total), Reverse(*place)))
    }

    fn rent(&self, prices: Prices, rewrite: Tokens) -> Verdict {
        let rent = self.account.rent;
        let dearer = prices.write_permille.saturating_sub(prices.read_permille);
        let price = Cost::of(rewrite, dearer);
        if rent < price {
            return Err(SkipReason::RentBelowPrice { rent, price });
        }
        let reason = format!(
            "rent: carrying on has cost {rent} tokens of fresh input since the last epoch, \
             clearing costs {price}; {}",
            self.frees()
        );
        self.worth_it(Trigger::Rent, reason)
    }

    fn worth_it(&self, due: Trigger, reason: String) -> Verdict {
        let (gain, minimum) = (self.survey.gain, self.policy.min_gain(self.targets));
        if gain < minimum {
            return Err(SkipReason::TooLittle { due, gain, minimum });
        }
        Ok((due, reason))
    }

    fn frees(&self) -> String {
        let n = self.survey.candidates.len();
        let outputs = if n == 1 { "output" } else { "outputs" };
        format!("{n} {outputs} cleared, {} tokens freed", self.survey.gain)
    }
}
