//! Which clearings are in force, and taking an epoch back.

use std::collections::BTreeMap;

use thiserror::Error;

use super::epoch::{Clearing, Epoch, EpochNumber, Trigger};
use crate::record::{BlockRef, Seq};
use crate::tokens::Tokens;

/// The clearings that stand after all of `epochs`, given in the order they were decided.
pub fn effective(epochs: &[Epoch]) -> BTreeMap<BlockRef, &Clearing> {
    let mut in_force = BTreeMap::new();
    for epoch in epochs {
        for clearing in &epoch.clearings {
            if epoch.undoes.is_some() {
                in_force.remove(&clearing.result);
            } else {
                in_force.insert(clearing.result, clearing);
            }
        }
    }
    in_force
}

/// Why an epoch cannot be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UndoError {
    /// The conversation has no such epoch.
    #[error("expected an epoch of this conversation, found none with number {0}")]
    Unknown(EpochNumber),
    /// It was undone before.
    #[error("epoch {number} was already undone by epoch {by}")]
    AlreadyUndone {
        /// The epoch asked for.
        number: EpochNumber,
        /// The epoch that undid it.
        by: EpochNumber,
    },
    /// An undo is not undone: what it brought back can be cleared by a new pass.
    #[error("epoch {number} is itself an undo (of epoch {of}); make a new pass to clear again")]
    IsUndo {
        /// The epoch asked for.
        number: EpochNumber,
        /// What it undid.
        of: EpochNumber,
    },
}

/// What undoing an epoch brings back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoPlan {
    /// The epoch that is undone.
    pub undoes: EpochNumber,
    /// The number of the new epoch.
    pub number: EpochNumber,
    /// The clearings that no longer hold.
    pub clearings: Vec<Clearing>,
    /// How many tokens come back on the first target.
    pub returned: Tokens,
}

/// Plans to undo epoch `number`. The undo is a new epoch; nothing is rewritten (invariant 1).
pub fn undo(epochs: &[Epoch], number: EpochNumber) -> Result<UndoPlan, UndoError> {
    let epoch =
        epochs.iter().find(|epoch| epoch.number == number).ok_or(UndoError::Unknown(number))?;
    if let Some(of) = epoch.undoes {
        return Err(UndoError::IsUndo { number, of });
    }
    if let Some(by) = epochs.iter().find(|later| later.undoes == Some(number)) {
        return Err(UndoError::AlreadyUndone { number, by: by.number });
    }
    Ok(UndoPlan {
        undoes: number,
        number: next_number(epochs),
        clearings: epoch.clearings.clone(),
        returned: epoch.clearings.iter().map(Clearing::net).sum(),
    })
}

/// The number that the next epoch gets.
pub fn next_number(epochs: &[Epoch]) -> EpochNumber {
    EpochNumber(epochs.last().map_or(0, |epoch| epoch.number.0).saturating_add(1))
}

impl UndoPlan {
    /// The epoch that this plan makes of a record whose head is `at`. `before` is what the
    /// history weighs now, `rewrite` what stands from the first result that comes back.
    pub fn epoch(&self, at: Seq, before: Tokens, rewrite: Tokens) -> Epoch {
        Epoch {
            number: self.number,
            at,
            trigger: Trigger::Undo,
            reason: format!(
                "undo: epoch {} is taken back, {} outputs and {} tokens return",
                self.undoes,
                self.clearings.len(),
                self.returned
            ),
            clearings: self.clearings.clone(),
            undoes: Some(self.undoes),
            tokens_before: before,
            tokens_after: before + self.returned,
            predicted_rewrite: rewrite,
            predicted_saving: Tokens::ZERO,
            realised_rewrite: None,
        }
    }
}
