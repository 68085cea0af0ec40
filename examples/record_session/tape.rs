//! Writing lines as Claude Code does: one a block, chained by `parentUuid`.

use base64::Engine as _;
use serde_json::{Value, json};

use crate::tools::{Ran, Tools};

/// A call that the script makes: the tool, its input.
pub(crate) type Call = (&'static str, Value);

/// The recording.
pub(crate) struct Tape {
    pub(crate) tools: Tools,
    lines: Vec<String>,
    last: Option<String>,
    messages: u32,
    calls: u32,
    clock_ms: i64,
    /// Characters of history so far, and as the last request saw it.
    history: usize,
    cached: usize,
}

impl Tape {
    pub(crate) fn new(tools: Tools) -> Self {
        Self {
            tools,
            lines: Vec::new(),
            last: None,
            messages: 0,
            calls: 0,
            // 2026-11-30, 09:00 UTC.
            clock_ms: 1_795_942_800_000,
            history: 0,
            cached: 0,
        }
    }

    pub(crate) fn finish(self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }

    /// Time passes.
    pub(crate) fn wait(&mut self, seconds: i64) {
        self.clock_ms += seconds * 1000;
    }

    fn line(&mut self, kind: &str, message: &Value) {
        let uuid = format!("00000000-0000-4000-8000-{:012}", self.lines.len() + 1);
        let at = jiff::Timestamp::from_millisecond(self.clock_ms).expect("a time of our days");
        let line = json!({
            "parentUuid": self.last,
            "isSidechain": false,
            "type": kind,
            "message": message,
            "uuid": uuid,
            "timestamp": format!("{at:.3}"),
            "sessionId": "recorded-session",
            "version": "recorder",
        });
        self.last = Some(uuid);
        self.lines.push(line.to_string());
    }

    /// A person says something.
    pub(crate) fn user(&mut self, text: &str) {
        self.wait(20);
        self.history += text.len();
        self.line("user", &json!({"role": "user", "content": text}));
    }

    /// The agent thinks, says, and calls; the calls are run, except the last where it is cut
    /// off.
    pub(crate) fn turn(
        &mut self,
        thought: Option<&str>,
        said: &str,
        calls: &[Call],
        cut_off: bool,
    ) {
        self.wait(9);
        self.messages += 1;
        let id = format!("msg_{:04}", self.messages);
        let usage = self.usage(said);
        let mut blocks = Vec::new();
        blocks.extend(
            thought.map(|text| json!({"type": "thinking", "thinking": text, "signature": ""})),
        );
        if !said.is_empty() {
            blocks.push(json!({"type": "text", "text": said}));
        }
        let mut ids = Vec::new();
        for (name, input) in calls {
            self.calls += 1;
            let id = format!("toolu_{:04}", self.calls);
            blocks.push(json!({"type": "tool_use", "id": id, "name": name, "input": input}));
            ids.push(id);
        }
        for block in blocks {
            self.history += block.to_string().len();
            let message = json!({
                "id": id, "type": "message", "role": "assistant", "model": "scripted-recorder",
                "content": [block], "usage": usage,
            });
            self.line("assistant", &message);
        }
        let run = calls.len() - usize::from(cut_off);
        for ((name, input), id) in calls.iter().zip(ids).take(run) {
            self.wait(2);
            self.result(&id, name, input);
        }
    }

    fn result(&mut self, id: &str, name: &str, input: &Value) {
        let (content, failed) = self.run(name, input);
        let mut result = json!({"type": "tool_result", "tool_use_id": id, "content": content});
        if failed {
            result["is_error"] = json!(true);
        }
        self.history += result.to_string().len();
        self.line("user", &json!({"role": "user", "content": [result]}));
    }

    fn run(&self, name: &str, input: &Value) -> (Value, bool) {
        let text = |key: &str| input[key].as_str().unwrap_or_default();
        if name == "chart" {
            let png = crate::chart::png(&self.tools.sizes(text("path")));
            let data = base64::engine::general_purpose::STANDARD.encode(png);
            let source = json!({"type": "base64", "media_type": "image/png", "data": data});
            return (json!([{"type": "image", "source": source}]), false);
        }
        let Ran { output, failed } = match name {
            "read" => self.tools.read(text("file_path")),
            "write" => self.tools.write(text("file_path"), text("content")),
            "edit" => self.tools.edit(text("file_path"), text("old_string"), text("new_string")),
            "list" => self.tools.list(text("path")),
            "grep" => self.tools.grep(text("pattern"), text("path")),
            "bash" => self.tools.bash(text("command")),
            other => Ran { output: format!("there is no tool {other}"), failed: true },
        };
        (json!(output), failed)
    }

    /// About four characters a token; what the last request held is read from the cache.
    fn usage(&mut self, said: &str) -> Value {
        let read = self.cached / 4;
        let written = (self.history - self.cached) / 4;
        self.cached = self.history;
        json!({
            "input_tokens": 4,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "output_tokens": said.len() / 4 + 30,
        })
    }
}
