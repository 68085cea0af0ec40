//! Why a turn failed, and whether trying again may help.

use thiserror::Error;

use crate::compaction::UndoError;
use crate::record::{ConversationId, RecordError, Seq};
use crate::store::StoreError;
use crate::target::UnknownTarget;

/// Why a turn failed. Nothing of it was written.
#[derive(Debug, Error)]
pub enum TurnError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A stored message that is no record message.
    #[error("conversation {conversation}, message {seq}: {source}")]
    Message {
        /// The conversation.
        conversation: ConversationId,
        /// The message.
        seq: Seq,
        /// What is wrong with it.
        source: RecordError,
    },
    /// The conversation names a target that is not configured.
    #[error("conversation {conversation}: {source}")]
    Target {
        /// The conversation.
        conversation: ConversationId,
        /// Which target, and which there are.
        source: UnknownTarget,
    },
    /// State that this program did not write.
    #[error("conversation {conversation}: its turn state cannot be read: {why}")]
    State {
        /// The conversation.
        conversation: ConversationId,
        /// Why.
        why: String,
    },
    /// Other workers committed first, again and again.
    #[error("conversation {0}: other workers were faster every time")]
    Contended(ConversationId),
    /// An epoch that cannot be undone.
    #[error("conversation {conversation}: {source}")]
    Undo {
        /// The conversation.
        conversation: ConversationId,
        /// Why.
        source: UndoError,
    },
}

impl TurnError {
    /// Whether trying again may help.
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::Store(error) => error.may_pass(),
            Self::Contended(_) => true,
            Self::Message { .. } | Self::Target { .. } | Self::State { .. } | Self::Undo { .. } => {
                false
            }
        }
    }
}
