//! What the tests share: arbitrary records, and a validator of wire forms that shares no code
//! with the encoders.
#![allow(dead_code, reason = "each test binary uses a part of it")]

pub(crate) mod records;
pub(crate) mod wire;

use std::path::PathBuf;

use afterturn::record::{Message, Seq, Stored};

/// A record of messages, with their places.
pub(crate) fn stored(messages: Vec<Message>) -> Vec<Stored> {
    (1..).zip(messages).map(|(seq, message)| Stored { seq: Seq::new(seq), message }).collect()
}

/// Real sessions, where they are at hand. Says so where they are not.
#[expect(clippy::print_stdout, reason = "a test that did not run says so")]
pub(crate) fn shared_transcripts() -> Option<PathBuf> {
    let folder = std::env::var_os("AFTERTURN_TRANSCRIPTS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/transcripts"),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    println!("not run: there are no transcripts at {}", folder.display());
    None
}
