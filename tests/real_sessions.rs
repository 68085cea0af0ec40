//! Real sessions of real agents, where they are at hand.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use afterturn::compaction::Policy;
use afterturn::record::Stored;
use afterturn::replay::{Cut, history, project_whole};
use afterturn::target::Catalog;
use afterturn::transcripts::{Source, detect, read};
use afterturn::turn::{Order, walk};
use support::wire::violations;
use support::{shared_transcripts, stored};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending != "md") {
            found.push(path);
        }
    }
    found.sort();
}

/// The formats that are read, by the folder that a session lies in.
const READ: [&str; 6] =
    ["claude_code", "codex", "openai_chat", "pi", "anthropic_messages", "swe_agent"];

#[test]
fn every_real_session_is_read_and_valid_for_every_target_before_and_after_compaction() {
    let Some(folder) = shared_transcripts() else { return };
    let mut found = Vec::new();
    files(&folder, &mut found);
    assert!(found.len() > 30, "the folder holds sessions");
    let catalog = Catalog::builtin();
    for file in found {
        let bytes = std::fs::read(&file).expect("it is read");
        let name = file.display().to_string();
        let source = Source { name: &name, bytes: &bytes };
        let known = READ.iter().any(|known| name.contains(&format!("/{known}/")));
        let format = detect(&source);
        assert_eq!(format.is_ok(), known, "{name}: {format:?}");
        let Ok(format) = format else { continue };
        for conversation in read(&source, format).expect("it is read").conversations {
            let messages = stored(conversation.messages);
            check(&name, &messages, &catalog);
        }
    }
}

fn check(name: &str, messages: &[Stored], catalog: &Catalog) {
    for target in catalog.iter() {
        let order = Order { targets: &[target], policy: &Policy::default() };
        let epochs = walk(order, messages).engine.finish().epochs;
        for epochs in [&[][..], &epochs] {
            let projection = project_whole(messages, epochs, target, Cut::Every { bytes: 1 });
            let text = history(target, &projection.system, &projection.history());
            let value = serde_json::from_str(&text).expect("it is JSON");
            let broken = violations(target.wire, &value);
            assert!(broken.is_empty(), "{name} for {}: {broken:?}", target.name);
            let whole = project_whole(messages, epochs, target, Cut::Never);
            assert_eq!(whole.history(), projection.history(), "{name} for {}", target.name);
        }
    }
}

/// The figures of the policy on a long session, at the prices of the model that it was held
/// with: no dearer than the design's prototype found, and forgetting far less than keeping
/// three results does.
#[test]
fn the_policys_figures_hold_on_a_long_session() {
    let Some(folder) = shared_transcripts() else { return };
    let session = folder.join("pi/before-compaction.jsonl");
    for (keep, saves_at_least) in [("20k", 0.42), ("40k", 0.31)] {
        let output = Command::new(env!("CARGO_BIN_EXE_afterturn"))
            .arg("run")
            .arg(&session)
            .args(["--target", "anthropic", "--keep-tokens", keep, "--json"])
            .output()
            .expect("the binary starts");
        let report: serde_json::Value =
            serde_json::from_slice(&output.stdout).expect("the report is JSON");
        let conversation = &report["conversations"][0];
        assert_eq!((&conversation["calls"], &conversation["results"]), (&454.into(), &448.into()));
        let target = &conversation["targets"][0];
        let cost = |way: &str| target["cost"][way].as_f64().expect("a figure");
        let saved = 1.0 - cost("afterturn") / cost("none");
        assert!(saved >= saves_at_least, "{keep}: {saved}");
        let regret = |way: &str| target["regret"][way].as_u64().expect("a figure");
        assert!(regret("afterturn_missed") * 3 < regret("keep3_missed"), "{keep}");
    }
}
