//! What the scripted agent does: it learns the record's room, looks for every error text,
//! builds a small crate of its own from it, breaks it, mends it, and reports.

use serde_json::json;

use crate::tape::{Call, Tape};

fn read(path: &'static str) -> Call {
    ("read", json!({"file_path": path}))
}

fn grep(pattern: &'static str, path: &'static str) -> Call {
    ("grep", json!({"pattern": pattern, "path": path}))
}

fn bash(command: &'static str) -> Call {
    ("bash", json!({"command": command}))
}

/// Plays the whole session.
pub(crate) fn play(tape: &mut Tape) {
    learn(tape);
    search(tape);
    build(tape);
    tape.wait(2 * 3600);
    mend(tape);
    report(tape);
}

fn learn(tape: &mut Tape) {
    tape.user(
        "This session is recorded by examples/record_session: the words are scripted, the tools \
         are real. Get to know the record room of this project, and tell me how a message is read.",
    );
    let thought = "I should look at the layout before I open files one by one.";
    tape.turn(
        Some(thought),
        "I will look around first.",
        &[("list", json!({"path": "src"}))],
        false,
    );
    tape.turn(
        None,
        "",
        &[read("src/record/mod.rs"), read("src/record/message.rs"), read("src/record/ids.rs")],
        false,
    );
    for path in [
        "src/record/block.rs",
        "src/record/fields.rs",
        "src/record/json_text.rs",
        "src/record/time.rs",
        "src/record/error.rs",
    ] {
        tape.turn(None, "", &[read(path)], false);
    }
    tape.turn(
        None,
        "A message is read by hand, field by field. The rule stands in `fields.rs`:\n\n\
         //! serde's tagged enums buffer values, which loses the very characters of arguments and the",
        &[],
        false,
    );
}

fn search(tape: &mut Tape) {
    tape.user("Now find every error text in the core, and which rooms count tokens.");
    tape.turn(
        None,
        "",
        &[grep("#[error(", "src"), grep("thiserror", "src"), grep("pub enum", "src/compaction")],
        false,
    );
    for path in [
        "src/tokens/count.rs",
        "src/tokens/weight.rs",
        "src/tokens/image.rs",
        "src/tokens/calibration.rs",
        "src/target/mod.rs",
        "src/target/catalog.rs",
        "src/compaction/index.rs",
        "src/compaction/plan.rs",
        "src/compaction/survey.rs",
        "src/compaction/account.rs",
        "src/compaction/decision.rs",
        "src/compaction/simulate.rs",
    ] {
        tape.turn(None, "", &[read(path)], false);
    }
    let thought = "The same search again, to be sure that nothing was missed.";
    tape.turn(Some(thought), "", &[grep("#[error(", "src")], false);
    tape.turn(None, "", &[read("src/record/nothing.rs")], false);
    tape.turn(
        None,
        "That file does not exist; the errors are in `error.rs`.",
        &[read("src/record/error.rs")],
        false,
    );
    tape.turn(
        None,
        "Counting happens in one place. As `count.rs` says:\n\n\
         //! literals in tool output are text like any other, so only the ordinary variant is used.",
        &[],
        false,
    );
}

const MANIFEST: &str =
    "[package]\nname = \"scratch\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
const LIB: &str = "//! A scratch crate.\n\n/// Cuts a text after `limit` characters.\npub fn shorten(text: &str, limit: usize) -> String {\n    match text.char_indices().nth(limit) {\n        Some((end, _)) => format!(\"{}…\", &text[..end]),\n        None => text.to_string(),\n    }\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn a_short_text_stays() {\n        assert_eq!(shorten(\"abc\", 3), \"abc\");\n    }\n\n    #[test]\n    fn a_long_text_is_cut() {\n        assert_eq!(shorten(\"abcd\", 3), \"abc…\");\n    }\n}\n";

fn build(tape: &mut Tape) {
    tape.user("Try the shortening of error texts in a scratch crate, with tests.");
    tape.turn(
        None,
        "I will make a crate in /tmp/scratch.",
        &[
            ("write", json!({"file_path": "/tmp/scratch/Cargo.toml", "content": MANIFEST})),
            ("write", json!({"file_path": "/tmp/scratch/src/lib.rs", "content": LIB})),
        ],
        false,
    );
    tape.turn(
        None,
        "",
        &[bash("cargo test --offline --quiet 2>&1 | sed 's/finished in .*//'")],
        false,
    );
    tape.turn(None, "", &[read("/tmp/scratch/src/lib.rs")], false);
    let old = "None => text.to_string(),";
    let edit = json!({"file_path": "/tmp/scratch/src/lib.rs", "old_string": old, "new_string": "None => text,"});
    tape.turn(None, "The copy at the end can go.", &[("edit", edit)], false);
    tape.turn(None, "", &[bash("cargo build --offline --quiet")], false);
    let thought = "The types differ: a &str is no String. I take the change back.";
    let edit = json!({"file_path": "/tmp/scratch/src/lib.rs", "old_string": "None => text,", "new_string": "None => text.to_owned(),"});
    tape.turn(Some(thought), "That was wrong: `text` is a `&str`.", &[("edit", edit)], false);
    tape.turn(None, "", &[read("/tmp/scratch/src/lib.rs")], false);
    tape.turn(
        None,
        "",
        &[bash("cargo test --offline --quiet 2>&1 | sed 's/finished in .*//'")],
        false,
    );
    tape.turn(None, "", &[bash("sleep 600")], true);
    tape.user("[Request interrupted by user]");
    tape.user("Do not wait for that. Show me how large the files of the record room are.");
    tape.turn(
        None,
        "",
        &[
            ("chart", json!({"path": "src/record"})),
            bash("true"),
            ("list", json!({"path": "src/record"})),
        ],
        false,
    );
    tape.turn(
        None,
        "The chart shows one large file, `block.rs`, and several small ones.",
        &[],
        false,
    );
}

fn mend(tape: &mut Tape) {
    tape.user("Good morning. Go on: check how replay uses the record, and whether anything is read twice.");
    for path in [
        "src/replay/mod.rs",
        "src/replay/binding.rs",
        "src/replay/rounds.rs",
        "src/replay/item.rs",
        "src/replay/segment.rs",
        "src/replay/names.rs",
        "src/replay/wire/openai_chat.rs",
        "src/replay/wire/anthropic.rs",
    ] {
        tape.turn(None, "", &[read(path)], false);
    }
    tape.turn(
        None,
        "Binding is the part to remember:\n\n\
         /// A result answers the nearest earlier message that holds an unanswered call of its id, and",
        &[grep("links.call(", "src/replay"), grep("Binder", "src")],
        false,
    );
    for path in [
        "src/store/mod.rs",
        "src/store/sqlite/turn.rs",
        "src/store/sqlite/writer.rs",
        "src/worker/turn.rs",
        "src/worker/pages.rs",
        "src/record/message.rs",
        "src/turn/engine.rs",
        "src/queue/embedded.rs",
        "src/store/sqlite/due.rs",
        "Cargo.toml",
    ] {
        tape.turn(None, "", &[read(path)], false);
    }
}

fn report(tape: &mut Tape) {
    tape.user("Is the scratch crate still green? Then sum up.");
    tape.turn(
        None,
        "",
        &[bash("cargo test --offline --quiet 2>&1 | sed 's/finished in .*//'")],
        false,
    );
    tape.turn(
        None,
        "The scratch crate is green. A message is read field by field so that arguments keep \
         their characters; tokens are counted once a block; results are bound to calls once, as \
         they come; and a turn commits whole or not at all.",
        &[],
        false,
    );
}
