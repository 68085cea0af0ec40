//! Telling formats apart by content, never by a file's name.

use serde_json::Value;

use super::lines::{check_text, json_lines, json_value};
use super::tally::Tally;
use super::value::{list, text};
use super::{Format, Source, TranscriptError};

/// How many lines are looked at.
const LOOK: usize = 200;

/// The format of a file, by what is in it.
pub fn detect(source: &Source<'_>) -> Result<Format, TranscriptError> {
    check_text(source)?;
    let whole = json_value(source, &mut Tally::default());
    let values: Vec<Value> = if let Ok(value) = &whole {
        vec![value.clone()]
    } else {
        let lines = json_lines(source, &mut Tally::default());
        lines.into_iter().map(|(_, value)| value).take(LOOK).collect()
    };
    if values.is_empty() {
        return whole.map(|_| Format::OpenaiChat);
    }
    if let Some(format) = values.iter().find_map(of_line) {
        return Ok(format);
    }
    if let Some(format) = values.iter().find_map(of_request) {
        return Ok(format);
    }
    // A value cut in two has no line that is whole.
    if whole.is_err() && values.iter().all(|value| !value.is_object() && !value.is_array()) {
        return whole.map(|_| Format::OpenaiChat);
    }
    let looks_like = values.iter().find_map(other_program).map(str::to_owned);
    Err(TranscriptError::Unrecognised { name: source.name.to_owned(), looks_like })
}

/// A line of a session.
fn of_line(value: &Value) -> Option<Format> {
    let kind = text(value, "type")?;
    match kind {
        "session_meta" | "response_item" | "turn_context" | "event_msg" => Some(Format::Codex),
        // The oldest rollouts have no envelope.
        "function_call" | "function_call_output" if value.get("call_id").is_some() => {
            Some(Format::Codex)
        }
        "message" if value.get("role").is_some() && value.get("content").is_some() => {
            let parts = list(value, "content");
            parts
                .iter()
                .any(|part| matches!(text(part, "type"), Some("input_text" | "output_text")))
                .then_some(Format::Codex)
        }
        "session" | "message" | "model_change" | "thinking_level_change"
            if value.get("cwd").is_some()
                || value.get("message").is_some_and(|message| message.get("role").is_some()) =>
        {
            Some(Format::Pi)
        }
        "user" | "assistant" if value.get("message").is_some() => Some(Format::ClaudeCode),
        "summary" if value.get("leafUuid").is_some() => Some(Format::ClaudeCode),
        "file-history-snapshot" | "queue-operation" | "permission-mode" => Some(Format::ClaudeCode),
        _ => None,
    }
}

/// A request, a log of one, or a list of messages.
fn of_request(value: &Value) -> Option<Format> {
    if value.get("history").is_some_and(Value::is_array)
        || value.get("simulations").is_some_and(Value::is_array)
        || value.get("traj").is_some_and(Value::is_array)
        || value.get("body").is_some_and(|body| body.get("messages").is_some())
    {
        return Some(Format::OpenaiChat);
    }
    let messages = match value {
        Value::Array(messages) => messages.as_slice(),
        Value::Object(_) if value.get("messages").is_some() => list(value, "messages"),
        Value::Object(_) if value.get("role").is_some() => std::slice::from_ref(value),
        _ => return None,
    };
    if messages.first().is_some_and(|first| first.get("messages").is_some()) {
        return messages.iter().find_map(of_request);
    }
    let roles = messages.iter().any(|message| {
        matches!(
            text(message, "role"),
            Some("user" | "assistant" | "system" | "developer" | "tool" | "function")
        )
    });
    if !roles {
        return None;
    }
    let anthropic = value.get("system").is_some() || messages.iter().any(is_anthropic);
    let openai = messages.iter().any(is_openai);
    Some(if anthropic && !openai { Format::AnthropicMessages } else { Format::OpenaiChat })
}

fn is_anthropic(message: &Value) -> bool {
    list(message, "content").iter().any(|block| {
        matches!(
            text(block, "type"),
            Some("tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "document")
        ) || block.get("source").is_some()
    })
}

fn is_openai(message: &Value) -> bool {
    matches!(text(message, "role"), Some("tool" | "function" | "developer"))
        || message.get("tool_calls").is_some_and(Value::is_array)
        || list(message, "content").iter().any(|part| text(part, "type") == Some("image_url"))
}

/// Formats that are known by sight, so that people are told more than "no".
fn other_program(value: &Value) -> Option<&'static str> {
    let messages = list(value, "messages");
    let first = messages.first().or_else(|| value.as_array().and_then(|list| list.first()));
    if value.get("info").is_some() && first.is_some_and(|one| one.get("parts").is_some()) {
        Some("an opencode export")
    } else if first.is_some_and(|one| text(one, "type") == Some("gemini"))
        || value.get("projectHash").is_some()
        || text(value, "type") == Some("gemini")
    {
        Some("a Gemini CLI session")
    } else if first.is_some_and(|one| {
        matches!(text(one, "type"), Some("human" | "ai" | "HumanMessage" | "AIMessage"))
    }) {
        Some("LangChain messages")
    } else if value.get("agents").is_some() && value.get("blocks").is_some() {
        Some("a Letta agent file")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(text: &str) -> Result<Format, TranscriptError> {
        detect(&Source { name: "f", bytes: text.as_bytes() })
    }

    #[test]
    fn every_format_is_known_by_its_content() {
        let cases = [
            (r#"{"type":"user","message":{"role":"user","content":"x"}}"#, Format::ClaudeCode),
            (r#"{"type":"session_meta","payload":{}}"#, Format::Codex),
            (r#"{"type":"session","id":"x","cwd":"/"}"#, Format::Pi),
            (r#"{"messages":[{"role":"user","content":"x"}]}"#, Format::OpenaiChat),
            (r#"[{"role":"tool","tool_call_id":"c","content":"x"}]"#, Format::OpenaiChat),
            (
                r#"{"system":"s","messages":[{"role":"user","content":"x"}]}"#,
                Format::AnthropicMessages,
            ),
            (
                r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use"}]}]}"#,
                Format::AnthropicMessages,
            ),
            (r#"{"history":[{"role":"user","content":"x"}]}"#, Format::OpenaiChat),
        ];
        for (text, format) in cases {
            assert_eq!(detected(text), Ok(format), "{text}");
        }
    }

    #[test]
    fn a_stray_first_line_does_not_hide_the_format() {
        let text = "\u{feff}[]\n{\"type\":\"summary\"}\n{\"type\":\"assistant\",\"message\":{}}";
        assert_eq!(detected(text), Ok(Format::ClaudeCode));
    }

    #[test]
    fn what_is_no_session_is_refused_with_the_reason() {
        let message = |text: &str| detected(text).expect_err("no session").to_string();
        assert_eq!(message(" \n"), "f: expected a session file, found an empty one");
        assert_eq!(message("a\0b"), "f: expected JSON or JSON lines, found binary data");
        assert!(message("plain words").starts_with("f: expected JSON or JSON lines: "));
        assert!(message(r#"{"messages":[{"role":"user""#).contains("EOF"));
        assert!(message(r#"{"a":1}"#).contains("not a session format"));
        assert!(message(r#"{"projectHash":"x","messages":[]}"#).contains("Gemini CLI"));
    }
}
