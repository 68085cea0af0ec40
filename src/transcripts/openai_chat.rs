//! Chat Completions messages, in the forms that people keep them: a request, a list, one of
//! either a line, a batch, a log, a SWE-agent trajectory, tau2 results.

use serde_json::Value;

use super::blocks::{Names, from_url};
use super::lines::{json_lines, json_value, text as file_text};
use super::tally::Tally;
use super::value::{arguments, list, stem, text, time};
use super::{Conversation, Source, TranscriptError};
use crate::record::{
    Block, CallForm, CallId, Extra, Image, Message, Origin, Output, Reasoning, Role, Status,
    ToolCall, ToolResult,
};

pub(super) fn read(
    source: &Source<'_>,
    tally: &mut Tally,
) -> Result<Vec<Conversation>, TranscriptError> {
    let values = values(source, tally)?;
    let stem = stem(source.name);
    // One message a line is one conversation.
    if values.iter().all(|value| value.get("role").is_some()) {
        let id = stem.into();
        return Ok(vec![Conversation { id, messages: messages(&values, None, tally) }]);
    }
    let mut found = Vec::new();
    for value in &values {
        histories(value, &mut found, tally);
    }
    let single = found.len() == 1;
    let conversations = (1..).zip(found).map(|(n, history)| Conversation {
        id: match history.id {
            Some(id) => id.into(),
            None if single => stem.clone().into(),
            None => format!("{stem}-{n}").into(),
        },
        messages: messages(history.messages, history.model, tally),
    });
    Ok(conversations.collect())
}

/// The file's values: one JSON text, or one a line.
fn values(source: &Source<'_>, tally: &mut Tally) -> Result<Vec<Value>, TranscriptError> {
    let whole = json_value(source, &mut Tally::default());
    match whole {
        Ok(_) => json_value(source, tally).map(|value| vec![value]),
        Err(error) => {
            let lines = json_lines(source, tally);
            // A single value that is cut off is no file of lines.
            let several = file_text(source).trim().lines().nth(1).is_some();
            if lines.is_empty() || (lines.len() == 1 && !several) {
                return Err(error);
            }
            Ok(lines.into_iter().map(|(_, value)| value).collect())
        }
    }
}

struct History<'v> {
    id: Option<String>,
    model: Option<&'v str>,
    messages: &'v [Value],
}

/// The histories in a value, whatever stands around them.
fn histories<'v>(value: &'v Value, found: &mut Vec<History<'v>>, tally: &mut Tally) {
    if let Some(messages) = value.as_array() {
        let of_messages = messages.iter().all(|message| message.get("role").is_some());
        if of_messages {
            found.push(History { id: None, model: None, messages });
        } else {
            for inner in messages.iter().filter(|inner| inner.is_object()) {
                histories(inner, found, tally);
            }
        }
        return;
    }
    let id = ["custom_id", "id", "session_id", "task_id"].iter().find_map(|key| {
        value.get(*key).and_then(|id| {
            id.as_str().map(str::to_owned).or_else(|| id.as_u64().map(|n| n.to_string()))
        })
    });
    if let Some(body) = value.get("body").filter(|body| body.get("messages").is_some()) {
        let messages = list(body, "messages");
        found.push(History { id, model: text(body, "model"), messages });
    } else if value.get("simulations").is_some() {
        for simulation in list(value, "simulations") {
            histories(simulation, found, tally);
        }
    } else if value.get("messages").is_some() {
        let messages = list(value, "messages");
        found.push(History { id, model: text(value, "model"), messages });
    } else if value.get("history").is_some() {
        found.push(History { id: None, model: None, messages: list(value, "history") });
    } else if value.get("traj").is_some() {
        found.push(History { id, model: None, messages: list(value, "traj") });
    } else {
        tally.skip("value without messages");
    }
}

fn messages(values: &[Value], model: Option<&str>, tally: &mut Tally) -> Vec<Message> {
    let mut names = Names::new();
    let mut messages = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let Some((role, blocks)) = message(value, &mut names, tally) else { continue };
        if blocks.is_empty() {
            tally.skip("empty message");
            continue;
        }
        let mut message = Message::new(format!("m{index}"), role, blocks);
        message.created_at = time(value, "timestamp");
        if let (Role::Assistant, Some(model)) = (role, model) {
            message.origin =
                Some(Origin { provider: "openai".to_owned(), model: model.to_owned() });
        }
        messages.push(message);
    }
    messages
}

fn message(value: &Value, names: &mut Names, tally: &mut Tally) -> Option<(Role, Vec<Block>)> {
    match text(value, "role") {
        Some("user") => Some((Role::User, content(value, tally))),
        Some("system" | "developer") => Some((Role::System, content(value, tally))),
        Some("assistant") => Some((Role::Assistant, said(value, names, tally))),
        Some("tool" | "function") => {
            Some((Role::Tool, vec![Block::ToolResult(result(value, names, tally))]))
        }
        Some(other) => {
            tally.skip(format!("role:{other}"));
            None
        }
        None => {
            tally.skip("message without a role");
            None
        }
    }
}

fn said(value: &Value, names: &mut Names, tally: &mut Tally) -> Vec<Block> {
    let mut blocks = Vec::new();
    let thought = text(value, "reasoning_content").or_else(|| text(value, "reasoning"));
    blocks.extend(thought.map(|thought| {
        let text = thought.to_owned();
        Block::Reasoning(Reasoning { text, proof: None, extra: Extra::NONE })
    }));
    blocks.extend(content(value, tally));
    blocks.extend(text(value, "refusal").map(Block::text));
    let legacy = value.get("function_call").filter(|call| call.is_object());
    let calls = list(value, "tool_calls").iter().map(|call| {
        let function = call.get("function").or_else(|| call.get("custom")).unwrap_or(call);
        (text(call, "id").unwrap_or_default(), function)
    });
    // The older form has no id: a call and its result know each other by the function's name.
    let legacy = legacy.map(|function| (text(function, "name").unwrap_or_default(), function));
    for (id, function) in calls.chain(legacy) {
        let call = ToolCall {
            call_id: id.into(),
            name: text(function, "name").unwrap_or_default().into(),
            arguments: arguments(function.get("arguments").or_else(|| function.get("input"))),
            form: CallForm::Function,
            proof: None,
            extra: Extra::NONE,
        };
        names.insert(call.call_id.clone(), call.name.clone());
        blocks.push(Block::ToolCall(call));
    }
    blocks
}

fn result(value: &Value, names: &Names, tally: &mut Tally) -> ToolResult {
    let id = text(value, "tool_call_id")
        .or_else(|| list(value, "tool_call_ids").first().and_then(Value::as_str))
        .or_else(|| text(value, "id"))
        .or_else(|| text(value, "name"))
        .unwrap_or_default();
    let call_id = CallId::from(id);
    let failed = value.get("error").and_then(Value::as_bool).unwrap_or(false);
    let output = content(value, tally).into_iter().filter_map(|block| match block {
        Block::Text(text) => Some(Output::Text(text)),
        Block::Image(image) => Some(Output::Image(image)),
        Block::Document(document) => Some(Output::Document(document)),
        Block::Reasoning(_) | Block::ToolCall(_) | Block::ToolResult(_) => None,
    });
    ToolResult {
        name: names.get(&call_id).cloned().or_else(|| text(value, "name").map(Into::into)),
        call_id,
        status: if failed { Status::Error } else { Status::Ok },
        output: output.collect(),
        extra: Extra::NONE,
    }
}

fn content(value: &Value, tally: &mut Tally) -> Vec<Block> {
    match value.get("content") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) if text.is_empty() => Vec::new(),
        Some(Value::String(text)) => vec![Block::text(text.clone())],
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| self::part(part, tally)).collect()
        }
        Some(other) => vec![Block::text(other.to_string())],
    }
}

fn part(value: &Value, tally: &mut Tally) -> Option<Block> {
    if let Value::String(text) = value {
        return Some(Block::text(text.clone()));
    }
    let kind = text(value, "type").unwrap_or("untyped");
    let block = match kind {
        "text" | "input_text" | "output_text" => {
            value.get("text").and_then(Value::as_str).map(Block::text)
        }
        "refusal" => text(value, "refusal").map(Block::text),
        "image_url" | "input_image" => {
            let url = value.get("image_url")?;
            let url = url.as_str().or_else(|| text(url, "url"))?;
            let (media_type, source) = from_url(url);
            let extra = Extra::NONE;
            Some(Block::Image(Image { media_type, source, width: None, height: None, extra }))
        }
        _ => None,
    };
    if block.is_none() {
        tally.skip(format!("block:{kind}"));
    }
    block
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Transcript, read as read_any};
    use super::*;

    fn chat(text: &str) -> Transcript {
        let source = Source { name: "chat.json", bytes: text.as_bytes() };
        read_any(&source, Format::OpenaiChat).expect("it is a chat")
    }

    const CALL: &str = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":"}}]}"#;
    const RESULT: &str = r#"{"role":"tool","tool_call_id":"c1","content":"out"}"#;

    #[test]
    fn a_request_a_list_and_lines_are_the_same_conversation() {
        let user = r#"{"role":"user","content":"hi"}"#;
        let request = chat(&format!(r#"{{"messages":[{user},{CALL},{RESULT}]}}"#));
        let list = chat(&format!("[{user},{CALL},{RESULT}]"));
        let lines = chat(&format!("{user}\n{CALL}\n{RESULT}"));
        assert_eq!(request.conversations, list.conversations);
        assert_eq!(request.conversations, lines.conversations);
        let Block::ToolCall(call) = &request.conversations[0].messages[1].blocks[0] else {
            panic!("a call")
        };
        assert_eq!(call.arguments.as_written(), "{\"a\":");
        let Block::ToolResult(result) = &request.conversations[0].messages[2].blocks[0] else {
            panic!("a result")
        };
        assert_eq!(result.name, Some("f".into()));
    }

    #[test]
    fn one_request_a_line_is_one_conversation_each_with_its_own_id() {
        let line = |id: &str| {
            format!(
                r#"{{"custom_id":"{id}","body":{{"model":"gpt","messages":[{{"role":"user","content":"x"}},{{"role":"assistant","content":"y"}}]}}}}"#
            )
        };
        let read = chat(&format!("{}\n{}", line("a"), line("b")));
        let ids: Vec<_> = read.conversations.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["a", "b"]);
    }

    #[test]
    fn a_trajectory_answers_by_tool_call_ids() {
        let text = r#"{"history":[{"role":"system","content":"s","agent":"main"},{"role":"assistant","content":"t","tool_calls":[{"id":"c","function":{"name":"bash","arguments":"{}"}}]},{"role":"tool","content":[{"type":"text","text":"o"}],"tool_call_ids":["c"]}],"trajectory":[]}"#;
        let read = chat(text);
        let roles: Vec<_> =
            read.conversations[0].messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::System, Role::Assistant, Role::Tool]);
        let Block::ToolResult(result) = &read.conversations[0].messages[2].blocks[0] else {
            panic!("a result")
        };
        assert_eq!(result.call_id.as_str(), "c");
    }

    #[test]
    fn images_are_bytes_or_places() {
        let read = chat(
            r#"[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}},{"type":"image_url","image_url":{"url":"https://x/y.png"}},{"type":"audio"}]}]"#,
        );
        assert_eq!(read.conversations[0].messages[0].blocks.len(), 2);
        assert_eq!(read.skipped["block:audio"], 1);
    }
}
