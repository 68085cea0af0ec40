//! One encoder per wire. Adding a provider is adding a file here and an arm.
//!
//! An encoder sees one group of items and what bears on it; it knows nothing of other groups.

mod anthropic;
mod openai_chat;

use super::item::Item;
use super::repairs::Repairs;
use super::segment::Carry;
use crate::target::Wire;

/// A group of items as wire messages, comma-joined.
pub(super) fn encode(items: &[Item<'_>], carry: &Carry<'_>, repairs: &mut Repairs) -> String {
    match carry.target.wire {
        Wire::OpenaiChat => openai_chat::encode(items, carry, repairs),
        Wire::Anthropic => anthropic::encode(items, carry, repairs),
    }
}

/// What a wire calls its history, and whether the system parts are kept apart from it.
pub(super) const fn keys(wire: Wire) -> (&'static str, Option<&'static str>) {
    match wire {
        Wire::OpenaiChat => ("messages", None),
        Wire::Anthropic => ("messages", Some("system")),
    }
}
