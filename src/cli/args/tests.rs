use clap::CommandFactory as _;

use super::*;
use crate::compaction::EpochNumber;
use crate::target::TargetName;
use crate::tokens::Tokens;

fn read(line: &str) -> Result<Cli, clap::Error> {
    parse(line.split_whitespace(), None)
}

fn refused(line: &str) -> (ErrorKind, String) {
    let error = read(line).expect_err("this command line is wrong");
    (error.kind(), error.to_string())
}

#[test]
fn the_definition_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn alone_it_prints_help() {
    assert_eq!(refused("afterturn").0, ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand);
}

#[test]
fn a_run_takes_files_and_targets() {
    let cli = read("afterturn run a.jsonl - --target anthropic,openai --target mine --workers 8")
        .expect("it is right");
    let Command::Run(run) = cli.command else { panic!("another command") };
    assert_eq!(run.files, [Input::File("a.jsonl".into()), Input::Stdin]);
    assert_eq!(run.targets, ["anthropic", "openai", "mine"].map(TargetName::new));
    assert_eq!(run.workers, Some(8));
    assert_eq!(run.db, None);
    assert!(!run.json && !run.no_compact && !run.reading.strict);
}

#[test]
fn workers_are_one_to_sixty_four() {
    for wrong in ["0", "65", "-1", "many"] {
        let (_, message) = refused(&format!("afterturn run a.jsonl --workers={wrong}"));
        assert!(message.contains("--workers"), "{message}");
    }
    assert!(read("afterturn run a.jsonl --workers 64").is_ok());
}

#[test]
fn keeping_and_clearing_nothing_exclude_each_other() {
    let (kind, _) = refused("afterturn run a.jsonl --no-compact --keep-tokens 5");
    assert_eq!(kind, ErrorKind::ArgumentConflict);
    let (kind, message) = refused("afterturn project a.jsonl --target openai --keep-results 2");
    assert_eq!(kind, ErrorKind::MissingRequiredArgument);
    assert!(message.contains("--compact"), "{message}");
    assert!(read("afterturn project a --target openai --compact --keep-results 2").is_ok());
}

#[test]
fn tokens_are_read_as_people_write_them() {
    for (text, tokens) in [("20000", 20_000), ("20_000", 20_000), ("20k", 20_000), ("0", 0)] {
        assert_eq!(values::token_count(text), Ok(Tokens::new(tokens)), "{text}");
    }
    for wrong in ["", "k", "_", "-5", "2.5k", "99999999999999999999k", "20 k"] {
        assert!(values::token_count(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_missing_database_says_where_one_comes_from() {
    for command in
        ["show c", "compact c", "undo c 1", "recall c call", "import a.jsonl"].map(String::from)
    {
        let (kind, message) = refused(&format!("afterturn {command}"));
        assert_eq!(kind, ErrorKind::MissingRequiredArgument, "{command}");
        assert!(message.contains("AFTERTURN_DB"), "{message}");
        assert!(message.contains("afterturn run FILE --db FILE"), "{message}");
    }
}

#[test]
fn the_environment_stands_in_for_the_database() {
    let parsed = |line: &str| parse(line.split_whitespace(), Some("env.db".into()));
    let Ok(Cli { command: Command::Show(show), .. }) = parsed("afterturn show c") else {
        panic!("the environment names a database")
    };
    assert_eq!(show.database.db, PathBuf::from("env.db"));
    let Ok(Cli { command: Command::Run(run), .. }) = parsed("afterturn run a --db b.db") else {
        panic!("it is right")
    };
    assert_eq!(run.db, Some(PathBuf::from("b.db")));
    let empty = parse(["afterturn", "show", "c"], Some("".into()));
    assert!(empty.is_err(), "an empty variable is no database");
}

#[test]
fn a_view_that_is_not_known_is_a_target() {
    let view = |name: &str| {
        let Ok(Cli { command: Command::Show(show), .. }) =
            read(&format!("afterturn show c --db d --as {name}"))
        else {
            panic!("it is right")
        };
        show.view
    };
    assert_eq!(view("record"), View::Record);
    assert_eq!(view("tokens"), View::Tokens);
    assert_eq!(view("epochs"), View::Epochs);
    assert_eq!(view("openai"), View::Target(TargetName::new("openai")));
}

#[test]
fn explaining_goes_with_what_can_be_explained() {
    assert!(read("afterturn show c --db d --as epochs --explain").is_ok());
    let (kind, message) = refused("afterturn show c --db d --explain");
    assert_eq!(kind, ErrorKind::ArgumentConflict);
    assert!(message.contains("--as tokens"), "{message}");
    assert!(message.contains("Usage: afterturn show"), "{message}");
}

#[test]
fn epochs_are_numbered_from_one() {
    let Ok(Cli { command: Command::Undo(undo), .. }) = read("afterturn undo c 3 --db d") else {
        panic!("it is right")
    };
    assert_eq!(undo.epoch, EpochNumber(3));
    assert_eq!(refused("afterturn undo c 0 --db d").0, ErrorKind::ValueValidation);
}

#[test]
fn standard_input_is_read_once() {
    assert_eq!(refused("afterturn run - -").0, ErrorKind::ArgumentConflict);
    assert_eq!(refused("afterturn import a - b - --db d").0, ErrorKind::ArgumentConflict);
}

#[test]
fn the_targets_file_may_stand_behind_the_command() {
    let cli = read("afterturn targets --json --targets-file t.toml").expect("it is right");
    assert_eq!(cli.global.targets_file, Some(PathBuf::from("t.toml")));
}

#[test]
fn every_command_has_an_example_or_needs_none() {
    for command in Cli::command().get_subcommands_mut() {
        let help = command.render_long_help().to_string();
        let name = command.get_name().to_owned();
        assert!(help.contains(&format!("afterturn {name}")) || name == "targets", "{help}");
    }
}

#[test]
fn completions_know_the_commands() {
    let script = String::from_utf8(completions(clap_complete::Shell::Bash)).expect("text");
    for command in ["run", "import", "show", "project", "compact", "undo", "recall", "targets"] {
        assert!(script.contains(command), "{command}");
    }
}
