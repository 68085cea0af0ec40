//! Not read yet.

use super::tally::Tally;
use super::{Conversation, Source, TranscriptError};

pub(super) fn read(_: &Source<'_>, _: &mut Tally) -> Result<Vec<Conversation>, TranscriptError> {
    Ok(Vec::new())
}
