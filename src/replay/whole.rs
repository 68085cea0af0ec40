//! A whole record projected at once: what the incremental way must equal (invariant 12).

use std::collections::BTreeMap;

use super::binding::{Binder, Bound, Links};
use super::images::ImageLedger;
use super::reasoning::ReasoningLedger;
use super::repairs::Repairs;
use super::rounds::{Span, images_in};
use super::segment::{Carry, Cut, Segment, join, project};
use super::text::is_blank;
use crate::compaction::{Epoch, Marker, effective};
use crate::record::{Block, BlockRef, Role, Seq, Stored};
use crate::target::Target;

/// A record as one target takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projection {
    /// What the operator said before anyone else, where the wire keeps it apart.
    pub system: Vec<String>,
    /// The segments, in order.
    pub segments: Vec<Segment>,
}

impl Projection {
    /// The history as a JSON array.
    pub fn history(&self) -> String {
        join(self.segments.iter().map(|segment| segment.bytes.as_str()))
    }

    /// All that was mended.
    pub fn repairs(&self) -> Repairs {
        let mut all = Repairs::default();
        for segment in &self.segments {
            all.add(&segment.repairs);
        }
        all
    }
}

/// What the operator says before anyone else does.
pub fn leading_system<'r>(messages: impl IntoIterator<Item = &'r Stored>) -> Vec<String> {
    messages
        .into_iter()
        .take_while(|stored| stored.message.role == Role::System)
        .flat_map(|stored| &stored.message.blocks)
        .filter_map(|block| match block {
            Block::Text(text) if !is_blank(&text.text) => Some(text.text.clone()),
            Block::Text(_)
            | Block::Reasoning(_)
            | Block::ToolCall(_)
            | Block::ToolResult(_)
            | Block::Image(_)
            | Block::Document(_) => None,
        })
        .collect()
}

/// The messages at which the images of a message cross: a result's at its call.
pub fn image_homes(stored: &Stored, links: &Links) -> Vec<Seq> {
    let mut homes = Vec::new();
    for (block, content) in (0..).zip(&stored.message.blocks) {
        let answered = links.answered_by(BlockRef::new(stored.seq, block));
        let home = answered.map_or(stored.seq, |call| call.seq);
        homes.extend((0..images_in(content)).map(|_| home));
    }
    homes
}

/// Projects a record from nothing, under the epochs that were decided for it.
pub fn project_whole(
    messages: &[Stored],
    epochs: &[Epoch],
    target: &Target,
    cut: Cut,
) -> Projection {
    let mut binder = Binder::default();
    let mut links = Links::default();
    let mut images = ImageLedger::default();
    let mut reasoning = ReasoningLedger::default();
    for stored in messages {
        let bound: Vec<Bound> = binder.bind(stored);
        links.take_in(&bound);
        images.absorb(image_homes(stored, &links));
        reasoning.absorb(stored, target);
    }
    for epoch in epochs.iter().filter(|_| target.binds_thinking) {
        let first = epoch.clearings.iter().map(|clearing| clearing.call.seq).min();
        if let Some(first) = first {
            reasoning.epoch(first, epoch.at);
        }
    }
    let cleared: BTreeMap<BlockRef, Marker> =
        effective(epochs).into_iter().map(|(at, clearing)| (at, clearing.marker.clone())).collect();
    let span = Span {
        messages,
        links: &links,
        late: &BTreeMap::new(),
        cleared: &cleared,
        images_before: 0,
    };
    let carry = Carry { target, reasoning: &reasoning, images: images.limits(), starts: true };
    Projection { system: leading_system(messages), segments: project(&span, &carry, cut) }
}
