//! Which result answers which call: decided once, as results come, and never changed.

use std::collections::{BTreeMap, BTreeSet};

use crate::record::{Block, BlockRef, CallId, Message, Stored};

/// A declared call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallFact {
    /// Where it stands.
    pub at: BlockRef,
    /// How many calls of the same id the record holds before it: ids repeat.
    pub occurrence: u32,
    /// The result that answers it.
    pub answer: Option<BlockRef>,
}

/// What is known of one call id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IdFacts {
    /// How many calls of this id were declared.
    pub declared: u32,
    /// Those that are not answered, in the order of the record.
    pub open: Vec<BlockRef>,
}

/// What a block of a new message means for calls and results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bound {
    /// A call was declared.
    Declared {
        /// Its id.
        call_id: CallId,
        /// What is known of it.
        fact: CallFact,
    },
    /// A result answers a call.
    Answered {
        /// The call.
        call: BlockRef,
        /// The result.
        result: BlockRef,
    },
    /// A result whose call is not there, or was answered before.
    Evidence {
        /// The result.
        result: BlockRef,
    },
}

/// Binds results to calls, message by message.
///
/// A result answers the nearest earlier message that holds an unanswered call of its id, and
/// in it the first such call. The first result binds; a second is evidence.
#[derive(Debug, Default)]
pub struct Binder {
    ids: BTreeMap<CallId, IdFacts>,
}

/// The call ids that binding `message` asks about.
pub fn ids_in(message: &Message) -> BTreeSet<CallId> {
    message
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::ToolCall(call) => Some(call.call_id.clone()),
            Block::ToolResult(result) => Some(result.call_id.clone()),
            Block::Text(_) | Block::Reasoning(_) | Block::Image(_) | Block::Document(_) => None,
        })
        .collect()
}

impl Binder {
    /// Goes on from what is known of the ids in the messages to come; nothing, at the
    /// beginning of a record.
    pub fn with(ids: BTreeMap<CallId, IdFacts>) -> Self {
        Self { ids }
    }

    /// Binds the blocks of the next message.
    pub fn bind(&mut self, stored: &Stored) -> Vec<Bound> {
        (0..)
            .zip(&stored.message.blocks)
            .filter_map(|(block, content)| {
                let at = BlockRef::new(stored.seq, block);
                match content {
                    Block::ToolCall(call) => Some(self.declare(at, &call.call_id)),
                    Block::ToolResult(result) => Some(self.answer(at, &result.call_id)),
                    Block::Text(_) | Block::Reasoning(_) | Block::Image(_) | Block::Document(_) => {
                        None
                    }
                }
            })
            .collect()
    }

    fn declare(&mut self, at: BlockRef, call_id: &CallId) -> Bound {
        let id = self.ids.entry(call_id.clone()).or_default();
        let fact = CallFact { at, occurrence: id.declared, answer: None };
        id.declared += 1;
        id.open.push(at);
        Bound::Declared { call_id: call_id.clone(), fact }
    }

    fn answer(&mut self, result: BlockRef, call_id: &CallId) -> Bound {
        let open = self.ids.get_mut(call_id).map(|id| &mut id.open);
        match open.and_then(|open| take_nearest(open, result)) {
            Some(call) => Bound::Answered { call, result },
            None => Bound::Evidence { result },
        }
    }
}

/// The first call of the nearest message.
fn take_nearest(open: &mut Vec<BlockRef>, result: BlockRef) -> Option<BlockRef> {
    let earlier = open.partition_point(|call| *call < result);
    let nearest = open.get(earlier.checked_sub(1)?)?.seq;
    let first = open.partition_point(|call| call.seq < nearest);
    Some(open.remove(first))
}

/// Calls and their answers, as far as they concern a stretch of the record.
#[derive(Debug, Clone, Default)]
pub struct Links {
    calls: BTreeMap<BlockRef, CallFact>,
    answers: BTreeMap<BlockRef, BlockRef>,
}

impl Links {
    /// Notes a call, and its answer if it has one.
    pub fn add(&mut self, fact: CallFact) {
        self.calls.insert(fact.at, fact);
        if let Some(result) = fact.answer {
            self.answers.insert(result, fact.at);
        }
    }

    /// Notes that `result` answers `call`.
    pub fn answer(&mut self, call: BlockRef, result: BlockRef) {
        self.answers.insert(result, call);
        if let Some(fact) = self.calls.get_mut(&call) {
            fact.answer = Some(result);
        }
    }

    /// Notes what binding a message gave.
    pub fn take_in(&mut self, bound: &[Bound]) {
        for bound in bound {
            match bound {
                Bound::Declared { fact, .. } => self.add(*fact),
                Bound::Answered { call, result } => self.answer(*call, *result),
                Bound::Evidence { .. } => {}
            }
        }
    }

    /// The call that stands at `at`.
    pub fn call(&self, at: BlockRef) -> Option<CallFact> {
        self.calls.get(&at).copied()
    }

    /// The call that the result at `at` answers.
    pub fn answered_by(&self, at: BlockRef) -> Option<BlockRef> {
        self.answers.get(&at).copied()
    }

    /// All calls, in the order of the record.
    pub fn calls(&self) -> impl Iterator<Item = CallFact> {
        self.calls.values().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Arguments, CallForm, Extra, Role, Seq, Status, ToolCall, ToolResult};

    fn call(id: &str) -> Block {
        Block::ToolCall(ToolCall {
            call_id: id.into(),
            name: "t".into(),
            arguments: Arguments::from_text("{}"),
            form: CallForm::Function,
            proof: None,
            extra: Extra::NONE,
        })
    }

    fn result(id: &str) -> Block {
        Block::ToolResult(ToolResult {
            call_id: id.into(),
            name: None,
            status: Status::Ok,
            output: Vec::new(),
            extra: Extra::NONE,
        })
    }

    fn bind(messages: Vec<Vec<Block>>) -> Vec<(BlockRef, BlockRef)> {
        let mut binder = Binder::default();
        let mut answers = Vec::new();
        for (seq, blocks) in (1..).zip(messages) {
            let message = Message::new(format!("m{seq}"), Role::Assistant, blocks);
            for bound in binder.bind(&Stored { seq: Seq::new(seq), message }) {
                if let Bound::Answered { call, result } = bound {
                    answers.push((call, result));
                }
            }
        }
        answers
    }

    fn at(seq: u64, block: u32) -> BlockRef {
        BlockRef::new(Seq::new(seq), block)
    }

    #[test]
    fn a_result_answers_the_nearest_message_that_still_waits() {
        let answers = bind(vec![
            vec![call("a")],
            vec![call("a")],
            vec![result("a")],
            vec![result("a")],
            vec![result("a")],
        ]);
        assert_eq!(answers, [(at(2, 0), at(3, 0)), (at(1, 0), at(4, 0))]);
    }

    #[test]
    fn in_one_message_doubled_ids_are_answered_in_order() {
        let answers = bind(vec![vec![call("a"), call("a")], vec![result("a"), result("a")]]);
        assert_eq!(answers, [(at(1, 0), at(2, 0)), (at(1, 1), at(2, 1))]);
    }

    #[test]
    fn a_result_before_its_call_answers_nothing() {
        assert_eq!(bind(vec![vec![result("a")], vec![call("a")]]), []);
    }

    #[test]
    fn a_result_in_its_calls_own_message_answers_it() {
        assert_eq!(bind(vec![vec![call("a"), result("a")]]), [(at(1, 0), at(1, 1))]);
    }
}
