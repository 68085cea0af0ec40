use super::{MARKER, Talk, strict, target};
use crate::compaction::{
    Clock, Epoch, EpochNumber, Mode, SkipReason, State, Trigger, UndoError, UsedBy, effective, undo,
};
use crate::record::Seq;
use crate::tokens::Tokens;

/// Three rounds of 5 000 tokens, of which a manual pass cleared the first two.
fn cleared_talk() -> (Talk, State, Vec<Epoch>) {
    let mut talk = Talk::default();
    talk.user(10).round(1, 5_000).round(2, 5_000).round(3, 5_000).says(&[]);
    let (mut state, _) = talk.walk(&target(), &strict());
    let epoch = state.decide(Clock::default(), &[&target()], &strict(), Mode::Manual);
    let epochs = vec![epoch.expect("there are two to clear")];
    (talk, state, epochs)
}

#[test]
fn a_manual_pass_states_its_figures() {
    let (_, _, epochs) = cleared_talk();
    let epoch = &epochs[0];
    assert_eq!(
        (epoch.number, epoch.at, epoch.trigger),
        (EpochNumber(1), Seq::new(8), Trigger::Manual)
    );
    assert_eq!(epoch.reason, "asked for: 2 outputs cleared, 9940 tokens freed");
    assert_eq!(epoch.tokens_before, Tokens::new(15_050));
    assert_eq!(epoch.tokens_after, Tokens::new(15_050 - 2 * (5_000 - MARKER)));
    // Behind the first result's beginning stand two markers, a result and three messages.
    assert_eq!(epoch.predicted_rewrite, Tokens::new(2 * MARKER + 5_000 + 30));
}

#[test]
fn an_undo_is_a_new_epoch_after_which_everything_is_as_before() {
    let (talk, mut state, mut epochs) = cleared_talk();
    assert_eq!(effective(&epochs).len(), 2);
    let plan = undo(&epochs, EpochNumber(1)).expect("it can be undone");
    let results: Vec<_> = talk.messages.iter().flat_map(|m| m.results.clone()).take(2).collect();
    let before = |seq: Seq| {
        talk.messages.iter().filter(|m| m.seq < seq).map(|m| m.tokens[0]).sum::<Tokens>()
    };
    let back = state.undo(&plan, &results, before, &epochs);
    assert_eq!((back.number, back.undoes), (EpochNumber(2), Some(EpochNumber(1))));
    assert_eq!(
        (back.tokens_before, back.tokens_after),
        (epochs[0].tokens_after, epochs[0].tokens_before)
    );
    epochs.push(back);
    assert!(effective(&epochs).is_empty());
    assert_eq!(state.account.totals, [Tokens::new(15_050)]);
    let live: Vec<_> =
        state.index.live().map(|r| (r.at.seq.get(), r.freed_after, r.used_by)).collect();
    assert_eq!(
        live,
        [
            (3, Tokens::ZERO, UsedBy::Restored),
            (5, Tokens::ZERO, UsedBy::Restored),
            (7, Tokens::ZERO, UsedBy::Arrived),
        ]
    );
}

#[test]
fn what_cannot_be_undone_is_said() {
    let (_, _, mut epochs) = cleared_talk();
    let plan = undo(&epochs, EpochNumber(1)).expect("it can be undone");
    epochs.push(plan.epoch(Seq::new(8), Tokens::ZERO, Tokens::ZERO));
    let refused =
        |number| undo(&epochs, EpochNumber(number)).expect_err("it cannot be").to_string();
    assert_eq!(refused(1), "epoch 1 was already undone by epoch 2");
    assert_eq!(
        refused(2),
        "epoch 2 is itself an undo (of epoch 1); make a new pass to clear again"
    );
    assert_eq!(undo(&epochs, EpochNumber(9)), Err(UndoError::Unknown(EpochNumber(9))));
}

#[test]
fn a_second_pass_finds_nothing_left() {
    let (_, mut state, _) = cleared_talk();
    let again = state.decide(Clock::default(), &[&target()], &strict(), Mode::Manual);
    assert_eq!(again, Err(SkipReason::NothingToClear { live: 1 }));
}
