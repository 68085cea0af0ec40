use super::{Talk, strict, target};
use crate::compaction::{Account, Cost};
use crate::record::Role;
use crate::tokens::Tokens;

#[test]
fn each_model_call_pays_the_read_price_on_what_it_carries() {
    let mut talk = Talk::default();
    talk.user(100_000).round(1, 1_030).round(2, 500).says(&[]);
    let (state, steps) = talk.walk(&target(), &strict());
    assert!(steps.iter().all(|step| step.outcome.is_err()));
    // The first result is a candidate from the second one on: the last call carried it.
    assert_eq!(state.account.rent, Cost::of(Tokens::new(1_000), 100));
    assert_eq!(state.account.carried, Tokens::new(1_000));
    assert_eq!((state.account.model_calls, state.account.raw), (3, Tokens::new(101_560)));
}

#[test]
fn a_person_who_speaks_ends_the_tool_loop_unless_results_are_to_come() {
    let mut talk = Talk::default();
    let mut account = Account::default();
    let mut next = |talk: &Talk| {
        account.absorb(talk.messages.last().expect("it has one"), 0);
        (account.in_tool_loop, account.open.len())
    };
    talk.user(10);
    assert_eq!(next(&talk), (false, 0));
    let call = talk.call(1, None);
    assert_eq!(next(&talk), (true, 1));
    talk.user(10);
    assert_eq!(next(&talk), (true, 1), "the result is still to come");
    talk.result(call, 1, 10);
    assert_eq!(next(&talk), (true, 0));
    talk.user(10);
    assert_eq!(next(&talk), (false, 0));
}

#[test]
fn a_turn_begins_with_what_comes_after_an_answer() {
    let mut talk = Talk::default();
    talk.user(10).says(&[]).user(10).says(&[]).says(&[]);
    let mut account = Account::default();
    let firsts: Vec<u64> = talk
        .messages
        .iter()
        .map(|message| {
            account.absorb(message, 0);
            account.turn_first.get()
        })
        .collect();
    assert_eq!(firsts, [1, 1, 3, 3, 3]);
    assert_eq!(talk.messages[1].role, Role::Assistant);
}

#[test]
fn an_account_survives_json() {
    let mut talk = Talk::default();
    talk.user(10).round(1, 1_030).round(2, 500).says(&[]);
    let (state, _) = talk.walk(&target(), &strict());
    let json = serde_json::to_string(&state.account).expect("it is written");
    assert_eq!(serde_json::from_str::<Account>(&json).expect("it is read"), state.account);
}
