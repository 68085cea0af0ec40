//! Where records are kept, and what is derived from them.
//!
//! Lives here: the trait, its values, and SQLite behind it. Never lives here: policy, or what
//! the derived rows mean; they are kept as they are given. Synchronous: callers that must not
//! block use a blocking thread.
//!
//! Invariants kept here:
//! - *One record* (1): messages are only ever added; nothing rewrites one.
//! - *Verbatim* (2): a body comes back byte-equal.
//! - *At least once, idempotent* (13): an append is durable when it returns, and makes its
//!   conversation due in the same transaction; a turn commits whole or not at all, against the
//!   version that it was worked out from.

mod error;
mod sqlite;

use std::collections::{BTreeMap, BTreeSet};

use crate::compaction::{Epoch, EpochNumber, Holders, LineHash, LiveResult, Marker};
use crate::record::{BlockRef, CallId, ConversationId, MessageId, Seq, Timestamp};
use crate::replay::{CallFact, IdFacts, Segment, SeqRange};
use crate::target::TargetName;
use crate::tokens::{MessageWeight, Tokens};

pub use error::StoreError;
pub use sqlite::{DeadTurn, DueCounts, Lease, Options, SqliteStore};

/// A conversation to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewConversation {
    /// Its id.
    pub id: ConversationId,
    /// The agent it belongs to.
    pub agent: Option<String>,
    /// What it is projected for; the first decides.
    pub targets: Vec<TargetName>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What is known of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationRow {
    /// Its id.
    pub id: ConversationId,
    /// The agent it belongs to.
    pub agent: Option<String>,
    /// What it is projected for; the first decides.
    pub targets: Vec<TargetName>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Its last message.
    pub head: Seq,
    /// The last message that is accounted for and projected.
    pub accounted: Seq,
    /// Counts the commits of derived rows.
    pub version: u64,
    /// When it was last appended to.
    pub last_activity: Timestamp,
}

/// A message to be appended, as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// Its id; appends are idempotent by it.
    pub id: MessageId,
    /// Its JSON.
    pub body: String,
}

/// A message as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBody {
    /// Its place.
    pub seq: Seq,
    /// Its JSON, byte-equal to what was appended.
    pub body: String,
}

/// Whether an append ends a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// The conversation becomes due, in the same transaction.
    Turn,
    /// More is to come.
    Quiet,
}

/// What an append gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The last message of the conversation.
    pub head: Seq,
    /// The places of the batch's messages, in its order.
    pub seqs: Vec<Seq>,
    /// How many were not there before.
    pub new: usize,
}

/// What a turn begins with.
#[derive(Debug, Clone)]
pub struct TurnStart {
    /// The conversation.
    pub row: ConversationRow,
    /// The turn engine's state, as it was committed.
    pub state: Option<String>,
    /// The live results.
    pub live: Vec<LiveResult>,
    /// Messages that are not accounted for, in order; as many as were asked for.
    pub new: Vec<StoredBody>,
}

/// What is kept of each message beside its body.
#[derive(Debug, Clone)]
pub struct MessageRow {
    /// The message.
    pub seq: Seq,
    /// What it weighs.
    pub weight: MessageWeight,
    /// How many images stand in the record before it.
    pub images_before: u64,
}

/// A clearing in force, as projections need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClearingRow {
    /// The result.
    pub result: BlockRef,
    /// Its call.
    pub call: BlockRef,
    /// What crosses instead.
    pub marker: Marker,
}

/// Segments of one target that take the place of all that lie in a stretch.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// The target.
    pub target: TargetName,
    /// The stretch.
    pub range: SeqRange,
    /// What stands there now.
    pub segments: Vec<Segment>,
}

/// All that a turn changed: committed whole, or not at all.
#[derive(Debug, Clone)]
pub struct TurnCommit {
    /// The conversation.
    pub id: ConversationId,
    /// The version it was worked out from.
    pub expected_version: u64,
    /// Drop every derived row first: the state was made anew from the record.
    pub anew: bool,
    /// Targets to set, where they change.
    pub targets: Option<Vec<TargetName>>,
    /// What is accounted for now.
    pub accounted: Seq,
    /// The turn engine's state.
    pub state: String,
    /// Live results that came or changed.
    pub live_put: Vec<LiveResult>,
    /// Results that are live no more; their lines go too.
    pub live_drop: Vec<BlockRef>,
    /// Lines of results that came.
    pub lines: Vec<(BlockRef, Vec<LineHash>)>,
    /// Calls that were declared.
    pub calls: Vec<(CallId, CallFact)>,
    /// Calls that were answered: (call, result).
    pub answers: Vec<(BlockRef, BlockRef)>,
    /// What messages weigh.
    pub messages: Vec<MessageRow>,
    /// Epochs that were decided.
    pub epochs: Vec<Epoch>,
    /// What an earlier epoch was seen to cost.
    pub realised: Vec<(EpochNumber, Tokens)>,
    /// Segments that were made.
    pub segments: Vec<Replacement>,
}

/// What became of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// It is there; this is the new version.
    Done(u64),
    /// Somebody else committed first; nothing was written.
    Stale(u64),
}

/// A projection as it is cached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedProjection {
    /// The last message that it covers.
    pub covers: Seq,
    /// The last message of the record.
    pub head: Seq,
    /// Its segments, in order.
    pub segments: Vec<Segment>,
}

/// A declared call of an id, with its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundCall {
    /// The call.
    pub call: BlockRef,
    /// The result that answers it.
    pub answer: Option<BlockRef>,
}

/// Keeps records and what is derived from them.
pub trait Store: Send + Sync + 'static {
    /// Makes a conversation. One that is there already is left as it is: `false`.
    fn create(&self, new: &NewConversation) -> Result<bool, StoreError>;

    /// Appends a batch, whole or not at all. Durable when it returns.
    fn append(
        &self,
        id: &ConversationId,
        batch: &[NewMessage],
        at: Timestamp,
        wake: Wake,
    ) -> Result<Appended, StoreError>;

    /// What is known of a conversation.
    fn conversation(&self, id: &ConversationId) -> Result<Option<ConversationRow>, StoreError>;

    /// All conversations, the last active first.
    fn conversations(&self) -> Result<Vec<ConversationRow>, StoreError>;

    /// Messages of a stretch, in order.
    fn messages(&self, id: &ConversationId, range: SeqRange)
    -> Result<Vec<StoredBody>, StoreError>;

    /// What a turn begins with: at most `messages` new messages, and no more than one beyond
    /// `bytes` bytes of them.
    fn begin_turn(
        &self,
        id: &ConversationId,
        messages: u32,
        bytes: u64,
    ) -> Result<TurnStart, StoreError>;

    /// What is known of call ids.
    fn id_facts(
        &self,
        id: &ConversationId,
        ids: &BTreeSet<CallId>,
    ) -> Result<BTreeMap<CallId, IdFacts>, StoreError>;

    /// The live results that hold lines.
    fn holders(
        &self,
        id: &ConversationId,
        lines: &BTreeSet<LineHash>,
    ) -> Result<Holders, StoreError>;

    /// Calls that are declared or answered in a stretch.
    fn calls(&self, id: &ConversationId, range: SeqRange) -> Result<Vec<CallFact>, StoreError>;

    /// Calls of one id, the newest first.
    fn find_calls(
        &self,
        id: &ConversationId,
        call_id: &CallId,
    ) -> Result<Vec<FoundCall>, StoreError>;

    /// Clearings in force of results whose calls stand in a stretch.
    fn clearings(
        &self,
        id: &ConversationId,
        calls: SeqRange,
    ) -> Result<Vec<ClearingRow>, StoreError>;

    /// What is kept of the messages of a stretch beside their bodies.
    fn message_rows(
        &self,
        id: &ConversationId,
        range: SeqRange,
    ) -> Result<Vec<MessageRow>, StoreError>;

    /// The stretches of the segments that meet `range`, in order.
    fn segments(
        &self,
        id: &ConversationId,
        target: &TargetName,
        range: SeqRange,
    ) -> Result<Vec<Segment>, StoreError>;

    /// The last segment of a target: the open one.
    fn open_segment(
        &self,
        id: &ConversationId,
        target: &TargetName,
    ) -> Result<Option<Segment>, StoreError>;

    /// Bytes of a projection from the segment on that begins at `from`.
    fn projection_bytes(
        &self,
        id: &ConversationId,
        target: &TargetName,
        from: Seq,
    ) -> Result<u64, StoreError>;

    /// All epochs, in order.
    fn epochs(&self, id: &ConversationId) -> Result<Vec<Epoch>, StoreError>;

    /// Commits a turn, against the version that it was worked out from.
    fn commit_turn(&self, commit: TurnCommit) -> Result<Committed, StoreError>;

    /// The cached projection for a target, all of one moment.
    fn projection(
        &self,
        id: &ConversationId,
        target: &TargetName,
    ) -> Result<Option<CachedProjection>, StoreError>;
}
