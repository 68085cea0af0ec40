//! The wires' rules, written from the providers' references and error texts, apart from the
//! encoders. Each violation names its rule.

use std::collections::BTreeSet;

use serde_json::Value;

/// The rules of a wire that `request` breaks, each with its place.
pub(crate) fn violations(wire: afterturn::target::Wire, request: &Value) -> Vec<String> {
    let mut found = Vec::new();
    match wire {
        afterturn::target::Wire::OpenaiChat => openai_chat(request, &mut found),
        afterturn::target::Wire::Anthropic => anthropic(request, &mut found),
    }
    if request.to_string().contains("\\u0000") {
        found.push("C4: NUL".to_owned());
    }
    found
}

fn list<'v>(value: &'v Value, key: &str) -> Vec<&'v Value> {
    value[key].as_array().map(|list| list.iter().collect()).unwrap_or_default()
}

fn word(text: &Value, longest: usize) -> bool {
    text.as_str().is_some_and(|text| {
        (1..=longest).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    })
}

fn blank(text: &Value) -> bool {
    text.as_str().is_none_or(|text| text.chars().all(|c| c.is_whitespace() || c.is_control()))
}

fn openai_chat(request: &Value, found: &mut Vec<String>) {
    let messages = list(request, "messages");
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" && !waiting.is_empty() {
            found.push(format!("OC3 at {at}: {waiting:?} not answered before {role}"));
            waiting.clear();
        }
        match role {
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                match waiting.iter().position(|one| one == id) {
                    Some(index) => drop(waiting.remove(index)),
                    None => found.push(format!("C2 at {at}: a result for {id:?}, not declared")),
                }
                if !message["content"].is_string() || blank(&message["content"]) {
                    found.push(format!("OC4 at {at}: content {}", message["content"]));
                }
            }
            "assistant" => {
                let calls = list(message, "tool_calls");
                if calls.is_empty() && blank(&message["content"]) {
                    found.push(format!("C3 at {at}: an empty assistant message"));
                }
                for call in calls {
                    openai_call(at, call, &mut seen, &mut waiting, found);
                }
            }
            "user" => openai_user(at, message, found),
            "system" => {
                if blank(&message["content"]) {
                    found.push(format!("C3 at {at}: a blank system message"));
                }
            }
            other => found.push(format!("OC1 at {at}: role {other}")),
        }
    }
    if !waiting.is_empty() {
        found.push(format!("OC3 at the end: {waiting:?} not answered"));
    }
}

fn openai_call(
    at: usize,
    call: &Value,
    seen: &mut BTreeSet<String>,
    waiting: &mut Vec<String>,
    found: &mut Vec<String>,
) {
    if !word(&call["id"], 40) || call["type"] != "function" {
        found.push(format!("OC2 at {at}: call {call}"));
    }
    if !word(&call["function"]["name"], 64) {
        found.push(format!("OC2 at {at}: name {}", call["function"]["name"]));
    }
    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
    let parsed: Result<Value, _> = serde_json::from_str(arguments);
    if !parsed.is_ok_and(|value| value.is_object()) {
        found.push(format!("C6 at {at}: arguments {arguments:?}"));
    }
    let id = call["id"].as_str().unwrap_or_default().to_owned();
    if !seen.insert(id.clone()) {
        found.push(format!("C2 at {at}: id {id} twice"));
    }
    waiting.push(id);
}

fn openai_user(at: usize, message: &Value, found: &mut Vec<String>) {
    match &message["content"] {
        Value::String(_) => {
            if blank(&message["content"]) {
                found.push(format!("C3 at {at}: a blank user message"));
            }
        }
        Value::Array(parts) => {
            if parts.is_empty() {
                found.push(format!("C3 at {at}: no parts"));
            }
            for part in parts {
                let url = part["image_url"]["url"].as_str().unwrap_or_default();
                let fine = match part["type"].as_str() {
                    Some("text") => !blank(&part["text"]),
                    Some("image_url") => {
                        url.starts_with("data:image/") || url.starts_with("https://")
                    }
                    _ => false,
                };
                if !fine {
                    found.push(format!("OC5 at {at}: part {part}"));
                }
            }
        }
        other => found.push(format!("OC1 at {at}: content {other}")),
    }
}

fn anthropic(request: &Value, found: &mut Vec<String>) {
    let messages = list(request, "messages");
    if messages.first().is_some_and(|first| first["role"] != "user") {
        found.push("AN1: the first message is not the user's".to_owned());
    }
    let mut seen = BTreeSet::new();
    let mut images = 0;
    for (at, message) in messages.iter().enumerate() {
        let content = list(message, "content");
        let role = message["role"].as_str().unwrap_or_default();
        if !matches!(role, "user" | "assistant") || content.is_empty() {
            found.push(format!("AN1 at {at}: role {role}, {} blocks", content.len()));
        }
        if at > 0 && messages[at - 1]["role"] == message["role"] {
            found.push(format!("AN1 at {at}: the same role twice"));
        }
        if role == "assistant" {
            anthropic_assistant(at, &content, &mut seen, found);
        } else {
            anthropic_user(at, &content, messages.get(at.wrapping_sub(1)).copied(), found);
        }
        images += images_in(&content);
    }
    if let Some(last) = messages.last()
        && ids(&list(last, "content"), "tool_use", "id").next().is_some()
    {
        found.push("AN3 at the end: calls without results".to_owned());
    }
    if images > 100 {
        found.push(format!("AN8: {images} images"));
    }
}

fn ids<'v>(
    content: &[&'v Value],
    kind: &'static str,
    key: &'static str,
) -> impl Iterator<Item = &'v str> {
    let blocks: Vec<&'v Value> = content.to_vec();
    blocks
        .into_iter()
        .filter(move |block| block["type"] == kind)
        .filter_map(move |block| block[key].as_str())
}

fn anthropic_assistant(
    at: usize,
    content: &[&Value],
    seen: &mut BTreeSet<String>,
    found: &mut Vec<String>,
) {
    let mut leading = true;
    for block in content {
        let kind = block["type"].as_str().unwrap_or_default();
        let thinks = matches!(kind, "thinking" | "redacted_thinking");
        if thinks && !leading {
            found.push(format!("AN6 at {at}: thinking does not lead"));
        }
        leading &= thinks;
        let fine = match kind {
            "text" => {
                !blank(&block["text"]) && block["text"].as_str().is_some_and(|t| t.trim_end() == t)
            }
            "thinking" => {
                block["thinking"].is_string()
                    && block["signature"].as_str().is_some_and(|s| !s.is_empty())
            }
            "redacted_thinking" => block["data"].as_str().is_some_and(|data| !data.is_empty()),
            "tool_use" => {
                word(&block["id"], 64) && word(&block["name"], 64) && block["input"].is_object()
            }
            _ => false,
        };
        if !fine {
            found.push(format!("AN2/AN5/AN6 at {at}: {block}"));
        }
        if kind == "tool_use" && !seen.insert(block["id"].to_string()) {
            found.push(format!("C2 at {at}: id {} twice", block["id"]));
        }
    }
    if leading {
        found.push(format!("AN6 at {at}: nothing but thinking"));
    }
}

fn anthropic_user(at: usize, content: &[&Value], before: Option<&Value>, found: &mut Vec<String>) {
    let declared: Vec<&str> = before
        .map(|message| ids(&list(message, "content"), "tool_use", "id").collect())
        .unwrap_or_default();
    let mut answered: Vec<&str> = ids(content, "tool_result", "tool_use_id").collect();
    let mut expected = declared;
    expected.sort_unstable();
    answered.sort_unstable();
    if expected != answered {
        found.push(format!("AN3 at {at}: declared {expected:?}, answered {answered:?}"));
    }
    let mut results = true;
    for block in content {
        let is_result = block["type"] == "tool_result";
        if is_result && !results {
            found.push(format!("AN3 at {at}: a result after something else"));
        }
        results &= is_result;
        if is_result {
            anthropic_result(at, block, found);
        } else if !anthropic_piece(block) {
            found.push(format!("AN5/AN8 at {at}: {block}"));
        }
    }
}

fn anthropic_result(at: usize, block: &Value, found: &mut Vec<String>) {
    let content = list(block, "content");
    let only_text = content.iter().all(|piece| piece["type"] == "text");
    if content.is_empty() || !content.iter().all(|piece| anthropic_piece(piece)) {
        found.push(format!("AN4 at {at}: {block}"));
    }
    if block["is_error"] == true && !only_text {
        found.push(format!("AN4 at {at}: an error that is not all text"));
    }
}

fn anthropic_piece(block: &Value) -> bool {
    let source = &block["source"];
    match block["type"].as_str() {
        Some("text") => !blank(&block["text"]),
        Some("image") if source["type"] == "url" => {
            source["url"].as_str().is_some_and(|url| url.starts_with("https://"))
        }
        Some("image") => source["type"] == "base64" && decodes(source, 8000),
        Some("document") => source.is_object(),
        _ => false,
    }
}

fn decodes(source: &Value, most: usize) -> bool {
    use base64::Engine as _;
    let data = source["data"].as_str().unwrap_or_default();
    let Ok(bytes) = base64::engine::general_purpose::STANDARD.decode(data) else { return false };
    let typed = matches!(
        (imagesize::image_type(&bytes), source["media_type"].as_str()),
        (Ok(imagesize::ImageType::Png), Some("image/png"))
            | (Ok(imagesize::ImageType::Jpeg), Some("image/jpeg"))
            | (Ok(imagesize::ImageType::Gif), Some("image/gif"))
            | (Ok(imagesize::ImageType::Webp), Some("image/webp"))
    );
    let fits = imagesize::blob_size(&bytes).is_ok_and(|size| size.width.max(size.height) <= most);
    typed && fits && bytes.len() <= 5 << 20
}

fn images_in(content: &[&Value]) -> usize {
    content
        .iter()
        .map(|block| usize::from(block["type"] == "image") + images_in(&list(block, "content")))
        .sum()
}
