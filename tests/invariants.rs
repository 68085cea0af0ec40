//! The invariants of the design, over arbitrary records.

mod support;

use std::sync::Arc;

use afterturn::compaction::{Epoch, EpochNumber, Policy, effective};
use afterturn::record::{Block, ConversationId, Message, Stored, Timestamp};
use afterturn::replay::{Cut, Projection, history, join, project_whole};
use afterturn::store::{NewConversation, NewMessage, Options, SqliteStore, Store, Wake};
use afterturn::target::{Catalog, Target};
use afterturn::tokens::Tokens;
use afterturn::turn::{Order, follow, walk};
use afterturn::worker::{Setup, Turns};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use support::records::{message_lists, tidy_sessions};
use support::stored;
use support::wire::violations;

/// A policy that clears early, so that short records are compacted too.
fn eager() -> Policy {
    Policy {
        keep_results: 2,
        keep_tokens: Some(Tokens::new(1_500)),
        min_cold_tokens: Tokens::new(100),
        min_gain_permille: 0,
        ..Policy::default()
    }
}

/// Every built-in target, and one whose window is small enough to press.
fn catalog() -> Catalog {
    Catalog::with_toml(
        "[targets.small]\nextends = \"anthropic\"\nwindow = 20000\n\
         [targets.blind]\nextends = \"openai\"\nvision = false\n",
    )
    .expect("the file is right")
}

fn targets(catalog: &Catalog) -> Vec<&Target> {
    catalog.iter().collect()
}

/// The targets that let a pass be made inside a tool loop.
fn unbound(catalog: &Catalog) -> Vec<&Target> {
    catalog.iter().filter(|target| !target.binds_thinking).collect()
}

fn epochs(messages: &[Stored], targets: &[&Target]) -> Vec<Epoch> {
    walk(Order { targets, policy: &eager() }, messages).engine.finish().epochs
}

fn whole(messages: &[Stored], epochs: &[Epoch], target: &Target) -> String {
    request(target, &project_whole(messages, epochs, target, Cut::Never))
}

fn request(target: &Target, projection: &Projection) -> String {
    history(target, &projection.system, &projection.history())
}

/// What a worker leaves behind, fed `sizes` messages at a time (the last one repeats).
fn worked(messages: &[Message], sizes: &[usize], targets: &[&Target]) -> Worked {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = SqliteStore::open(&dir.path().join("t.db"), Options::default()).expect("it opens");
    let store = Arc::new(store);
    let id = ConversationId::from("c");
    let names = targets.iter().map(|target| target.name.clone()).collect();
    let created_at = Timestamp::from_millis(0);
    let new = NewConversation { id: id.clone(), agent: None, targets: names, created_at };
    store.create(&new).expect("it is made");
    let setup = Setup { catalog: catalog(), policy: eager(), measure: true };
    let turns = Turns::new(Arc::clone(&store), setup);
    let mut rest = messages;
    let mut sizes = sizes.iter().copied();
    let mut size = 1;
    while !rest.is_empty() {
        size = sizes.next().unwrap_or(size).clamp(1, rest.len());
        let (batch, after) = rest.split_at(size);
        let batch: Vec<NewMessage> = batch
            .iter()
            .map(|message| NewMessage { id: message.id.clone(), body: message.to_json() })
            .collect();
        store.append(&id, &batch, created_at, Wake::Turn).expect("it is appended");
        turns.run(&id).expect("the turn is done");
        rest = after;
    }
    Worked { _dir: dir, store, turns, id }
}

struct Worked {
    _dir: tempfile::TempDir,
    store: Arc<SqliteStore>,
    turns: Turns<SqliteStore>,
    id: ConversationId,
}

impl Worked {
    fn epochs(&self) -> Vec<Epoch> {
        let mut epochs = self.store.epochs(&self.id).expect("they are read");
        for epoch in &mut epochs {
            epoch.realised_rewrite = None;
        }
        epochs
    }

    fn cached(&self, target: &Target) -> String {
        let cached = self.store.projection(&self.id, &target.name).expect("it is read");
        let cached = cached.expect("the target is the conversation's");
        join(cached.segments.iter().map(|segment| segment.bytes.as_str()))
    }
}

fn calls_of(messages: &[Stored]) -> Vec<(String, String, String)> {
    let blocks = messages.iter().flat_map(|stored| &stored.message.blocks);
    blocks
        .filter_map(|block| match block {
            Block::ToolCall(call) => Some((
                call.call_id.to_string(),
                call.name.to_string(),
                call.arguments.as_written().to_owned(),
            )),
            _ => None,
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    /// Invariants 3, 4, 5, 6, 7: whatever the record, the provider's rules hold.
    #[test]
    fn every_projection_is_valid_before_and_after_compaction(messages in message_lists()) {
        let messages = stored(messages);
        let catalog = catalog();
        let epochs = epochs(&messages, &targets(&catalog));
        for target in catalog.iter() {
            for epochs in [&[][..], &epochs] {
                let text = whole(&messages, epochs, target);
                let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
                let broken = violations(target.wire, &value);
                prop_assert!(broken.is_empty(), "{}: {broken:?}\n{text}", target.name);
            }
        }
    }

    /// Invariant 12, in replay: cut anywhere it is legal, the bytes are the same, and each
    /// segment can be made again alone.
    #[test]
    fn segments_joined_are_the_whole(messages in message_lists()) {
        let messages = stored(messages);
        let catalog = catalog();
        let epochs = epochs(&messages, &targets(&catalog));
        for target in catalog.iter() {
            let cut = project_whole(&messages, &epochs, target, Cut::Every { bytes: 1 });
            prop_assert_eq!(request(target, &cut), whole(&messages, &epochs, target));
            let mut next = afterturn::record::Seq::FIRST;
            for segment in &cut.segments {
                prop_assert_eq!(segment.range.first, next);
                next = segment.range.last.next();
            }
        }
    }

    /// Invariant 2: what was stored comes back byte-equal.
    #[test]
    fn a_message_is_the_same_after_a_round_trip(messages in message_lists()) {
        for message in messages {
            let json = message.to_json();
            prop_assert_eq!(&Message::parse(&json).expect("our own JSON is read"), &message);
            prop_assert_eq!(Message::parse(&json).expect("it is read").to_json(), json);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Invariants 12, 13, 15: a worker that was fed in any batches ends with the epochs and the
    /// bytes of one pass over the whole record.
    #[test]
    fn incremental_equals_whole_on_broken_records(
        messages in message_lists(),
        sizes in prop::collection::vec(1..6_usize, 0..8),
    ) {
        let catalog = catalog();
        check_incremental(messages, &sizes, &targets(&catalog))?;
    }

    #[test]
    fn incremental_equals_whole_on_sessions_that_are_compacted(
        messages in tidy_sessions(),
        sizes in prop::collection::vec(1..9_usize, 0..12),
        binding in any::<bool>(),
    ) {
        let catalog = catalog();
        let targets = if binding { targets(&catalog) } else { unbound(&catalog) };
        check_incremental(messages, &sizes, &targets)?;
    }

    /// Invariants 1, 10, 11: a pass keeps every call, makes nothing larger, and taking it back
    /// restores what crossed before.
    #[test]
    fn compaction_lets_go_of_output_only_and_can_be_undone(messages in tidy_sessions()) {
        let messages = stored(messages);
        let catalog = catalog();
        let targets = unbound(&catalog);
        let made = epochs(&messages, &targets);
        for target in &targets {
            let before = whole(&messages, &[], target);
            let after = whole(&messages, &made, target);
            prop_assert!(after.len() <= before.len());
            for (_, name, _) in calls_of(&messages) {
                prop_assert_eq!(
                    before.matches(&format!("\"name\":\"{name}\"")).count(),
                    after.matches(&format!("\"name\":\"{name}\"")).count()
                );
            }
            for clearing in effective(&made).values() {
                let marker = serde_json::to_string(&clearing.marker.0).expect("a string");
                prop_assert!(after.contains(marker.trim_matches('"')), "the marker crosses");
            }
        }
        for epoch in &made {
            prop_assert!(epoch.tokens_after <= epoch.tokens_before);
        }
    }
}

fn check_incremental(
    messages: Vec<Message>,
    sizes: &[usize],
    targets: &[&Target],
) -> Result<(), TestCaseError> {
    let worked = worked(&messages, sizes, targets);
    let messages = stored(messages);
    let made = epochs(&messages, targets);
    prop_assert_eq!(&worked.epochs(), &made);
    for target in targets {
        let whole = project_whole(&messages, &made, target, Cut::Never);
        prop_assert_eq!(worked.cached(target), whole.history(), "{}", &target.name);
    }
    // Following the decisions gives the state that deciding gave.
    let policy = eager();
    let order = Order { targets, policy: &policy };
    let decided = walk(order, &messages).engine.finish().state;
    let followed = follow(order, &messages, &made).engine.finish().state;
    prop_assert_eq!(decided, followed);
    Ok(())
}

#[test]
fn tidy_sessions_are_compacted_by_every_trigger() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let catalog = catalog();
    let mut triggers = std::collections::BTreeSet::new();
    for _ in 0..60 {
        let messages = tidy_sessions().new_tree(&mut runner).expect("a session").current();
        let messages = stored(messages);
        let anthropic = catalog.get("anthropic").expect("it is built in");
        for targets in [unbound(&catalog), vec![anthropic]] {
            let made = epochs(&messages, &targets);
            triggers.extend(made.iter().map(|epoch| epoch.trigger.as_str()));
        }
    }
    assert_eq!(triggers.into_iter().collect::<Vec<_>>(), ["cold", "pressure", "rent"]);
}

#[test]
fn an_undone_epoch_restores_the_bytes_and_stays_undone() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let tree = tidy_sessions().new_tree(&mut runner).expect("a session");
    let mut messages = tree.current();
    while messages.len() < 60 {
        messages = tidy_sessions().new_tree(&mut runner).expect("a session").current();
    }
    let catalog = catalog();
    let targets = unbound(&catalog);
    let worked = worked(&messages, &[3], &targets);
    let before = worked.epochs();
    assert!(!before.is_empty(), "the session is long enough that something was cleared");
    worked.turns.undo(&worked.id, EpochNumber(1)).expect("it can be undone");
    let after = worked.epochs();
    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(after.last().and_then(|undo| undo.undoes), Some(EpochNumber(1)));
    let messages = stored(messages);
    for target in &targets {
        let whole = project_whole(&messages, &after, target, Cut::Never);
        assert_eq!(worked.cached(target), whole.history());
        let without_first: Vec<Epoch> = before.iter().skip(1).cloned().collect();
        assert_eq!(
            whole.history(),
            project_whole(&messages, &without_first, target, Cut::Never).history()
        );
    }
    assert!(worked.turns.undo(&worked.id, EpochNumber(1)).is_err(), "only once");
    // Nothing to do after it.
    let again = worked.turns.run(&worked.id).expect("it runs");
    assert!(!again.did_something());
}
