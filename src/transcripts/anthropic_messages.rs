//! An Anthropic Messages request: `{system?, messages: [{role, content}]}`.

use serde_json::Value;

use super::blocks::{Maker, Names, content, only_results};
use super::lines::json_value;
use super::tally::Tally;
use super::value::{list, stem, text, time};
use super::{Conversation, Source, TranscriptError};
use crate::record::{Message, Origin, Role};

pub(super) fn read(
    source: &Source<'_>,
    tally: &mut Tally,
) -> Result<Vec<Conversation>, TranscriptError> {
    let value = json_value(source, tally)?;
    let id = ["id", "session_id", "sessionId"].iter().find_map(|key| text(&value, key));
    let id = id.map_or_else(|| stem(source.name), str::to_owned);
    let model = text(&value, "model").unwrap_or_default();
    let maker = Maker { provider: "anthropic", model };
    let mut names = Names::new();
    let mut messages = Vec::new();
    let system = content(value.get("system"), maker, &mut names, tally);
    if !system.is_empty() {
        messages.push(Message::new("system", Role::System, system));
    }
    let spoken = value.as_array().map_or_else(|| list(&value, "messages"), Vec::as_slice);
    for (index, one) in spoken.iter().enumerate() {
        let blocks = content(one.get("content"), maker, &mut names, tally);
        let role = match text(one, "role") {
            Some("assistant") => Role::Assistant,
            Some("system") => Role::System,
            Some("user") if only_results(&blocks) => Role::Tool,
            Some("user") => Role::User,
            Some(other) => {
                tally.skip(format!("role:{other}"));
                continue;
            }
            None => {
                tally.skip("message without a role");
                continue;
            }
        };
        if blocks.is_empty() {
            tally.skip("empty message");
            continue;
        }
        let mut message = Message::new(format!("m{index}"), role, blocks);
        message.created_at = time(one, "ts").or_else(|| time(one, "timestamp"));
        if role == Role::Assistant && !model.is_empty() {
            message.origin =
                Some(Origin { provider: "anthropic".to_owned(), model: model.to_owned() });
        }
        messages.push(message);
    }
    if let Value::Object(fields) = &value {
        for key in fields.keys().filter(|key| !matches!(key.as_str(), "messages" | "system")) {
            tally.skip(format!("request field:{key}"));
        }
    }
    Ok(vec![Conversation { id: id.into(), messages }])
}

#[cfg(test)]
mod tests {
    use super::super::{Format, read as read_any};
    use super::*;
    use crate::record::Block;

    #[test]
    fn system_messages_and_blocks_are_carried() {
        let text = r#"{"model":"claude","max_tokens":9,"system":[{"type":"text","text":"rules"}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"b":1,"a":2}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"o"}],"is_error":true}]}]}"#;
        let source = Source { name: "r.json", bytes: text.as_bytes() };
        let read = read_any(&source, Format::AnthropicMessages).expect("it is a request");
        let messages = &read.conversations[0].messages;
        let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::Tool]);
        let Block::ToolCall(call) = &messages[2].blocks[0] else { panic!("a call") };
        assert_eq!(call.arguments.as_written(), r#"{"b":1,"a":2}"#);
        assert_eq!(read.skipped["request field:max_tokens"], 1);
    }
}
