//! pi sessions: a header, then messages and notes, a JSON object a line.
//!
//! The record is append-only, so what stood before a compaction stays; the compaction itself is
//! skipped. A command that the person ran was in the model's context, so it is kept as what the
//! person said.

use serde_json::Value;

use super::blocks::{image, outputs};
use super::lines::json_lines;
use super::tally::Tally;
use super::value::{arguments, list, number, reported, stem, text, time};
use super::{Conversation, Source};
use crate::record::{
    Block, CallForm, Extra, Message, Origin, Proof, ProofKind, Reasoning, Role, Status, ToolCall,
    ToolResult, Usage,
};

pub(super) fn read(source: &Source<'_>, tally: &mut Tally) -> Vec<Conversation> {
    let mut id = stem(source.name);
    let mut messages = Vec::new();
    for (line, value) in json_lines(source, tally) {
        match text(&value, "type") {
            Some("session") => {
                if let Some(session) = text(&value, "id") {
                    session.clone_into(&mut id);
                }
                tally.skip("session");
            }
            Some("message") => match value.get("message").and_then(|m| message(m, tally)) {
                Some(mut message) => {
                    message.id = text(&value, "id")
                        .map_or_else(|| format!("line-{line}"), str::to_owned)
                        .into();
                    message.created_at = message.created_at.or_else(|| time(&value, "timestamp"));
                    messages.push(message);
                }
                None => tally.skip("empty message"),
            },
            Some("custom_message") => match custom(&value) {
                Some(mut message) => {
                    message.id = format!("line-{line}").into();
                    messages.push(message);
                }
                None => tally.skip("custom_message"),
            },
            Some(other) => tally.skip(other),
            None => tally.unreadable(line, "expected an object with a type"),
        }
    }
    vec![Conversation { id: id.into(), messages }]
}

/// What an extension told the model.
fn custom(value: &Value) -> Option<Message> {
    let said = text(value, "content").map(str::to_owned).or_else(|| {
        let parts = list(value, "content").iter().filter_map(|part| text(part, "text"));
        Some(parts.collect::<Vec<_>>().join("\n")).filter(|said| !said.is_empty())
    })?;
    let mut message = Message::new("", Role::User, vec![Block::text(said)]);
    message.created_at = time(value, "timestamp");
    Some(message)
}

fn message(value: &Value, tally: &mut Tally) -> Option<Message> {
    let (role, blocks) = match text(value, "role")? {
        "user" => (Role::User, blocks(value, tally)),
        "assistant" => (Role::Assistant, blocks(value, tally)),
        "toolResult" => (Role::Tool, vec![Block::ToolResult(result(value, tally))]),
        "bashExecution" => (Role::User, vec![Block::text(executed(value))]),
        other => {
            tally.skip(format!("role:{other}"));
            return None;
        }
    };
    if blocks.is_empty() {
        return None;
    }
    let mut message = Message::new("", role, blocks);
    message.created_at = time(value, "timestamp");
    if role == Role::Assistant {
        message.origin = text(value, "provider").map(|provider| Origin {
            provider: provider.to_owned(),
            model: text(value, "model").unwrap_or_default().to_owned(),
        });
        message.usage = value.get("usage").map(usage).and_then(reported);
    }
    Some(message)
}

fn usage(value: &Value) -> Usage {
    Usage {
        input: number(value, "input"),
        output: number(value, "output"),
        cache_read: number(value, "cacheRead"),
        cache_write: number(value, "cacheWrite"),
    }
}

fn blocks(message: &Value, tally: &mut Tally) -> Vec<Block> {
    if let Some(said) = message.get("content").and_then(Value::as_str) {
        return vec![Block::text(said)];
    }
    let found = list(message, "content").iter().filter_map(|value| {
        let kind = value.get("type").and_then(Value::as_str).unwrap_or("untyped");
        let block = match kind {
            "text" => value.get("text").and_then(Value::as_str).map(Block::text),
            "thinking" => Some(Block::Reasoning(thinking(value, message))),
            "toolCall" => Some(Block::ToolCall(call(value))),
            "image" => image(value).map(Block::Image),
            _ => None,
        };
        if block.is_none() {
            tally.skip(format!("block:{kind}"));
        }
        block
    });
    found.collect()
}

fn thinking(value: &Value, message: &Value) -> Reasoning {
    let signature = text(value, "thinkingSignature");
    Reasoning {
        text: value.get("thinking").and_then(Value::as_str).unwrap_or_default().to_owned(),
        proof: signature.and_then(|signature| proof(signature, message)),
        extra: Extra::NONE,
    }
}

/// What pi calls a signature is the provider's own: a string of Anthropic's, an item of
/// `OpenAI`'s.
fn proof(signature: &str, message: &Value) -> Option<Proof> {
    let provider = text(message, "provider")?.to_owned();
    let model = text(message, "model").unwrap_or_default().to_owned();
    let made = |kind, data: &str, item_id: Option<String>| Proof {
        provider: provider.clone(),
        model: model.clone(),
        kind,
        data: data.to_owned(),
        item_id,
    };
    match text(message, "api").unwrap_or_default() {
        "openai-responses" | "openai-codex-responses" | "azure-openai-responses" => {
            let item: Value = serde_json::from_str(signature).ok()?;
            let data = text(&item, "encrypted_content")?;
            Some(made(ProofKind::Encrypted, data, text(&item, "id").map(str::to_owned)))
        }
        "anthropic-messages" => Some(made(ProofKind::Signature, signature, None)),
        "google-generative-ai" | "google-vertex" | "google-gemini-cli" => {
            Some(made(ProofKind::ThoughtSignature, signature, None))
        }
        // Names of fields, of servers that sign nothing.
        _ => None,
    }
}

fn call(value: &Value) -> ToolCall {
    ToolCall {
        call_id: text(value, "id").unwrap_or_default().into(),
        name: text(value, "name").unwrap_or_default().into(),
        arguments: arguments(value.get("arguments")),
        form: CallForm::Function,
        proof: None,
        extra: Extra::NONE,
    }
}

fn result(value: &Value, tally: &mut Tally) -> ToolResult {
    let failed = value.get("isError").and_then(Value::as_bool).unwrap_or(false);
    ToolResult {
        call_id: text(value, "toolCallId").unwrap_or_default().into(),
        name: text(value, "toolName").map(Into::into),
        status: if failed { Status::Error } else { Status::Ok },
        output: outputs(value.get("content"), tally),
        extra: Extra::NONE,
    }
}

fn executed(value: &Value) -> String {
    let command = text(value, "command").unwrap_or_default();
    let output = text(value, "output").unwrap_or_default();
    let ended = match value.get("exitCode").and_then(Value::as_i64) {
        Some(code) => format!("exit code {code}"),
        None => "no exit code".to_owned(),
    };
    format!("[The user ran a command: `{command}` ({ended})]\n{output}")
}

#[cfg(test)]
mod tests {
    use super::super::{Format, read as read_any};
    use super::*;

    fn session(lines: &[&str]) -> super::super::Transcript {
        let text = lines.join("\n");
        let source = Source { name: "dir/s.jsonl", bytes: text.as_bytes() };
        read_any(&source, Format::Pi).expect("it is a session")
    }

    const USER: &str = r#"{"type":"message","timestamp":"2025-12-08T22:41:05.306Z","message":{"role":"user","content":[{"type":"text","text":"hi"}]}}"#;

    #[test]
    fn messages_of_every_role_are_carried_and_notes_are_counted() {
        let read = session(&[
            r#"{"type":"session","id":"s1","cwd":"/x"}"#,
            USER,
            r#"{"type":"message","message":{"role":"assistant","provider":"anthropic","model":"claude","api":"anthropic-messages","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4},"content":[{"type":"thinking","thinking":"","thinkingSignature":"sig"},{"type":"toolCall","id":"c","name":"read","arguments":{"path":"a"}}]}}"#,
            r#"{"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"read","isError":true,"content":[{"type":"text","text":"no"},{"type":"image","data":"AA==","mimeType":"image/png"}]}}"#,
            r#"{"type":"message","message":{"role":"bashExecution","command":"ls","output":"a","exitCode":0}}"#,
            r#"{"type":"model_change","provider":"x"}"#,
            r#"{"type":"compaction","summary":"s","firstKeptEntryIndex":2}"#,
            "not json",
        ]);
        let conversation = &read.conversations[0];
        assert_eq!(conversation.id.as_str(), "s1");
        let roles: Vec<_> = conversation.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::User]);
        let usage = conversation.messages[1].usage.expect("it was reported");
        assert_eq!((usage.total_input(), usage.output), (8, 2));
        let Block::Reasoning(reasoning) = &conversation.messages[1].blocks[0] else {
            panic!("thinking is reasoning")
        };
        assert_eq!(reasoning.proof.as_ref().map(|proof| proof.kind), Some(ProofKind::Signature));
        let Block::ToolResult(result) = &conversation.messages[2].blocks[0] else {
            panic!("a tool result is a result")
        };
        assert_eq!((result.status, result.output.len()), (Status::Error, 2));
        assert_eq!(read.skipped["compaction"], 1);
        assert_eq!(read.skipped["model_change"], 1);
        assert_eq!(read.unreadable[0].line, 8);
    }

    #[test]
    fn an_empty_signature_is_no_proof_and_an_empty_message_is_counted() {
        let read = session(&[
            USER,
            r#"{"type":"message","message":{"role":"assistant","provider":"anthropic","api":"anthropic-messages","stopReason":"aborted","content":[]}}"#,
            r#"{"type":"message","message":{"role":"assistant","provider":"anthropic","api":"anthropic-messages","content":[{"type":"thinking","thinking":"x","thinkingSignature":""}]}}"#,
        ]);
        assert_eq!(read.skipped["empty message"], 1);
        let Block::Reasoning(reasoning) = &read.conversations[0].messages[1].blocks[0] else {
            panic!("thinking is reasoning")
        };
        assert_eq!(reasoning.proof, None);
    }
}
