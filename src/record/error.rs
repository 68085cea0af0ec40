//! What is wrong with a message that cannot be read, and where.

use thiserror::Error;

/// A message that is not a record message. Nothing of it was kept.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordError {
    /// The text is not JSON at all.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// A value has another shape than the record's.
    #[error("{path}: expected {expected}, found {found}")]
    Shape {
        /// Where, as `blocks[2].output[0].type`; `message` for the message itself.
        path: String,
        /// What the record takes there.
        expected: &'static str,
        /// What stood there, shortened.
        found: String,
    },
    /// A block type the record does not know.
    #[error("{path}: unknown block type {found:?}; known types are {known}")]
    UnknownBlock {
        /// Where, as `blocks[2].type`.
        path: String,
        /// The type that stood there.
        found: String,
        /// The types that may stand there.
        known: &'static str,
    },
}

impl RecordError {
    pub(super) fn shape(path: &str, expected: &'static str, found: &str) -> Self {
        Self::Shape {
            path: if path.is_empty() { "message".to_owned() } else { path.to_owned() },
            expected,
            found: shorten(found),
        }
    }
}

/// Enough of a bad value to recognise it, without repeating megabytes of it.
fn shorten(found: &str) -> String {
    const LIMIT: usize = 60;
    match found.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", &found[..end]),
        None => found.to_owned(),
    }
}
