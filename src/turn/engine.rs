//! Walking the record: account for each message, decide, note what must be made again.

use std::collections::{BTreeMap, BTreeSet};

use crate::compaction::lines::lines_of_assistant;
use crate::compaction::{
    self, CallFacts, Epoch, EpochNumber, Holders, Index, LiveResult, MessageFacts, Mode, Policy,
    ResultFacts, SkipReason, UndoError, UndoPlan,
};
use crate::record::{Block, BlockRef, CallId, Message, Role, Seq, Stored, Timestamp, ToolResult};
use crate::replay::{Binder, Bound, IdFacts, Links, SeqRange, image_homes};
use crate::target::Target;
use crate::tokens::{Encoding, MessageWeight, Tokens, result_on, weigh};

use super::effects::{Effects, MessageEffects, Skip};
use super::state::State;

/// By what is decided.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// The targets of the conversation, in its order; the first decides.
    pub targets: &'a [&'a Target],
    /// What is let go of, and when.
    pub policy: &'a Policy,
}

/// What was known before the new messages.
#[derive(Debug, Default)]
pub struct Known {
    /// The live results.
    pub live: Vec<LiveResult>,
    /// For each line that the new messages say: the stored results that hold it.
    pub holders: Holders,
    /// For each call id in the new messages: its declarations.
    pub ids: BTreeMap<CallId, IdFacts>,
    /// The declared calls among them that are still open.
    pub open_calls: BTreeMap<BlockRef, CallFacts>,
}

/// Takes in messages, one by one, and gathers what they change.
pub struct Engine<'a> {
    order: Order<'a>,
    encodings: BTreeSet<Encoding>,
    state: State,
    walk: compaction::State,
    binder: Binder,
    calls: BTreeMap<BlockRef, CallFacts>,
    first_new: Option<Seq>,
    messages: Vec<MessageEffects>,
    answers: Vec<(BlockRef, BlockRef)>,
    epochs: Vec<Epoch>,
    realised: Vec<(EpochNumber, Tokens)>,
    skips: Vec<Skip>,
    dirty: Vec<Vec<SeqRange>>,
}

impl<'a> Engine<'a> {
    /// Goes on from `state` with what is `known`.
    pub fn resume(order: Order<'a>, state: State, known: Known) -> Self {
        let mut index = Index::load(known.live);
        index.add_holders(known.holders);
        Self {
            encodings: order.targets.iter().map(|target| target.encoding).collect(),
            dirty: vec![Vec::new(); order.targets.len()],
            walk: compaction::State { index, account: state.account.clone() },
            binder: Binder::with(known.ids),
            calls: known.open_calls,
            first_new: None,
            messages: Vec::new(),
            answers: Vec::new(),
            epochs: Vec::new(),
            realised: Vec::new(),
            skips: Vec::new(),
            order,
            state,
        }
    }

    /// Starts at the beginning of a record.
    pub fn start(order: Order<'a>) -> Self {
        let names = order.targets.iter().map(|target| target.name.clone()).collect();
        Self::resume(order, State::new(names), Known::default())
    }

    /// Takes in the next message and decides. Gives what policy saw of it.
    pub fn step(&mut self, stored: &Stored) -> MessageFacts {
        let facts = self.take_in(stored);
        let step = self.walk.step(&facts, self.order.targets, self.order.policy);
        self.outcome(stored.seq, step.outcome);
        facts
    }

    /// Takes in the next message, after which `decided` was decided before.
    pub fn follow(&mut self, stored: &Stored, decided: &[&Epoch]) -> MessageFacts {
        let facts = self.take_in(stored);
        self.walk.follow(&facts, decided, self.order.targets, self.order.policy);
        for epoch in decided {
            self.note_epoch((*epoch).clone());
        }
        facts
    }

    /// Takes back what the undo `undo` took back, where `epochs` were made before it and
    /// `facts` are those of the record so far.
    pub fn follow_undo(&mut self, undo: &Epoch, epochs: &[Epoch], facts: &[MessageFacts]) {
        let plan = UndoPlan {
            undoes: undo.undoes.unwrap_or(undo.number),
            number: undo.number,
            clearings: undo.clearings.clone(),
            returned: undo.clearings.iter().map(compaction::Clearing::net).sum(),
        };
        self.take_back(&plan, epochs, facts);
        self.note_epoch(undo.clone());
    }

    /// Undoes an epoch, where `epochs` are all that were made and `facts` are those of the
    /// whole record.
    pub fn undo(
        &mut self,
        number: EpochNumber,
        epochs: &[Epoch],
        facts: &[MessageFacts],
    ) -> Result<Epoch, UndoError> {
        let plan = compaction::undo(epochs, number)?;
        let epoch = self.take_back(&plan, epochs, facts);
        self.note_epoch(epoch.clone());
        Ok(epoch)
    }

    fn take_back(&mut self, plan: &UndoPlan, epochs: &[Epoch], facts: &[MessageFacts]) -> Epoch {
        let back: BTreeSet<BlockRef> =
            plan.clearings.iter().map(|clearing| clearing.result).collect();
        let results: Vec<ResultFacts> = facts
            .iter()
            .flat_map(|message| &message.results)
            .filter(|result| back.contains(&result.at))
            .cloned()
            .collect();
        let mut before = BTreeMap::new();
        let mut raw = Tokens::ZERO;
        for message in facts {
            before.insert(message.seq, raw);
            raw += message.tokens.first().copied().unwrap_or_default();
        }
        let before = |seq: Seq| before.get(&seq).copied().unwrap_or_default();
        self.walk.undo(plan, &results, before, epochs)
    }

    /// Decides once more on what was taken in so far, without a new message.
    pub fn decide(&mut self, now: Option<Timestamp>, mode: Mode) -> Result<Epoch, SkipReason> {
        let clock = compaction::Clock { idle_ms: self.walk.account.idle_ms(now) };
        let outcome = self.walk.decide(clock, self.order.targets, self.order.policy, mode);
        self.outcome(self.walk.account.through, outcome.clone());
        outcome
    }

    /// What the results weigh and why they are kept, as it stands.
    pub fn walk(&self) -> &compaction::State {
        &self.walk
    }

    /// What is carried from turn to turn. Its account is that of [`Engine::walk`].
    pub fn state(&self) -> &State {
        &self.state
    }

    /// All that was changed.
    pub fn finish(mut self) -> Effects {
        self.state.account = self.walk.account.clone();
        Effects {
            index: self.walk.index.changes(),
            state: self.state,
            messages: self.messages,
            answers: self.answers,
            epochs: self.epochs,
            realised: self.realised,
            skips: self.skips,
            dirty: self.dirty,
        }
    }

    fn outcome(&mut self, at: Seq, outcome: Result<Epoch, SkipReason>) {
        match outcome {
            Ok(epoch) => self.note_epoch(epoch),
            Err(why) => self.skips.push(Skip { at, why }),
        }
    }

    fn note_epoch(&mut self, epoch: Epoch) {
        let touched = epoch.clearings.iter().map(|clearing| clearing.call.seq);
        let touched: BTreeSet<_> = touched.collect();
        for (index, target) in self.order.targets.iter().enumerate() {
            let stretches = touched.iter().map(|&seq| SeqRange::one(seq));
            self.dirty[index].extend(stretches);
            if let (true, Some(&first)) = (target.binds_thinking, touched.first()) {
                self.state.reasoning[index].epoch(first, epoch.at);
                self.dirty[index].push(SeqRange::new(first, epoch.at));
            }
        }
        self.state.calibration.epoch();
        self.state.awaiting_usage = Some(epoch.number);
        self.epochs.push(epoch);
    }

    /// Binds, weighs and accounts for one message; gives what policy needs to know of it.
    fn take_in(&mut self, stored: &Stored) -> MessageFacts {
        self.first_new.get_or_insert(stored.seq);
        self.usage(&stored.message);
        let weight = weigh(&stored.message, &self.encodings);
        let images_before = self.state.images.seen();
        let bound = self.binder.bind(stored);
        self.ledgers(stored, &bound);
        let mut calls = Vec::new();
        let mut results = Vec::new();
        for bound in bound {
            match bound {
                Bound::Declared { call_id, fact } => calls.push((call_id, fact)),
                Bound::Answered { call, result } => {
                    self.answered(call, result);
                    results.extend(self.result_facts(stored, &weight, call, result));
                }
                Bound::Evidence { .. } => {}
            }
        }
        let facts = self.message_facts(stored, &weight, results);
        self.messages.push(MessageEffects { seq: stored.seq, weight, images_before, calls });
        facts
    }

    fn message_facts(
        &mut self,
        stored: &Stored,
        weight: &MessageWeight,
        results: Vec<ResultFacts>,
    ) -> MessageFacts {
        let message = &stored.message;
        let calls: Vec<CallFacts> = blocks(stored)
            .filter_map(|(at, block)| match block {
                Block::ToolCall(call) => Some(CallFacts::of(at, call)),
                Block::Text(_)
                | Block::Reasoning(_)
                | Block::ToolResult(_)
                | Block::Image(_)
                | Block::Document(_) => None,
            })
            .collect();
        self.calls.extend(calls.iter().map(|call| (call.at, call.clone())));
        let on = |target: &&Target| weight.on(message.role, target);
        MessageFacts {
            seq: stored.seq,
            role: message.role,
            created_at: message.created_at,
            tokens: self.order.targets.iter().map(on).collect(),
            speaks: message.blocks.iter().any(|block| !matches!(block, Block::ToolResult(_))),
            lines: match message.role {
                Role::Assistant => lines_of_assistant(message),
                Role::User | Role::Tool | Role::System => Vec::new(),
            },
            calls,
            results,
        }
    }

    /// What policy needs to know of an answer; nothing where its call is not known any more.
    fn result_facts(
        &self,
        stored: &Stored,
        weight: &MessageWeight,
        call: BlockRef,
        result: BlockRef,
    ) -> Option<ResultFacts> {
        let block = usize::try_from(result.block).ok()?;
        let on = |target: &&Target| weight.blocks().get(block).map(|weight| weight.on(target));
        let primary = self.order.targets.first()?;
        let before = weight.blocks().iter().take(block).map(|weight| weight.on(primary)).sum();
        Some(ResultFacts::of(
            result,
            tool_result(&stored.message, block)?,
            self.calls.get(&call)?.clone(),
            self.order.targets.iter().map(on).collect::<Option<_>>()?,
            before,
            |text| self.order.targets.iter().map(|target| result_on(text, target)).collect(),
        ))
    }

    /// A late answer changes what stands where its call does.
    fn answered(&mut self, call: BlockRef, result: BlockRef) {
        self.answers.push((call, result));
        if self.first_new.is_some_and(|first| call.seq < first) {
            for dirty in &mut self.dirty {
                dirty.push(SeqRange::one(call.seq));
            }
        }
    }

    fn ledgers(&mut self, stored: &Stored, bound: &[Bound]) {
        let mut links = Links::default();
        links.take_in(bound);
        let again = self.state.images.absorb(image_homes(stored, &links));
        for (index, target) in self.order.targets.iter().enumerate() {
            self.dirty[index].extend(again.iter().copied());
            self.dirty[index].extend(self.state.reasoning[index].absorb(stored, target));
        }
    }

    /// Holds what the provider reported for a call against what was counted when it was made.
    fn usage(&mut self, message: &Message) {
        let Some(usage) = message.usage else { return };
        let (Some(counted), Some(origin)) = (self.walk.account.totals.first(), &message.origin)
        else {
            return;
        };
        let reported = Tokens::new(usage.total_input());
        self.state.calibration.call(&origin.model, *counted, reported);
        if let Some(epoch) = self.state.awaiting_usage.take() {
            let rewritten = usage.input.saturating_add(usage.cache_write);
            self.realised.push((epoch, Tokens::new(rewritten)));
        }
    }
}

/// The blocks of a message with their places.
fn blocks(stored: &Stored) -> impl Iterator<Item = (BlockRef, &Block)> {
    (0..).zip(&stored.message.blocks).map(|(n, block)| (BlockRef::new(stored.seq, n), block))
}

fn tool_result(message: &Message, block: usize) -> Option<&ToolResult> {
    match message.blocks.get(block)? {
        Block::ToolResult(result) => Some(result),
        Block::Text(_)
        | Block::Reasoning(_)
        | Block::ToolCall(_)
        | Block::Image(_)
        | Block::Document(_) => None,
    }
}

/// The facts of a call that were known once, made again for [`Known::open_calls`].
pub fn call_facts(at: BlockRef, message: &Message) -> Option<CallFacts> {
    let block = usize::try_from(at.block).ok()?;
    match message.blocks.get(block)? {
        Block::ToolCall(call) => Some(CallFacts::of(at, call)),
        Block::Text(_)
        | Block::Reasoning(_)
        | Block::ToolResult(_)
        | Block::Image(_)
        | Block::Document(_) => None,
    }
}
