//! Repairs on JSON text before it is parsed, for escapes that Rust strings cannot hold.
//!
//! Agents cut strings in the middle of a surrogate pair, and JSON can write that down
//! (`"\ud83d"`), but no UTF-8 can. Both functions borrow when there is nothing to do.

use std::borrow::Cow;

/// What stands in for what cannot stand: U+FFFD, as JSON escapes it.
const REPLACEMENT: &str = "\\ufffd";

/// Replaces every escaped surrogate that has no partner by an escaped U+FFFD (wire rule C4).
pub fn replace_lone_surrogates(json: &str) -> Cow<'_, str> {
    // Every surrogate is written \uD… or \ud…; nothing else needs a closer look.
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return Cow::Borrowed(json);
    }
    rewrite_escapes(json, |unit, rest| match unit {
        0xD800..=0xDBFF => match escaped_unit(rest) {
            Some(0xDC00..=0xDFFF) => Escape::KeepPair,
            _ => Escape::Replace,
        },
        0xDC00..=0xDFFF => Escape::Replace,
        _ => Escape::Keep,
    })
}

/// Replaces every escaped NUL by an escaped U+FFFD (wire rule C4: text has no NUL).
pub fn replace_nul_escapes(json: &str) -> Cow<'_, str> {
    if !json.contains("\\u0000") {
        return Cow::Borrowed(json);
    }
    rewrite_escapes(json, |unit, _| if unit == 0 { Escape::Replace } else { Escape::Keep })
}

/// The JSON with the escapes in its strings decoded: what a model reads where a provider shows
/// it the values and not their JSON. No JSON any more; for counting and comparing only.
pub fn decode_strings(json: &str) -> Cow<'_, str> {
    if !json.contains('\\') {
        return Cow::Borrowed(json);
    }
    let mut decoded = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(start) = rest.find('"') {
        decoded.push_str(&rest[..start]);
        let end = string_end(&rest[start..]).map_or(rest.len(), |length| start + length);
        let literal = &rest[start..end];
        match serde_json::from_str::<String>(&replace_lone_surrogates(literal)) {
            Ok(text) => decoded.push_str(&text),
            Err(_) => decoded.push_str(literal),
        }
        rest = &rest[end..];
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// The length of the string literal that `text` begins with, quotes included.
fn string_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    while *bytes.get(at)? != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    Some(at + 1)
}

enum Escape {
    Keep,
    KeepPair,
    Replace,
}

/// Walks the `\uXXXX` escapes of a JSON text, passing over every other escape whole, so that
/// an escaped backslash before a `u` is not taken for one.
fn rewrite_escapes(json: &str, decide: impl Fn(u16, &str) -> Escape) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = json[at..].find('\\') {
        let start = at + found;
        let Some(unit) = escaped_unit(&json[start..]) else {
            // Another escape, or text that is no JSON: step over the backslash and what follows.
            let next = json[start + 1..].chars().next().map_or(0, char::len_utf8);
            at = start + 1 + next;
            continue;
        };
        at = start + 6;
        match decide(unit, &json[at..]) {
            Escape::Keep => {}
            Escape::KeepPair => at += 6,
            Escape::Replace => {
                out.push_str(&json[copied..start]);
                out.push_str(REPLACEMENT);
                copied = at;
            }
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[copied..]);
    Cow::Owned(out)
}

/// The code unit of a `\uXXXX` that stands at the start of `text`.
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_pair_is_kept_and_a_lone_half_is_replaced() {
        assert_eq!(replace_lone_surrogates(r#""\ud83d\ude00""#), r#""\ud83d\ude00""#);
        assert_eq!(replace_lone_surrogates(r#""a\ud83d""#), r#""a\ufffd""#);
        assert_eq!(replace_lone_surrogates(r#""\uDE00b""#), r#""\ufffdb""#);
        assert_eq!(replace_lone_surrogates(r#""\ud83d\ud83d\ude00""#), r#""\ufffd\ud83d\ude00""#);
        assert_eq!(replace_lone_surrogates(r#""\ud83d\n""#), r#""\ufffd\n""#);
    }

    #[test]
    fn an_escaped_backslash_before_u_is_text() {
        assert_eq!(replace_lone_surrogates(r#""\\ud83d""#), r#""\\ud83d""#);
        assert_eq!(replace_nul_escapes(r#""\\u0000""#), r#""\\u0000""#);
        assert_eq!(replace_nul_escapes(r#""\\\u0000""#), r#""\\\ufffd""#);
    }

    #[test]
    fn strings_are_decoded_and_the_rest_stays() {
        assert_eq!(decode_strings(r#"{"a":"x\ny","b":[1,"\"q\""]}"#), "{a:x\ny,b:[1,\"q\"]}");
        assert_eq!(decode_strings(r#"{"a":1}"#), r#"{"a":1}"#);
        assert_eq!(decode_strings(r#"{"cut\n"#), r#"{"cut\n"#);
        assert_eq!(decode_strings("\"é\\"), "\"é\\");
    }

    #[test]
    fn text_that_is_no_json_does_not_panic() {
        for text in ["\\", "\\u", "\\ud8", "\\ué\\ud83d", "\\é\\ud83d", "\\ud83d\\"] {
            let _ = replace_lone_surrogates(text);
        }
        assert_eq!(replace_lone_surrogates("\\é\\ud83d"), "\\é\\ufffd");
    }
}
