//! What a run found: one value, written as JSON or for people.
//!
//! Invariant: both forms are made of the same [`RunReport`]; neither computes a figure that
//! the other does not have, beyond sums and percentages.

mod figures;
mod kept;
mod model;
mod money;
mod stability;
mod text;
mod times;

pub use kept::{Amount, Kept, KeptWhy};
pub use model::{
    Accounting, ClearedResult, ConversationReport, Costs, DatabaseReport, EpochReport,
    FailedConversation, Pricing, Regret, RunReport, TargetReport, UnreadInput, UnreadableLine,
};
pub use money::Usd;
pub use stability::PrefixStability;
pub use text::render;
pub use times::TurnTimes;

#[cfg(test)]
mod tests;
