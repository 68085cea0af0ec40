//! Many conversations: a table for each target, a line for each conversation, and the sum.

use std::collections::BTreeMap;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use super::cost;
use super::page::Page;
use crate::cli::paper::{clipped, harmless};
use crate::cli::report::figures::{Dollars, change, counted, grouped};
use crate::cli::report::model::{ConversationReport, RunReport, TargetReport};
use crate::cli::report::money::Usd;
use crate::target::TargetName;
use crate::tokens::Tokens;

/// Of more files with unreadable lines than this, the rest are counted.
const FILES_TOLD: usize = 5;

/// An id as long as a UUID is shown whole.
const ID: usize = 36;

pub(super) fn write(page: &mut Page, report: &RunReport) {
    for (target, rows) in by_target(&report.conversations) {
        page.blank();
        page.line(&page.paper.strong(&harmless(target.as_str())));
        page.margin(2);
        table(page, &rows);
        counted_how(page, target, &rows);
        page.margin(0);
    }
    page.blank();
    skipped(page, &report.conversations);
    unreadable(page, &report.conversations);
    if !report.compaction {
        page.line("Nothing was cleared: compaction is switched off (--no-compact).");
    }
}

/// In the order in which the targets first appear: the first one decided when to clear.
fn by_target(conversations: &[ConversationReport]) -> Vec<(&TargetName, Vec<Row<'_>>)> {
    let mut targets: Vec<(&TargetName, Vec<Row<'_>>)> = Vec::new();
    for conversation in conversations {
        for target in &conversation.targets {
            let row = Row { conversation, target };
            match targets.iter_mut().find(|(name, _)| **name == target.target) {
                Some((_, rows)) => rows.push(row),
                None => targets.push((&target.target, vec![row])),
            }
        }
    }
    targets
}

fn counted_how(page: &mut Page, target: &TargetName, rows: &[Row<'_>]) {
    let regrets = || rows.iter().filter_map(|row| row.target.regret);
    let quotes: u64 = regrets().map(|regret| regret.quotes).sum();
    if quotes > 0 {
        page.line(&format!(
            "forgot {} of {} (keep last 3: {})",
            grouped(regrets().map(|regret| regret.afterturn_missed).sum()),
            counted(quotes, "quote"),
            grouped(regrets().map(|regret| regret.keep3_missed).sum())
        ));
    }
    let Some(pricing) = rows.first().map(|row| row.target.pricing) else { return };
    let calls = rows.iter().map(|row| row.target.model_calls).sum();
    page.footnote(&cost::how_it_is_counted(target.as_str(), pricing, calls));
    if quotes > 0 {
        page.footnote(cost::FORGOT);
    }
}

#[derive(Clone, Copy)]
struct Row<'a> {
    conversation: &'a ConversationReport,
    target: &'a TargetReport,
}

fn table(page: &mut Page, rows: &[Row<'_>]) {
    let sum = |cost: fn(&TargetReport) -> Usd| rows.iter().map(|row| cost(row.target)).sum::<Usd>();
    let tokens = |of: fn(&TargetReport) -> Tokens| rows.iter().map(|row| of(row.target)).sum();
    let (none, afterturn) = (sum(|target| target.cost.none), sum(|target| target.cost.afterturn));
    let dollars = Dollars::up_to(none.max(afterturn));
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "conversation",
        "tokens",
        "after",
        "cleared",
        "no clearing",
        "Afterturn",
        "",
    ]);
    for Row { conversation, target } in rows {
        table.add_row(cells(
            clipped(conversation.id.as_str(), ID),
            (target.tokens_before, target.tokens_after, target.cleared_results),
            (target.cost.none, target.cost.afterturn, dollars),
        ));
    }
    let count = u64::try_from(rows.len()).unwrap_or(u64::MAX);
    table.add_row(cells(
        counted(count, "conversation"),
        (
            tokens(|target| target.tokens_before),
            tokens(|target| target.tokens_after),
            rows.iter().map(|row| row.target.cleared_results).sum(),
        ),
        (none, afterturn, dollars),
    ));
    lay_out(&mut table);
    put(page, &table, rows.len());
}

fn cells(
    name: String,
    (before, after, cleared): (Tokens, Tokens, u64),
    (none, afterturn, dollars): (Usd, Usd, Dollars),
) -> [String; 7] {
    [
        name,
        grouped(before.get()),
        grouped(after.get()),
        grouped(cleared),
        dollars.show(none),
        dollars.show(afterturn),
        afterturn.change_from(none).map(change).unwrap_or_default(),
    ]
}

/// Names to the left, figures to the right, two spaces between.
fn lay_out(table: &mut Table) {
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if i > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// Writes the table; its head and its last line stand out.
fn put(page: &mut Page, table: &Table, rows: usize) {
    for (i, line) in table.lines().enumerate() {
        let line = line.trim_end();
        let line = match i {
            0 => page.paper.faint(line),
            i if i == rows + 1 => page.paper.strong(line),
            _ => line.into(),
        };
        page.line(&line);
    }
}

fn skipped(page: &mut Page, conversations: &[ConversationReport]) {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for (kind, count) in conversations.iter().flat_map(|conversation| &conversation.skipped) {
        *kinds.entry(kind).or_default() += count;
    }
    if !kinds.is_empty() {
        let told: Vec<String> = kinds
            .iter()
            .map(|(kind, count)| format!("{} {}", grouped(*count), harmless(kind)))
            .collect();
        page.prose("skipped", &told.join(", "));
    }
}

fn unreadable(page: &mut Page, conversations: &[ConversationReport]) {
    let files: Vec<&ConversationReport> =
        conversations.iter().filter(|conversation| !conversation.unreadable.is_empty()).collect();
    for file in files.iter().take(FILES_TOLD) {
        let lines = u64::try_from(file.unreadable.len()).unwrap_or(u64::MAX);
        let first = file.unreadable.first().map(|line| line.line).unwrap_or_default();
        page.warning(&format!(
            "{}: {} could not be read, the first is line {first}",
            harmless(&file.source),
            counted(lines, "line")
        ));
    }
    let rest = files.len().saturating_sub(FILES_TOLD);
    if rest > 0 {
        page.warning(&format!("and lines of {rest} more files; --json lists them all"));
    }
}
