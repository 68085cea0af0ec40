use crate::compaction::lines::{MAX_LINES, lines_of_assistant, lines_of_result, quotable_lines};
use crate::record::{
    Arguments, Block, CallForm, Extra, Message, Output, Reasoning, Role, Status, ToolCall,
    ToolResult,
};

const LINE: &str = "let x = the_quick_brown_fox(jumps, over, the_lazy_dog);";

fn result(text: &str) -> ToolResult {
    ToolResult {
        call_id: "c".into(),
        name: None,
        status: Status::Ok,
        output: vec![Output::text(text)],
        extra: Extra::NONE,
    }
}

fn call(arguments: &str) -> Message {
    let call = ToolCall {
        call_id: "c".into(),
        name: "edit".into(),
        arguments: Arguments::from_text(arguments),
        form: CallForm::Function,
        proof: None,
        extra: Extra::NONE,
    };
    Message::new("m", Role::Assistant, vec![Block::ToolCall(call)])
}

#[test]
fn a_line_counts_from_forty_characters_trimmed() {
    let forty = "x".repeat(40);
    assert_eq!(quotable_lines(&forty).count(), 1);
    assert_eq!(quotable_lines(&format!("  {}  ", &forty[1..])).count(), 0);
    assert_eq!(quotable_lines(&"é".repeat(39)).count(), 0, "characters, not bytes");
}

#[test]
fn indentation_line_numbers_and_diff_signs_hide_no_quote() {
    let plain = lines_of_result(&result(LINE));
    for shown in ["    ", "  12→", "12\t", "12:    ", "12|", "+", "-   ", "7: +"] {
        assert_eq!(lines_of_result(&result(&format!("{shown}{LINE}\r"))), plain, "{shown:?}");
    }
}

#[test]
fn escapes_in_arguments_hide_no_quote() {
    let text = format!("short\n\t{LINE}\nsay \"forty characters of a quoted line\" here");
    let arguments = serde_json::json!({"edits": [{"old": text}], "n": 1}).to_string();
    assert!(arguments.contains("\\n\\t"), "{arguments}");
    let lines = lines_of_assistant(&call(&arguments));
    assert_eq!(lines, lines_of_result(&result(&text)));
    assert_eq!(lines.len(), 2);
}

#[test]
fn arguments_that_are_no_object_are_searched_as_they_are() {
    assert_eq!(lines_of_assistant(&call(&format!("*** patch\n-{LINE}"))).len(), 1);
}

#[test]
fn a_lone_surrogate_does_not_lose_the_line_beside_it() {
    let arguments = format!(r#"{{"a":"\ud800\n{LINE}"}}"#);
    assert_eq!(lines_of_assistant(&call(&arguments)), lines_of_result(&result(LINE)));
}

#[test]
fn thought_is_not_speech() {
    let thought = Reasoning { text: LINE.to_owned(), ..Reasoning::default() };
    let message = Message::new("m", Role::Assistant, vec![Block::Reasoning(thought)]);
    assert_eq!(lines_of_assistant(&message), []);
}

#[test]
fn depth_costs_no_stack_and_length_is_bounded() {
    let deep = 200_000;
    let arguments = format!("{{\"a\":{}\"{LINE}\"{}}}", "[".repeat(deep), "]".repeat(deep));
    assert_eq!(lines_of_assistant(&call(&arguments)).len(), 1);
    let long: Vec<String> = (0..MAX_LINES + 5).map(|n| format!("z{n} {LINE}")).collect();
    assert_eq!(lines_of_result(&result(&long.join("\n"))).len(), MAX_LINES);
}
