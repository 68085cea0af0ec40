//! Text that every wire takes (C3, C4, C6), and the fixed words of replay.

use std::borrow::Cow;

use serde::Serialize;

use super::item::{Call, Evidence};
use super::repairs::{Repair, Repairs};
use crate::record::{Arguments, CallForm, JsonObject, Status, replace_nul_escapes};

/// Said for a call that has no result.
pub(super) const DID_NOT_COMPLETE: &str = "[This call did not complete: it was interrupted \
     before a result came back. Whether it took effect is not known.]";
/// Said for a result that holds nothing.
pub(super) const RETURNED_NOTHING: &str = "[The tool completed and returned nothing.]";
/// Said for an error that holds nothing.
pub(super) const FAILED_WITH_NOTHING: &str = "[The tool failed and returned nothing.]";
/// Said where a wire wants a user message first and the record begins with the assistant (C8).
pub(super) const BEGINS_WITH_ASSISTANT: &str = "[The conversation begins with the assistant.]";

/// Whether a text says nothing: white space, controls and byte order marks only (C3, AN5, BE3).
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c.is_control() || c == '\u{feff}')
}

/// The text without NUL (C4). Other control characters are escaped when JSON is written.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', "\u{fffd}").into() } else { text.into() }
}

/// What a result without anything to show says instead.
pub(super) const fn nothing(status: Status) -> &'static str {
    match status {
        Status::Ok => RETURNED_NOTHING,
        Status::Error => FAILED_WITH_NOTHING,
    }
}

/// The arguments of a call as the text of a JSON object (C6).
pub(super) fn arguments(call: &Call<'_>, repairs: &mut Repairs) -> String {
    #[derive(Serialize)]
    struct Raw<'t> {
        #[serde(rename = "_raw")]
        raw: Cow<'t, str>,
    }
    match call.arguments {
        Arguments::Object(object) => object_text(object),
        // A tool that takes nothing is often called with nothing.
        Arguments::Broken(text) if is_blank(text) => "{}".to_owned(),
        Arguments::Broken(text) => {
            match call.form {
                CallForm::Function => repairs.count(Repair::ArgumentsWrapped),
                // Free text is what such a call takes; only the wire wants an object.
                CallForm::Custom => {}
            }
            to_json(&Raw { raw: clean(text) })
        }
    }
}

fn object_text(object: &JsonObject) -> String {
    let text = replace_nul_escapes(object.as_str());
    let text = crate::record::replace_lone_surrogates(&text);
    text.into_owned()
}

/// The head of what a result without its call becomes (invariant 5).
pub(super) fn evidence_head(evidence: &Evidence<'_>) -> String {
    let name = evidence.name.map(crate::record::ToolName::as_str).filter(|name| !is_blank(name));
    let name = clean(name.unwrap_or("unknown tool"));
    match evidence.status {
        Status::Ok => format!("Result ({name}):"),
        Status::Error => format!("Error ({name}):"),
    }
}

/// Writes a value of ours as JSON.
pub(super) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("our wire structs have string keys and write to memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_of_any_kind_is_blank() {
        for text in ["", " \t\r\n", "\u{a0}\u{3000}", "\u{1c}\0", "\u{feff}\u{2028}"] {
            assert!(is_blank(text), "{text:?}");
        }
        assert!(!is_blank(" . "));
    }

    #[test]
    fn nul_is_replaced_and_nothing_else() {
        assert_eq!(clean("a\0b\u{1}"), "a\u{fffd}b\u{1}");
    }
}
