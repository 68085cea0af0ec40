//! What an importer did not carry, counted as it goes.

use std::collections::BTreeMap;

use super::{Conversation, Format, Transcript, Unreadable};

/// Counts of what was skipped, altered, or could not be read.
#[derive(Debug, Default)]
pub(super) struct Tally {
    skipped: BTreeMap<String, u64>,
    notes: BTreeMap<String, u64>,
    unreadable: Vec<Unreadable>,
}

impl Tally {
    /// Something that the record does not hold.
    pub(super) fn skip(&mut self, kind: impl Into<String>) {
        *self.skipped.entry(kind.into()).or_default() += 1;
    }

    /// Something that was kept but altered.
    pub(super) fn note(&mut self, kind: impl Into<String>) {
        *self.notes.entry(kind.into()).or_default() += 1;
    }

    /// Something that could not be read.
    pub(super) fn unreadable(&mut self, line: u64, reason: impl Into<String>) {
        self.unreadable.push(Unreadable { line, reason: reason.into() });
    }

    /// In words, for a file that held no conversation.
    pub(super) fn detail(&self) -> String {
        let skipped: Vec<_> =
            self.skipped.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        match (skipped.is_empty(), self.unreadable.first()) {
            (true, None) => "it holds no message".to_owned(),
            (true, Some(first)) => format!(
                "{} lines could not be read; line {}: {}",
                self.unreadable.len(),
                first.line,
                first.reason
            ),
            (false, _) => {
                format!("skipped {}; {} unreadable", skipped.join(", "), self.unreadable.len())
            }
        }
    }

    /// All of it, with what was carried.
    pub(super) fn transcript(self, format: Format, conversations: Vec<Conversation>) -> Transcript {
        let Self { skipped, notes, unreadable } = self;
        Transcript { format, conversations, skipped, unreadable, notes }
    }
}
