//! The policy on recorded sessions: what their input costs and what they forget.
mod sessions;

use afterturn::compaction::simulate::{Report, Strategy, simulate};
use afterturn::compaction::{Epoch, Policy, State};
use afterturn::target::Target;
use afterturn::tokens::{Scale, Tokens};

fn opus() -> Target {
    serde_json::from_value(serde_json::json!({
        "name": "opus", "wire": "anthropic", "provider": "anthropic", "model": "claude-opus-4-5",
        "window": 200_000, "vision": true,
        "prices": {"input_micro_usd": 5_000_000, "write_permille": 1250, "read_permille": 100},
        "cache_lifetime_ms": 300_000, "encoding": "o200k_base", "images": "anthropic_area",
    }))
    .expect("a target")
}

#[test]
fn explore() {
    let Some(folder) = sessions::folder() else {
        println!("no transcripts");
        return;
    };
    let scale: u32 = std::env::var("SCALE").ok().and_then(|s| s.parse().ok()).unwrap_or(1000);
    for file in [
        "pi/before-compaction.jsonl",
        "pi/pinion-dashboard.jsonl",
        "claude_code/posh-591calls.jsonl",
        "codex/agentv-531calls-3compacts.jsonl",
    ] {
        let messages = sessions::read(&folder.join(file));
        let target = opus();
        let facts = sessions::facts(&messages, Scale::permille(scale), &Policy::default());
        let raw: Tokens = facts.messages.iter().map(|m| m.tokens[0]).sum();
        let res: Tokens = facts.messages.iter().flat_map(|m| &m.results).map(|r| r.tokens[0]).sum();
        println!(
            "== {file}: {} messages, {} results, raw {raw}, results {res}",
            messages.len(),
            facts.messages.iter().map(|m| m.results.len()).sum::<usize>()
        );
        let none = simulate(&facts.moments, &target, Strategy::NoClearing);
        show("none", none, none, &[]);
        for n in [3, 5, 10] {
            show(
                &format!("keep {n}"),
                simulate(&facts.moments, &target, Strategy::KeepNewest(n)),
                none,
                &[],
            );
        }
        for budget in [20_000, 40_000] {
            for gain in [std::env::var("GAIN").ok().and_then(|s| s.parse().ok()).unwrap_or(4000)] {
                let policy = Policy {
                    keep_tokens: Some(Tokens::new(budget)),
                    min_gain_permille: gain / 200,
                    high_watermark_permille: std::env::var("HW")
                        .ok()
                        .and_then(|s| s.parse().ok())
                        .unwrap_or(750),
                    ..Policy::default()
                };
                let mut state = State::default();
                let epochs: Vec<Epoch> = facts
                    .messages
                    .iter()
                    .filter_map(|m| state.step(m, &[&target], &policy).outcome.ok())
                    .collect();
                let report = simulate(&facts.moments, &target, Strategy::Epochs(&epochs));
                show(&format!("{budget} gain {gain}"), report, none, &epochs);
                if gain == 1000 && std::env::var("EP").is_ok() {
                    for e in &epochs {
                        println!(
                            "    {} at {} {} -> {} rewrite {}",
                            e.reason, e.at, e.tokens_before, e.tokens_after, e.predicted_rewrite
                        );
                    }
                }
            }
        }
    }
}

fn show(name: &str, report: Report, none: Report, epochs: &[Epoch]) {
    let mut kinds = std::collections::BTreeMap::new();
    for e in epochs {
        *kinds.entry(e.trigger.as_str()).or_insert(0) += 1;
    }
    let saved = 100.0 * (1.0 - report.cost.get() as f64 / none.cost.get() as f64);
    println!(
        "{name:>20}: cost {:>10} saved {saved:5.1} % peak {} regret {}/{} {kinds:?}",
        report.cost.to_string(),
        report.peak,
        report.regretted,
        report.quotes
    );
}
