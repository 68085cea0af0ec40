//! What people ask for: a pass now, an epoch taken back, a state made anew.

use super::error::TurnError;
use super::pages::Pages;
use super::turn::{Finished, Turns, commit_of, parse};
use crate::compaction::{Epoch, EpochNumber, Mode, SkipReason};
use crate::record::{ConversationId, Seq, Stored, Timestamp};
use crate::replay::{Cut, SeqRange, project_whole};
use crate::store::{Committed, ConversationRow, Replacement, Store, StoreError};
use crate::target::Target;
use crate::turn::{Engine, Order, follow};

/// Whether a pass is made or only worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Really {
    /// It is committed.
    Commit,
    /// Nothing is written.
    DryRun,
}

impl<S: Store> Turns<S> {
    /// Decides once more at the head of a conversation, without a new message: what a person
    /// or a sweep asks for. `Ok(Err(…))`: nothing is cleared, and why.
    pub fn pass(
        &self,
        id: &ConversationId,
        mode: Mode,
        now: Option<Timestamp>,
        really: Really,
    ) -> Result<Result<Epoch, SkipReason>, TurnError> {
        loop {
            self.run(id)?;
            let start = self.store.begin_turn(id, 1, 1)?;
            let targets = self.targets(&start.row)?;
            let order = Order { targets: &targets, policy: &self.setup.policy };
            let mut engine = self.resume(order, &start, &[])?;
            let outcome = engine.decide(now, mode);
            if outcome.is_err() || really == Really::DryRun {
                return Ok(outcome);
            }
            let effects = engine.finish();
            let projected =
                Pages::new(&*self.store, &start.row, &[], &effects).project(&targets, false)?;
            if self.commit(&start.row, &[], effects, projected)?.is_some() {
                return Ok(outcome);
            }
        }
    }

    /// Undoes an epoch; that is a new epoch. Walks the whole record: it is rare.
    pub fn undo(&self, id: &ConversationId, number: EpochNumber) -> Result<Epoch, TurnError> {
        loop {
            self.run(id)?;
            let whole = self.whole(id)?;
            let targets = self.targets(&whole.row)?;
            let order = Order { targets: &targets, policy: &self.setup.policy };
            let mut followed = follow(order, &whole.messages, &whole.epochs);
            let undone = followed
                .engine
                .undo(number, &whole.epochs, &followed.facts)
                .map_err(|source| TurnError::Undo { conversation: id.clone(), source })?;
            let mut epochs = whole.epochs.clone();
            epochs.push(undone.clone());
            if self.commit_anew(&whole, followed.engine, &epochs, &targets)? {
                return Ok(undone);
            }
        }
    }

    /// Projects a conversation for other targets from now on. Epochs stay; all that is derived
    /// is made anew. Walks the whole record.
    pub fn retarget(&self, id: &ConversationId, targets: &[&Target]) -> Result<(), TurnError> {
        loop {
            let whole = self.whole(id)?;
            let order = Order { targets, policy: &self.setup.policy };
            let followed = follow(order, &whole.messages, &whole.epochs);
            if self.commit_anew(&whole, followed.engine, &whole.epochs, targets)? {
                self.run(id)?;
                return Ok(());
            }
        }
    }

    fn whole(&self, id: &ConversationId) -> Result<Whole, TurnError> {
        let row = self.store.conversation(id)?.ok_or_else(|| StoreError::NotFound(id.clone()))?;
        let known = SeqRange::new(Seq::FIRST, row.accounted);
        let messages = parse(id, &self.store.messages(id, known)?)?;
        let epochs = self.store.epochs(id)?;
        Ok(Whole { row, messages, epochs })
    }

    fn commit_anew(
        &self,
        whole: &Whole,
        engine: Engine<'_>,
        epochs: &[Epoch],
        targets: &[&Target],
    ) -> Result<bool, TurnError> {
        let segments = targets.iter().map(|target| Replacement {
            target: target.name.clone(),
            range: SeqRange::from(Seq::ZERO),
            segments: project_whole(
                &whole.messages,
                epochs,
                target,
                Cut::Every { bytes: super::pages::SEAL },
            )
            .segments,
        });
        let accounted = whole.row.accounted;
        let mut commit =
            commit_of(&whole.row, accounted, engine.finish(), segments.collect(), true);
        commit.targets = Some(targets.iter().map(|target| target.name.clone()).collect());
        match self.store.commit_turn(commit)? {
            Committed::Done(_) => Ok(true),
            Committed::Stale(_) => Ok(false),
        }
    }
}

/// A conversation with all that was decided for it.
struct Whole {
    row: ConversationRow,
    messages: Vec<Stored>,
    epochs: Vec<Epoch>,
}

/// Nothing was done, and nothing had to be.
impl Finished {
    /// Whether any message was taken in.
    pub const fn did_something(&self) -> bool {
        self.messages > 0
    }
}
