//! The end of a report: files that could not be read, times, the database, what to do next.

use super::page::Page;
use crate::cli::paper::harmless;
use crate::cli::report::figures::{counted, grouped, shell_word, short_time};
use crate::cli::report::model::{ClearedResult, ConversationReport, RunReport};

pub(super) fn write(page: &mut Page, report: &RunReport) {
    page.margin(0);
    page.blank();
    for failed in &report.failed {
        page.error(&format!(
            "failed: {} after {}: {}",
            harmless(failed.id.as_str()),
            counted(u64::from(failed.attempts), "attempt"),
            harmless(&failed.error)
        ));
    }
    for input in &report.unread {
        page.warning(&format!("not read: {}: {}", harmless(&input.source), harmless(&input.error)));
    }
    turns(page, report);
    let temporary =
        if report.database.temporary { "  (temporary; --db FILE names one to keep)" } else { "" };
    page.field("database", &format!("{}{temporary}", harmless(&report.database.path)));
    next(page, report);
}

fn turns(page: &mut Page, report: &RunReport) {
    let turns = report.turns;
    let times = match (turns.p50, turns.p99) {
        (Some(p50), Some(p99)) => {
            format!("; half within {}, 99 of 100 within {}", short_time(p50), short_time(p99))
        }
        (None, _) | (_, None) => String::new(),
    };
    page.field("turns", &format!("{}{times}", grouped(turns.count)));
}

/// Commands to copy: about the conversation in which most was cleared.
fn next(page: &mut Page, report: &RunReport) {
    let Some(conversation) = most_cleared(report) else { return };
    let id = shell_word(conversation.id.as_str());
    let db = shell_word(&report.database.path);
    page.blank();
    if let Some(cleared) = largest(conversation) {
        let what = "when and why output was cleared";
        step(page, what, &format!("show {id} --as epochs --db {db}"));
        let call = shell_word(cleared.call_id.as_str());
        let what = format!(
            "the largest cleared output as it was ({}, {} tokens)",
            harmless(cleared.tool.as_str()),
            grouped(cleared.tokens.get())
        );
        step(page, &what, &format!("recall {id} {call} --db {db}"));
    } else {
        let what = "what every result weighs, and why it is kept";
        step(page, what, &format!("show {id} --as tokens --explain --db {db}"));
    }
    if let Some(target) = conversation.targets.first() {
        let name = shell_word(target.target.as_str());
        let what = format!("the history as {} now receives it", harmless(target.target.as_str()));
        step(page, &what, &format!("show {id} --as {name} --db {db}"));
    }
}

fn step(page: &mut Page, what: &str, command: &str) {
    let what = page.paper.faint(&format!("# {what}")).into_owned();
    page.line(&what);
    page.line(&format!("afterturn {command}"));
}

fn most_cleared(report: &RunReport) -> Option<&ConversationReport> {
    let cleared = |conversation: &ConversationReport| {
        conversation.targets.first().map_or(0, |target| target.cleared_results)
    };
    // The first of equals: `max_by_key` would take the last.
    report.conversations.iter().rev().max_by_key(|conversation| cleared(conversation))
}

fn largest(conversation: &ConversationReport) -> Option<&ClearedResult> {
    let epochs = conversation.targets.first().map(|target| target.epochs.as_slice());
    epochs
        .unwrap_or_default()
        .iter()
        .filter_map(|epoch| epoch.largest.as_ref())
        .max_by_key(|cleared| cleared.tokens)
}
