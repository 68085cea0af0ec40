//! What was said and done: the one typed history of a conversation.
//!
//! Lives here: ids, blocks, messages, and their JSON form. Never lives here: how a provider
//! wants to see a message (`replay`), what it weighs (`tokens`), where it is kept (`store`).
//! This room imports nothing of ours and does no I/O.
//!
//! Invariants kept here:
//! - *Exhaustive* (8): [`Block`] and [`Output`] are closed enums; a new kind does not compile
//!   until every owner has decided.
//! - *Verbatim* (2): a message survives parse and serialize with every field it came with,
//!   the unknown ones too; arguments keep the very characters the model wrote.

mod block;
mod error;
mod fields;
mod ids;
mod json_text;
mod message;
mod time;

pub use block::{
    Arguments, Block, BlockKind, CallForm, Document, Image, JsonObject, Output, Proof, ProofKind,
    Reasoning, Source, Status, Text, ToolCall, ToolResult,
};
pub use error::RecordError;
pub use fields::Extra;
pub use ids::{BlockRef, CallId, ConversationId, MessageId, Seq, ToolName};
pub use json_text::{decode_strings, replace_lone_surrogates, replace_nul_escapes};
pub use message::{Message, Origin, Role, Stored, Usage};
pub use time::Timestamp;
