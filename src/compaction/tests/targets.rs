use super::{Talk, strict, target};
use crate::compaction::{Clock, EpochNumber, MessageFacts, Mode, SkipReason, State, undo};
use crate::target::{Target, TargetName};
use crate::tokens::Tokens;

/// A second target: half the window, and everything weighs twice.
fn small() -> Target {
    Target { name: TargetName::new("small"), window: Tokens::new(100_000), ..target() }
}

fn weigh_twice(messages: &mut [MessageFacts]) {
    let twice = |tokens: &mut Vec<Tokens>| tokens.push(tokens[0] + tokens[0]);
    for message in messages {
        twice(&mut message.tokens);
        for result in &mut message.results {
            twice(&mut result.tokens);
            twice(&mut result.marker_tokens);
        }
    }
}

#[test]
fn each_target_is_freed_of_what_the_output_weighs_there_and_gets_it_back() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 5_000).round(2, 500).says(&[]);
    weigh_twice(&mut talk.messages);
    let mut state = State::default();
    for message in &talk.messages {
        state.absorb(message, &[&target(), &small()], &strict());
    }
    let whole = [Tokens::new(5_540), Tokens::new(11_080)];
    assert_eq!(state.account.totals, whole);
    let both = [&target(), &small()];
    let epoch = state.decide(Clock::default(), &both, &strict(), Mode::Manual).expect("one may go");
    assert_eq!(state.account.totals, [Tokens::new(570), Tokens::new(1_140)]);
    let epochs = [epoch];
    let plan = undo(&epochs, EpochNumber(1)).expect("it can be undone");
    let results = talk.messages[2].results.clone();
    state.undo(&plan, &results, |_| Tokens::new(20), &epochs);
    assert_eq!(state.account.totals, whole);
}

#[test]
fn pressure_and_its_cool_down_go_by_the_window_that_fills_first() {
    let mut talk = Talk::default();
    talk.user(31_000).round(1, 5_000).round(2, 3_000).round(3, 4_000).says(&[]);
    weigh_twice(&mut talk.messages);
    let mut state = State::default();
    let both = [&target(), &small()];
    let steps: Vec<_> =
        talk.messages.iter().map(|message| state.step(message, &both, &strict())).collect();
    let epoch = steps[4].outcome.as_ref().expect("78 040 of 100 000 tokens stand on the second");
    assert_eq!(
        epoch.reason,
        "pressure: 78040 tokens in the window of 100000 (small); 1 output cleared, 4970 tokens freed"
    );
    assert_eq!(
        steps[6].outcome,
        Err(SkipReason::CoolingDown {
            target: TargetName::new("small"),
            grown: Tokens::new(8_020),
            needed: Tokens::new(10_000),
        })
    );
}

#[test]
fn what_is_no_larger_than_its_marker_on_any_target_is_never_cleared() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 500).round(2, 500).says(&[]);
    weigh_twice(&mut talk.messages);
    talk.messages[2].results[0].marker_tokens[1] = Tokens::new(1_000);
    let mut state = State::default();
    for message in &talk.messages {
        state.absorb(message, &[&target(), &small()], &strict());
    }
    let live: Vec<u64> = state.index.live().map(|result| result.at.seq.get()).collect();
    assert_eq!(live, [5]);
}
