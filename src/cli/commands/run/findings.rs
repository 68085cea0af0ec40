//! What the database holds after a run, as a report: figures are made of what was kept, not of
//! what passed by, so that a second run over the same database says the same.

use std::collections::{BTreeMap, BTreeSet};

use super::super::context::store_trouble;
use super::super::sessions::Session;
use super::drive::Driven;
use crate::cli::report::{
    Accounting, ClearedResult, ConversationReport, Costs, EpochReport, Kept, KeptWhy, Pricing,
    Regret, TargetReport, UnreadableLine, Usd,
};
use crate::compaction::simulate::{Moment, Report, Strategy, moments, simulate};
use crate::compaction::{Epoch, KeptBecause, MessageFacts, Policy, effective, survey};
use crate::record::{Block, BlockRef, Message, Seq, Stored};
use crate::replay::{Repair, Repairs, SeqRange};
use crate::store::{MessageRow, SqliteStore, Store as _};
use crate::target::Target;
use crate::tokens::{Calibration, Scale, Tokens, frame_on};
use crate::turn::{Followed, Order, follow};

/// What is told of one conversation.
pub(super) fn conversation(
    store: &SqliteStore,
    policy: &Policy,
    session: &Session,
    targets: &[&Target],
    driven: &Driven,
) -> anyhow::Result<ConversationReport> {
    let id = &session.id;
    let bodies = store.messages(id, SeqRange::from(Seq::FIRST)).map_err(store_trouble)?;
    let mut messages = Vec::with_capacity(bodies.len());
    for stored in &bodies {
        messages.push(Stored { seq: stored.seq, message: Message::parse(&stored.body)? });
    }
    let rows = store.message_rows(id, SeqRange::from(Seq::FIRST)).map_err(store_trouble)?;
    let epochs = store.epochs(id).map_err(store_trouble)?;
    let followed = follow(Order { targets, policy }, &messages, &epochs);
    let mut reports = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        let cached = store.projection(id, &target.name).map_err(store_trouble)?;
        let segments = cached.map(|cached| cached.segments).unwrap_or_default();
        let mut repairs = Repairs::default();
        for segment in &segments {
            repairs.add(&segment.repairs);
        }
        let bytes = segments.iter().map(|segment| segment.bytes.len() as u64).sum();
        let found = Found {
            policy,
            targets,
            messages: &messages,
            rows: &rows,
            epochs: &epochs,
            followed: &followed,
            driven,
            index,
            target,
        };
        reports.push(found.report(bytes, &repairs));
    }
    let count = |kind: fn(&Block) -> bool| -> u64 {
        let blocks = messages.iter().flat_map(|stored| &stored.message.blocks);
        blocks.filter(|block| kind(block)).count() as u64
    };
    Ok(ConversationReport {
        id: id.clone(),
        source: session.source.clone(),
        format: session.format.to_string(),
        messages: messages.len() as u64,
        calls: count(|block| matches!(block, Block::ToolCall(_))),
        results: count(|block| matches!(block, Block::ToolResult(_))),
        skipped: session.skipped.clone(),
        targets: reports,
        unreadable: session
            .unreadable
            .iter()
            .map(|line| UnreadableLine { line: line.line, error: line.reason.clone() })
            .collect(),
        notes: session.notes.clone(),
    })
}

/// One conversation on one target.
struct Found<'f> {
    policy: &'f Policy,
    targets: &'f [&'f Target],
    messages: &'f [Stored],
    rows: &'f [MessageRow],
    epochs: &'f [Epoch],
    followed: &'f Followed<'f>,
    driven: &'f Driven,
    index: usize,
    target: &'f Target,
}

impl Found<'_> {
    fn report(&self, bytes: u64, repairs: &Repairs) -> TargetReport {
        let moments = self.content();
        let run = |strategy| simulate(&moments, self.target, strategy);
        let none = run(Strategy::NoClearing);
        let keep3 = run(Strategy::KeepNewest(3));
        let ours = run(Strategy::Epochs(self.epochs));
        let dollars =
            |report: &Report| Usd::of_input(report.cost.get(), self.target.prices.input_micro_usd);
        let last = self.driven.skips.last();
        TargetReport {
            target: self.target.name.clone(),
            tokens_before: self.raw(),
            tokens_after: self.standing(),
            cleared_results: effective(self.epochs).len() as u64,
            epochs: self.epoch_reports(),
            bytes,
            prefix_stable: self.driven.stability[self.index].share(),
            cost: Costs { none: dollars(&none), keep3: dollars(&keep3), afterturn: dollars(&ours) },
            pricing: Pricing::new(self.target.prices, self.target.cache_lifetime_ms),
            model_calls: none.calls,
            kept: self.kept(),
            not_cleared: self.not_cleared(),
            last_reason: last.map(|skip| skip.why.to_string()),
            regret: (ours.quotes > 0).then_some(Regret {
                quotes: ours.quotes,
                afterturn_missed: ours.regretted,
                keep3_missed: keep3.regretted,
            }),
            reasoning_left_out: repairs.left_out.len() as u64,
            repairs: told(repairs),
            accounting: self.accounting(),
        }
    }

    /// The session for the simulation: content alone. What a wire adds around it is the same
    /// for every way of clearing, like the system prompt and the tools.
    fn content(&self) -> Vec<Moment> {
        let mut moments = moments(&self.followed.facts, self.index, self.policy);
        let frame = frame_on(self.target);
        for ((moment, stored), row) in moments.iter_mut().zip(self.messages).zip(self.rows) {
            moment.tokens -= row.weight.framing_on(stored.message.role, self.target);
            let mut frames = Tokens::ZERO;
            for result in &mut moment.results {
                result.offset -= frames;
                result.tokens -= frame;
                result.marker_tokens -= frame;
                frames += frame;
            }
        }
        moments
    }

    fn on_target(&self, tokens: &[Tokens]) -> Tokens {
        tokens.get(self.index).copied().unwrap_or_default()
    }

    fn raw(&self) -> Tokens {
        self.followed.facts.iter().map(|message| self.on_target(&message.tokens)).sum()
    }

    fn standing(&self) -> Tokens {
        self.on_target(&self.followed.engine.walk().account.totals)
    }

    /// What clearing each result frees on this target.
    fn freed(&self) -> BTreeMap<BlockRef, Tokens> {
        let results = self.followed.facts.iter().flat_map(|message| &message.results);
        results
            .map(|result| {
                let net = self.on_target(&result.tokens) - self.on_target(&result.marker_tokens);
                (result.at, net)
            })
            .collect()
    }

    /// The epochs with this target's own figures.
    fn epoch_reports(&self) -> Vec<EpochReport> {
        let freed = self.freed();
        let mut reports = Vec::new();
        let mut gone = Tokens::ZERO;
        for epoch in self.epochs {
            let raw = self.raw_at(epoch.at);
            let changed: Tokens = epoch
                .clearings
                .iter()
                .filter_map(|clearing| freed.get(&clearing.result))
                .copied()
                .sum();
            let before = raw - gone;
            if epoch.undoes.is_some() {
                gone -= changed;
            } else {
                gone += changed;
            }
            reports.push(epoch_report(epoch, before, raw - gone));
        }
        reports
    }

    fn raw_at(&self, at: Seq) -> Tokens {
        let until = self.followed.facts.iter().take_while(|message| message.seq <= at);
        until.map(|message| self.on_target(&message.tokens)).sum()
    }

    fn kept(&self) -> Kept {
        let walk = self.followed.engine.walk();
        let survey = survey(&walk.index, &walk.account, self.policy, self.targets);
        let mut why: BTreeMap<BlockRef, KeptWhy> = BTreeMap::new();
        why.extend(survey.candidates.iter().map(|at| (*at, KeptWhy::Waiting)));
        why.extend(survey.kept.iter().map(|(at, because)| (*at, kept_why(*because))));
        let cleared: BTreeSet<BlockRef> = effective(self.epochs).into_keys().collect();
        let results =
            self.followed.facts.iter().flat_map(|message: &MessageFacts| &message.results);
        results
            .filter(|result| !cleared.contains(&result.at))
            .map(|result| {
                let never = self.policy.never_clear.contains(&result.call.tool);
                let otherwise = if never { KeptWhy::NeverClear } else { KeptWhy::Small };
                let why = why.get(&result.at).copied().unwrap_or(otherwise);
                (why, self.on_target(&result.tokens))
            })
            .collect()
    }

    fn not_cleared(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for skip in &self.driven.skips {
            *counts.entry(skip.why.as_str().replace('_', " ")).or_default() += 1;
        }
        counts
    }

    /// What was reported when the session was recorded, held against the history as it was
    /// then: nothing of ours was cleared. Only the first target's provider wrote it.
    fn accounting(&self) -> Option<Accounting> {
        if self.index > 0 {
            return None;
        }
        let mut calibration = Calibration::default();
        let mut before = Tokens::ZERO;
        for (facts, stored) in self.followed.facts.iter().zip(self.messages) {
            if let (Some(usage), Some(origin)) = (stored.message.usage, &stored.message.origin) {
                let reported = Tokens::new(usage.total_input());
                calibration.call(&origin.model, before, reported);
            }
            before += self.on_target(&facts.tokens);
        }
        // The tokens are scaled already: what is found corrects that.
        let correction = u64::from(calibration.scale()?.get());
        let scale = u64::from(self.target.scale.get()) * correction / 1000;
        let error = calibration.error_permille()?;
        Some(Accounting {
            scale: Scale::permille(u32::try_from(scale).unwrap_or(u32::MAX)),
            error: f64::from(u32::try_from(error).unwrap_or(u32::MAX)) / 1000.0,
            compared: calibration.compared(),
        })
    }
}

fn epoch_report(epoch: &Epoch, before: Tokens, after: Tokens) -> EpochReport {
    let largest = epoch.clearings.iter().max_by_key(|clearing| clearing.tokens);
    EpochReport {
        trigger: epoch.trigger,
        cleared: epoch.clearings.len() as u64,
        tokens_before: before,
        tokens_after: after,
        number: epoch.number,
        reason: epoch.reason.clone(),
        largest: largest.map(|clearing| ClearedResult {
            call_id: clearing.call_id.clone(),
            tool: clearing.tool.clone(),
            tokens: clearing.tokens,
        }),
    }
}

const fn kept_why(because: KeptBecause) -> KeptWhy {
    match because {
        KeptBecause::CurrentTurn => KeptWhy::CurrentTurn,
        KeptBecause::Newest => KeptWhy::Newest,
        KeptBecause::InUse(_) => KeptWhy::InUse,
    }
}

/// Repairs in words. Reasoning has a figure of its own.
fn told(repairs: &Repairs) -> BTreeMap<String, u64> {
    let words = |repair: &Repair| match repair {
        Repair::DidNotComplete => Some("calls answered as not completed"),
        Repair::OrphanToProse => Some("results without a call, told as prose"),
        Repair::IdRenamed => Some("call ids renamed"),
        Repair::NameMapped => Some("tool names mapped"),
        Repair::ArgumentsWrapped => Some("broken arguments wrapped"),
        Repair::ImageUnseen => Some("images named as unseen"),
        Repair::DocumentUnseen => Some("documents named as unseen"),
        Repair::EmptyResult => Some("empty results said to be empty"),
        Repair::BlankLeftOut => Some("blank texts left out"),
        Repair::BeginsWithAssistant => Some("beginnings with the assistant marked"),
        Repair::ReasoningLeftOut => None,
    };
    repairs
        .counts
        .iter()
        .filter_map(|(repair, count)| Some((words(repair)?.to_owned(), *count)))
        .collect()
}
