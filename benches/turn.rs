//! What a turn costs as conversations grow: the last must be at most 1.5 times the first.
//!
//! A conversation of N messages is built through the store and the worker, compacted as it
//! grows; then turns of 4 KB are appended and brought up to date for two targets. Printed are
//! the median time of a turn and the bytes that it wrote. `cargo bench --bench turn` runs all
//! sizes; a number after `--` caps the largest.

use std::sync::Arc;
use std::time::{Duration, Instant};

use afterturn::compaction::Policy;
use afterturn::record::{
    Arguments, Block, CallForm, ConversationId, Extra, Message, Output, Role, Status, Timestamp,
    ToolCall, ToolResult,
};
use afterturn::store::{NewConversation, NewMessage, Options, SqliteStore, Store, Wake};
use afterturn::target::{Catalog, TargetName};
use afterturn::worker::{Setup, Turns};

const SIZES: [u64; 4] = [50, 500, 5_000, 50_000];
/// Turns that are measured at each size.
const MEASURED: u64 = 200;
/// Messages of one turn: an answer with a call, and its result.
const PER_TURN: u64 = 2;

fn main() {
    // `cargo bench NAME` hands on names and flags of the harness; only a number is ours.
    let cap = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let sizes = SIZES.into_iter().filter(|size| cap.is_none_or(|cap: u64| *size <= cap));
    println(format_args!(
        "{:>9} {:>12} {:>12} {:>14}",
        "messages", "p50 ms", "p99 ms", "bytes written"
    ));
    let mut first: Option<Cost> = None;
    for size in sizes {
        let cost = measure(size);
        let (time, bytes) = first.get_or_insert(cost).ratio(cost);
        println(format_args!(
            "{size:>9} {:>12.3} {:>12.3} {:>14}   ×{time:.2} time, ×{bytes:.2} bytes",
            cost.p50.as_secs_f64() * 1e3,
            cost.p99.as_secs_f64() * 1e3,
            cost.written,
        ));
    }
}

#[derive(Clone, Copy)]
struct Cost {
    p50: Duration,
    p99: Duration,
    written: u64,
}

impl Cost {
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
    fn ratio(&self, other: Self) -> (f64, f64) {
        (
            other.p50.as_secs_f64() / self.p50.as_secs_f64(),
            other.written as f64 / self.written.max(1) as f64,
        )
    }
}

fn measure(size: u64) -> Cost {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = SqliteStore::open(&dir.path().join("b.db"), Options::default()).expect("it opens");
    let store = Arc::new(store);
    let id = ConversationId::from("bench");
    let targets = ["anthropic", "openai"].map(TargetName::new).to_vec();
    let created_at = Timestamp::from_millis(0);
    let new = NewConversation { id: id.clone(), agent: None, targets, created_at };
    store.create(&new).expect("it is made");
    let setup = Setup { catalog: Catalog::builtin(), policy: Policy::default(), measure: false };
    let turns = Turns::new(Arc::clone(&store), setup);

    let warm = size / PER_TURN;
    for turn in 0..warm {
        append(&store, &id, turn);
        if turn % 100 == 99 {
            turns.run(&id).expect("it is brought up to date");
        }
    }
    turns.run(&id).expect("it is brought up to date");

    let mut times = Vec::new();
    let before = written();
    for turn in warm..warm + MEASURED {
        let begun = Instant::now();
        append(&store, &id, turn);
        let finished = turns.run(&id).expect("the turn is done");
        times.push(begun.elapsed());
        assert_eq!(finished.messages, PER_TURN, "the work was done");
    }
    let written = (written() - before) / MEASURED;
    let row = store.conversation(&id).expect("it is read").expect("it is there");
    assert_eq!((row.head.get(), row.accounted), ((warm + MEASURED) * PER_TURN, row.head));
    assert!(!store.epochs(&id).expect("they are read").is_empty(), "something was cleared");
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    Cost { p50: at(50), p99: at(99), written }
}

/// A turn of about 4 KB.
fn append(store: &SqliteStore, id: &ConversationId, turn: u64) {
    let call = Block::ToolCall(ToolCall {
        call_id: format!("call_{turn}").into(),
        name: "read".into(),
        arguments: Arguments::from_text(&format!("{{\"path\":\"src/f{}.rs\"}}", turn % 97)),
        form: CallForm::Function,
        proof: None,
        extra: Extra::NONE,
    });
    let line = |n| {
        format!("turn {turn} line {n}: text of a file, long enough to be quoted, unlike others")
    };
    let text = (0..48).map(line).collect::<Vec<_>>().join("\n");
    let result = Block::ToolResult(ToolResult {
        call_id: format!("call_{turn}").into(),
        name: None,
        status: Status::Ok,
        output: vec![Output::text(text)],
        extra: Extra::NONE,
    });
    let at = Timestamp::from_millis(i64::try_from(turn).expect("few turns") * 10_000);
    let batch = [(Role::Assistant, call), (Role::Tool, result)].map(|(role, block)| {
        let mut message = Message::new(format!("m{turn}-{role:?}"), role, vec![block]);
        message.created_at = Some(at);
        NewMessage { id: message.id.clone(), body: message.to_json() }
    });
    store.append(id, &batch, at, Wake::Turn).expect("it is appended");
}

/// Bytes that this process has handed to the system to write so far; 0 where it does not say.
fn written() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    let wchar = io.lines().find_map(|line| line.strip_prefix("wchar: "));
    wchar.and_then(|bytes| bytes.trim().parse().ok()).unwrap_or(0)
}

fn println(text: std::fmt::Arguments<'_>) {
    use std::io::Write as _;
    let mut out = std::io::stdout();
    // A reader that went away ends a benchmark as well as anything.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
