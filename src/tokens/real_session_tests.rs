//! Calibration on a real session, where it is at hand.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use super::*;
use crate::record::{
    Arguments, Block, CallForm, Extra, Image, Message, Output, Proof, ProofKind, Reasoning, Role,
    Source, Status, Text, ToolCall, ToolResult,
};
use crate::target::{Catalog, Target};

fn session() -> Option<String> {
    let folder = std::env::var_os("AFTERTURN_TRANSCRIPTS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/transcripts"),
        PathBuf::from,
    );
    std::fs::read_to_string(folder.join("pi/before-compaction.jsonl")).ok()
}

fn text_of<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

fn image(value: &Value) -> Image {
    Image {
        media_type: text_of(value, "mimeType").into(),
        source: Source::Base64 { data: text_of(value, "data").into() },
        width: None,
        height: None,
        extra: Extra::NONE,
    }
}

fn output(value: &Value) -> Output {
    match text_of(value, "type") {
        "image" => Output::Image(image(value)),
        _ => Output::text(text_of(value, "text")),
    }
}

fn thinking(value: &Value) -> Block {
    let data = text_of(value, "thinkingSignature").to_owned();
    let proof = (!data.is_empty()).then(|| Proof {
        provider: "anthropic".into(),
        model: String::new(),
        kind: ProofKind::Signature,
        data,
        item_id: None,
    });
    let text = text_of(value, "thinking").into();
    Block::Reasoning(Reasoning { text, proof, extra: Extra::NONE })
}

fn block(value: &Value) -> Block {
    match text_of(value, "type") {
        "thinking" => thinking(value),
        "image" => Block::Image(image(value)),
        "toolCall" => Block::ToolCall(ToolCall {
            call_id: text_of(value, "id").into(),
            name: text_of(value, "name").into(),
            arguments: Arguments::from_text(&value["arguments"].to_string()),
            form: CallForm::Function,
            proof: None,
            extra: Extra::NONE,
        }),
        _ => Block::Text(Text { text: text_of(value, "text").into(), extra: Extra::NONE }),
    }
}

/// A message as the record holds it; `None` for what its client did not send to models: an
/// answer that was cut short.
fn message(value: &Value) -> Option<Message> {
    if matches!(text_of(value, "stopReason"), "aborted" | "error") {
        return None;
    }
    let content = value["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let blocks = || content.iter().map(block).collect();
    let (role, blocks) = match text_of(value, "role") {
        "user" => (Role::User, blocks()),
        "assistant" => (Role::Assistant, blocks()),
        "toolResult" => (
            Role::Tool,
            vec![Block::ToolResult(ToolResult {
                call_id: text_of(value, "toolCallId").into(),
                name: None,
                status: Status::Ok,
                output: content.iter().map(output).collect(),
                extra: Extra::NONE,
            })],
        ),
        "bashExecution" => {
            let ran = format!("Ran `{}`\n{}", text_of(value, "command"), text_of(value, "output"));
            (Role::User, vec![Block::text(ran)])
        }
        _ => return None,
    };
    Some(Message::new("m", role, blocks))
}

fn input(usage: &Value) -> u64 {
    ["input", "cacheRead", "cacheWrite"].iter().filter_map(|field| usage[field].as_u64()).sum()
}

/// Walks the session as its client sent it, with its own compactions.
fn calibrate(session: &str, target: &Target) -> Calibration {
    let mut calibration = Calibration::default();
    let mut weights: Vec<Tokens> = Vec::new();
    let mut from = 0;
    for line in session.lines() {
        let entry: Value = serde_json::from_str(line).unwrap_or_default();
        let message = match text_of(&entry, "type") {
            "compaction" => {
                from = usize::try_from(entry["firstKeptEntryIndex"].as_u64().unwrap_or(0))
                    .unwrap_or(0);
                calibration.epoch();
                Some(Message::new("m", Role::User, vec![Block::text(text_of(&entry, "summary"))]))
            }
            "message" => {
                let counted = weights.iter().skip(from).copied().sum();
                let reported = Tokens::new(input(&entry["message"]["usage"]));
                calibration.call(text_of(&entry["message"], "model"), counted, reported);
                message(&entry["message"])
            }
            _ => None,
        };
        let encodings = BTreeSet::from([target.encoding]);
        let weight = |message: Message| weigh(&message, &encodings).on(message.role, target);
        weights.push(message.map(weight).unwrap_or_default());
    }
    calibration
}

#[test]
#[expect(clippy::print_stderr, reason = "says that the session is not at hand")]
fn a_real_session_gives_the_scale_of_the_built_in_target() {
    let Some(session) = session() else {
        eprintln!("the real sessions are not at hand; nothing was calibrated");
        return;
    };
    let catalog = Catalog::builtin();
    let anthropic = catalog.get("anthropic").expect("it is built in");
    let unscaled = calibrate(&session, &Target { scale: Scale::ONE, ..anthropic.clone() });
    assert_eq!(unscaled.scale(), Some(Scale::permille(1259)));
    // With its own scale the target weighs what was reported.
    let scaled = calibrate(&session, anthropic);
    let scale = scaled.scale().map(Scale::get);
    assert!(scale.is_some_and(|scale| (990..=1010).contains(&scale)), "{scale:?}");
    let error = scaled.error_permille();
    assert!(error.is_some_and(|error| error <= 15), "{error:?}");
    // The first request, of 163 counted tokens, was reported as 2 775.
    let beside = scaled.fixed_overhead().map(Tokens::get);
    assert!(beside.is_some_and(|beside| (2_000..4_000).contains(&beside)), "{beside:?}");
}
