use super::{Talk, strict, target};
use crate::compaction::lines::LineHash;
use crate::compaction::{
    Index, KeptBecause, LiveResult, PathHash, Policy, Stale, Touch, UsedBy, survey,
};
use crate::record::Seq;
use crate::tokens::Tokens;

/// What is kept, by seq, and what may go.
fn sorted(talk: &Talk, policy: &Policy) -> (Vec<(u64, KeptBecause)>, Vec<u64>) {
    let disabled = Policy { enabled: false, ..policy.clone() };
    let (state, _) = talk.walk(&target(), &disabled);
    let survey = survey(&state.index, &state.account, policy, &[&target()]);
    (
        survey.kept.iter().map(|(at, because)| (at.seq.get(), *because)).collect(),
        survey.candidates.iter().map(|at| at.seq.get()).collect(),
    )
}

fn keep(tokens: u64) -> Policy {
    Policy { keep_tokens: Some(Tokens::new(tokens)), ..strict() }
}

#[test]
fn the_current_turn_and_the_newest_are_kept_beyond_any_budget() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 500).round(2, 500).round(3, 500);
    let (kept, candidates) = sorted(&talk, &Policy { keep_results: 2, ..strict() });
    assert_eq!(kept, [(5, KeptBecause::Newest), (7, KeptBecause::CurrentTurn)]);
    assert_eq!(candidates, [3]);
}

#[test]
fn what_is_quoted_is_kept_before_what_is_newer() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 500).round(2, 500).round(3, 500).says(&[1]);
    let (kept, candidates) = sorted(&talk, &keep(1_000));
    assert_eq!(kept, [(3, KeptBecause::InUse(UsedBy::Quoted)), (7, KeptBecause::CurrentTurn)]);
    assert_eq!(candidates, [5]);
}

#[test]
fn a_line_that_stands_twice_counts_for_the_newest() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 500).round(1, 500).round(3, 500).round(4, 500).says(&[1]);
    let (kept, candidates) = sorted(&talk, &keep(1_000));
    assert_eq!(kept, [(5, KeptBecause::InUse(UsedBy::Quoted)), (9, KeptBecause::CurrentTurn)]);
    assert_eq!(candidates, [3, 7]);
}

#[test]
fn what_does_not_fit_is_passed_over_for_smaller_ones() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 300).round(2, 900).round(3, 400).says(&[]);
    let (kept, candidates) = sorted(&talk, &keep(800));
    assert_eq!(kept, [(3, KeptBecause::InUse(UsedBy::Arrived)), (7, KeptBecause::CurrentTurn)]);
    assert_eq!(candidates, [5]);
}

#[test]
fn what_is_quoted_last_is_kept_though_new_results_fill_the_budget() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 700).round(2, 600).round(3, 600).says(&[1]);
    assert_eq!(sorted(&talk, &keep(800)).1, [5]);
    assert_eq!(sorted(&talk, &keep(699)).1, [3, 5], "unless the budget alone is too small");
}

#[test]
fn stale_results_go_first() {
    let file = PathHash(9);
    let mut talk = Talk::default();
    talk.user(10)
        .touching(1, Some(Touch::Reads(file)), 500)
        .round(2, 500)
        .touching(3, Some(Touch::Writes(file)), 500)
        .says(&[1]);
    let (kept, candidates) = sorted(&talk, &keep(1_000));
    assert_eq!(kept, [(5, KeptBecause::InUse(UsedBy::Arrived)), (7, KeptBecause::CurrentTurn)]);
    assert_eq!(candidates, [3], "quoted later than 2, but out of date");
}

#[test]
fn a_repeated_call_makes_the_older_result_stale_before_the_new_one_comes() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 500).says(&[]);
    talk.call(1, None);
    let (state, _) = talk.walk(&target(), &strict());
    assert_eq!(state.index.live().map(|r| r.stale).collect::<Vec<_>>(), [Some(Stale::Repeated)]);
}

#[test]
fn a_round_in_progress_is_kept_whole() {
    let mut talk = Talk::default();
    talk.user(10);
    let first = talk.call(1, None);
    let mut second = first.clone();
    second.at.block = 1;
    talk.messages[1].calls.push(second.clone());
    talk.result(first, 1, 500);
    talk.messages[2].speaks = false;
    let (kept, _) = sorted(&talk, &Policy { keep_results: 0, ..strict() });
    assert_eq!(kept, [(3, KeptBecause::CurrentTurn)]);
    talk.result(second, 2, 500).says(&[]).says(&[]);
    let (kept, _) = sorted(&talk, &Policy { keep_results: 0, ..strict() });
    assert_eq!(kept.len(), 2, "two answers in a row are one turn");
}

#[test]
fn small_results_and_tools_never_cleared_do_not_enter() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 200).round(2, 201).says(&[]);
    let (state, _) = talk.walk(&target(), &strict());
    assert_eq!(state.index.live().count(), 1);
    let spared = Policy { never_clear: ["bash".into()].into(), ..strict() };
    let (state, _) = talk.walk(&target(), &spared);
    assert_eq!(state.index.live().count(), 0);
}

#[test]
fn the_same_content_again_makes_the_older_stale_and_says_so_to_the_store() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 500).round(2, 500);
    talk.messages[4].results[0].content_hash = 1;
    let (state, _) = talk.walk(&target(), &strict());
    let reasons: Vec<_> = state.index.live().map(|result| result.stale).collect();
    assert_eq!(reasons, [Some(Stale::SameContent), None]);
    let stored: Vec<_> =
        state.index.live().cloned().map(|result| LiveResult { stale: None, ..result }).collect();
    let mut loaded = Index::load(stored.into_iter().take(1));
    loaded.absorb_result(&talk.messages[4].results[0], Tokens::ZERO, &strict());
    let changes = loaded.changes();
    assert_eq!(changes.updated[0].stale, Some(Stale::SameContent));
    assert_eq!((changes.inserted.len(), changes.removed.len()), (1, 0));
}

#[test]
fn only_one_result_is_kept_beyond_the_budget() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 700).round(2, 700).round(3, 600).says(&[2]).says(&[1]);
    let (kept, candidates) = sorted(&talk, &keep(800));
    assert_eq!(kept, [(3, KeptBecause::InUse(UsedBy::Quoted)), (7, KeptBecause::CurrentTurn)]);
    assert_eq!(candidates, [5]);
}

#[test]
fn a_quote_of_cleared_output_is_regret_each_time() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 500).round(2, 500);
    let (mut state, _) = talk.walk(&target(), &strict());
    let first = talk.messages[2].results[0].at;
    state.index.clear(&[first]);
    for seq in [6, 7] {
        let quotes = state.index.absorb_lines(Seq::new(seq), &[LineHash(1)]);
        assert_eq!((quotes.live, quotes.cleared), ([].into(), [first].into()));
    }
}
