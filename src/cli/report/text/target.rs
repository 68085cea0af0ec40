//! One conversation on one target.

use std::collections::BTreeMap;

use super::cost;
use super::page::Page;
use crate::cli::paper::harmless;
use crate::cli::report::figures::{change_between, counted, factor, grouped, percent, size};
use crate::cli::report::kept::{Amount, Kept};
use crate::cli::report::model::{Accounting, EpochReport, TargetReport};
use crate::compaction::Trigger;

/// Of more epochs than this, the first and the last are told.
const EPOCHS_TOLD: usize = 6;

pub(super) fn write(page: &mut Page, target: &TargetReport, results: u64, compaction: bool) {
    page.margin(2);
    let name = harmless(target.target.as_str());
    page.line(&page.paper.strong(&name));
    page.margin(4);
    tokens(page, target);
    cleared(page, target, results, compaction);
    kept(page, &target.kept);
    page.field(
        "projection",
        &format!(
            "{}; {} of it stayed byte-equal from turn to turn",
            size(target.bytes),
            percent(target.prefix_stable)
        ),
    );
    if target.reasoning_left_out > 0 {
        let blocks = counted(target.reasoning_left_out, "reasoning block");
        page.prose("left out", &format!("{blocks} that this target would not take back"));
    }
    if !target.repairs.is_empty() {
        page.prose("made good", &counts(&target.repairs));
    }
    if let Some(accounting) = &target.accounting {
        counting(page, accounting);
    }
    page.blank();
    cost::write(page, target);
}

fn tokens(page: &mut Page, target: &TargetReport) {
    let (before, after) = (target.tokens_before.get(), target.tokens_after.get());
    if before == after {
        page.field("tokens", &grouped(before));
        return;
    }
    let change = change_between(before, after).unwrap_or_default();
    let change = page.paper.good(&change).into_owned();
    page.field("tokens", &format!("{} → {}  {change}", grouped(before), grouped(after)));
}

fn cleared(page: &mut Page, target: &TargetReport, results: u64, compaction: bool) {
    if target.epochs.is_empty() {
        let why = match &target.last_reason {
            _ if !compaction => "compaction is switched off (--no-compact)".to_owned(),
            Some(reason) => harmless(reason).into_owned(),
            None => "no turn called for it".to_owned(),
        };
        page.prose("cleared", &format!("0 of {}; {why}", counted(results, "result")));
        return;
    }
    let epochs = u64::try_from(target.epochs.len()).unwrap_or(u64::MAX);
    page.field(
        "cleared",
        &format!(
            "{} of {} in {}: {}",
            grouped(target.cleared_results),
            counted(results, "result"),
            counted(epochs, "epoch"),
            triggers(&target.epochs)
        ),
    );
    let all = target.epochs.len();
    for (i, epoch) in target.epochs.iter().enumerate() {
        let half = EPOCHS_TOLD / 2;
        if all <= EPOCHS_TOLD || i < half || i >= all - half {
            page.field("", &epoch_line(epoch));
        } else if i == half {
            page.field("", &format!("… {} more …", all - EPOCHS_TOLD));
        }
    }
}

/// `2 rent, 1 cold`.
fn triggers(epochs: &[EpochReport]) -> String {
    let mut by_trigger: BTreeMap<Trigger, u64> = BTreeMap::new();
    for epoch in epochs {
        *by_trigger.entry(epoch.trigger).or_default() += 1;
    }
    let told: Vec<String> =
        by_trigger.iter().map(|(trigger, count)| format!("{count} {}", trigger.as_str())).collect();
    told.join(", ")
}

fn epoch_line(epoch: &EpochReport) -> String {
    let back = match epoch.trigger {
        Trigger::Rent | Trigger::Cold | Trigger::Pressure | Trigger::Manual => "",
        Trigger::Undo => " back",
    };
    format!(
        "#{:<3} {:<8} {:>15}  {:>9} → {} tokens",
        epoch.number.to_string(),
        epoch.trigger.as_str(),
        counted(epoch.cleared, "result") + back,
        grouped(epoch.tokens_before.get()),
        grouped(epoch.tokens_after.get())
    )
}

fn kept(page: &mut Page, kept: &Kept) {
    let total = kept.total();
    if total.results == 0 {
        return;
    }
    page.field("kept", &weighed(total));
    for (why, amount) in kept.iter() {
        page.field("", &format!("{}  {}", weighed(amount), why.words()));
    }
}

/// Aligned, so that sums stand above what they are summed from.
fn weighed(amount: Amount) -> String {
    format!(
        "{:>13}  {:>14}",
        counted(amount.results, "result"),
        counted(amount.tokens.get(), "token")
    )
}

/// `calls answered as not completed: 2; names made legal: 1`.
fn counts(counts: &BTreeMap<String, u64>) -> String {
    let told: Vec<String> = counts
        .iter()
        .map(|(kind, count)| format!("{}: {}", harmless(kind), grouped(*count)))
        .collect();
    told.join("; ")
}

fn counting(page: &mut Page, accounting: &Accounting) {
    page.field(
        "counting",
        &format!(
            "{:.1} % off the provider's own, over {} (scale {})",
            accounting.error * 100.0,
            counted(accounting.compared, "report"),
            factor(u64::from(accounting.scale.get()))
        ),
    );
}
