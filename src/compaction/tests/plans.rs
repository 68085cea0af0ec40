use super::{MARKER, Talk, cleared, strict, target};
use crate::compaction::{
    Clock, Cost, Decision, Mode, Phase, Policy, SkipReason, State, Step, Trigger, plan,
};
use crate::tokens::Tokens;

fn skipped(step: &Step) -> &SkipReason {
    step.outcome.as_ref().expect_err("nothing was cleared")
}

fn triggers(steps: &[Step]) -> Vec<Trigger> {
    steps.iter().filter_map(|step| step.outcome.as_ref().ok()).map(|epoch| epoch.trigger).collect()
}

#[test]
fn rent_buys_at_the_first_turn_end_where_it_has_reached_the_price() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 10_000 + MARKER).round(2, 500);
    for _ in 0..12 {
        talk.says(&[]);
    }
    let (state, steps) = talk.walk(&target(), &strict());
    // The call after it became a candidate carries 10 000 tokens at 100: 1 000 000. Behind its
    // beginning would stand 30 + 10 + 500 + 10 tokens: 550 * 1150 = 632 500.
    assert_eq!(triggers(&steps), [Trigger::Rent]);
    let epoch = steps[5].outcome.as_ref().expect("the sixth message's turn buys");
    assert_eq!(
        epoch.reason,
        "rent: carrying on has cost 1000 tokens of fresh input since the last epoch, \
         clearing costs 632; 1 output cleared, 10000 tokens freed"
    );
    assert_eq!(epoch.predicted_rewrite, Tokens::new(550));
    assert_eq!(state.account.rent, Cost::ZERO, "nothing has been carried since");
}

#[test]
fn until_then_it_says_what_it_paid_and_what_the_price_is() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 1_030).round(2, 50_000).says(&[]);
    let policy = Policy { min_gain_permille: 0, ..strict() };
    let (_, steps) = talk.walk(&target(), &policy);
    let rewrite = MARKER + 10 + 50_000 + 10;
    assert_eq!(
        skipped(&steps[5]),
        &SkipReason::RentBelowPrice {
            rent: Cost::new(1_000 * 100),
            price: Cost::new(rewrite * 1150),
        }
    );
    assert_eq!(
        skipped(&steps[5]).to_string(),
        "carrying on has cost 100 tokens of fresh input since the last epoch, \
         clearing would cost 57557"
    );
}

#[test]
fn a_cold_cache_is_cleared_when_input_arrives_after_the_gap() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 2_030).round(2, 90_000).says(&[]).wait(300).user(10).says(&[]);
    let (_, steps) = talk.walk(&target(), &strict());
    assert_eq!(triggers(&steps), [Trigger::Cold]);
    let epoch = steps[6].outcome.as_ref().expect("input arrived on a cold cache");
    assert!(epoch.reason.starts_with("cold: no call for 310 s, the prompt cache lives 300 s"));
    talk.messages[2].results[0].tokens[0] = Tokens::new(2_029);
    let (_, steps) = talk.walk(&target(), &strict());
    assert_eq!(
        skipped(&steps[6]),
        &SkipReason::TooLittleCold { gain: Tokens::new(1_999), minimum: Tokens::new(2_000) }
    );
}

#[test]
fn a_gap_as_long_as_the_cache_lives_is_still_warm() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 2_030).round(2, 90_000).says(&[]).wait(290).user(10);
    let (_, steps) = talk.walk(&target(), &strict());
    assert_eq!(skipped(&steps[6]), &SkipReason::InputWaits);
}

#[test]
fn pressure_clears_what_it_can_then_lets_the_record_grow() {
    let mut talk = Talk::default();
    talk.user(140_000).round(1, 6_000).round(2, 6_000).round(3, 6_000).round(4, 12_000).says(&[]);
    let (state, steps) = talk.walk(&target(), &strict());
    assert_eq!(cleared(&steps)[0], [3], "only the first was no longer new");
    let epoch = steps[4].outcome.as_ref().expect("input filled the window");
    assert_eq!(epoch.trigger, Trigger::Pressure);
    assert_eq!(
        epoch.reason,
        "pressure: 152020 tokens in the window of 200000 (opus); \
         1 output cleared, 5970 tokens freed"
    );
    assert!(matches!(skipped(&steps[6]), SkipReason::CoolingDown { grown, needed, .. }
        if *grown == Tokens::new(6_010) && *needed == Tokens::new(20_000)));
    assert!(state.account.totals[0] < Tokens::new(170_000));
}

#[test]
fn a_pass_that_frees_too_little_is_not_made() {
    let mut talk = Talk::default();
    talk.user(150_000).round(1, 1_030).round(2, 500);
    let (_, steps) = talk.walk(&target(), &strict());
    assert_eq!(
        skipped(&steps[4]).to_string(),
        "pressure calls for a pass, but it would free 1000 tokens of at least 4000"
    );
}

#[test]
fn a_target_that_binds_thinking_is_left_alone_inside_a_tool_loop() {
    let binding = crate::target::Target { binds_thinking: true, ..target() };
    let mut talk = Talk::default();
    talk.user(160_000).round(1, 9_000).round(2, 500);
    let (mut state, steps) = talk.walk(&binding, &strict());
    let in_loop = SkipReason::ToolLoop { target: binding.name.clone() };
    assert_eq!(skipped(&steps[4]), &in_loop);
    let asked = |state: &mut State, target| {
        state.decide(Clock::default(), &[target], &strict(), Mode::Manual)
    };
    assert_eq!(asked(&mut state, &binding), Err(in_loop), "not even when asked");
    talk.says(&[]);
    let (_, steps) = talk.walk(&binding, &strict());
    assert_eq!(triggers(&steps), [Trigger::Pressure], "but as soon as the turn is over");
}

#[test]
fn a_sweep_clears_on_a_cold_cache_and_never_else() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 3_000).round(2, 90_000).says(&[]);
    let (mut state, _) = talk.walk(&target(), &strict());
    let mut sweep = |idle_ms| state.decide(Clock { idle_ms }, &[&target()], &strict(), Mode::Sweep);
    let warm = sweep(Some(300_000)).expect_err("it is warm");
    assert_eq!(warm.to_string(), "the cache is warm: the last call was 300 s ago, it lives 300 s");
    assert!(sweep(None).is_err());
    assert_eq!(sweep(Some(300_001)).map(|epoch| epoch.trigger), Ok(Trigger::Cold));
}

#[test]
fn switched_off_it_clears_only_when_asked() {
    let off = Policy { enabled: false, ..strict() };
    let mut talk = Talk::default();
    talk.user(190_000).round(1, 9_000).round(2, 500).says(&[]);
    let (mut state, steps) = talk.walk(&target(), &off);
    assert!(steps.iter().all(|step| skipped(step) == &SkipReason::Disabled));
    let asked = state.decide(Clock::default(), &[&target()], &off, Mode::Manual);
    assert_eq!(asked.map(|epoch| epoch.trigger), Ok(Trigger::Manual));
}

#[test]
fn without_a_target_nothing_is_decided_but_all_is_counted() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 3_000).says(&[]);
    let mut state = State::default();
    for message in &talk.messages {
        let step = state.step(message, &[], &strict());
        assert_eq!(skipped(&step), &SkipReason::NoTarget);
    }
    assert_eq!(state.account.raw, Tokens::new(3_030));
}

#[test]
fn a_skip_says_what_the_next_call_carries() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 1_030).round(2, 90_000).says(&[]);
    let (state, _) = talk.walk(&target(), &strict());
    let mode = Mode::Automatic(Phase::TurnEnded);
    let decision =
        plan(&state.index, &state.account, Clock::default(), &[&target()], &strict(), mode);
    assert!(matches!(decision, Decision::Skip(_)));
    assert_eq!(decision.carried(), Tokens::new(1_000));
}

#[test]
fn rent_buys_while_pressure_cools_down() {
    let mut talk = Talk::default();
    talk.user(140_000).round(1, 6_000).round(2, 6_000).round(3, 6_000).round(4, 500);
    for _ in 0..40 {
        talk.says(&[]);
    }
    let (_, steps) = talk.walk(&target(), &strict());
    assert_eq!(triggers(&steps), [Trigger::Pressure, Trigger::Rent]);
    let between = steps.iter().filter_map(|step| step.outcome.as_ref().err());
    let said = between.map(SkipReason::as_str).collect::<Vec<_>>();
    assert!(said.contains(&"cooling_down"), "{said:?}");
}
