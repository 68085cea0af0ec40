//! The command line, by the real binary: what works, and what people are told when it cannot.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const SESSION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/session.jsonl");

fn afterturn(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_afterturn"))
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("RUST_LOG")
        .env_remove("AFTERTURN_DB")
        .output()
        .expect("the binary starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

fn works(arguments: &[&str]) -> String {
    let output = afterturn(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

/// Fails with this code, says this, and writes nothing to standard output.
fn fails(arguments: &[&str], code: i32, says: &str) {
    let output = afterturn(arguments);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
    assert!(told.contains(says), "{arguments:?}: {told:?} does not say {says:?}");
    assert_eq!(stdout(&output), "");
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn the_main_job_gives_the_promised_report() {
    let report = works(&["run", SESSION, "--target", "anthropic,openai", "--json"]);
    let report: Value = serde_json::from_str(&report).expect("it is JSON");
    let conversation = &report["conversations"][0];
    assert_eq!(conversation["id"], "recorded-session");
    assert_eq!(conversation["format"], "claude-code");
    assert!(conversation["calls"].as_u64() > Some(60));
    let target = &conversation["targets"][0];
    assert!(target["cleared_results"].as_u64() > Some(10));
    assert!(target["tokens_after"].as_u64() < target["tokens_before"].as_u64());
    assert!(target["cost"]["afterturn"].as_f64() < target["cost"]["none"].as_f64());
    assert!(target["prefix_stable"].as_f64() > Some(0.8));
    assert!(target["epochs"][0]["trigger"].is_string());
    assert!(report["turns"]["count"].as_u64() > Some(50));
    assert!(report["turns"]["p99_ms"].is_number());
}

#[test]
fn a_conversation_can_be_shown_recalled_compacted_and_undone() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let db = dir.path().join("a.db");
    let db = path(&db);
    works(&["run", SESSION, "--target", "anthropic", "--db", db, "--json"]);
    let record = works(&["show", "recorded-session", "--db", db]);
    let epochs: Value = serde_json::from_str(&works(&[
        "show",
        "recorded-session",
        "--as",
        "epochs",
        "--json",
        "--db",
        db,
    ]))
    .expect("it is JSON");
    let clearing = &epochs[0]["clearings"][0];
    let id = clearing["call_id"].as_str().expect("an id");
    let marker = clearing["marker"].as_str().expect("a marker");
    assert!(marker.contains(id));
    let shown = works(&["show", "recorded-session", "--as", "anthropic", "--db", db]);
    assert!(shown.contains(marker));
    let recalled = works(&["recall", "recorded-session", id, "--db", db]);
    assert!(recalled.len() > 1000, "the whole output comes back");
    assert!(record.contains(&serde_json::to_string(recalled.trim_end()).expect("a string")));

    works(&["undo", "recorded-session", "1", "--db", db]);
    let undone = works(&["show", "recorded-session", "--as", "anthropic", "--db", db]);
    assert!(!undone.contains(marker));
    fails(&["undo", "recorded-session", "1", "--db", db], 3, "already undone");
    let dry = works(&["compact", "recorded-session", "--dry-run", "--db", db]);
    assert!(dry.contains("would clear"), "{dry}");
    works(&["compact", "recorded-session", "--keep-tokens", "0", "--db", db]);
    assert_eq!(
        works(&["show", "recorded-session", "--db", db]),
        record,
        "the record never changes"
    );
    let tokens = works(&["show", "recorded-session", "--as", "tokens", "--db", db]);
    assert!(tokens.contains("total"));
}

#[test]
fn the_same_session_twice_adds_nothing_and_a_longer_one_goes_on() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let db = dir.path().join("a.db");
    let text = std::fs::read_to_string(SESSION).expect("the example is there");
    let lines: Vec<&str> = text.lines().collect();
    // Cut where a person speaks next, so that no message is half.
    let cut = (40..lines.len())
        .find(|n| lines[*n].contains(r#""role":"user","content":""#))
        .expect("a person speaks");
    let part = dir.path().join("part.jsonl");
    std::fs::write(&part, lines[..cut].join("\n")).expect("written");
    let first = works(&["import", path(&part), "--db", path(&db), "--json"]);
    let first: Value = serde_json::from_str(&first).expect("it is JSON");
    assert_eq!(first[0]["new"], first[0]["messages"]);
    let whole = works(&["import", SESSION, "--db", path(&db), "--json"]);
    let whole: Value = serde_json::from_str(&whole).expect("it is JSON");
    let (new, all) = (whole[0]["new"].as_u64(), whole[0]["messages"].as_u64());
    assert_eq!(new, all.zip(first[0]["messages"].as_u64()).map(|(all, first)| all - first));
    let again = works(&["import", SESSION, "--db", path(&db), "--json"]);
    assert!(again.contains("\"new\": 0"));
}

#[test]
fn project_prints_a_request_for_pipes() {
    for target in ["anthropic", "openai"] {
        let whole = works(&["project", SESSION, "--target", target]);
        let compacted = works(&["project", SESSION, "--target", target, "--compact"]);
        let value: Value = serde_json::from_str(&whole).expect("it is JSON");
        assert!(value["messages"].as_array().is_some_and(|list| list.len() > 100));
        assert!(compacted.len() < whole.len() * 9 / 10, "compaction shows");
    }
}

#[test]
fn bad_input_is_refused_with_what_to_do_and_nothing_is_made() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = |name: &str, bytes: &[u8]| {
        let file = dir.path().join(name);
        std::fs::write(&file, bytes).expect("written");
        path(&file).to_owned()
    };
    let db = dir.path().join("none.db");
    let cases = [
        (file("empty", b" \n"), "found an empty one"),
        (file("binary", b"\x7fELF\0\0"), "binary data"),
        (file("words", b"just words"), "expected JSON"),
        (file("cut.json", br#"{"messages":[{"role":"us"#), "EOF"),
        (file("other.json", br#"{"a":1}"#), "not a session format"),
        (dir.path().join("missing").display().to_string(), "No such file"),
        (dir.path().display().to_string(), "directory"),
    ];
    for (input, says) in &cases {
        fails(&["run", input, "--db", path(&db)], 3, says);
    }
    fails(&["run", SESSION, "--format", "codex", "--db", path(&db)], 3, "no conversation is in it");
    fails(
        &["run", SESSION, "--target", "anthropik", "--db", path(&db)],
        3,
        "did you mean \"anthropic\"",
    );
    fails(&["run", SESSION, "--format", "word"], 2, "possible values");
    fails(&["frobnicate"], 2, "unrecognized subcommand");
    assert!(!db.exists(), "nothing is made for a command that cannot work");
    let strict =
        file("strict.jsonl", b"{\"type\":\"user\",\"uuid\":\"u\",\"message\":\"hi\"}\nnot json\n");
    fails(&["run", &strict, "--strict"], 3, "line 2");
    let lenient = works(&["run", &strict, "--json"]);
    assert!(lenient.contains("\"line\": 2"));
}

#[test]
fn a_database_that_cannot_be_used_is_left_as_it_is() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| dir.path().join(name);
    std::fs::write(at("words.db"), "not a database at all, but some text").expect("written");
    fails(&["run", SESSION, "--db", path(&at("words.db"))], 4, "not an afterturn database");
    let words = std::fs::read_to_string(at("words.db")).expect("still there");
    assert_eq!(words, "not a database at all, but some text");

    let foreign = rusqlite::Connection::open(at("foreign.db")).expect("it opens");
    foreign.execute_batch("CREATE TABLE theirs (a)").expect("made");
    drop(foreign);
    fails(&["run", SESSION, "--db", path(&at("foreign.db"))], 4, "another program");

    works(&["import", SESSION, "--db", path(&at("newer.db"))]);
    let newer = rusqlite::Connection::open(at("newer.db")).expect("it opens");
    newer.pragma_update(None, "user_version", 99).expect("set");
    drop(newer);
    fails(&["show", "recorded-session", "--db", path(&at("newer.db"))], 4, "use a newer");

    let cut = std::fs::read(at("newer.db")).expect("it is read");
    std::fs::write(at("cut.db"), &cut[..cut.len() / 2]).expect("written");
    let output = afterturn(&["show", "recorded-session", "--db", path(&at("cut.db"))]);
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));

    fails(&["show", "x", "--db", path(&at("absent.db"))], 4, "there is no database");
    assert!(!at("absent.db").exists());
    fails(&["run", SESSION, "--db", path(dir.path())], 4, "it is a folder");
    fails(&["run", SESSION, "--db", "/nonexistent/folder/a.db"], 4, "cannot be opened");
    works(&["import", SESSION, "--db", path(&at("ok.db"))]);
    fails(&["show", "nobody", "--db", path(&at("ok.db"))], 3, "is not in this store");
    fails(
        &["recall", "recorded-session", "nothing", "--db", path(&at("ok.db"))],
        3,
        "holds no result",
    );
}

#[cfg(unix)]
#[test]
fn a_database_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().expect("a temporary directory");
    let db = dir.path().join("a.db");
    works(&["import", SESSION, "--db", path(&db)]);
    for entry in std::fs::read_dir(dir.path()).expect("it is listed").flatten() {
        let mode = entry.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{:?}", entry.path());
    }
}

#[test]
fn the_example_session_holds_what_it_promises() {
    let text = std::fs::read_to_string(SESSION).expect("the example is there");
    assert!((250_000..420_000).contains(&text.len()), "{} bytes", text.len());
    assert!(text.matches(r#""type":"tool_use""#).count() > 60);
    assert!(text.contains(r#""is_error":true"#));
    assert!(text.contains("[Request interrupted by user]"));
    assert!(text.contains(r#""media_type":"image/png""#));
    for home in ["/home/", "/root/", "/Users/"] {
        assert!(!text.contains(home), "no path of a machine: {home}");
    }
    let report = works(&["run", SESSION, "--json"]);
    assert!(report.contains("\"calls answered as not completed\": 1"));
}
