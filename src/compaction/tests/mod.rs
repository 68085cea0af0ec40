//! Tests of the policy, by what they state.

mod accounts;
mod facts;
mod lines;
mod marker;
mod plans;
mod properties;
mod simulation;
mod surveys;
mod targets;
mod undo;

use super::lines::LineHash;
use super::marker::{Extent, marker};
use super::{CallFacts, MessageFacts, ResultFacts, State, Step, Touch};
use crate::compaction::Policy;
use crate::record::{BlockRef, CallId, Role, Seq, Status, Timestamp, ToolName};
use crate::target::Target;
use crate::tokens::Tokens;

/// A target of 200 000 tokens at Anthropic's prices, whose cache lives five minutes.
fn target() -> Target {
    serde_json::from_value(serde_json::json!({
        "name": "opus", "wire": "anthropic", "provider": "anthropic", "model": "claude-opus-4-5",
        "window": 200_000, "vision": true,
        "prices": {"input_micro_usd": 5_000_000, "write_permille": 1250, "read_permille": 100},
        "cache_lifetime_ms": 300_000, "encoding": "o200k_base", "images": "anthropic_area",
    }))
    .expect("it is a target")
}

/// Keeps little, so that short talks show what happens.
fn strict() -> Policy {
    Policy { keep_results: 1, keep_tokens: Some(Tokens::ZERO), ..Policy::default() }
}

/// Marker weight in every test.
const MARKER: u64 = 30;

/// Builds the facts of a talk, a message every ten seconds.
#[derive(Default)]
struct Talk {
    messages: Vec<MessageFacts>,
    seconds: i64,
}

impl Talk {
    fn push(&mut self, role: Role, tokens: u64) -> &mut MessageFacts {
        self.seconds += 10;
        self.messages.push(MessageFacts {
            seq: Seq::new(self.messages.len() as u64 + 1),
            role,
            created_at: Some(Timestamp::from_millis(self.seconds * 1000)),
            tokens: vec![Tokens::new(tokens)],
            speaks: true,
            calls: Vec::new(),
            results: Vec::new(),
            lines: Vec::new(),
        });
        self.messages.last_mut().expect("one was just pushed")
    }

    fn user(&mut self, tokens: u64) -> &mut Self {
        self.push(Role::User, tokens);
        self
    }

    /// An assistant message that quotes these lines.
    fn says(&mut self, lines: &[u64]) -> &mut Self {
        self.push(Role::Assistant, 10).lines = lines.iter().copied().map(LineHash).collect();
        self
    }

    /// A call, and its result of this weight, which shows line `n` for call `n`.
    fn round(&mut self, n: u64, tokens: u64) -> &mut Self {
        self.touching(n, None, tokens)
    }

    fn touching(&mut self, n: u64, touch: Option<Touch>, tokens: u64) -> &mut Self {
        let call = self.call(n, touch);
        self.result(call, n, tokens)
    }

    fn call(&mut self, n: u64, touch: Option<Touch>) -> CallFacts {
        let message = self.push(Role::Assistant, 10);
        let call = CallFacts {
            at: BlockRef::new(message.seq, 0),
            call_id: CallId::new(format!("call_{n}")),
            tool: ToolName::new("bash"),
            hash: n,
            touch,
        };
        message.calls.push(call.clone());
        call
    }

    fn result(&mut self, call: CallFacts, n: u64, tokens: u64) -> &mut Self {
        let message = self.push(Role::Tool, tokens);
        message.speaks = false;
        let at = BlockRef::new(message.seq, 0);
        let weight = Tokens::new(tokens);
        message.results.push(ResultFacts {
            at,
            marker: marker(&call.tool, Status::Ok, weight, Extent::default(), &call.call_id, at),
            call,
            status: Status::Ok,
            tokens: vec![weight],
            marker_tokens: vec![Tokens::new(MARKER)],
            offset: Tokens::ZERO,
            content_hash: n,
            extent: Extent::default(),
            lines: vec![LineHash(n)],
        });
        self
    }

    fn wait(&mut self, seconds: i64) -> &mut Self {
        self.seconds += seconds;
        self
    }

    fn walk(&self, target: &Target, policy: &Policy) -> (State, Vec<Step>) {
        let mut state = State::default();
        let steps =
            self.messages.iter().map(|message| state.step(message, &[target], policy)).collect();
        (state, steps)
    }
}

/// The seqs of the results that the passes among these steps cleared.
fn cleared(steps: &[Step]) -> Vec<Vec<u64>> {
    let epochs = steps.iter().filter_map(|step| step.outcome.as_ref().ok());
    epochs
        .map(|epoch| epoch.clearings.iter().map(|clearing| clearing.result.seq.get()).collect())
        .collect()
}
