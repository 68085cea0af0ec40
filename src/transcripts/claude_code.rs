//! Claude Code sessions: one JSON value a line, a tree by `uuid` and `parentUuid`.
//!
//! One assistant message is written as several lines that share `message.id`, between them the
//! results of its earlier calls; here it is one message again, at its first line. The
//! conversation is the way from the root to the last leaf; what an edit or retry left behind is
//! counted, not carried.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::blocks::{Maker, Names, content, only_results};
use super::lines::json_lines;
use super::tally::Tally;
use super::value::{number, reported, stem, text, time};
use super::{Conversation, Source};
use crate::record::{Message, Origin, Role, Usage};

/// What Claude Code writes where no model wrote a message.
const SYNTHETIC: &str = "<synthetic>";

pub(super) fn read(source: &Source<'_>, tally: &mut Tally) -> Vec<Conversation> {
    let lines = json_lines(source, tally);
    let session = lines.iter().find_map(|(_, value)| text(value, "sessionId"));
    let id = session.map_or_else(|| stem(source.name), str::to_owned);
    let spoken = spoken_lines(&lines, tally);
    let path = on_the_way(&lines, &spoken, tally);
    let mut build = Build::default();
    for line in path {
        build.line(line, tally);
    }
    vec![Conversation { id: id.into(), messages: build.messages }]
}

/// One line of conversation.
#[derive(Debug, Clone, Copy)]
struct Line<'v> {
    number: u64,
    value: &'v Value,
}

impl<'v> Line<'v> {
    fn uuid(&self) -> Option<&'v str> {
        text(self.value, "uuid")
    }

    fn is_assistant(&self) -> bool {
        text(self.value, "type") == Some("assistant")
    }

    /// The id that lines of one assistant message share.
    fn message_id(&self) -> Option<&'v str> {
        self.is_assistant().then(|| self.value.get("message")).flatten().and_then(|m| text(m, "id"))
    }

    fn holds_result(&self) -> bool {
        let content = self.value.get("message").and_then(|message| message.get("content"));
        content.and_then(Value::as_array).is_some_and(|blocks| {
            blocks.iter().any(|block| text(block, "type") == Some("tool_result"))
        })
    }
}

/// The lines that are conversation. Sub-agents are not, unless the file is one.
fn spoken_lines<'v>(lines: &'v [(u64, Value)], tally: &mut Tally) -> Vec<Line<'v>> {
    let is_side = |value: &Value| value.get("isSidechain").and_then(Value::as_bool) == Some(true);
    let is_speech = |value: &Value| matches!(text(value, "type"), Some("user" | "assistant"));
    let sub_agent = lines.iter().filter(|(_, value)| is_speech(value)).all(|(_, v)| is_side(v));
    let mut seen = BTreeSet::new();
    let mut spoken = Vec::new();
    for (number, value) in lines {
        if !value.is_object() {
            tally.unreadable(*number, "expected an object");
        } else if !is_speech(value) {
            let kind = text(value, "type").unwrap_or("line without a type");
            let subtype = text(value, "subtype").filter(|_| kind == "system");
            tally.skip(subtype.map_or_else(|| kind.to_owned(), |sub| format!("system:{sub}")));
        } else if is_side(value) && !sub_agent {
            tally.skip("sidechain");
        } else if text(value, "uuid").is_some_and(|uuid| !seen.insert(uuid)) {
            tally.skip("repeated line");
        } else if value.get("message").is_none_or(Value::is_null) {
            tally.skip("line without a message");
        } else {
            spoken.push(Line { number: *number, value });
        }
    }
    spoken
}

/// The lines from the root to the last leaf, in the order of the file.
///
/// Lines of one assistant message, and results, never part: results of parallel calls are
/// children of different lines, which looks like a fork and is none.
fn on_the_way<'v>(
    lines: &'v [(u64, Value)],
    spoken: &[Line<'v>],
    tally: &mut Tally,
) -> Vec<Line<'v>> {
    let parents: BTreeMap<&str, &str> = lines
        .iter()
        .filter_map(|(_, value)| {
            let parent = text(value, "parentUuid").or_else(|| text(value, "logicalParentUuid"));
            Some((text(value, "uuid")?, parent?))
        })
        .collect();
    let known: BTreeSet<&str> = lines.iter().filter_map(|(_, value)| text(value, "uuid")).collect();
    let Some(last) = spoken.last().and_then(Line::uuid) else { return spoken.to_vec() };
    let mut way = BTreeSet::new();
    let mut at = Some(last);
    while let Some(uuid) = at.filter(|uuid| way.insert(*uuid)) {
        at = parents.get(uuid).copied();
    }
    // A parent that is not in the file breaks the chain: what stands before it cannot be told
    // from a branch, so nothing is taken for one.
    let root = way.iter().find(|uuid| !parents.contains_key(*uuid)).copied();
    let broken = way.iter().any(|uuid| !known.contains(uuid)) || root.is_none();
    if broken {
        return spoken.to_vec();
    }
    let messages: BTreeSet<&str> = spoken
        .iter()
        .filter(|line| line.uuid().is_some_and(|uuid| way.contains(uuid)))
        .filter_map(Line::message_id)
        .collect();
    // Lines of a message on the way belong to it, and so do the results that hang on them.
    let mut kept: BTreeSet<&str> = way;
    kept.extend(
        spoken
            .iter()
            .filter(|line| line.message_id().is_some_and(|id| messages.contains(id)))
            .filter_map(Line::uuid),
    );
    let roots = roots(lines);
    let last_root = roots.get(last);
    spoken
        .iter()
        .filter(|line| {
            let Some(uuid) = line.uuid() else { return true };
            let on_parent = parents.get(uuid).is_some_and(|parent| kept.contains(parent));
            // A file may hold several trees, one after another: another tree is no branch.
            let stays = kept.contains(uuid)
                || (line.holds_result() && on_parent)
                || roots.get(uuid) != last_root;
            if !stays {
                tally.skip("abandoned branch");
            }
            stays
        })
        .copied()
        .collect()
}

/// Which tree each line stands in, by its first line. Parents are written before children.
fn roots(lines: &[(u64, Value)]) -> BTreeMap<&str, &str> {
    let mut roots: BTreeMap<&str, &str> = BTreeMap::new();
    for (_, value) in lines {
        let Some(uuid) = text(value, "uuid") else { continue };
        let parent = text(value, "parentUuid").or_else(|| text(value, "logicalParentUuid"));
        let root = parent.map_or(uuid, |parent| roots.get(parent).copied().unwrap_or(parent));
        roots.entry(uuid).or_insert(root);
    }
    roots
}

/// Messages, as lines come.
#[derive(Default)]
struct Build {
    messages: Vec<Message>,
    by_id: BTreeMap<String, usize>,
    ids: BTreeSet<String>,
    names: Names,
}

impl Build {
    fn line(&mut self, line: Line<'_>, tally: &mut Tally) {
        let spoken = &line.value["message"];
        let model = text(spoken, "model").filter(|model| *model != SYNTHETIC).unwrap_or_default();
        let maker = Maker { provider: provider(model), model };
        // A message may be a bare string.
        let body = if spoken.is_string() { Some(spoken) } else { spoken.get("content") };
        let blocks = content(body, maker, &mut self.names, tally);
        let usage = spoken.get("usage").map(usage).and_then(reported);
        if let Some(&index) = line.message_id().and_then(|id| self.by_id.get(id)) {
            let message = &mut self.messages[index];
            message.blocks.extend(blocks);
            // Each line repeats it; the last one knows the whole output.
            message.usage = usage.or(message.usage);
            return;
        }
        if blocks.is_empty() {
            tally.skip("empty message");
            return;
        }
        let role = match (line.is_assistant(), only_results(&blocks)) {
            (true, _) => Role::Assistant,
            (false, true) => Role::Tool,
            (false, false) => Role::User,
        };
        let mut message = Message::new(self.id(line), role, blocks);
        message.created_at = time(line.value, "timestamp");
        if role == Role::Assistant {
            message.usage = usage;
            if text(spoken, "model") == Some(SYNTHETIC) {
                tally.note("message that no model wrote");
            } else {
                message.origin =
                    Some(Origin { provider: maker.provider.to_owned(), model: model.to_owned() });
            }
        }
        if let Some(id) = line.message_id() {
            self.by_id.insert(id.to_owned(), self.messages.len());
        }
        self.messages.push(message);
    }

    /// A name that stays the same as the file grows.
    fn id(&mut self, line: Line<'_>) -> String {
        let own = line.message_id().or_else(|| line.uuid());
        let id = match own {
            Some(own) if !self.ids.contains(own) => own.to_owned(),
            Some(_) | None => format!("line-{}", line.number),
        };
        self.ids.insert(id.clone());
        id
    }
}

/// Who serves a model: Claude's own are Anthropic's, others name their maker before a slash.
fn provider(model: &str) -> &str {
    match model.split_once('/') {
        Some((maker, _)) => maker,
        None if model.is_empty() || model.starts_with("claude") => "anthropic",
        None => "unknown",
    }
}

fn usage(value: &Value) -> Usage {
    Usage {
        input: number(value, "input_tokens"),
        output: number(value, "output_tokens"),
        cache_read: number(value, "cache_read_input_tokens"),
        cache_write: number(value, "cache_creation_input_tokens"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Transcript, read as read_any};
    use crate::record::{Block, ProofKind, Role};

    fn session(lines: &[&str]) -> Transcript {
        let text = lines.join("\n");
        let source = super::Source { name: "dir/s.jsonl", bytes: text.as_bytes() };
        read_any(&source, Format::ClaudeCode).expect("it is a session")
    }

    fn texts(read: &Transcript) -> Vec<String> {
        let blocks = read.conversations[0].messages.iter().flat_map(|message| &message.blocks);
        blocks
            .map(|block| match block {
                Block::Text(text) => text.text.clone(),
                Block::ToolCall(call) => format!("call {}", call.call_id),
                Block::ToolResult(result) => format!("result {}", result.call_id),
                Block::Reasoning(_) | Block::Image(_) | Block::Document(_) => "other".to_owned(),
            })
            .collect()
    }

    fn user(uuid: &str, parent: &str, text: &str) -> String {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","parentUuid":{parent},"sessionId":"s1","message":{{"role":"user","content":"{text}"}}}}"#
        )
    }

    fn assistant(uuid: &str, parent: &str, id: &str, block: &str) -> String {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","parentUuid":"{parent}","message":{{"id":"{id}","role":"assistant","model":"claude-opus-4-5","content":[{block}],"usage":{{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":4}}}}}}"#
        )
    }

    fn call(id: &str) -> String {
        format!(r#"{{"type":"tool_use","id":"{id}","name":"read","input":{{"path":"a"}}}}"#)
    }

    fn result(uuid: &str, parent: &str, id: &str) -> String {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","parentUuid":"{parent}","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"out"}}]}}}}"#
        )
    }

    #[test]
    fn lines_of_one_message_are_one_message_with_all_its_calls() {
        let lines = [
            user("u1", "null", "go"),
            assistant("a1", "u1", "m1", &call("c1")),
            result("r1", "a1", "c1"),
            assistant("a2", "a1", "m1", &call("c2")),
            result("r2", "a2", "c2"),
            assistant("a3", "r2", "m2", r#"{"type":"text","text":"done"}"#),
        ];
        let read = session(&lines.each_ref().map(String::as_str));
        assert_eq!(read.conversations[0].id.as_str(), "s1");
        let messages = &read.conversations[0].messages;
        let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Assistant]);
        assert_eq!(texts(&read), ["go", "call c1", "call c2", "result c1", "result c2", "done"]);
        assert_eq!(messages[1].usage.map(crate::record::Usage::total_input), Some(8));
        assert!(read.skipped.is_empty());
    }

    #[test]
    fn what_an_edit_left_behind_is_counted_and_not_carried() {
        let lines = [
            user("u1", "null", "first"),
            assistant("a1", "u1", "m1", r#"{"type":"text","text":"one"}"#),
            user("u2", r#""a1""#, "wrong"),
            assistant("a2", "u2", "m2", r#"{"type":"text","text":"lost"}"#),
            user("u3", r#""a1""#, "right"),
            assistant("a3", "u3", "m3", r#"{"type":"text","text":"kept"}"#),
        ];
        let read = session(&lines.each_ref().map(String::as_str));
        assert_eq!(texts(&read), ["first", "one", "right", "kept"]);
        assert_eq!(read.skipped["abandoned branch"], 2);
    }

    #[test]
    fn a_missing_parent_loses_nothing() {
        let lines = [user("u1", "null", "first"), user("u2", r#""gone""#, "second")];
        let read = session(&lines.each_ref().map(String::as_str));
        assert_eq!(texts(&read), ["first", "second"]);
    }

    #[test]
    fn lines_without_speech_are_counted_by_kind_and_stray_ones_reported() {
        let first = user("u1", "null", "hi");
        let read = session(&[
            &first,
            &first,
            "[1]",
            "{broken",
            r#"{"type":"summary","summary":"x"}"#,
            r#"{"type":"system","subtype":"compact_boundary","uuid":"b"}"#,
            r#"{"type":"assistant","isSidechain":true,"uuid":"x","message":{"content":"side"}}"#,
        ]);
        assert_eq!(read.skipped["repeated line"], 1);
        assert_eq!(read.skipped["summary"], 1);
        assert_eq!(read.skipped["system:compact_boundary"], 1);
        assert_eq!(read.skipped["sidechain"], 1);
        let lines: Vec<_> = read.unreadable.iter().map(|line| line.line).collect();
        assert_eq!(lines, [4, 3]);
    }

    #[test]
    fn a_sub_agents_own_file_is_a_conversation() {
        let read = session(&[r#"{"type":"user","isSidechain":true,"uuid":"u","message":"do it"}"#]);
        assert_eq!(texts(&read), ["do it"]);
    }

    #[test]
    fn thinking_crosses_with_its_signature_and_foreign_redaction_is_no_proof_to_anthropic() {
        let blocks = r#"{"type":"thinking","thinking":"","signature":"s"},{"type":"redacted_thinking","data":"openrouter.reasoning:abc"},{"type":"thinking","thinking":"x","signature":""}"#;
        let lines = [user("u", "null", "hi"), assistant("a", "u", "m", blocks)];
        let read = session(&lines.each_ref().map(String::as_str));
        let proofs: Vec<_> = read.conversations[0].messages[1]
            .blocks
            .iter()
            .map(|block| match block {
                Block::Reasoning(reasoning) => {
                    reasoning.proof.as_ref().map(|proof| (proof.provider.clone(), proof.kind))
                }
                _ => panic!("only reasoning stands here"),
            })
            .collect();
        assert_eq!(
            proofs,
            [
                Some(("anthropic".to_owned(), ProofKind::Signature)),
                Some(("openrouter".to_owned(), ProofKind::Redacted)),
                None
            ]
        );
    }
}
