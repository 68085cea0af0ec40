//! Records `examples/session.jsonl`: a session in Claude Code's format whose tools really ran,
//! over this project's own files.
//!
//! What the agent says is scripted, and so are ids and times, so that recording again gives a
//! file that differs only where the project does. What the tools return is real: files are
//! read, searched and edited, and a small crate is built and tested. The usage figures are
//! computed here, from the length of what a request would hold; no provider reported them.
//!
//! ```sh
//! cargo run --example record_session -- --out examples/session.jsonl
//! ```

mod chart;
mod script;
mod tape;
mod tools;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let out = if let (Some("--out"), Some(path)) = (arguments.next().as_deref(), arguments.next()) {
        PathBuf::from(path)
    } else {
        let usage = "usage: cargo run --example record_session -- --out FILE";
        return Err(std::io::Error::other(usage));
    };
    let tools = tools::Tools::new(env!("CARGO_MANIFEST_DIR"))?;
    let mut tape = tape::Tape::new(tools);
    script::play(&mut tape);
    std::fs::write(out, tape.finish())
}
