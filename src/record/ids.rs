//! Names for things, each its own type, so that one is never passed for another.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the id as it was given; no form is imposed, the empty id included.
            pub fn new(id: impl Into<String>) -> Self {
                Self(id.into())
            }

            /// The id as it was given.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self::new(id)
            }
        }

        impl From<String> for $name {
            fn from(id: String) -> Self {
                Self(id)
            }
        }
    };
}

text_id! {
    /// Names one conversation, for as long as its record is kept.
    ConversationId
}
text_id! {
    /// Names one message inside its conversation; appends are idempotent by it.
    MessageId
}
text_id! {
    /// The id a provider gave to a call. Not unique: real records repeat ids across rounds,
    /// inside one message, and leave them empty.
    CallId
}
text_id! {
    /// The name of a tool as the model wrote it, whatever a wire would allow.
    ToolName
}

/// A message's place in its conversation: dense, from 1, given by the store.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Seq(u64);

impl Seq {
    /// Before the first message: the head of an empty conversation.
    pub const ZERO: Self = Self(0);
    /// The first message.
    pub const FIRST: Self = Self(1);

    /// The place numbered `n`; 0 is "before the first".
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// The plain number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The place after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The place before this one; `ZERO` stays `ZERO`.
    #[must_use]
    pub const fn previous(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Points at one block of one stored message. Ordered as the record is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BlockRef {
    /// The message.
    pub seq: Seq,
    /// The block's index in the message, from 0.
    pub block: u32,
}

impl BlockRef {
    /// Block number `block` (from 0) of message `seq`.
    pub const fn new(seq: Seq, block: u32) -> Self {
        Self { seq, block }
    }
}

impl fmt::Display for BlockRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {} block {}", self.seq, self.block)
    }
}
