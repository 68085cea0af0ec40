//! One conversation: what it is, what of its file is not in it, then each target.

use super::page::Page;
use super::target;
use crate::cli::paper::{clipped, harmless};
use crate::cli::report::figures::{counted, grouped};
use crate::cli::report::model::{ConversationReport, UnreadableLine};

/// More unreadable lines than this are counted, not told.
const LINES_TOLD: usize = 3;

pub(super) fn write(page: &mut Page, conversation: &ConversationReport, compaction: bool) {
    page.blank();
    heading(page, conversation);
    for told in &conversation.targets {
        page.blank();
        target::write(page, told, conversation.results, compaction);
    }
    page.margin(0);
}

fn heading(page: &mut Page, conversation: &ConversationReport) {
    page.margin(0);
    let id = harmless(conversation.id.as_str());
    let line = format!("{}  {}", page.paper.strong(&id), harmless(&conversation.format));
    page.line(&line);
    page.margin(2);
    page.line(&harmless(&conversation.source));
    page.line(&format!(
        "{}, {}, {}",
        counted(conversation.messages, "message"),
        counted(conversation.calls, "call"),
        counted(conversation.results, "result"),
    ));
    if !conversation.skipped.is_empty() {
        page.line(&format!("skipped, as no part of the conversation: {}", kinds(conversation)));
    }
    if let Some(told) = unreadable(&conversation.unreadable) {
        page.warning(&told);
    }
    for note in &conversation.notes {
        page.warning(&harmless(note));
    }
}

/// `12 summary, 4 progress`, the most frequent first.
fn kinds(conversation: &ConversationReport) -> String {
    let mut kinds: Vec<(&String, &u64)> = conversation.skipped.iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let told: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| format!("{} {}", grouped(**count), harmless(kind)))
        .collect();
    told.join(", ")
}

fn unreadable(lines: &[UnreadableLine]) -> Option<String> {
    let count = u64::try_from(lines.len()).unwrap_or(u64::MAX);
    let told: Vec<String> = lines
        .iter()
        .take(LINES_TOLD)
        .map(|line| format!("line {}: {}", line.line, clipped(&line.error, 120)))
        .collect();
    let rest = lines.len().saturating_sub(LINES_TOLD);
    let more = if rest > 0 { format!("; and {rest} more") } else { String::new() };
    (count > 0).then(|| {
        format!("{} could not be read ({}{more})", counted(count, "line"), told.join("; "))
    })
}
