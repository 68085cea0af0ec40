use super::{MARKER, Talk, strict, target};
use crate::compaction::simulate::{Report, Strategy, moments, simulate};
use crate::compaction::{Cost, Epoch, Policy};
use crate::tokens::Tokens;

fn run(talk: &Talk, strategy: Strategy<'_>) -> Report {
    simulate(&moments(&talk.messages, 0, &Policy::default()), &target(), strategy)
}

/// Two rounds of 1 000 tokens, an answer that quotes the first.
fn talk() -> Talk {
    let mut talk = Talk::default();
    talk.user(100).round(1, 1_000).round(2, 1_000).says(&[1]);
    talk
}

#[test]
fn without_clearing_every_call_reads_what_the_last_one_sent() {
    let report = run(&talk(), Strategy::NoClearing);
    assert_eq!(report.written, Tokens::new(100 + 1_010 + 1_010));
    assert_eq!(report.cached, Tokens::new(100 + 1_110));
    assert_eq!(report.cost, Cost::new(2_120 * 1250 + 1_210 * 100));
    assert_eq!((report.calls, report.peak), (3, Tokens::new(2_120)));
    assert_eq!((report.quotes, report.regretted), (1, 0));
}

#[test]
fn after_a_gap_longer_than_the_cache_lives_all_is_written_anew() {
    let mut talk = Talk::default();
    talk.user(100).says(&[]).wait(300).user(100).says(&[]);
    let report = run(&talk, Strategy::NoClearing);
    assert_eq!((report.written, report.cached), (Tokens::new(100 + 210), Tokens::ZERO));
}

#[test]
fn a_rolling_window_writes_anew_from_each_result_it_clears() {
    let report = run(&talk(), Strategy::KeepNewest(1));
    // The third call finds the first result cleared: 110 tokens stand before it.
    assert_eq!(report.cached, Tokens::new(100 + 110));
    assert_eq!(report.written, Tokens::new(100 + 1_010 + MARKER + 1_010));
    assert_eq!((report.quotes, report.regretted), (1, 1));
}

#[test]
fn epochs_change_the_calls_after_them_and_an_undo_brings_all_back() {
    let talk = talk();
    let (mut state, _) = talk.walk(&target(), &strict());
    let mode = crate::compaction::Mode::Manual;
    let epoch = state
        .decide(crate::compaction::Clock::default(), &[&target()], &strict(), mode)
        .expect("the first result may go");
    let late = run(&talk, Strategy::Epochs(std::slice::from_ref(&epoch)));
    assert_eq!(late, run(&talk, Strategy::NoClearing), "decided after the last call");
    let early = Epoch { at: talk.messages[4].seq, ..epoch };
    let report = run(&talk, Strategy::Epochs(std::slice::from_ref(&early)));
    assert_eq!(report, run(&talk, Strategy::KeepNewest(1)));
    let undone = Epoch { undoes: Some(early.number), ..early.clone() };
    assert_eq!(run(&talk, Strategy::Epochs(&[early, undone])).regretted, 0);
}

#[test]
fn what_was_cleared_before_shortens_what_a_later_pass_leaves_standing() {
    let mut talk = Talk::default();
    talk.user(100).round(1, 1_000).round(2, 1_000).round(3, 1_000).says(&[]);
    let report = run(&talk, Strategy::KeepNewest(1));
    // At the last call two results are cleared: what stands before the second is the user's
    // message, two calls and one marker.
    let third = Tokens::new(100 + 10);
    let last = Tokens::new(100 + 10 + MARKER + 10);
    assert_eq!(report.cached, Tokens::new(100) + third + last);
}
