//! A run that is killed with -9 at any moment ends, once it is run again, in the same bytes as
//! a run that nobody disturbed (invariants 11, 13, 15), and keeps every acknowledged message.

use std::path::Path;
use std::process::{Command, Stdio};

const KILLS: u32 = 50;
const SESSION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/session.jsonl");
const TARGETS: [&str; 2] = ["anthropic", "openai"];

fn afterturn() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterturn"));
    command.stdin(Stdio::null()).env_remove("RUST_LOG");
    command
}

fn run_on(db: &Path) -> Command {
    let mut command = afterturn();
    command.arg("run").arg(SESSION).arg("--db").arg(db).arg("--json");
    for target in TARGETS {
        command.arg("--target").arg(target);
    }
    command
}

fn output(mut command: Command) -> Vec<u8> {
    let output = command.output().expect("the binary starts");
    assert!(
        output.status.success(),
        "{command:?} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// What the database holds for its one conversation: the record, the epochs, each projection.
fn contents(db: &Path) -> Vec<Vec<u8>> {
    let report: serde_json::Value =
        serde_json::from_slice(&output(run_on(db))).expect("the report is JSON");
    let id = report["conversations"][0]["id"].as_str().expect("a conversation").to_owned();
    ["record", "epochs"]
        .into_iter()
        .chain(TARGETS)
        .map(|view| {
            let mut show = afterturn();
            show.args(["show", &id, "--as", view, "--json", "--db"]).arg(db);
            output(show)
        })
        .collect()
}

#[test]
fn killed_at_any_moment_the_same_bytes_come_out() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let undisturbed = dir.path().join("undisturbed.db");
    let started = std::time::Instant::now();
    output(run_on(&undisturbed));
    let whole_run = started.elapsed();
    let expected = contents(&undisturbed);
    assert!(
        String::from_utf8_lossy(&expected[1]).contains("\"trigger\""),
        "the session must be long enough that something is cleared"
    );

    let mut rng = fastrand::Rng::with_seed(7);
    let mut cut_short = 0;
    let mut victim = dir.path().join("victim-0.db");
    for kill in 0..KILLS {
        let mut child = run_on(&victim)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        std::thread::sleep(whole_run.mul_f64(rng.f64()));
        let finished = child.try_wait().expect("the child can be asked").is_some();
        child.kill().expect("a child can be killed");
        child.wait().expect("a child can be waited for");
        cut_short += u32::from(!finished);
        if finished {
            // It got through: what it left must be right already; go on with a new database.
            assert!(contents(&victim) == expected, "after kill {kill}");
            victim = dir.path().join(format!("victim-{kill}.db"));
        }
    }
    assert!(contents(&victim) == expected, "after the last kill");
    assert!(cut_short >= KILLS / 2, "only {cut_short} of {KILLS} runs were really cut short");
}
