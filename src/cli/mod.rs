//! The face on the command line: what may be asked for, and how answers are written.
//!
//! Reads from the top: [`args`] says what a command line may be; [`progress`] shows that work
//! goes on; [`report`] is what a run found, as JSON and for people; [`output`] is the one
//! place that writes to standard output; [`exit`] says how it ended.
//!
//! Never lives here: a decision about a conversation. A command asks the rooms below and
//! shows what they answered.

pub mod args;
mod commands;
pub mod exit;
pub mod output;
pub mod paper;
pub mod progress;
pub mod report;

pub use commands::dispatch;
