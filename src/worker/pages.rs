//! What a projection is made from: stored rows, with what the turn has just changed over them.
//!
//! A turn makes again only the segments that it touched and the open one, so what is read and
//! written does not grow with the conversation.

use std::collections::{BTreeMap, BTreeSet};

use super::error::TurnError;
use super::turn::{Stability, parse};
use crate::compaction::{Epoch, Marker};
use crate::record::{Block, BlockRef, Seq, Stored};
use crate::replay::{Carry, Cut, Late, Links, Segment, SeqRange, Span, project};
use crate::store::{ConversationRow, Replacement, Store};
use crate::target::{Target, TargetName};
use crate::turn::Effects;

/// A segment is sealed once it holds this many bytes: small enough that the open one is cheap
/// to make again each turn, large enough that a projection is few rows.
pub(super) const SEAL: usize = 16 * 1024;

/// What was projected, for all targets.
#[derive(Debug, Default)]
pub(super) struct Projected {
    /// What takes the place of what.
    pub segments: Vec<Replacement>,
    /// How much of each projection stayed.
    pub stability: Vec<Stability>,
}

/// The rows of one conversation, as they will be after the turn.
pub(super) struct Pages<'a, S: ?Sized> {
    store: &'a S,
    row: &'a ConversationRow,
    new: &'a [Stored],
    effects: &'a Effects,
}

impl<'a, S: Store> Pages<'a, S> {
    pub(super) fn new(
        store: &'a S,
        row: &'a ConversationRow,
        new: &'a [Stored],
        effects: &'a Effects,
    ) -> Self {
        Self { store, row, new, effects }
    }

    /// Makes again what the turn touched, for each target.
    pub(super) fn project(
        &self,
        targets: &[&Target],
        measure: bool,
    ) -> Result<Projected, TurnError> {
        let mut projected = Projected::default();
        for (index, target) in targets.iter().enumerate() {
            let (segments, stability) = self.project_one(index, target, measure)?;
            projected.segments.extend(segments);
            projected.stability.push(stability);
        }
        Ok(projected)
    }

    fn project_one(
        &self,
        index: usize,
        target: &Target,
        measure: bool,
    ) -> Result<(Vec<Replacement>, Stability), TurnError> {
        let open = self.store.open_segment(&self.row.id, &target.name)?;
        let tail_from = open.as_ref().map_or(Seq::FIRST, |open| open.range.first);
        let mut pairs = Vec::new();
        for sealed in self.touched(index, &target.name, tail_from)? {
            let made = self.make(index, target, sealed.range, Cut::Never)?;
            pairs.push((Some(sealed), made));
        }
        let tail = SeqRange::new(tail_from, self.last());
        let made = self.make(index, target, tail, Cut::Every { bytes: SEAL })?;
        pairs.push((open, made));
        let stability =
            if measure { self.stability(&target.name, &pairs)? } else { Stability::default() };
        let replacements = pairs.into_iter().filter_map(|(old, segments)| {
            let range = match &old {
                Some(old) if old.range.first != tail_from => old.range,
                Some(_) | None => SeqRange::from(tail_from),
            };
            let changed = old.is_none_or(|old| segments != [old]);
            changed.then(|| Replacement { target: target.name.clone(), range, segments })
        });
        Ok((replacements.collect(), stability))
    }

    fn last(&self) -> Seq {
        self.new.last().map_or(self.row.accounted, |stored| stored.seq)
    }

    /// The sealed segments that something in them has changed, in order.
    fn touched(
        &self,
        index: usize,
        target: &TargetName,
        tail_from: Seq,
    ) -> Result<Vec<Segment>, TurnError> {
        let mut found: BTreeMap<Seq, Segment> = BTreeMap::new();
        for dirty in &self.effects.dirty[index] {
            if dirty.first >= tail_from {
                continue;
            }
            let range = SeqRange::new(dirty.first, dirty.last.min(tail_from.previous()));
            let known = found
                .values()
                .any(|segment| segment.range.holds(range.first) && segment.range.holds(range.last));
            if known {
                continue;
            }
            for segment in self.store.segments(&self.row.id, target, range)? {
                if segment.range.meets(range) && segment.range.first < tail_from {
                    found.insert(segment.range.first, segment);
                }
            }
        }
        Ok(found.into_values().collect())
    }

    /// Makes a stretch, from the record.
    fn make(
        &self,
        index: usize,
        target: &Target,
        range: SeqRange,
        cut: Cut,
    ) -> Result<Vec<Segment>, TurnError> {
        let messages = self.messages(range)?;
        let links = self.links(range)?;
        let late = self.late(&links, range)?;
        let cleared = self.cleared(range)?;
        let span = Span {
            messages: &messages,
            links: &links,
            late: &late,
            cleared: &cleared,
            images_before: self.images_before(range.first)?,
        };
        let carry = Carry {
            target,
            reasoning: &self.effects.state.reasoning[index],
            images: self.effects.state.images.limits(),
            starts: range.first == Seq::FIRST,
        };
        Ok(project(&span, &carry, cut))
    }

    /// The messages of a stretch; the new ones are at hand.
    fn messages(&self, range: SeqRange) -> Result<Vec<Stored>, TurnError> {
        let known = self.row.accounted.min(range.last);
        let mut messages = Vec::new();
        if range.first <= known {
            let bodies = self.store.messages(&self.row.id, SeqRange::new(range.first, known))?;
            messages = parse(&self.row.id, &bodies)?;
        }
        messages.extend(self.new.iter().filter(|stored| range.holds(stored.seq)).cloned());
        Ok(messages)
    }

    fn links(&self, range: SeqRange) -> Result<Links, TurnError> {
        let mut links = Links::default();
        for fact in self.store.calls(&self.row.id, range)? {
            links.add(fact);
        }
        for message in &self.effects.messages {
            for (_, fact) in &message.calls {
                links.add(*fact);
            }
        }
        for (call, result) in &self.effects.answers {
            links.answer(*call, *result);
        }
        Ok(links)
    }

    /// Answers to calls in the stretch that stand outside it.
    fn late(&self, links: &Links, range: SeqRange) -> Result<BTreeMap<BlockRef, Late>, TurnError> {
        let answers: BTreeSet<BlockRef> = links
            .calls()
            .filter(|call| range.holds(call.at.seq))
            .filter_map(|call| call.answer)
            .filter(|answer| !range.holds(answer.seq))
            .collect();
        let mut late = BTreeMap::new();
        for at in answers {
            let stored = self.messages(SeqRange::one(at.seq))?;
            let Some(message) = stored.first() else { continue };
            let mut images_before = self.images_before(at.seq)?;
            for (block, content) in (0..).zip(&message.message.blocks) {
                match content {
                    Block::ToolResult(result) if block == at.block => {
                        late.insert(at, Late { result: result.clone(), images_before });
                        break;
                    }
                    other => images_before += crate::replay::images_in(other),
                }
            }
        }
        Ok(late)
    }

    /// Markers in force, after the turn's own epochs.
    fn cleared(&self, range: SeqRange) -> Result<BTreeMap<BlockRef, Marker>, TurnError> {
        let mut cleared: BTreeMap<BlockRef, Marker> = self
            .store
            .clearings(&self.row.id, range)?
            .into_iter()
            .map(|row| (row.result, row.marker))
            .collect();
        for epoch in &self.effects.epochs {
            apply(epoch, &mut cleared);
        }
        Ok(cleared)
    }

    fn images_before(&self, seq: Seq) -> Result<u64, TurnError> {
        let new = self.effects.messages.iter().find(|message| message.seq == seq);
        if let Some(message) = new {
            return Ok(message.images_before);
        }
        let rows = self.store.message_rows(&self.row.id, SeqRange::one(seq))?;
        Ok(rows.first().map_or(0, |row| row.images_before))
    }

    /// How much of the old bytes stands unchanged from the beginning. `pairs` are old and new
    /// segments, in order, the open one last.
    fn stability(
        &self,
        target: &TargetName,
        pairs: &[(Option<Segment>, Vec<Segment>)],
    ) -> Result<Stability, TurnError> {
        let total = self.store.projection_bytes(&self.row.id, target, Seq::FIRST)?;
        for (old, new) in pairs {
            let Some(old) = old else { continue };
            let new_bytes = new.iter().flat_map(|segment| segment.bytes.bytes());
            let same = old.bytes.bytes().zip(new_bytes).take_while(|(a, b)| a == b).count();
            if same < old.bytes.len() {
                let behind = self.store.projection_bytes(&self.row.id, target, old.range.first)?;
                let common = total.saturating_sub(behind) + same as u64;
                return Ok(Stability { before: total, common });
            }
        }
        Ok(Stability { before: total, common: total })
    }
}

fn apply(epoch: &Epoch, cleared: &mut BTreeMap<BlockRef, Marker>) {
    for clearing in &epoch.clearings {
        if epoch.undoes.is_some() {
            cleared.remove(&clearing.result);
        } else {
            cleared.insert(clearing.result, clearing.marker.clone());
        }
    }
}
