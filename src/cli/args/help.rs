//! What stands below the options: examples, and what a stranger needs to know.

pub(super) const TOP: &str = "\
Examples:
  afterturn run session.jsonl
  afterturn run ~/.claude/projects/*/*.jsonl --target anthropic,openai --db agent.db
  afterturn project session.jsonl --target openai | jq length

`afterturn --help` says more; `afterturn COMMAND --help` has each command's examples.";

pub(super) const TOP_LONG: &str = "\
Examples:
  Drive a recorded session turn by turn, and see what it would have saved:
    afterturn run session.jsonl

  The same over many sessions, for two providers, kept in a database:
    afterturn run ~/.claude/projects/*/*.jsonl --target anthropic,openai --db agent.db

  Why was output cleared, and what was it?
    afterturn show CONVERSATION --as epochs --db agent.db
    afterturn recall CONVERSATION CALL_ID --db agent.db

  Turn one provider's session into another's request:
    afterturn project session.jsonl --target openai > messages.json

Environment:
  AFTERTURN_DB   the database, where --db is not given
  RUST_LOG       logs to standard error, as `info` or `afterturn=debug`; quiet by default
  NO_COLOR       no colours, whatever it holds

Exit codes:
  0    done
  1    the work failed
  2    the command line is wrong
  3    an input is wrong or missing: a session, a targets file, a conversation, a call
  4    the database cannot be opened, read or written
  130  interrupted";

pub(super) const RUN: &str = "\
Examples:
  afterturn run session.jsonl
  afterturn run session.jsonl --target anthropic,openai --db agent.db
  afterturn run *.jsonl --json | jq '.conversations[].targets[].cost'";

pub(super) const RUN_LONG: &str = "\
Examples:
  One session, a report to read:
    afterturn run session.jsonl

  For two providers, kept in a database that `show`, `recall` and `undo` can use:
    afterturn run session.jsonl --target anthropic,openai --db agent.db

  Figures for a script:
    afterturn run *.jsonl --json | jq '.conversations[].targets[].cost'

  What would keeping more cost?
    afterturn run session.jsonl --keep-tokens 40k

A turn ends where the model stopped and a person, or a tool, came next. Each turn is appended
to the record; a worker then counts its tokens, decides whether clearing pays, and brings each
target's projection up to date. Costs are of the content of the history alone, as input at the
target's prices: what a wire adds around it, the system prompt, the tools and the output cost the
same either way. A call reads from the cache what its request has in common with the one before,
unless the cache has expired, and writes the rest.

Formats read: Claude Code, Codex, OpenAI Chat (and SWE-agent .traj), pi, Anthropic Messages.";

pub(super) const IMPORT: &str = "\
Examples:
  afterturn import session.jsonl --db agent.db
  afterturn import rollout-*.jsonl --format codex --strict --db agent.db

Importing the same file again adds nothing: messages are known by their ids.";

pub(super) const PROJECT: &str = "\
Examples:
  afterturn project session.jsonl --target openai > messages.json
  afterturn project session.jsonl --target anthropic --compact | jq length
  cat session.jsonl | afterturn project - --target anthropic";

pub(super) const PROJECT_LONG: &str = "\
Examples:
  Turn a session into another provider's messages:
    afterturn project session.jsonl --target openai > messages.json

  How long is the history after compaction?
    afterturn project session.jsonl --target anthropic --compact | jq length

  From a pipe:
    cat session.jsonl | afterturn project - --target anthropic

What is printed is the history alone, valid by the wire's rules: calls without a result are
answered as not completed, results without a call become prose. A file that holds several
conversations gives one JSON value a line, in the order of the file.";

pub(super) const SHOW: &str = "\
Examples:
  afterturn show CONVERSATION --db agent.db
  afterturn show CONVERSATION --as epochs --explain --db agent.db
  afterturn show CONVERSATION --as anthropic --db agent.db | jq '.[-1]'";

pub(super) const COMPACT: &str = "\
Examples:
  afterturn compact CONVERSATION --dry-run --db agent.db
  afterturn compact CONVERSATION --keep-tokens 10k --db agent.db

Everything that may go goes: all but the current turn, the newest results and those in use.
It can be undone.";

pub(super) const UNDO: &str = "\
Examples:
  afterturn show CONVERSATION --as epochs --db agent.db
  afterturn undo CONVERSATION 2 --db agent.db

Undoing is itself an epoch: what came back counts as just used.";

pub(super) const RECALL: &str = "\
Examples:
  afterturn recall CONVERSATION call_7Q --db agent.db
  afterturn recall CONVERSATION call_7Q --message 41 --json --db agent.db";

pub(super) const TARGETS: &str = "\
A targets file adds targets, or overrides facts of one that is there:

  [targets.mine]
  extends = \"anthropic\"
  model = \"claude-haiku-4-5\"
  input = 1.0              # dollars a million fresh input tokens
  write = 1.25             # writing the prompt cache, relative to fresh input
  read = 0.1               # reading it
  cache_lifetime = \"5m\"

  afterturn run session.jsonl --targets-file targets.toml --target mine";

pub(super) const COMPLETIONS: &str = "\
Examples:
  bash   afterturn completions bash > ~/.local/share/bash-completion/completions/afterturn
  zsh    afterturn completions zsh > ~/.zfunc/_afterturn   (with ~/.zfunc in $fpath)
  fish   afterturn completions fish > ~/.config/fish/completions/afterturn.fish";
