//! A whole record at once: decided anew, or along decisions that were made.

use crate::compaction::{Epoch, MessageFacts};
use crate::record::Stored;

use super::engine::{Engine, Order};

/// A record that was walked from its beginning.
pub struct Followed<'a> {
    /// The engine after the last message.
    pub engine: Engine<'a>,
    /// What policy saw of each message, for simulations.
    pub facts: Vec<MessageFacts>,
}

/// Walks a record and decides: the epochs are in the engine's effects.
pub fn walk<'a>(order: Order<'a>, messages: &[Stored]) -> Followed<'a> {
    let mut engine = Engine::start(order);
    let facts = messages.iter().map(|stored| engine.step(stored)).collect();
    Followed { engine, facts }
}

/// Walks a record along the epochs that were decided for it: the state comes out as if it had
/// been carried along all the way.
pub fn follow<'a>(order: Order<'a>, messages: &[Stored], epochs: &[Epoch]) -> Followed<'a> {
    let mut engine = Engine::start(order);
    let mut facts: Vec<MessageFacts> = Vec::with_capacity(messages.len());
    let mut later = epochs.iter().peekable();
    for stored in messages {
        let decided: Vec<&Epoch> =
            std::iter::from_fn(|| later.next_if(|epoch| epoch.at <= stored.seq)).collect();
        let (passes, undos): (Vec<&Epoch>, Vec<&Epoch>) =
            decided.iter().partition(|epoch| epoch.undoes.is_none());
        facts.push(engine.follow(stored, &passes));
        for undo in undos {
            let before = epochs.iter().take_while(|epoch| epoch.number < undo.number);
            let before: Vec<Epoch> = before.cloned().collect();
            engine.follow_undo(undo, &before, &facts);
        }
    }
    Followed { engine, facts }
}
