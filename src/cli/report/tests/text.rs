use super::sample::{conversation, quiet_target, report, rich_target};
use crate::cli::paper::Paper;
use crate::cli::report::{FailedConversation, RunReport, UnreadInput, UnreadableLine, render};
use crate::target::TargetName;

fn plain(report: &RunReport) -> String {
    render(report, Paper::PLAIN)
}

fn unreadable(lines: impl IntoIterator<Item = u64>) -> Vec<UnreadableLine> {
    let error = "not JSON: expected value at column 1".to_owned();
    lines.into_iter().map(|line| UnreadableLine { line, error: error.clone() }).collect()
}

#[test]
fn one_rich_conversation() {
    let report = report(vec![conversation("3f2a91c4", rich_target())]);
    insta::assert_snapshot!(plain(&report), @r#"
    3f2a91c4  claude-code
      sessions/fix-parser.jsonl
      402 messages, 118 calls, 117 results
      skipped, as no part of the conversation: 12 summary, 4 file-history-snapshot

      anthropic
        tokens       184,203 → 61,411  −66.7 %
        cleared      74 of 117 results in 4 epochs: 2 rent, 1 cold, 1 undo
                     #1   rent          31 results     88,102 → 50,033 tokens
                     #2   cold            1 result     71,930 → 66,007 tokens
                     #3   undo       1 result back     66,007 → 71,930 tokens
                     #4   rent          43 results    140,337 → 61,411 tokens
        kept            44 results   21,469 tokens
                         5 results   12,400 tokens  among the newest
                         9 results    7,299 tokens  in use (recent or quoted)
                        29 results    1,769 tokens  too small to clear
                          1 result         1 token  could go, once that pays
        projection   312.4 kB; 97.31 % of it stayed byte-equal from turn to turn
        left out     14 reasoning blocks that this target would not take back
        made good    calls answered as not completed: 1
        counting     2.4 % off the provider's own, over 57 reports (scale 1.08)

        input cost   no clearing  $4.21            ████████████████████████
                     keep last 3  $3.60   −14.5 %  █████████████████████     forgot 141 of 234 quotes
                     Afterturn    $2.11   −50.0 %  ████████████              forgot 26 of 234 quotes
                     History alone, over 131 model calls, at anthropic's prices: $5 a million fresh
                     tokens, ×1.25 to write the prompt cache, ×0.1 to read it; it lives 5 min.
                     System prompt, tools and output cost the same either way.
                     Forgot: a later message quoted output that was cleared by then.

    turns        131; half within 6.6 ms, 99 of 100 within 13.0 ms
    database     /tmp/afterturn-x7/run.db  (temporary; --db FILE names one to keep)

    # when and why output was cleared
    afterturn show 3f2a91c4 --as epochs --db /tmp/afterturn-x7/run.db
    # the largest cleared output as it was (bash, 4,000 tokens)
    afterturn recall 3f2a91c4 call_4 --db /tmp/afterturn-x7/run.db
    # the history as anthropic now receives it
    afterturn show 3f2a91c4 --as anthropic --db /tmp/afterturn-x7/run.db
    "#);
}

#[test]
fn a_conversation_with_nothing_to_clear() {
    let mut short = conversation("short", quiet_target());
    short.skipped.clear();
    let mut report = report(vec![short]);
    report.database.temporary = false;
    insta::assert_snapshot!(plain(&report), @r#"
    short  claude-code
      sessions/fix-parser.jsonl
      402 messages, 118 calls, 117 results

      anthropic
        tokens       3,812
        cleared      0 of 117 results; nothing to clear: all 2 live results are in use
        kept             2 results    1,288 tokens
                          1 result    1,200 tokens  from the current turn
                          1 result       88 tokens  too small to clear
        projection   14.9 kB; 100 % of it stayed byte-equal from turn to turn

        input cost   no clearing  $0.0412            ███████████████████
                     keep last 3  $0.0529   +28.4 %  ████████████████████████
                     Afterturn    $0.0412            ███████████████████
                     History alone, over 6 model calls, at anthropic's prices: $5 a million fresh
                     tokens, ×1.25 to write the prompt cache, ×0.1 to read it; it lives 5 min.
                     System prompt, tools and output cost the same either way.

    turns        131; half within 6.6 ms, 99 of 100 within 13.0 ms
    database     /tmp/afterturn-x7/run.db

    # what every result weighs, and why it is kept
    afterturn show short --as tokens --explain --db /tmp/afterturn-x7/run.db
    # the history as anthropic now receives it
    afterturn show short --as anthropic --db /tmp/afterturn-x7/run.db
    "#);
}

#[test]
fn many_conversations_get_a_line_each_and_a_sum() {
    let mut conversations: Vec<_> = (1..=4)
        .map(|n| conversation(&format!("0b5c1d9e-5a41-4c39-9d53-00000000000{n}"), rich_target()))
        .collect();
    conversations.push(conversation("会话", quiet_target()));
    let openai = TargetName::new("openai");
    conversations[0]
        .targets
        .push(crate::cli::report::TargetReport { target: openai, ..quiet_target() });
    conversations[2].unreadable = unreadable([17, 90]);
    let report = report(conversations);
    insta::assert_snapshot!(plain(&report), @r#"
    anthropic
      conversation                           tokens    after  cleared  no clearing  Afterturn
      0b5c1d9e-5a41-4c39-9d53-000000000001  184,203   61,411       74        $4.21      $2.11  −50.0 %
      0b5c1d9e-5a41-4c39-9d53-000000000002  184,203   61,411       74        $4.21      $2.11  −50.0 %
      0b5c1d9e-5a41-4c39-9d53-000000000003  184,203   61,411       74        $4.21      $2.11  −50.0 %
      0b5c1d9e-5a41-4c39-9d53-000000000004  184,203   61,411       74        $4.21      $2.11  −50.0 %
      会话                                    3,812    3,812        0        $0.04      $0.04    0.0 %
      5 conversations                       740,624  249,456      296       $16.89      $8.47  −49.9 %
      forgot 104 of 936 quotes (keep last 3: 564)
      History alone, over 530 model calls, at anthropic's prices: $5 a million fresh tokens, ×1.25
      to write the prompt cache, ×0.1 to read it; it lives 5 min. System prompt, tools and output
      cost the same either way.
      Forgot: a later message quoted output that was cleared by then.

    openai
      conversation                          tokens  after  cleared  no clearing  Afterturn
      0b5c1d9e-5a41-4c39-9d53-000000000001   3,812  3,812        0      $0.0412    $0.0412  0.0 %
      1 conversation                         3,812  3,812        0      $0.0412    $0.0412  0.0 %
      History alone, over 6 model calls, at openai's prices: $5 a million fresh tokens, ×1.25 to
      write the prompt cache, ×0.1 to read it; it lives 5 min. System prompt, tools and output cost
      the same either way.

    skipped      20 file-history-snapshot, 60 summary
    sessions/fix-parser.jsonl: 2 lines could not be read, the first is line 17

    turns        131; half within 6.6 ms, 99 of 100 within 13.0 ms
    database     /tmp/afterturn-x7/run.db  (temporary; --db FILE names one to keep)

    # when and why output was cleared
    afterturn show 0b5c1d9e-5a41-4c39-9d53-000000000001 --as epochs --db /tmp/afterturn-x7/run.db
    # the largest cleared output as it was (bash, 4,000 tokens)
    afterturn recall 0b5c1d9e-5a41-4c39-9d53-000000000001 call_4 --db /tmp/afterturn-x7/run.db
    # the history as anthropic now receives it
    afterturn show 0b5c1d9e-5a41-4c39-9d53-000000000001 --as anthropic --db /tmp/afterturn-x7/run.db
    "#);
}

#[test]
fn lines_and_files_that_could_not_be_read() {
    let mut broken = conversation("broken", quiet_target());
    broken.unreadable = unreadable([17, 90, 91, 92, 104]);
    broken.notes = vec!["the file ends in the middle of a line".to_owned()];
    let mut report = report(vec![broken]);
    report.unread = vec![UnreadInput {
        source: "empty.jsonl".to_owned(),
        error: "the file is empty".to_owned(),
    }];
    insta::assert_snapshot!(plain(&report), @r#"
    broken  claude-code
      sessions/fix-parser.jsonl
      402 messages, 118 calls, 117 results
      skipped, as no part of the conversation: 12 summary, 4 file-history-snapshot
      5 lines could not be read (line 17: not JSON: expected value at column 1; line 90: not JSON:
      expected value at column 1; line 91: not JSON: expected value at column 1; and 2 more)
      the file ends in the middle of a line

      anthropic
        tokens       3,812
        cleared      0 of 117 results; nothing to clear: all 2 live results are in use
        kept             2 results    1,288 tokens
                          1 result    1,200 tokens  from the current turn
                          1 result       88 tokens  too small to clear
        projection   14.9 kB; 100 % of it stayed byte-equal from turn to turn

        input cost   no clearing  $0.0412            ███████████████████
                     keep last 3  $0.0529   +28.4 %  ████████████████████████
                     Afterturn    $0.0412            ███████████████████
                     History alone, over 6 model calls, at anthropic's prices: $5 a million fresh
                     tokens, ×1.25 to write the prompt cache, ×0.1 to read it; it lives 5 min.
                     System prompt, tools and output cost the same either way.

    not read: empty.jsonl: the file is empty
    turns        131; half within 6.6 ms, 99 of 100 within 13.0 ms
    database     /tmp/afterturn-x7/run.db  (temporary; --db FILE names one to keep)

    # what every result weighs, and why it is kept
    afterturn show broken --as tokens --explain --db /tmp/afterturn-x7/run.db
    # the history as anthropic now receives it
    afterturn show broken --as anthropic --db /tmp/afterturn-x7/run.db
    "#);
}

#[test]
fn nothing_read_at_all_still_says_why_and_where() {
    let mut report = report(Vec::new());
    report.turns = crate::cli::report::TurnTimes::default();
    report.unread =
        vec![UnreadInput { source: "a.png".to_owned(), error: "not a session".to_owned() }];
    insta::assert_snapshot!(plain(&report), @r#"
    not read: a.png: not a session
    turns        0
    database     /tmp/afterturn-x7/run.db  (temporary; --db FILE names one to keep)
    "#);
}

#[test]
fn a_conversation_that_is_not_ready_is_named_with_the_reason() {
    let mut report = report(vec![conversation("c", quiet_target())]);
    report.failed = vec![FailedConversation {
        id: "c".into(),
        error: "the disk is full".to_owned(),
        attempts: 5,
    }];
    assert!(plain(&report).contains("\nfailed: c after 5 attempts: the disk is full\n"));
}

#[test]
fn switched_off_compaction_is_said() {
    let mut report = report(vec![conversation("off", quiet_target())]);
    report.compaction = false;
    assert!(plain(&report).contains("0 of 117 results; compaction is switched off (--no-compact)"));
}

#[test]
fn of_many_epochs_the_first_and_the_last_are_told() {
    let mut target = rich_target();
    let epoch = target.epochs[0].clone();
    target.epochs = (1..=9)
        .map(|n| crate::cli::report::EpochReport {
            number: crate::compaction::EpochNumber(n),
            ..epoch.clone()
        })
        .collect();
    let text = plain(&report(vec![conversation("c", target)]));
    assert!(text.contains("in 9 epochs: 9 rent"), "{text}");
    for told in ["#1 ", "#3 ", "… 3 more …", "#7 ", "#9 "] {
        assert!(text.contains(told), "{told} in {text}");
    }
    for elided in ["#4 ", "#6 "] {
        assert!(!text.contains(elided), "{elided} in {text}");
    }
}

#[test]
fn colours_change_no_text() {
    let report = report(vec![conversation("c", rich_target())]);
    let coloured = render(&report, Paper::COLOURED);
    assert!(coloured.contains("\x1b["));
    let mut stripped = String::new();
    for (i, part) in coloured.split("\x1b[").enumerate() {
        stripped.push_str(if i == 0 { part } else { part.split_once('m').expect("a code").1 });
    }
    assert_eq!(stripped, plain(&report));
}

#[test]
fn no_line_is_wider_than_a_hundred_columns() {
    let conversations = vec![conversation("0b5c1d9e-5a41-4c39-9d53-000000000001", rich_target())];
    let pages = plain(&report(conversations.clone()));
    let table = plain(&report(vec![conversations[0].clone(); 5]));
    for line in pages.lines().chain(table.lines()) {
        // Commands are to be copied, and stay whole.
        assert!(line.chars().count() <= 100 || line.starts_with("afterturn "), "{line}");
    }
}

#[test]
fn foreign_text_cannot_steer_the_terminal() {
    let mut hostile = conversation("id\x1b[2J", rich_target());
    hostile.source = "a\x1b]0;title\x07.jsonl".to_owned();
    hostile.format = "x\x1b[1A".to_owned();
    hostile.skipped = [("\x1b[8m".to_owned(), 1)].into();
    hostile.notes = vec!["\x1b[2J".to_owned()];
    let mut report = report(vec![hostile]);
    report.unread = vec![UnreadInput { source: "\x1b[2J".to_owned(), error: "\x1b[2J".to_owned() }];
    assert!(!plain(&report).contains('\x1b'));
    report.conversations = vec![report.conversations[0].clone(); 5];
    assert!(!plain(&report).contains('\x1b'));
}
