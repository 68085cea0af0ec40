//! Session files, read and made ready for a database.

use std::collections::BTreeSet;
use std::io::Read as _;

use crate::cli::args::{FormatName, Input, Reading};
use crate::cli::exit::{Exit, OrTrouble as _, Trouble};
use crate::queue::now;
use crate::record::{ConversationId, Message, Role};
use crate::store::{NewConversation, NewMessage};
use crate::target::{Catalog, Target, TargetName};
use crate::transcripts::{Format, Source, Transcript, Unreadable, detect, read};

/// One conversation of a session file.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: ConversationId,
    pub(super) source: String,
    pub(super) format: Format,
    pub(super) messages: Vec<Message>,
    pub(super) skipped: std::collections::BTreeMap<String, u64>,
    pub(super) unreadable: Vec<Unreadable>,
    pub(super) notes: Vec<String>,
}

/// The conversations of one file.
pub(super) fn read_input(input: &Input, reading: Reading) -> anyhow::Result<Vec<Session>> {
    let name = input.to_string();
    let bytes = bytes_of(input)
        .or_trouble(|| Trouble::new(Exit::BadInput, format!("cannot read {name}")))?;
    let source = Source { name: &name, bytes: &bytes };
    let transcript = match reading.format {
        Some(format) => read(&source, named(format)),
        None => detect(&source).and_then(|format| read(&source, format)),
    };
    let transcript = transcript.or_trouble(|| {
        Trouble::new(Exit::BadInput, format!("cannot read {name}"))
            .help("give --format NAME if the format was taken for another")
    })?;
    refuse_unreadable(&name, &transcript, reading.strict)?;
    Ok(sessions(&name, transcript))
}

fn bytes_of(input: &Input) -> std::io::Result<Vec<u8>> {
    match input {
        Input::File(path) => std::fs::read(path),
        Input::Stdin => {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
        }
    }
}

fn named(format: FormatName) -> Format {
    match format {
        FormatName::ClaudeCode => Format::ClaudeCode,
        FormatName::Codex => Format::Codex,
        FormatName::OpenaiChat => Format::OpenaiChat,
        FormatName::Pi => Format::Pi,
        FormatName::Anthropic => Format::AnthropicMessages,
    }
}

fn refuse_unreadable(name: &str, transcript: &Transcript, strict: bool) -> anyhow::Result<()> {
    let Some(first) = transcript.unreadable.first().filter(|_| strict) else { return Ok(()) };
    let what = format!(
        "{name}: {} lines cannot be read, the first is line {}: {}",
        transcript.unreadable.len(),
        first.line,
        first.reason
    );
    Err(Trouble::new(Exit::BadInput, what)
        .help("without --strict they are listed and left out")
        .into())
}

/// What a file says of itself as a whole is told with its first conversation.
fn sessions(name: &str, transcript: Transcript) -> Vec<Session> {
    let Transcript { format, conversations, skipped, unreadable, notes } = transcript;
    let notes = notes.iter().map(|(kind, count)| format!("{kind}: {count}")).collect();
    let mut of_file = Some((skipped, unreadable, notes));
    conversations
        .into_iter()
        .map(|conversation| {
            let (skipped, unreadable, notes) = of_file.take().unwrap_or_default();
            Session {
                id: conversation.id,
                source: name.to_owned(),
                format,
                messages: conversation.messages,
                skipped,
                unreadable,
                notes,
            }
        })
        .collect()
}

/// Gives sessions of one command that share an id ids of their own.
pub(super) fn tell_apart(sessions: &mut [Session]) {
    let mut taken = BTreeSet::new();
    for session in sessions {
        let id = session.id.as_str().to_owned();
        let mut again = 1;
        while !taken.insert(session.id.clone()) {
            again += 1;
            session.id = ConversationId::new(format!("{id}-{again}"));
        }
        if again > 1 {
            session.notes.push(format!("its id {id} is taken by another file of this run"));
        }
    }
}

impl Session {
    /// The targets that were asked for, else the one whose provider wrote the session.
    pub(super) fn targets<'c>(
        &self,
        asked: &[TargetName],
        catalog: &'c Catalog,
    ) -> anyhow::Result<Vec<&'c Target>> {
        if !asked.is_empty() {
            let mut targets: Vec<&Target> = Vec::new();
            for name in asked {
                let target = known(name, catalog)?;
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
            return Ok(targets);
        }
        let mut origins = self.messages.iter().filter_map(|message| message.origin.as_ref());
        let target = origins.find_map(|origin| catalog.for_provider(&origin.provider));
        let target = match target {
            Some(target) => target,
            None => known(&TargetName::new(self.format.home()), catalog)?,
        };
        Ok(vec![target])
    }

    /// The conversation that it becomes.
    pub(super) fn conversation(&self, targets: &[&Target]) -> NewConversation {
        NewConversation {
            id: self.id.clone(),
            agent: None,
            targets: targets.iter().map(|target| target.name.clone()).collect(),
            created_at: self.messages.iter().find_map(|m| m.created_at).unwrap_or_else(now),
        }
    }

    /// Its turns: one ends where the model stopped and a person, or a tool, came next.
    pub(super) fn turns(&self) -> Vec<Vec<NewMessage>> {
        let mut turns = Vec::new();
        let mut turn = Vec::new();
        let mut messages = self.messages.iter().peekable();
        while let Some(message) = messages.next() {
            turn.push(NewMessage { id: message.id.clone(), body: message.to_json() });
            let answered = messages.peek().is_none_or(|next| next.role != Role::Assistant);
            if message.role == Role::Assistant && answered {
                turns.push(std::mem::take(&mut turn));
            }
        }
        if !turn.is_empty() {
            turns.push(turn);
        }
        turns
    }
}

/// A target by its name.
pub(super) fn known<'c>(name: &TargetName, catalog: &'c Catalog) -> anyhow::Result<&'c Target> {
    catalog.get(name.as_str()).or_trouble(|| {
        Trouble::new(Exit::BadInput, "cannot project for a target that is not known")
            .help("`afterturn targets` lists them; --targets-file FILE adds more")
    })
}

#[cfg(test)]
mod tests {
    use std::str::FromStr as _;

    use super::*;

    #[test]
    fn every_format_name_of_the_command_line_is_a_format() {
        use clap::ValueEnum as _;
        for name in FormatName::value_variants() {
            let on_the_line = name.to_possible_value().expect("none is hidden");
            assert_eq!(Format::from_str(on_the_line.get_name()), Ok(named(*name)));
        }
    }
}
