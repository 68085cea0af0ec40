//! Reads recorded sessions just well enough to weigh policies on them. The product's own
//! importers live in `transcripts`; these stand apart so that neither can hide the other's
//! mistakes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use afterturn::compaction::lines::lines_of_assistant;
use afterturn::compaction::{CallFacts, MessageFacts, ResultFacts};
use afterturn::record::{
    Arguments, Block, BlockRef, CallForm, CallId, Extra, Message, Output, Role, Seq, Source,
    Status, Timestamp, ToolCall, ToolResult,
};
use afterturn::tokens::{Scale, Tokens};
use serde_json::Value;

/// What one picture is taken to weigh.
const IMAGE_TOKENS: u64 = 1_500;
/// What a message, and a call or result in it, weighs beyond its text.
const OVERHEAD: u64 = 4;

/// The folder of recorded sessions, where there is one.
pub(crate) fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("AFTERTURN_TRANSCRIPTS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/transcripts");
    named.into_iter().chain([beside]).find(|folder| folder.is_dir())
}

/// The messages of a session, by the name of its file.
pub(crate) fn read(file: &Path) -> Vec<Message> {
    let text = std::fs::read_to_string(file).expect("the session can be read");
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut session = Builder::default();
    for line in lines {
        if line["type"] == "response_item" {
            session.codex(&line);
        } else if line["message"]["role"].is_string()
            && !line["isSidechain"].as_bool().unwrap_or(false)
        {
            session.pi_or_claude(&line);
        }
    }
    session.messages
}

/// Stands for the id that a codex model turn does not have.
const CODEX_TURN: &str = "codex turn in progress";

#[derive(Default)]
struct Builder {
    messages: Vec<Message>,
    /// Where the message of this id is.
    by_id: BTreeMap<String, usize>,
}

impl Builder {
    fn push(&mut self, role: Role, blocks: Vec<Block>, at: &Value, id: &str) {
        // Lines that share an id are one message; so are a codex model's items in a row.
        if let Some(&same) = self.by_id.get(id) {
            self.messages[same].blocks.extend(blocks);
            return;
        }
        self.by_id.remove(CODEX_TURN);
        if !id.is_empty() {
            self.by_id.insert(id.to_owned(), self.messages.len());
        }
        let mut message = Message::new(format!("m{}", self.messages.len() + 1), role, blocks);
        message.created_at = at.as_str().and_then(Timestamp::parse);
        self.messages.push(message);
    }

    fn pi_or_claude(&mut self, line: &Value) {
        let message = &line["message"];
        let at = &line["timestamp"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match message["role"].as_str().unwrap_or_default() {
            "assistant" => {
                let blocks = parts(&message["content"])
                    .into_iter()
                    .filter_map(|part| assistant_block(&part));
                self.push(
                    Role::Assistant,
                    blocks.collect(),
                    at,
                    message["id"].as_str().unwrap_or(""),
                );
            }
            "toolResult" => {
                let block = result(
                    &message["toolCallId"],
                    &message["content"],
                    message["isError"].as_bool().unwrap_or(false),
                );
                self.push(Role::Tool, vec![block], at, "");
            }
            "bashExecution" => {
                let said = text(&message["command"]) + "\n" + &text(&message["output"]);
                self.push(Role::User, vec![Block::text(said)], at, "");
            }
            _ => {
                let blocks = parts(&message["content"]).into_iter().filter_map(|part| {
                    if part["type"] == "tool_result" {
                        let failed = part["is_error"].as_bool().unwrap_or(false);
                        return Some(result(&part["tool_use_id"], &part["content"], failed));
                    }
                    part["text"].as_str().map(Block::text)
                });
                self.push(Role::User, blocks.collect(), at, "");
            }
        }
    }

    fn codex(&mut self, line: &Value) {
        let (item, at) = (&line["payload"], &line["timestamp"]);
        match item["type"].as_str().unwrap_or_default() {
            "message" => {
                let role = if item["role"] == "assistant" { Role::Assistant } else { Role::User };
                let blocks = parts(&item["content"])
                    .iter()
                    .filter_map(|part| part["text"].as_str().map(Block::text))
                    .collect();
                let id = if role == Role::Assistant { CODEX_TURN } else { "" };
                self.push(role, blocks, at, id);
            }
            "function_call" => {
                let arguments = item["arguments"].as_str().unwrap_or_default();
                let block = call(&item["call_id"], &item["name"], Arguments::from_text(arguments));
                self.push(Role::Assistant, vec![block], at, CODEX_TURN);
            }
            "custom_tool_call" => {
                let input = item["input"].as_str().unwrap_or_default().to_owned();
                let block = call(&item["call_id"], &item["name"], Arguments::Broken(input));
                self.push(Role::Assistant, vec![block], at, CODEX_TURN);
            }
            "function_call_output" | "custom_tool_call_output" => {
                self.push(
                    Role::Tool,
                    vec![result(&item["call_id"], &item["output"], false)],
                    at,
                    "",
                );
            }
            _ => {}
        }
    }
}

/// Content as a list, a bare string as one text part.
fn parts(content: &Value) -> Vec<Value> {
    match content {
        Value::String(text) => vec![serde_json::json!({"type": "text", "text": text})],
        Value::Array(parts) => parts.clone(),
        _ => Vec::new(),
    }
}

fn assistant_block(part: &Value) -> Option<Block> {
    match part["type"].as_str()? {
        "text" => part["text"].as_str().map(Block::text),
        "toolCall" => Some(object_call(part, &part["arguments"])),
        "tool_use" => Some(object_call(part, &part["input"])),
        _ => None,
    }
}

fn object_call(part: &Value, arguments: &Value) -> Block {
    call(&part["id"], &part["name"], Arguments::from_text(&arguments.to_string()))
}

fn call(id: &Value, name: &Value, arguments: Arguments) -> Block {
    Block::ToolCall(ToolCall {
        call_id: id.as_str().unwrap_or_default().into(),
        name: name.as_str().unwrap_or_default().into(),
        arguments,
        form: CallForm::Function,
        proof: None,
        extra: Extra::NONE,
    })
}

fn result(id: &Value, content: &Value, failed: bool) -> Block {
    let output = parts(content).into_iter().filter_map(|part| match part["type"].as_str()? {
        "image" | "input_image" => Some(Output::Image(afterturn::record::Image {
            media_type: "image/png".to_owned(),
            source: Source::Base64 { data: part.to_string() },
            width: None,
            height: None,
            extra: Extra::NONE,
        })),
        _ => part["text"].as_str().map(Output::text),
    });
    Block::ToolResult(ToolResult {
        call_id: id.as_str().unwrap_or_default().into(),
        name: None,
        status: if failed { Status::Error } else { Status::Ok },
        output: output.collect(),
        extra: Extra::NONE,
    })
}

/// A session as policy sees it, on one target of this scale.
pub(crate) fn facts(messages: &[Message], scale: Scale) -> Vec<MessageFacts> {
    let mut open: BTreeMap<CallId, Vec<CallFacts>> = BTreeMap::new();
    let mut facts = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let seq = Seq::new(place as u64 + 1);
        let mut fact = MessageFacts {
            seq,
            role: message.role,
            created_at: message.created_at,
            tokens: Vec::new(),
            speaks: false,
            calls: Vec::new(),
            results: Vec::new(),
            lines: Vec::new(),
        };
        let mut total = scale.apply(Tokens::new(OVERHEAD));
        for (block_place, block) in message.blocks.iter().enumerate() {
            let at = BlockRef::new(seq, u32::try_from(block_place).expect("few blocks"));
            let weight = scale.apply(weigh_block(block));
            match block {
                Block::ToolCall(call) => {
                    let call_facts = CallFacts::of(at, call);
                    open.entry(call.call_id.clone()).or_default().push(call_facts.clone());
                    fact.calls.push(call_facts);
                }
                Block::ToolResult(result) => {
                    let call = open
                        .get_mut(&result.call_id)
                        .and_then(|calls| (!calls.is_empty()).then(|| calls.remove(0)));
                    if let Some(call) = call {
                        fact.results.push(ResultFacts::of(
                            at,
                            result,
                            call,
                            vec![weight],
                            total,
                            |text| vec![scale.apply(Tokens::new(count(text) + OVERHEAD))],
                        ));
                    }
                }
                Block::Text(_) | Block::Reasoning(_) | Block::Image(_) | Block::Document(_) => {}
            }
            fact.speaks |= !matches!(block, Block::ToolResult(_));
            total += weight;
        }
        fact.tokens = vec![total];
        if message.role == Role::Assistant {
            fact.lines = lines_of_assistant(message);
        }
        facts.push(fact);
    }
    facts
}

fn weigh_block(block: &Block) -> Tokens {
    let text = match block {
        Block::Text(text) => count(&text.text),
        Block::ToolCall(call) => {
            count(call.name.as_str()) + weigh_arguments(&call.arguments) + OVERHEAD
        }
        Block::ToolResult(result) => {
            let outputs = result.output.iter().map(|output| match output {
                Output::Text(text) => count(&text.text),
                Output::Image(_) | Output::Document(_) => IMAGE_TOKENS,
            });
            outputs.sum::<u64>() + OVERHEAD
        }
        Block::Reasoning(_) => 0,
        Block::Image(_) | Block::Document(_) => IMAGE_TOKENS,
    };
    Tokens::new(text)
}

/// Strings decoded: on 456 calls of real usage, arguments so counted fit the same scale as
/// results do (1.25), while their JSON counts a quarter too much.
fn weigh_arguments(arguments: &Arguments) -> u64 {
    let Arguments::Object(object) = arguments else { return count(arguments.as_written()) };
    let fields: BTreeMap<String, Value> =
        serde_json::from_str(object.as_str()).expect("it is an object");
    let values = fields.iter().map(|(name, value)| {
        count(name) + value.as_str().map_or_else(|| count(&value.to_string()), count)
    });
    values.sum()
}

fn count(text: &str) -> u64 {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len() as u64
}
