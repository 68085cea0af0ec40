//! Codex rollouts: `{timestamp, type, payload}` a line; older files are bare items.
//!
//! Only `response_item` is conversation; events repeat it for display. The items of one model
//! turn are one assistant message: they end where an output, a person or the report of the
//! call's tokens comes.

use serde_json::Value;

use super::blocks::{image, outputs};
use super::lines::json_lines;
use super::tally::Tally;
use super::value::{arguments, list, number, stem, text, time};
use super::{Conversation, Source};
use crate::record::{
    Arguments, Block, CallForm, CallId, Extra, Message, Origin, Output, Proof, ProofKind,
    Reasoning, Role, Status, Timestamp, ToolCall, ToolName, ToolResult, Usage,
};

pub(super) fn read(source: &Source<'_>, tally: &mut Tally) -> Vec<Conversation> {
    let mut rollout = Rollout { id: stem(source.name), ..Rollout::default() };
    for (line, value) in json_lines(source, tally) {
        rollout.line(line, &value, tally);
    }
    vec![Conversation { id: rollout.id.into(), messages: rollout.messages }]
}

#[derive(Default)]
struct Rollout {
    id: String,
    model: String,
    messages: Vec<Message>,
    /// Whether the last message is an assistant's that more items of its turn may join.
    open: bool,
    /// The assistant message whose tokens have not been reported.
    unreported: Option<usize>,
    names: std::collections::BTreeMap<CallId, ToolName>,
}

impl Rollout {
    fn line(&mut self, line: u64, value: &Value, tally: &mut Tally) {
        let at = time(value, "timestamp");
        match (text(value, "type"), value.get("payload")) {
            (Some("response_item"), Some(item)) => self.item(line, item, at, tally),
            (Some("session_meta"), Some(meta)) => {
                self.meta(meta);
                tally.skip("session_meta");
            }
            (Some("turn_context"), Some(context)) => {
                if let Some(model) = text(context, "model") {
                    model.clone_into(&mut self.model);
                }
                tally.skip("turn_context");
            }
            (Some("event_msg"), Some(event)) => self.event(event, tally),
            (Some(other), Some(_)) => tally.skip(other),
            // Older files have no envelope: the first line is the session, the others are items.
            (Some(_), None) => self.item(line, value, at, tally),
            (None, _) if value.get("id").is_some() && value.get("timestamp").is_some() => {
                self.meta(value);
                tally.skip("session_meta");
            }
            (None, _) if value.is_object() => tally.skip("line without a type"),
            (None, _) => tally.unreadable(line, "expected an object"),
        }
    }

    fn meta(&mut self, meta: &Value) {
        if let Some(id) = text(meta, "id") {
            id.clone_into(&mut self.id);
        }
    }

    fn event(&mut self, event: &Value, tally: &mut Tally) {
        let kind = text(event, "type").unwrap_or("untyped");
        if kind == "token_count" {
            self.tokens(event);
        }
        tally.skip(format!("event_msg:{kind}"));
    }

    /// The tokens of the call that made the newest assistant message; the turn is over.
    fn tokens(&mut self, event: &Value) {
        self.open = false;
        let last = event.get("info").and_then(|info| info.get("last_token_usage"));
        let (Some(last), Some(index)) = (last, self.unreported) else { return };
        let cached = number(last, "cached_input_tokens");
        let usage = Usage {
            // Reported with what was read from the cache.
            input: number(last, "input_tokens").saturating_sub(cached),
            output: number(last, "output_tokens"),
            cache_read: cached,
            cache_write: 0,
        };
        if usage != Usage::default() {
            self.messages[index].usage = Some(usage);
            self.unreported = None;
        }
    }

    fn item(&mut self, line: u64, item: &Value, at: Option<Timestamp>, tally: &mut Tally) {
        match text(item, "type").unwrap_or("untyped") {
            "message" => self.message(line, item, at, tally),
            "reasoning" => {
                let block = Block::Reasoning(self.reasoning(item));
                self.model_block(line, block, at);
            }
            "function_call" => {
                let name = text(item, "name").unwrap_or_default();
                self.call(
                    line,
                    item,
                    name,
                    arguments(item.get("arguments")),
                    CallForm::Function,
                    at,
                );
            }
            "custom_tool_call" => {
                let name = text(item, "name").unwrap_or_default();
                let input = text(item, "input").unwrap_or_default().to_owned();
                self.call(line, item, name, Arguments::Broken(input), CallForm::Custom, at);
            }
            "local_shell_call" => {
                let action = arguments(item.get("action"));
                self.call(line, item, "local_shell", action, CallForm::Function, at);
            }
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                self.output(line, item, at, tally);
            }
            other => tally.skip(format!("item:{other}")),
        }
    }

    fn message(&mut self, line: u64, item: &Value, at: Option<Timestamp>, tally: &mut Tally) {
        let blocks: Vec<Block> = match item.get("content") {
            Some(Value::String(said)) => vec![Block::text(said.clone())],
            _ => list(item, "content").iter().filter_map(|part| said(part, tally)).collect(),
        };
        let role = match text(item, "role") {
            Some("assistant") => {
                for block in blocks {
                    self.model_block(line, block, at);
                }
                return;
            }
            Some("developer" | "system") => Role::System,
            _ => Role::User,
        };
        if blocks.is_empty() {
            tally.skip("empty message");
            return;
        }
        self.push(line, role, blocks, at);
    }

    fn push(&mut self, line: u64, role: Role, blocks: Vec<Block>, at: Option<Timestamp>) {
        let mut message = Message::new(format!("line-{line}"), role, blocks);
        message.created_at = at;
        self.open = false;
        self.messages.push(message);
    }

    /// A block of the model's: joins the message of its turn.
    fn model_block(&mut self, line: u64, block: Block, at: Option<Timestamp>) {
        if self.open
            && let Some(message) = self.messages.last_mut()
        {
            message.blocks.push(block);
            return;
        }
        self.push(line, Role::Assistant, vec![block], at);
        self.open = true;
        self.unreported = Some(self.messages.len() - 1);
        if let Some(message) = self.messages.last_mut() {
            message.origin =
                Some(Origin { provider: "openai".to_owned(), model: self.model.clone() });
        }
    }

    fn reasoning(&self, item: &Value) -> Reasoning {
        let summary = list(item, "summary").iter().chain(list(item, "content"));
        let texts: Vec<&str> = summary.filter_map(|part| text(part, "text")).collect();
        Reasoning {
            text: texts.join("\n"),
            proof: text(item, "encrypted_content").map(|data| Proof {
                provider: "openai".to_owned(),
                model: self.model.clone(),
                kind: ProofKind::Encrypted,
                data: data.to_owned(),
                item_id: text(item, "id").map(str::to_owned),
            }),
            extra: Extra::NONE,
        }
    }

    fn call(
        &mut self,
        line: u64,
        item: &Value,
        name: &str,
        arguments: Arguments,
        form: CallForm,
        at: Option<Timestamp>,
    ) {
        let call_id: CallId =
            text(item, "call_id").or_else(|| text(item, "id")).unwrap_or_default().into();
        self.names.insert(call_id.clone(), name.into());
        let name = name.into();
        let call = ToolCall { call_id, name, arguments, form, proof: None, extra: Extra::NONE };
        self.model_block(line, Block::ToolCall(call), at);
    }

    fn output(&mut self, line: u64, item: &Value, at: Option<Timestamp>, tally: &mut Tally) {
        let call_id: CallId = text(item, "call_id").unwrap_or_default().into();
        let (output, status) = unpacked(item.get("output"), tally);
        let result = ToolResult {
            name: self.names.get(&call_id).cloned(),
            call_id,
            status,
            output,
            extra: Extra::NONE,
        };
        self.push(line, Role::Tool, vec![Block::ToolResult(result)], at);
    }
}

fn said(part: &Value, tally: &mut Tally) -> Option<Block> {
    let kind = text(part, "type").unwrap_or("untyped");
    let block = match kind {
        "input_text" | "output_text" | "text" | "refusal" => {
            let said = part.get("text").or_else(|| part.get("refusal")).and_then(Value::as_str);
            said.map(Block::text)
        }
        "input_image" => image(part).map(Block::Image),
        _ => None,
    };
    if block.is_none() {
        tally.skip(format!("block:{kind}"));
    }
    block
}

/// An output in any of its forms: text, parts, `{content, success}`, or a JSON envelope in a
/// string that holds the text and the exit code.
fn unpacked(output: Option<&Value>, tally: &mut Tally) -> (Vec<Output>, Status) {
    match output {
        Some(Value::Object(object)) => {
            let failed = object.get("success").and_then(Value::as_bool) == Some(false);
            let status = if failed { Status::Error } else { Status::Ok };
            (outputs(object.get("content").or_else(|| object.get("output")), tally), status)
        }
        Some(Value::String(text)) => match envelope(text) {
            Some((inner, code)) => {
                let status = if code == 0 { Status::Ok } else { Status::Error };
                (vec![Output::text(inner)], status)
            }
            None => (vec![Output::text(text.clone())], Status::Ok),
        },
        other => (outputs(other, tally), Status::Ok),
    }
}

fn envelope(text: &str) -> Option<(String, i64)> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let code = value.get("metadata")?.get("exit_code")?.as_i64()?;
    Some((value.get("output")?.as_str()?.to_owned(), code))
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Transcript, read as read_any};
    use super::*;

    fn rollout(lines: &[&str]) -> Transcript {
        let text = lines.join("\n");
        let source = Source { name: "rollout-x.jsonl", bytes: text.as_bytes() };
        read_any(&source, Format::Codex).expect("it is a rollout")
    }

    #[test]
    fn items_of_one_turn_are_one_message_and_events_are_counted() {
        let read = rollout(&[
            r#"{"type":"session_meta","payload":{"id":"r1"}}"#,
            r#"{"type":"turn_context","payload":{"model":"gpt-5-codex"}}"#,
            r#"{"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}}"#,
            r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"},{"type":"input_image","image_url":"data:image/png;base64,AA=="}]}}"#,
            r#"{"type":"response_item","payload":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"enc"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"a\": 1}","call_id":"c1"}}"#,
            r#"{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin","call_id":"c2"}}"#,
            r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#,
            r#"{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":100,"cached_input_tokens":60,"output_tokens":5}}}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"boom\",\"metadata\":{\"exit_code\":2}}"}}"#,
            r#"{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c2","output":{"content":"done","success":true}}}"#,
            r#"{"type":"compacted","payload":{"message":"s"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{broken","call_id":"c3"}}"#,
        ]);
        let conversation = &read.conversations[0];
        assert_eq!(conversation.id.as_str(), "r1");
        let roles: Vec<_> = conversation.messages.iter().map(|message| message.role).collect();
        assert_eq!(
            roles,
            [Role::System, Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Assistant]
        );
        let turn = &conversation.messages[2];
        assert_eq!(turn.blocks.len(), 3);
        assert_eq!(turn.usage.map(|usage| (usage.input, usage.cache_read)), Some((40, 60)));
        assert_eq!(turn.origin.as_ref().map(|origin| origin.model.as_str()), Some("gpt-5-codex"));
        let Block::ToolCall(call) = &turn.blocks[1] else { panic!("a call") };
        assert_eq!(call.arguments.as_written(), r#"{"a": 1}"#);
        let Block::ToolResult(result) = &conversation.messages[3].blocks[0] else {
            panic!("a result")
        };
        assert_eq!((result.status, &result.output), (Status::Error, &vec![Output::text("boom")]));
        assert_eq!(result.name, Some("shell".into()));
        assert_eq!(read.skipped["compacted"], 1);
        assert_eq!(read.skipped["event_msg:token_count"], 2);
    }

    #[test]
    fn older_files_are_bare_items() {
        let read = rollout(&[
            r#"{"id":"old","timestamp":"2025-05-01T00:00:00Z"}"#,
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}"#,
            r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yo"}]}"#,
        ]);
        assert_eq!(read.conversations[0].id.as_str(), "old");
        assert_eq!(read.conversations[0].messages.len(), 2);
    }
}
