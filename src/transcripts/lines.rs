//! JSON lines with their numbers, from bytes as they are found on disks.

use serde_json::Value;

use super::tally::Tally;
use super::{Source, TranscriptError};
use crate::record::replace_lone_surrogates;

/// Refuses what is no text at all, before an importer looks at it.
pub(super) fn check_text(source: &Source<'_>) -> Result<(), TranscriptError> {
    let name = source.name.to_owned();
    let head = &source.bytes[..source.bytes.len().min(8192)];
    if head.contains(&0) {
        return Err(TranscriptError::Binary { name });
    }
    let blank = source.bytes.iter().all(u8::is_ascii_whitespace);
    if blank { Err(TranscriptError::Empty { name }) } else { Ok(()) }
}

/// The text of a file without its byte order mark; bytes that are no UTF-8 become U+FFFD.
pub(super) fn text(source: &Source<'_>) -> String {
    let bytes = source.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(source.bytes);
    String::from_utf8_lossy(bytes).into_owned()
}

/// One JSON value a line, with its number from 1. Blank lines are passed over; lines that are
/// no JSON are noted in `tally`, and so are those in which a lone surrogate was replaced.
pub(super) fn json_lines(source: &Source<'_>, tally: &mut Tally) -> Vec<(u64, Value)> {
    let text = text(source);
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
        .filter_map(|(number, line)| match parse(line, tally) {
            Ok(value) => Some((number, value)),
            Err(error) => {
                tally.unreadable(number, error.to_string());
                None
            }
        })
        .collect()
}

/// The whole file as one JSON value.
pub(super) fn json_value(source: &Source<'_>, tally: &mut Tally) -> Result<Value, TranscriptError> {
    parse(&text(source), tally).map_err(|error| TranscriptError::NotJson {
        name: source.name.to_owned(),
        reason: error.to_string(),
    })
}

/// One JSON text, lone surrogates replaced.
pub(super) fn parse(json: &str, tally: &mut Tally) -> Result<Value, serde_json::Error> {
    let repaired = replace_lone_surrogates(json);
    let value = serde_json::from_str(&repaired)?;
    if matches!(repaired, std::borrow::Cow::Owned(_)) {
        tally.note("lone surrogate replaced");
    }
    Ok(value)
}
