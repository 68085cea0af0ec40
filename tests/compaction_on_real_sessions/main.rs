//! The policy on recorded sessions: what their input costs and what it forgets.
//!
//! Counted: the history only, as no session holds its system prompt and tool declarations;
//! text, calls (arguments decoded) and results in `o200k_base` tokens, times a scale; a
//! picture as 1 500; reasoning not at all. A model call is an assistant message, an idle time
//! the gap between two of them. The history is the whole record, also past the summaries that
//! the recording agents made.

#![expect(clippy::print_stdout, reason = "the figures are what one runs this for")]

mod sessions;

use std::path::PathBuf;

use afterturn::compaction::simulate::{Report, Strategy, moments, simulate};
use afterturn::compaction::{Cost, Epoch, MessageFacts, Policy, State};
use afterturn::target::Target;
use afterturn::tokens::{Scale, Tokens};

/// What 456 model calls of the first session were billed for, by least squares: o200k counts
/// of results times 1.247, of decoded arguments times 1.253.
const CLAUDE: Scale = Scale::permille(1250);

fn opus() -> Target {
    serde_json::from_value(serde_json::json!({
        "name": "opus", "wire": "anthropic", "provider": "anthropic", "model": "claude-opus-4-5",
        "window": 200_000, "vision": true,
        "prices": {"input_micro_usd": 5_000_000, "write_permille": 1250, "read_permille": 100},
        "cache_lifetime_ms": 300_000, "encoding": "o200k_base", "images": "anthropic_area",
    }))
    .expect("it is a target")
}

/// A session with what it costs when nothing is cleared.
struct Session {
    facts: Vec<MessageFacts>,
    none: Report,
}

impl Session {
    fn read(name: &str, scale: Scale) -> Option<Self> {
        let Some(folder) = sessions::folder() else {
            println!("no transcripts here: {name} not measured");
            return None;
        };
        let file: PathBuf = folder.join(name);
        let facts = sessions::facts(&sessions::read(&file), scale);
        let none = simulate(&moments(&facts, 0, &Policy::default()), &opus(), Strategy::NoClearing);
        println!("{name} x{}: {} calls", scale.get(), none.calls);
        Some(Self { facts, none })
    }

    fn run(&self, strategy: Strategy<'_>) -> Report {
        simulate(&moments(&self.facts, 0, &Policy::default()), &opus(), strategy)
    }

    fn epochs(&self, budget: u64) -> Vec<Epoch> {
        let policy = Policy { keep_tokens: Some(Tokens::new(budget)), ..Policy::default() };
        let (target, mut state) = (opus(), State::default());
        let steps = self.facts.iter().map(|message| state.step(message, &[&target], &policy));
        steps.filter_map(|step| step.outcome.ok()).collect()
    }

    /// Thousandths of input cost saved (lost, below 0), and the quotes regretted, at this
    /// budget.
    fn with_budget(&self, budget: u64) -> (i64, u64) {
        let epochs = self.epochs(budget);
        let report = self.run(Strategy::Epochs(&epochs));
        self.print(&format!("{budget} kept, {} epochs", epochs.len()), report)
    }

    fn keep_newest(&self, results: usize) -> (i64, u64) {
        self.print(&format!("newest {results}"), self.run(Strategy::KeepNewest(results)))
    }

    fn print(&self, name: &str, report: Report) -> (i64, u64) {
        let thousandths = |part: Cost, whole: Cost| {
            i64::try_from(part.permille_under(whole)).expect("at most 1000")
        };
        let saved =
            thousandths(report.cost, self.none.cost) - thousandths(self.none.cost, report.cost);
        println!(
            "  {name}: {saved} per mille less, peak {}, {} of {} quotes regretted",
            report.peak, report.regretted, report.quotes
        );
        (saved, report.regretted)
    }
}

#[test]
fn pi_session_as_the_design_counts_costs_42_and_31_percent_less_and_forgets_little() {
    let Some(session) = Session::read("pi/before-compaction.jsonl", Scale::ONE) else { return };
    assert_eq!((session.none.calls, session.none.quotes), (484, 224));
    let (saved, regretted) = session.with_budget(20_000);
    assert!(saved >= 420 && regretted <= 26, "{saved} {regretted}");
    let (saved, regretted) = session.with_budget(40_000);
    assert!(saved >= 310 && regretted <= 17, "{saved} {regretted}");
    let (_, forgotten) = session.keep_newest(3);
    assert!(forgotten * 1000 / session.none.quotes >= 600, "{forgotten}");
}

#[test]
fn pi_session_in_the_tokens_that_were_billed_saves_as_much() {
    let Some(session) = Session::read("pi/before-compaction.jsonl", CLAUDE) else { return };
    let (saved, regretted) = session.with_budget(20_000);
    assert!(saved >= 420 && regretted <= 32, "{saved} {regretted}");
    let (saved, regretted) = session.with_budget(40_000);
    assert!(saved >= 320 && regretted <= 21, "{saved} {regretted}");
}

#[test]
fn codex_session_costs_less_than_half_and_forgets_a_tenth() {
    let name = "codex/agentv-531calls-3compacts.jsonl";
    let Some(session) = Session::read(name, Scale::ONE) else { return };
    let (saved, regretted) = session.with_budget(20_000);
    assert!(saved >= 640 && regretted <= 10, "{saved} {regretted}");
    let (_, forgotten) = session.keep_newest(3);
    assert!(forgotten >= 6 * regretted, "{forgotten}");
}

#[test]
fn claude_code_session_costs_less_and_forgets_almost_nothing() {
    let Some(session) = Session::read("claude_code/posh-591calls.jsonl", CLAUDE) else { return };
    let (saved, regretted) = session.with_budget(20_000);
    assert!(saved >= 150 && regretted <= 4, "{saved} {regretted}");
    let (saved, _) = session.with_budget(40_000);
    assert!(saved >= 30, "{saved}");
}

/// On none of these was anything tuned.
const HELD_OUT: [&str; 11] = [
    "claude_code/cipherbox-images.jsonl",
    "claude_code/cua-wazuh-screenshots.jsonl",
    "claude_code/entire-3compacts-interrupts.jsonl",
    "claude_code/entire-orphan-calls.jsonl",
    "claude_code/entire-orphan-result.jsonl",
    "claude_code/obra-large-v1.jsonl",
    "claude_code/posh-empty-thinking.jsonl",
    "claude_code/posh-parallel22.jsonl",
    "claude_code/spotter-4d5611e5.jsonl",
    "codex/agentv-aborted-orphans.jsonl",
    "codex/agentcmd-2025-09-aborted.jsonl",
];

#[test]
fn sessions_that_nothing_was_tuned_on_cost_at_worst_two_percent_more_and_forget_little() {
    for scale in [Scale::ONE, CLAUDE] {
        let (mut quotes, mut regretted, mut forgotten) = (0, 0, 0);
        for name in HELD_OUT {
            let Some(session) = Session::read(name, scale) else { return };
            let (saved, regret) = session.with_budget(20_000);
            assert!(saved >= -20, "{name}: {saved}");
            quotes += session.none.quotes;
            regretted += regret;
            forgotten += session.keep_newest(3).1;
        }
        println!("held out x{}: {regretted} of {quotes}, newest 3 {forgotten}", scale.get());
        assert!(regretted * 1000 <= quotes * 60, "{regretted} of {quotes}");
        assert!(forgotten * 1000 >= quotes * 600, "{forgotten} of {quotes}");
    }
}
