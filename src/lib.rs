//! Afterturn: what an LLM agent lets go of after a turn, and what it carries forward.
pub mod cli;
pub mod compaction;
pub mod queue;
pub mod record;
pub mod replay;
pub mod store;
pub mod target;
pub mod tokens;
pub mod transcripts;
pub mod turn;
pub mod worker;
