//! What a conversation weighs and has paid so far: all that policy remembers besides the
//! index. Bounded, so that it is loaded and stored with every turn.

use serde::{Deserialize, Serialize};

use super::cost::Cost;
use super::epoch::EpochNumber;
use super::facts::MessageFacts;
use crate::record::{BlockRef, Role, Seq, Timestamp};
use crate::tokens::Tokens;

/// The running account of one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Account {
    /// The last message taken in.
    pub through: Seq,
    /// What the record weighs on the first target, nothing cleared.
    pub raw: Tokens,
    /// What the projection weighs now, for each target.
    pub totals: Vec<Tokens>,
    /// What carrying candidates has cost since the last epoch.
    pub rent: Cost,
    /// The net tokens that could have been cleared at the last evaluation: what the next
    /// model call pays rent on.
    pub carried: Tokens,
    /// How many model calls the record holds.
    pub model_calls: u64,
    /// When the last of them was.
    pub last_call_at: Option<Timestamp>,
    /// The last epoch, an undo too.
    pub last_epoch: Option<LastEpoch>,
    /// Whether the model waits for, or has just been given, results that it asked for.
    pub in_tool_loop: bool,
    /// The first message of the current turn: what came since the model last spoke, and, once
    /// it has answered, that answer.
    pub turn_first: Seq,
    /// Calls of the newest assistant message that have no result yet.
    pub open: Vec<BlockRef>,
    /// Whether the last message taken in was the assistant's.
    pub assistant_last: bool,
}

/// What cool-down needs to know of the last epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastEpoch {
    /// Its number.
    pub number: EpochNumber,
    /// The head when it was decided.
    pub at: Seq,
    /// What the projection weighed after it, for each target.
    pub totals: Vec<Tokens>,
}

impl Account {
    /// Takes in one message. A message of the assistant's is a model call, and pays rent on
    /// what the last evaluation left standing, at the first target's price of a cached token
    /// (thousandths of a fresh one).
    pub fn absorb(&mut self, message: &MessageFacts, read_price: u64) {
        match message.role {
            Role::Assistant => self.absorb_call(message, read_price),
            Role::User | Role::Tool | Role::System => self.absorb_input(message),
        }
        self.raw += message.tokens.first().copied().unwrap_or_default();
        self.totals.resize(message.tokens.len().max(self.totals.len()), Tokens::ZERO);
        for (total, tokens) in self.totals.iter_mut().zip(&message.tokens) {
            *total += *tokens;
        }
        self.through = message.seq;
    }

    fn absorb_call(&mut self, message: &MessageFacts, read_price: u64) {
        if self.turn_first == Seq::ZERO {
            self.turn_first = message.seq;
        }
        self.rent += Cost::of(self.carried, read_price);
        self.model_calls += 1;
        self.last_call_at = message.created_at.or(self.last_call_at);
        self.open = message.calls.iter().map(|call| call.at).collect();
        self.in_tool_loop = !message.calls.is_empty();
        self.assistant_last = true;
    }

    fn absorb_input(&mut self, message: &MessageFacts) {
        if self.assistant_last || self.turn_first == Seq::ZERO {
            self.turn_first = message.seq;
        }
        self.open.retain(|call| message.results.iter().all(|result| result.call.at != *call));
        // A person who speaks while results are still to come does not end the loop: the
        // results cross before what was said.
        if message.role == Role::User && message.speaks && self.open.is_empty() {
            self.in_tool_loop = false;
        }
        self.assistant_last = false;
    }

    /// Notes an epoch: the rent starts anew.
    pub fn epoch_made(&mut self, number: EpochNumber, totals_after: Vec<Tokens>) {
        self.rent = Cost::ZERO;
        self.carried = Tokens::ZERO;
        self.totals.clone_from(&totals_after);
        self.last_epoch = Some(LastEpoch { number, at: self.through, totals: totals_after });
    }

    /// How long since the last model call, at `now`; `None` where either is not known.
    pub fn idle_ms(&self, now: Option<Timestamp>) -> Option<u64> {
        Some(now?.since(self.last_call_at?))
    }
}
