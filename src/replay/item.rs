//! What a record says and does, in provider-neutral items.
//!
//! A half-pair cannot be written down here: a call comes with its outcome or not at all.

use crate::compaction::Marker;
use crate::record::{
    Arguments, BlockRef, CallForm, CallId, Document, Image, Origin, Proof, Reasoning, Seq, Status,
    ToolName,
};

/// One item, borrowed from the record.
#[derive(Debug, Clone)]
pub enum Item<'r> {
    /// Something was said.
    Speech(Speech<'r>),
    /// The model asked for tools, and this is what came of it.
    Round(Round<'r>),
    /// A result whose call is gone: it happened, so it is told.
    Evidence(Evidence<'r>),
}

/// Something was said.
#[derive(Debug, Clone)]
pub struct Speech<'r> {
    /// The message.
    pub at: Seq,
    /// Who said it.
    pub speaker: Speaker,
    /// The model that said it, where one did.
    pub origin: Option<&'r Origin>,
    /// What was said, in order.
    pub parts: Vec<Part<'r>>,
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// A person, or a program in that place.
    User,
    /// The model.
    Assistant,
    /// The operator.
    System,
}

/// One assistant message that calls tools, with all outcomes.
#[derive(Debug, Clone)]
pub struct Round<'r> {
    /// The message.
    pub at: Seq,
    /// The model, where it is known.
    pub origin: Option<&'r Origin>,
    /// What it said and thought beside its calls, in order.
    pub lead: Vec<Part<'r>>,
    /// Its first call with its outcome: there is at least one.
    pub first: (Call<'r>, Outcome<'r>),
    /// The others.
    pub others: Vec<(Call<'r>, Outcome<'r>)>,
}

/// A call as it was declared.
#[derive(Debug, Clone, Copy)]
pub struct Call<'r> {
    /// Where it stands.
    pub at: BlockRef,
    /// Its id; not unique, see `occurrence`.
    pub id: &'r CallId,
    /// How many calls of the same id stand before it in the record.
    pub occurrence: u32,
    /// The tool.
    pub name: &'r ToolName,
    /// What it is called with.
    pub arguments: &'r Arguments,
    /// How it was declared.
    pub form: CallForm,
    /// A signature on the call itself.
    pub proof: Option<&'r Proof>,
}

/// What came of a call.
#[derive(Debug, Clone)]
pub enum Outcome<'r> {
    /// A result came.
    Result {
        /// How it went.
        status: Status,
        /// What crosses of it.
        content: Content<'r>,
    },
    /// No result came: the call was interrupted, or is still running.
    DidNotComplete,
}

/// What crosses of a result.
#[derive(Debug, Clone)]
pub enum Content<'r> {
    /// All of it.
    Whole(Vec<Piece<'r>>),
    /// The marker of its clearing.
    Cleared(&'r Marker),
}

/// A result whose call is gone, or was answered before.
#[derive(Debug, Clone)]
pub struct Evidence<'r> {
    /// The result.
    pub at: BlockRef,
    /// The tool, where the result says so.
    pub name: Option<&'r ToolName>,
    /// How it went.
    pub status: Status,
    /// What came out.
    pub pieces: Vec<Piece<'r>>,
}

/// Part of what is said.
#[derive(Debug, Clone, Copy)]
pub enum Part<'r> {
    /// Something to be read or looked at.
    Piece(Piece<'r>),
    /// What the model thought; not speech.
    Reasoning(BlockRef, &'r Reasoning),
}

/// Something to be read or looked at.
#[derive(Debug, Clone, Copy)]
pub enum Piece<'r> {
    /// Text.
    Text(&'r str),
    /// A picture.
    Image(SeenImage<'r>),
    /// A file.
    Document(&'r Document),
}

/// A picture and its place among the pictures of the record.
#[derive(Debug, Clone, Copy)]
pub struct SeenImage<'r> {
    /// The picture.
    pub image: &'r Image,
    /// How many pictures stand before it in the record.
    pub ordinal: u64,
}

impl<'r> Round<'r> {
    /// All calls with their outcomes, in order.
    pub fn calls(&self) -> impl Iterator<Item = &(Call<'r>, Outcome<'r>)> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

impl Item<'_> {
    /// The message it stands at.
    pub const fn at(&self) -> Seq {
        match self {
            Self::Speech(speech) => speech.at,
            Self::Round(round) => round.at,
            Self::Evidence(evidence) => evidence.at.seq,
        }
    }
}
