//! Commands that take a stored conversation.

use clap::Args;
use clap::error::ErrorKind;

use super::shared::{Database, Keep};
use super::values::View;
use super::{Conflict, help};
use crate::compaction::EpochNumber;
use crate::record::{CallId, ConversationId, Seq};

/// `afterturn show`.
#[derive(Debug, Clone, Args)]
#[command(after_help = help::SHOW)]
pub struct ShowArgs {
    /// The conversation's id, as run and import print it
    #[arg(value_name = "CONVERSATION")]
    pub conversation: ConversationId,
    /// What to show: record, tokens, epochs, or a target's name
    ///
    /// record: every message as it was recorded, cleared output included.
    /// tokens: what the messages and results weigh on each target.
    /// epochs: what was cleared, when, why and on which figures.
    /// A target's name: the history as that target receives it now.
    #[arg(
        long = "as",
        value_name = "VIEW",
        default_value = "record",
        value_parser = view(),
        verbatim_doc_comment
    )]
    pub view: View,
    /// Where it is kept.
    #[command(flatten)]
    pub database: Database,
    /// Print JSON; for a target that is what is printed anyway
    #[arg(long)]
    pub json: bool,
    /// Say why: with tokens, why each result is kept or cleared; with epochs, why no more is
    #[arg(long)]
    pub explain: bool,
}

/// `afterturn compact`.
#[derive(Debug, Clone, Args)]
#[command(after_help = help::COMPACT)]
pub struct CompactArgs {
    /// The conversation's id, as run and import print it
    #[arg(value_name = "CONVERSATION")]
    pub conversation: ConversationId,
    /// Where it is kept.
    #[command(flatten)]
    pub database: Database,
    /// Say what would be cleared and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// What stays.
    #[command(flatten)]
    pub keep: Keep,
}

/// `afterturn undo`.
#[derive(Debug, Clone, Args)]
#[command(after_help = help::UNDO)]
pub struct UndoArgs {
    /// The conversation's id, as run and import print it
    #[arg(value_name = "CONVERSATION")]
    pub conversation: ConversationId,
    /// The epoch's number, as `afterturn show CONVERSATION --as epochs` lists it
    #[arg(value_name = "EPOCH", value_parser = epoch())]
    pub epoch: EpochNumber,
    /// Where it is kept.
    #[command(flatten)]
    pub database: Database,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `afterturn recall`.
#[derive(Debug, Clone, Args)]
#[command(after_help = help::RECALL)]
pub struct RecallArgs {
    /// The conversation's id, as run and import print it
    #[arg(value_name = "CONVERSATION")]
    pub conversation: ConversationId,
    /// The call's id, as the marker in the history names it
    #[arg(value_name = "CALL_ID")]
    pub call_id: CallId,
    /// Where it is kept.
    #[command(flatten)]
    pub database: Database,
    /// The message that holds the output, where the id was used more than once [default: newest]
    #[arg(long, value_name = "SEQ", value_parser = seq())]
    pub message: Option<Seq>,
    /// Print the whole result block as JSON
    #[arg(long)]
    pub json: bool,
}

impl ShowArgs {
    pub(super) fn check(&self) -> Result<(), Conflict> {
        match &self.view {
            View::Tokens | View::Epochs => Ok(()),
            View::Record | View::Target(_) if !self.explain => Ok(()),
            View::Record | View::Target(_) => Err(Conflict {
                command: "show",
                kind: ErrorKind::ArgumentConflict,
                message: "--explain goes with `--as tokens` or `--as epochs`",
            }),
        }
    }
}

fn view() -> impl clap::builder::TypedValueParser<Value = View> {
    use clap::builder::TypedValueParser as _;
    clap::builder::NonEmptyStringValueParser::new().map(View::from)
}

fn epoch() -> impl clap::builder::TypedValueParser<Value = EpochNumber> {
    use clap::builder::TypedValueParser as _;
    clap::value_parser!(u32).range(1..).map(EpochNumber)
}

fn seq() -> impl clap::builder::TypedValueParser<Value = Seq> {
    use clap::builder::TypedValueParser as _;
    clap::value_parser!(u64).range(1..).map(Seq::new)
}
