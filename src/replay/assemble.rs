//! Requests: the history under the name that the wire has for it, with what stands beside it.

use serde::Serialize;

use super::text::{clean, is_blank, to_json};
use super::wire::keys;
use crate::target::{Target, Wire};

/// What a request is put together from, beside its history.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// The caller's instructions.
    pub instructions: Option<&'a str>,
    /// Who is acting now. Handed in for each request, kept nowhere (invariant 9).
    pub principal: Option<&'a str>,
    /// What the record's operator said before anyone else.
    pub system: &'a [String],
}

/// The history alone, as `project` prints it: `{"system": …, "messages": […]}`, where the wire
/// keeps the system parts apart. `history` is a JSON array.
pub fn history(target: &Target, system: &[String], history: &str) -> String {
    let (key, system_key) = keys(target.wire);
    match system_key {
        Some(system_key) if !system.is_empty() => {
            let system = to_json(&text_blocks(system.iter().map(String::as_str)));
            format!("{{\"{system_key}\":{system},\"{key}\":{history}}}")
        }
        Some(_) | None => format!("{{\"{key}\":{history}}}"),
    }
}

/// A whole request body, to which the caller adds model, tools and limits.
///
/// `sealed` and `open` are the comma-joined wire messages of the sealed segments and of the
/// open one. On wires with cache breakpoints one is set at the end of each (AN9: at most four,
/// none on thinking or empty text; the last block of a wire message is neither).
pub fn assemble(target: &Target, request: &Request<'_>, sealed: &str, open: &str) -> String {
    let (key, _) = keys(target.wire);
    let parts = request
        .instructions
        .into_iter()
        .chain(request.system.iter().map(String::as_str).filter(|_| keeps_apart(target.wire)))
        .chain(request.principal);
    match target.wire {
        Wire::Anthropic => {
            let system = to_json(&text_blocks(parts));
            let messages = joined([marked(sealed), marked(open)]);
            format!("{{\"system\":{system},\"{key}\":[{messages}]}}")
        }
        Wire::OpenaiChat => {
            let system = parts.filter(|text| !is_blank(text)).map(system_message);
            let messages = joined(system.chain([sealed.to_owned(), open.to_owned()]));
            format!("{{\"{key}\":[{messages}]}}")
        }
    }
}

const fn keeps_apart(wire: Wire) -> bool {
    keys(wire).1.is_some()
}

fn joined(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(",")
}

#[derive(Serialize)]
struct TextBlock<'t> {
    r#type: &'static str,
    text: std::borrow::Cow<'t, str>,
}

fn text_blocks<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<TextBlock<'t>> {
    let block = |text| TextBlock { r#type: "text", text: clean(text) };
    texts.filter(|text| !is_blank(text)).map(block).collect()
}

fn system_message(text: &str) -> String {
    #[derive(Serialize)]
    struct Message<'t> {
        role: &'static str,
        content: std::borrow::Cow<'t, str>,
    }
    to_json(&Message { role: "system", content: clean(text) })
}

/// Sets a cache breakpoint on the last block of the last wire message.
///
/// Our encoder writes every message as `{"role":…,"content":[…,{…}]}`, so the end of a message
/// is the end of its last block.
fn marked(messages: &str) -> String {
    const END: &str = "}]}";
    const MARK: &str = ",\"cache_control\":{\"type\":\"ephemeral\"}";
    match messages.strip_suffix(END) {
        Some(head) => format!("{head}{MARK}{END}"),
        None => messages.to_owned(),
    }
}
