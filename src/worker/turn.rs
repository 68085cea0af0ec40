//! The turn pipeline.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tracing::{debug, info};

use super::error::TurnError;
use super::pages::{Pages, Projected};
use crate::compaction::lines::lines_of_assistant;
use crate::compaction::{Epoch, Policy};
use crate::record::{ConversationId, Message, Role, Seq, Stored};
use crate::replay::ids_in;
use crate::store::{
    Committed, ConversationRow, MessageRow, Replacement, Store, StoredBody, TurnCommit, TurnStart,
};
use crate::target::{Catalog, Target};
use crate::turn::{Effects, Engine, Known, Order, Skip, State, call_facts};

/// The most messages that one commit takes in.
const MOST_MESSAGES: u32 = 512;
/// About the most bytes of messages that one commit takes in.
const MOST_BYTES: u64 = 16 << 20;
/// How often a turn is worked out again because somebody else committed first.
const MOST_RACES: u32 = 8;

/// By what turns are run.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The targets that there are.
    pub catalog: Catalog,
    /// What is let go of, and when.
    pub policy: Policy,
    /// Whether it is measured how much of each projection stays. Costs a look at every segment.
    pub measure: bool,
}

/// Runs turns over a store. Cheap to share; blocks while it works.
pub struct Turns<S> {
    pub(super) store: Arc<S>,
    pub(super) setup: Setup,
}

/// What a run of turns did.
#[derive(Debug, Clone, Default)]
pub struct Finished {
    /// What is accounted for now.
    pub accounted: Seq,
    /// How many messages were taken in.
    pub messages: u64,
    /// Epochs that were decided.
    pub epochs: Vec<Epoch>,
    /// Why nothing was cleared, at each place where it was asked.
    pub skips: Vec<Skip>,
    /// Per target, in the conversation's order: how much of the projection stayed.
    pub stability: Vec<Stability>,
    /// How long it took, all commits together.
    pub took: Duration,
}

/// How much of a projection's bytes stayed from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stability {
    /// Bytes of the projection before.
    pub before: u64,
    /// Bytes from its beginning that are the same after.
    pub common: u64,
}

impl<S: Store> Turns<S> {
    /// Runs turns over `store`.
    pub fn new(store: Arc<S>, setup: Setup) -> Self {
        Self { store, setup }
    }

    /// Brings a conversation up to its head. Nothing to do is no work but one read.
    pub fn run(&self, id: &ConversationId) -> Result<Finished, TurnError> {
        let begun = Instant::now();
        let mut all = Finished::default();
        let mut races = 0;
        loop {
            let start = self.store.begin_turn(id, MOST_MESSAGES, MOST_BYTES)?;
            all.accounted = start.row.accounted;
            if start.new.is_empty() {
                break;
            }
            match self.turn(&start)? {
                Some(turn) => all.add(turn),
                None if races == MOST_RACES => return Err(TurnError::Contended(id.clone())),
                None => races += 1,
            }
        }
        all.took = begun.elapsed();
        info!(
            conversation = %id, accounted = %all.accounted, messages = all.messages,
            epochs = all.epochs.len(), took_ms = all.took.as_secs_f64() * 1000.0, "turn"
        );
        Ok(all)
    }

    /// One commit's work: load → account → plan → project → commit. `None`: somebody else
    /// committed first.
    fn turn(&self, start: &TurnStart) -> Result<Option<Finished>, TurnError> {
        let targets = self.targets(&start.row)?;
        let order = Order { targets: &targets, policy: &self.setup.policy };
        let new = parse(&start.row.id, &start.new)?;
        let mut engine = self.resume(order, start, &new)?;
        for stored in &new {
            engine.step(stored);
        }
        let effects = engine.finish();
        let projected = Pages::new(&*self.store, &start.row, &new, &effects)
            .project(&targets, self.setup.measure)?;
        self.commit(&start.row, &new, effects, projected)
    }

    /// The configured targets of a conversation, in its order.
    pub(super) fn targets(&self, row: &ConversationRow) -> Result<Vec<&Target>, TurnError> {
        row.targets
            .iter()
            .map(|name| self.setup.catalog.get(name.as_str()))
            .collect::<Result<_, _>>()
            .map_err(|source| TurnError::Target { conversation: row.id.clone(), source })
    }

    /// The engine as the last commit left it, with what it must know of the new messages.
    pub(super) fn resume<'a>(
        &self,
        order: Order<'a>,
        start: &TurnStart,
        new: &[Stored],
    ) -> Result<Engine<'a>, TurnError> {
        let Some(state) = &start.state else { return Ok(Engine::start(order)) };
        let state: State = serde_json::from_str(state).map_err(|error| TurnError::State {
            conversation: start.row.id.clone(),
            why: error.to_string(),
        })?;
        let known = self.known(start, new)?;
        Ok(Engine::resume(order, state, known))
    }

    fn known(&self, start: &TurnStart, new: &[Stored]) -> Result<Known, TurnError> {
        let id = &start.row.id;
        let ids: BTreeSet<_> = new.iter().flat_map(|stored| ids_in(&stored.message)).collect();
        let lines: BTreeSet<_> = new
            .iter()
            .filter(|stored| stored.message.role == Role::Assistant)
            .flat_map(|stored| lines_of_assistant(&stored.message))
            .collect();
        let ids = self.store.id_facts(id, &ids)?;
        let mut open_calls = BTreeMap::new();
        for at in ids.values().flat_map(|facts| &facts.open) {
            let messages = self.store.messages(id, crate::replay::SeqRange::one(at.seq))?;
            for stored in parse(id, &messages)? {
                open_calls.extend(call_facts(*at, &stored.message).map(|facts| (*at, facts)));
            }
        }
        let holders = self.store.holders(id, &lines)?;
        Ok(Known { live: start.live.clone(), holders, ids, open_calls })
    }

    pub(super) fn commit(
        &self,
        row: &ConversationRow,
        new: &[Stored],
        effects: Effects,
        projected: Projected,
    ) -> Result<Option<Finished>, TurnError> {
        let accounted = new.last().map_or(row.accounted, |stored| stored.seq);
        let finished = Finished {
            accounted,
            messages: new.len() as u64,
            epochs: effects.epochs.clone(),
            skips: effects.skips.clone(),
            stability: projected.stability,
            took: Duration::ZERO,
        };
        let commit = commit_of(row, accounted, effects, projected.segments, false);
        match self.store.commit_turn(commit)? {
            Committed::Done(_) => Ok(Some(finished)),
            Committed::Stale(version) => {
                debug!(conversation = %row.id, version, "somebody else committed first");
                Ok(None)
            }
        }
    }
}

/// What the store is told of a turn.
pub(super) fn commit_of(
    row: &ConversationRow,
    accounted: Seq,
    effects: Effects,
    segments: Vec<Replacement>,
    anew: bool,
) -> TurnCommit {
    let mut live_put = effects.index.updated;
    let mut lines = Vec::new();
    for (live, of_it) in effects.index.inserted {
        if !of_it.is_empty() {
            lines.push((live.at, of_it));
        }
        live_put.push(live);
    }
    let mut calls = Vec::new();
    let mut messages = Vec::new();
    for message in effects.messages {
        calls.extend(message.calls);
        messages.push(MessageRow {
            seq: message.seq,
            weight: message.weight,
            images_before: message.images_before,
        });
    }
    TurnCommit {
        id: row.id.clone(),
        expected_version: row.version,
        anew,
        targets: None,
        accounted,
        state: serde_json::to_string(&effects.state)
            .expect("the state has string keys and writes to memory"),
        live_put,
        live_drop: effects.index.removed,
        lines,
        calls,
        answers: effects.answers,
        messages,
        epochs: effects.epochs,
        realised: effects.realised,
        segments,
    }
}

/// Stored bodies as messages.
pub(super) fn parse(id: &ConversationId, bodies: &[StoredBody]) -> Result<Vec<Stored>, TurnError> {
    bodies
        .iter()
        .map(|stored| match Message::parse(&stored.body) {
            Ok(message) => Ok(Stored { seq: stored.seq, message }),
            Err(source) => {
                Err(TurnError::Message { conversation: id.clone(), seq: stored.seq, source })
            }
        })
        .collect()
}

impl Finished {
    /// Takes in the next commit of the same run.
    fn add(&mut self, next: Self) {
        self.accounted = next.accounted;
        self.messages += next.messages;
        self.epochs.extend(next.epochs);
        self.skips.extend(next.skips);
        if self.stability.is_empty() {
            self.stability = next.stability;
        } else {
            for (all, one) in self.stability.iter_mut().zip(next.stability) {
                all.common = all.common.min(one.common);
            }
        }
    }
}
