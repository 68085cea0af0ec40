//! What had to be mended so that a provider takes the history; counted, never silent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::reasoning::Why;
use crate::record::BlockRef;

/// A kind of mending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repair {
    /// A call without a result was answered: it did not complete.
    DidNotComplete,
    /// A result without its call became prose.
    OrphanToProse,
    /// A call's id repeats, or the wire does not take it.
    IdRenamed,
    /// The wire does not take a tool's name.
    NameMapped,
    /// Arguments that are no JSON object were wrapped.
    ArgumentsWrapped,
    /// An image could not be shown and was named as unseen.
    ImageUnseen,
    /// A document could not be shown and was named as unseen.
    DocumentUnseen,
    /// A result held nothing, and that was said.
    EmptyResult,
    /// A blank text was left out.
    BlankLeftOut,
    /// Reasoning did not cross.
    ReasoningLeftOut,
    /// A marker says that the conversation begins with the assistant.
    BeginsWithAssistant,
}

impl Repair {
    /// As reports and metrics name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DidNotComplete => "did_not_complete",
            Self::OrphanToProse => "orphan_to_prose",
            Self::IdRenamed => "id_renamed",
            Self::NameMapped => "name_mapped",
            Self::ArgumentsWrapped => "arguments_wrapped",
            Self::ImageUnseen => "image_unseen",
            Self::DocumentUnseen => "document_unseen",
            Self::EmptyResult => "empty_result",
            Self::BlankLeftOut => "blank_left_out",
            Self::ReasoningLeftOut => "reasoning_left_out",
            Self::BeginsWithAssistant => "begins_with_assistant",
        }
    }
}

/// Reasoning that did not cross, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The block.
    pub at: BlockRef,
    /// The reason.
    pub why: Why,
}

/// What was mended in a stretch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Repairs {
    /// How often, by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<Repair, u64>,
    /// Each block of reasoning that did not cross.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

impl Repairs {
    /// Counts one.
    pub fn count(&mut self, repair: Repair) {
        *self.counts.entry(repair).or_default() += 1;
    }

    pub(super) fn leave_out(&mut self, at: BlockRef, why: Why) {
        self.count(Repair::ReasoningLeftOut);
        self.left_out.push(LeftOut { at, why });
    }

    /// Adds what was mended in another stretch.
    pub fn add(&mut self, other: &Self) {
        for (repair, count) in &other.counts {
            *self.counts.entry(*repair).or_default() += count;
        }
        self.left_out.extend(&other.left_out);
    }
}
