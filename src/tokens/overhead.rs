//! What a wire adds to messages and calls, beside their text: in counted tokens, so that a
//! target's scale is applied to it as to text.

use super::amount::Tokens;
use crate::record::Role;
use crate::target::Wire;

/// What a wire adds to a message.
///
/// `OpenAI` documents 3 tokens a message. Anthropic documents nothing; its turns are framed
/// alike. A tool message adds nothing of its own: each of its results is framed by
/// [`call_overhead`].
pub(super) const fn message_overhead(wire: Wire, role: Role) -> Tokens {
    match role {
        Role::User | Role::Assistant | Role::System => match wire {
            Wire::OpenaiChat | Wire::Anthropic => Tokens::new(3),
        },
        Role::Tool => Tokens::ZERO,
    }
}

/// What a wire adds to a call, and to a result: its id, its frame, the names of its fields.
///
/// No provider documents it. Anthropic's is what 462 pairs of calls of a `claude-opus-4-5`
/// session gave: 31 of its tokens (least absolute residuals), which is 26 counted ones; an id
/// alone is some twenty. `OpenAI`'s is an estimate: its ids are not shown to the model.
pub(super) const fn call_overhead(wire: Wire) -> Tokens {
    match wire {
        Wire::OpenaiChat => Tokens::new(8),
        Wire::Anthropic => Tokens::new(26),
    }
}
