//! Stretches of a projection that can each be made again alone.
//!
//! Invariant 12: items are encoded in *groups*, cut where the earlier item certainly ends on
//! the user's side of the wire and the later certainly begins with the assistant: on every
//! wire, under every epoch, whatever late result comes. No encoder merges across such a place,
//! so groups do not know of each other, and any run of whole groups joined is the projection.

use super::images::ImageLimits;
use super::item::{Item, Part, Piece, Speaker};
use super::range::SeqRange;
use super::reasoning::ReasoningLedger;
use super::repairs::Repairs;
use super::rounds::{Span, rounds};
use super::text::is_blank;
use super::wire;
use crate::record::Seq;
use crate::target::Target;

/// What bears on a stretch from the whole of the record.
#[derive(Debug, Clone, Copy)]
pub struct Carry<'a> {
    /// Who it is made for.
    pub target: &'a Target,
    /// Which reasoning stays out.
    pub reasoning: &'a ReasoningLedger,
    /// Which images may be shown.
    pub images: ImageLimits,
    /// Whether the stretch begins the record.
    pub starts: bool,
}

/// Where a projection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Nowhere: one segment is made again as it was.
    Never,
    /// Where it is legal and a segment holds at least this many bytes.
    Every {
        /// The bytes.
        bytes: usize,
    },
}

/// A stretch of a projection whose bytes will not change unless an epoch, a late answer or a
/// limit touches it. The last one of a record is still open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The messages that stand in it.
    pub range: SeqRange,
    /// Wire messages, comma-joined, without brackets; may be empty.
    pub bytes: String,
    /// What had to be mended.
    pub repairs: Repairs,
}

/// Projects a stretch: at least one segment, in order, that together cover it.
pub fn project(span: &Span<'_>, carry: &Carry<'_>, cut: Cut) -> Vec<Segment> {
    let (Some(first), Some(last)) = (span.messages.first(), span.messages.last()) else {
        return Vec::new();
    };
    let items = rounds(span);
    let mut segments = vec![Segment {
        range: SeqRange::new(first.seq, last.seq),
        bytes: String::new(),
        repairs: Repairs::default(),
    }];
    for (index, group) in groups(&items).into_iter().enumerate() {
        if let (Some(open), Some(item)) = (segments.last_mut(), group.first())
            && is_full(open, cut)
        {
            open.range.last = item.at().previous();
            segments.push(open_at(item.at(), last.seq));
        }
        let open = segments.last_mut().expect("there is at least one segment");
        let carry = Carry { starts: carry.starts && index == 0, ..*carry };
        let bytes = wire::encode(group, &carry, &mut open.repairs);
        append(&mut open.bytes, &bytes);
    }
    segments
}

const fn open_at(first: Seq, last: Seq) -> Segment {
    Segment {
        range: SeqRange::new(first, last),
        bytes: String::new(),
        repairs: Repairs { counts: std::collections::BTreeMap::new(), left_out: Vec::new() },
    }
}

fn is_full(segment: &Segment, cut: Cut) -> bool {
    match cut {
        Cut::Never => false,
        Cut::Every { bytes } => !segment.bytes.is_empty() && segment.bytes.len() >= bytes,
    }
}

fn append(joined: &mut String, bytes: &str) {
    if !joined.is_empty() && !bytes.is_empty() {
        joined.push(',');
    }
    joined.push_str(bytes);
}

/// The projection as a JSON array.
pub fn join<'s>(segments: impl IntoIterator<Item = &'s str>) -> String {
    let mut joined = String::new();
    for bytes in segments {
        append(&mut joined, bytes);
    }
    format!("[{joined}]")
}

fn groups<'i, 'r>(items: &'i [Item<'r>]) -> Vec<&'i [Item<'r>]> {
    let mut groups = Vec::new();
    let mut start = 0;
    for end in 1..items.len() {
        if may_be_cut(&items[end - 1], &items[end]) {
            groups.push(&items[start..end]);
            start = end;
        }
    }
    if start < items.len() {
        groups.push(&items[start..]);
    }
    groups
}

fn may_be_cut(earlier: &Item<'_>, later: &Item<'_>) -> bool {
    earlier.at() < later.at() && ends_with_user(earlier) && begins_with_assistant(later)
}

fn ends_with_user(item: &Item<'_>) -> bool {
    match item {
        Item::Round(_) | Item::Evidence(_) => true,
        Item::Speech(speech) => match speech.speaker {
            Speaker::User => speech.parts.iter().any(certain),
            // The first ones are taken out of the history on some wires.
            Speaker::Assistant | Speaker::System => false,
        },
    }
}

fn begins_with_assistant(item: &Item<'_>) -> bool {
    match item {
        Item::Round(_) => true,
        Item::Evidence(_) => false,
        Item::Speech(speech) => match speech.speaker {
            Speaker::Assistant => speech.parts.iter().any(is_words),
            Speaker::User | Speaker::System => false,
        },
    }
}

/// Whether a part certainly puts something on the wire.
fn certain(part: &Part<'_>) -> bool {
    match part {
        Part::Piece(Piece::Image(_) | Piece::Document(_)) => true,
        Part::Piece(Piece::Text(_)) | Part::Reasoning(..) => is_words(part),
    }
}

fn is_words(part: &Part<'_>) -> bool {
    match part {
        Part::Piece(Piece::Text(text)) => !is_blank(text),
        Part::Piece(Piece::Image(_) | Piece::Document(_)) | Part::Reasoning(..) => false,
    }
}
