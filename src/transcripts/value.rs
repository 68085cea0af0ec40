//! Small looks into JSON values of unknown shape.

use serde_json::Value;

use crate::record::{Arguments, Timestamp, Usage};

/// A field that is a non-empty string.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// A field that is a whole number; anything else counts as 0.
pub(super) fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or_default()
}

/// The elements of a field that is a list.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A time in RFC 3339 or Unix milliseconds.
pub(super) fn time(value: &Value, key: &str) -> Option<Timestamp> {
    match value.get(key)? {
        Value::String(text) => Timestamp::parse(text),
        Value::Number(number) => number.as_i64().map(Timestamp::from_millis),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Arguments that were given as a value: an object as its text, a string as what was written.
pub(super) fn arguments(value: Option<&Value>) -> Arguments {
    match value {
        None | Some(Value::Null) => Arguments::from_text("{}"),
        Some(Value::String(text)) => Arguments::from_text(text),
        Some(other) => Arguments::from_text(&other.to_string()),
    }
}

/// Usage, unless the provider reported nothing.
pub(super) fn reported(usage: Usage) -> Option<Usage> {
    (usage != Usage::default()).then_some(usage)
}

/// The name of a file without folders and endings: what names a conversation without an id.
pub(super) fn stem(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    if stem.is_empty() || stem == "-" { "conversation".to_owned() } else { stem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_is_what_a_person_calls_the_file() {
        assert_eq!(stem("/a/b/session.v2.jsonl"), "session");
        assert_eq!(stem("-"), "conversation");
        assert_eq!(stem(".jsonl"), "conversation");
    }

    #[test]
    fn arguments_keep_what_was_written() {
        let value = serde_json::json!({"b": 1, "a": 2});
        assert_eq!(arguments(Some(&value)).as_written(), r#"{"b":1,"a":2}"#);
        assert_eq!(arguments(Some(&Value::from("{ \"b\": 1}"))).as_written(), "{ \"b\": 1}");
        assert_eq!(arguments(Some(&Value::from("oops"))), Arguments::Broken("oops".into()));
        assert_eq!(arguments(None).as_written(), "{}");
    }
}
