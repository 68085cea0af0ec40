use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{Talk, target};
use crate::compaction::lines::LineHash;
use crate::compaction::{
    Clock, Epoch, Holders, Index, LiveResult, MessageFacts, Mode, PathHash, Policy, State, Touch,
    effective, survey, undo,
};
use crate::record::{BlockRef, Seq};
use crate::target::Target;
use crate::tokens::Tokens;

/// One thing that happens in a talk.
#[derive(Debug, Clone)]
enum Event {
    User(u64),
    Says(u64),
    Round { n: u64, tokens: u64, touch: Option<Touch> },
    Wait,
}

fn event() -> impl Strategy<Value = Event> {
    let touch = prop::option::of((any::<bool>(), 0..3u64).prop_map(|(reads, path)| {
        if reads { Touch::Reads(PathHash(path)) } else { Touch::Writes(PathHash(path)) }
    }));
    prop_oneof![
        1 => (0..30_000u64).prop_map(Event::User),
        3 => (0..12u64).prop_map(Event::Says),
        6 => (0..12u64, 0..12_000u64, touch)
            .prop_map(|(n, tokens, touch)| Event::Round { n, tokens, touch }),
        1 => Just(Event::Wait),
    ]
}

fn talk_of(events: &[Event]) -> Talk {
    let mut talk = Talk::default();
    for event in events {
        match event {
            Event::User(tokens) => talk.user(*tokens),
            Event::Says(line) => talk.says(&[*line, line + 1]),
            Event::Round { n, tokens, touch } => talk.touching(*n, *touch, *tokens),
            Event::Wait => talk.wait(400),
        };
        if let Event::Round { n, .. } = event {
            let result = talk.messages.last_mut().and_then(|message| message.results.first_mut());
            result.expect("a round ends in a result").content_hash = n % 5;
        }
    }
    talk
}

fn policy() -> impl Strategy<Value = Policy> {
    (0..7usize, 0..40_000u64, 0..50u64).prop_map(|(keep_results, keep, min_gain_permille)| Policy {
        keep_results,
        keep_tokens: Some(Tokens::new(keep)),
        min_gain_permille,
        ..Policy::default()
    })
}

fn epochs_of(talk: &Talk, target: &Target, policy: &Policy) -> (State, Vec<Epoch>) {
    let (state, steps) = talk.walk(target, policy);
    (state, steps.into_iter().filter_map(|step| step.outcome.ok()).collect())
}

/// A store that keeps what a worker would: live results, their lines, the account.
#[derive(Default)]
struct Stored {
    live: BTreeMap<BlockRef, LiveResult>,
    lines: Holders,
    state: State,
}

impl Stored {
    fn batch(&mut self, messages: &[MessageFacts], target: &Target, policy: &Policy) -> Vec<Epoch> {
        let mut state = State {
            index: Index::load(self.live.values().cloned()),
            account: self.state.account.clone(),
        };
        let wanted: BTreeSet<LineHash> = messages.iter().flat_map(|m| m.lines.clone()).collect();
        let holders = self.lines.iter().filter(|(line, _)| wanted.contains(line));
        state.index.add_holders(holders.map(|(line, at)| (*line, at.clone())).collect());
        let steps: Vec<_> =
            messages.iter().map(|message| state.step(message, &[target], policy)).collect();
        self.write_back(&state);
        self.state = state;
        steps.into_iter().filter_map(|step| step.outcome.ok()).collect()
    }

    fn write_back(&mut self, state: &State) {
        let changes = state.index.changes();
        for (result, lines) in changes.inserted {
            for line in lines {
                self.lines.entry(line).or_default().push(result.at);
            }
            assert!(self.live.insert(result.at, result).is_none(), "inserted twice");
        }
        for result in changes.updated {
            assert!(self.live.insert(result.at, result).is_some(), "updated, never inserted");
        }
        for at in changes.removed {
            assert!(self.live.remove(&at).is_some(), "removed, never inserted");
            self.lines.values_mut().for_each(|results| results.retain(|held| *held != at));
        }
    }
}

#[test]
fn what_a_turn_works_on_does_not_grow_with_the_conversation() {
    let mut talk = Talk::default();
    for n in 0..2_000 {
        talk.round(n, 600);
    }
    let mut state = State::default();
    let mut live = Vec::new();
    for message in &talk.messages {
        let _ = state.step(message, &[&target()], &Policy::default());
        live.push(state.index.live().count());
    }
    let largest = |counts: &[usize]| counts.iter().max().copied().unwrap_or_default();
    let (early, late) = (largest(&live[..400]), largest(&live[3_600..]));
    assert!(late <= early && early < 100, "{early} live results early, {late} late");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_batching_makes_the_same_epochs_and_the_same_index(
        events in prop::collection::vec(event(), 1..60),
        policy in policy(),
        cuts in prop::collection::vec(1..9usize, 1..60),
    ) {
        let talk = talk_of(&events);
        let (whole, epochs) = epochs_of(&talk, &target(), &policy);
        let mut stored = Stored::default();
        let mut made = Vec::new();
        let mut rest = talk.messages.as_slice();
        for cut in cuts.iter().cycle() {
            let (batch, later) = rest.split_at(rest.len().min(*cut));
            made.extend(stored.batch(batch, &target(), &policy));
            rest = later;
            if rest.is_empty() { break; }
        }
        prop_assert_eq!(made, epochs);
        prop_assert_eq!(&stored.state.account, &whole.account);
        let live: Vec<_> = whole.index.live().cloned().collect();
        prop_assert_eq!(stored.live.values().cloned().collect::<Vec<_>>(), live);
    }

    #[test]
    fn the_kept_set_holds_the_newest_and_the_current_turn(
        events in prop::collection::vec(event(), 1..60), policy in policy(),
    ) {
        let (state, _) = epochs_of(&talk_of(&events), &target(), &policy);
        let survey = survey(&state.index, &state.account, &policy, &[&target()]);
        let live: Vec<BlockRef> = state.index.live().map(|result| result.at).collect();
        let newest = live.iter().rev().take(policy.keep_results);
        let current = live.iter().filter(|at| at.seq >= state.account.turn_first);
        for at in newest.chain(current) {
            prop_assert!(survey.kept.iter().any(|(kept, _)| kept == at));
        }
        let mut all: Vec<BlockRef> = survey.kept.iter().map(|(at, _)| *at).collect();
        all.extend(&survey.candidates);
        all.sort_unstable();
        prop_assert_eq!(all, live);
    }

    #[test]
    fn no_pass_makes_a_history_larger_and_the_totals_stay_true(
        events in prop::collection::vec(event(), 1..60), policy in policy(),
    ) {
        let talk = talk_of(&events);
        let (state, epochs) = epochs_of(&talk, &target(), &policy);
        for epoch in &epochs {
            prop_assert!(epoch.tokens_after < epoch.tokens_before);
            prop_assert!(epoch.predicted_rewrite <= epoch.tokens_after);
            for clearing in &epoch.clearings {
                prop_assert!(clearing.marker_tokens < clearing.tokens);
                prop_assert!(clearing.result.seq <= epoch.at);
            }
        }
        let freed: Tokens = effective(&epochs).values().map(|clearing| clearing.net()).sum();
        prop_assert_eq!(state.account.totals.first().copied().unwrap_or_default() + freed,
            state.account.raw);
        for result in state.index.live() {
            let behind: Tokens = effective(&epochs).iter()
                .filter(|(at, _)| **at > result.at).map(|(_, clearing)| clearing.net()).sum();
            prop_assert_eq!(result.freed_after, behind);
        }
    }

    #[test]
    fn undoing_the_last_pass_restores_what_was_in_force(
        events in prop::collection::vec(event(), 1..60), policy in policy(),
    ) {
        let talk = talk_of(&events);
        let (mut state, mut epochs) = epochs_of(&talk, &target(), &policy);
        let before = (state.account.totals.clone(), effective(&epochs).len());
        let asked = state.decide(Clock::default(), &[&target()], &policy, Mode::Manual);
        let Ok(pass) = asked else { return Ok(()) };
        epochs.push(pass);
        let plan = undo(&epochs, epochs[epochs.len() - 1].number).expect("it was just made");
        let results: Vec<_> = talk.messages.iter().flat_map(|m| m.results.clone())
            .filter(|r| plan.clearings.iter().any(|clearing| clearing.result == r.at)).collect();
        let stands_before = |seq: Seq| {
            talk.messages.iter().filter(|m| m.seq < seq).map(|m| m.tokens[0]).sum::<Tokens>()
        };
        let back = state.undo(&plan, &results, stands_before, &epochs);
        epochs.push(back);
        let in_force = effective(&epochs);
        prop_assert_eq!((state.account.totals.clone(), in_force.len()), before);
        prop_assert_eq!(&effective(&epochs[..epochs.len() - 2]), &in_force);
        for result in state.index.live() {
            let behind: Tokens = in_force.iter()
                .filter(|(at, _)| **at > result.at).map(|(_, clearing)| clearing.net()).sum();
            prop_assert_eq!(result.freed_after, behind);
        }
    }

    #[test]
    fn no_amount_overflows(tokens in prop::collection::vec(any::<u64>(), 1..20), price: u64) {
        let mut target = target();
        target.prices.write_permille = price;
        target.prices.read_permille = u64::MAX;
        target.window = Tokens::new(price);
        let mut talk = Talk::default();
        talk.user(u64::MAX);
        for (n, tokens) in tokens.iter().enumerate() {
            talk.round(n as u64, *tokens);
        }
        let policy = Policy { high_watermark_permille: u64::MAX, ..Policy::default() };
        talk.says(&[]);
        epochs_of(&talk, &target, &policy);
        epochs_of(&talk, &target, &Policy::default());
    }
}
