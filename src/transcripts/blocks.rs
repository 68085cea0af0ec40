//! Anthropic-style content: what Claude Code sessions and Anthropic requests share.

use std::collections::BTreeMap;

use serde_json::Value;

use super::tally::Tally;
use super::value::{arguments, text};
use crate::record::{
    Block, CallForm, CallId, Document, Extra, Image, Output, Proof, ProofKind, Reasoning, Source,
    Status, ToolCall, ToolName, ToolResult,
};

/// Who wrote reasoning, for its proof.
#[derive(Debug, Clone, Copy)]
pub(super) struct Maker<'m> {
    /// As `anthropic`.
    pub provider: &'m str,
    /// As `claude-opus-4-5`; empty where it is not known.
    pub model: &'m str,
}

/// The names of the calls seen so far, for results that do not name their tool.
pub(super) type Names = BTreeMap<CallId, ToolName>;

/// The blocks of a `content`: a string, or a list of blocks.
pub(super) fn content(
    content: Option<&Value>,
    maker: Maker<'_>,
    names: &mut Names,
    tally: &mut Tally,
) -> Vec<Block> {
    match content {
        Some(Value::String(text)) => vec![Block::text(text.clone())],
        Some(Value::Array(blocks)) => {
            blocks.iter().filter_map(|value| block(value, maker, names, tally)).collect()
        }
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
            tally.skip("content of unknown shape");
            Vec::new()
        }
    }
}

fn block(value: &Value, maker: Maker<'_>, names: &mut Names, tally: &mut Tally) -> Option<Block> {
    if let Value::String(text) = value {
        return Some(Block::text(text.clone()));
    }
    let kind = value.get("type").and_then(Value::as_str).unwrap_or("untyped");
    let found = match kind {
        "text" => value.get("text").and_then(Value::as_str).map(Block::text),
        "thinking" => Some(Block::Reasoning(thinking(value, maker))),
        "redacted_thinking" => Some(Block::Reasoning(redacted(value, maker))),
        "tool_use" | "server_tool_use" => {
            let call = tool_use(value);
            names.insert(call.call_id.clone(), call.name.clone());
            Some(Block::ToolCall(call))
        }
        "tool_result" => Some(Block::ToolResult(tool_result(value, names, tally))),
        "image" => image(value).map(Block::Image),
        "document" => document(value).map(Block::Document),
        _ => None,
    };
    if found.is_none() {
        tally.skip(format!("block:{kind}"));
    }
    found
}

fn thinking(value: &Value, maker: Maker<'_>) -> Reasoning {
    let signature = text(value, "signature");
    Reasoning {
        text: value.get("thinking").and_then(Value::as_str).unwrap_or_default().to_owned(),
        proof: signature.map(|data| proof(maker, ProofKind::Signature, data)),
        extra: Extra::NONE,
    }
}

/// Redacted thinking with a prefix of somebody else's is no proof to Anthropic.
fn redacted(value: &Value, maker: Maker<'_>) -> Reasoning {
    let data = text(value, "data").unwrap_or_default();
    let foreign = data.split_once(':').map(|(prefix, _)| prefix);
    let maker = match foreign {
        Some(prefix) => Maker { provider: prefix.split('.').next().unwrap_or(prefix), ..maker },
        None => maker,
    };
    let proof = (!data.is_empty()).then(|| proof(maker, ProofKind::Redacted, data));
    Reasoning { text: String::new(), proof, extra: Extra::NONE }
}

fn proof(maker: Maker<'_>, kind: ProofKind, data: &str) -> Proof {
    Proof {
        provider: maker.provider.to_owned(),
        model: maker.model.to_owned(),
        kind,
        data: data.to_owned(),
        item_id: None,
    }
}

fn tool_use(value: &Value) -> ToolCall {
    ToolCall {
        call_id: text(value, "id").unwrap_or_default().into(),
        name: text(value, "name").unwrap_or_default().into(),
        arguments: arguments(value.get("input")),
        form: CallForm::Function,
        proof: None,
        extra: Extra::NONE,
    }
}

fn tool_result(value: &Value, names: &Names, tally: &mut Tally) -> ToolResult {
    let call_id = CallId::from(text(value, "tool_use_id").unwrap_or_default());
    let failed = value.get("is_error").and_then(Value::as_bool).unwrap_or(false);
    ToolResult {
        name: names.get(&call_id).cloned(),
        call_id,
        status: if failed { Status::Error } else { Status::Ok },
        output: outputs(value.get("content"), tally),
        extra: Extra::NONE,
    }
}

/// The output of a result: a string, or text, images and documents.
pub(super) fn outputs(content: Option<&Value>, tally: &mut Tally) -> Vec<Output> {
    match content {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => vec![Output::text(text.clone())],
        Some(Value::Array(pieces)) => {
            pieces.iter().filter_map(|piece| output(piece, tally)).collect()
        }
        Some(other) => vec![Output::text(other.to_string())],
    }
}

fn output(value: &Value, tally: &mut Tally) -> Option<Output> {
    if let Value::String(text) = value {
        return Some(Output::text(text.clone()));
    }
    let kind = value.get("type").and_then(Value::as_str).unwrap_or("untyped");
    let found = match kind {
        "text" | "input_text" | "output_text" => {
            value.get("text").and_then(Value::as_str).map(Output::text)
        }
        "image" | "input_image" => image(value).map(Output::Image),
        "document" => document(value).map(Output::Document),
        _ => None,
    };
    // What a tool gave is not ours to drop: an unknown piece stays as the JSON it was.
    found.or_else(|| {
        tally.note(format!("output:{kind} kept as JSON"));
        Some(Output::text(value.to_string()))
    })
}

/// An image in any of the forms that agents write: `source`, `data` and `mimeType`,
/// `image_url`.
pub(super) fn image(value: &Value) -> Option<Image> {
    let (media_type, source) = if let Some(source) = value.get("source") {
        place(source)?
    } else if let Some(data) = text(value, "data") {
        let media_type = text(value, "mimeType").or_else(|| text(value, "media_type"));
        (media_type.unwrap_or("image/png").to_owned(), Source::Base64 { data: data.to_owned() })
    } else {
        let url = value.get("image_url")?;
        from_url(url.as_str().or_else(|| text(url, "url"))?)
    };
    Some(Image { media_type, source, width: None, height: None, extra: Extra::NONE })
}

fn document(value: &Value) -> Option<Document> {
    let source = value.get("source")?;
    let (media_type, source) = match text(source, "type") {
        // Plain text is kept as its bytes, like every other document.
        Some("text") => {
            use base64::Engine as _;
            let plain = text(source, "data").unwrap_or_default();
            let data = base64::engine::general_purpose::STANDARD.encode(plain);
            ("text/plain".to_owned(), Source::Base64 { data })
        }
        Some(_) | None => place(source)?,
    };
    let title = text(value, "title").map(str::to_owned);
    Some(Document { media_type, source, title, extra: Extra::NONE })
}

fn place(source: &Value) -> Option<(String, Source)> {
    if let Some(url) = text(source, "url") {
        return Some(from_url(url));
    }
    let media_type = text(source, "media_type").unwrap_or("application/octet-stream");
    let data = text(source, "data")?.to_owned();
    Some((media_type.to_owned(), Source::Base64 { data }))
}

/// A data URL is its bytes; any other stays a place.
pub(super) fn from_url(url: &str) -> (String, Source) {
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    match data {
        Some((media_type, data)) => {
            (media_type.to_owned(), Source::Base64 { data: data.to_owned() })
        }
        None => ("image/*".to_owned(), Source::Url { url: url.to_owned() }),
    }
}

/// Whether a message holds results and nothing else: it is the tools' own.
pub(super) fn only_results(blocks: &[Block]) -> bool {
    !blocks.is_empty() && blocks.iter().all(|block| matches!(block, Block::ToolResult(_)))
}
