use crate::compaction::{CallFacts, Extent, PathHash, ResultFacts, Touch};
use crate::record::{
    Arguments, BlockRef, CallForm, Extra, Image, Output, Seq, Source, Status, ToolCall, ToolResult,
};
use crate::tokens::Tokens;

const AT: BlockRef = BlockRef::new(Seq::FIRST, 0);

fn call(tool: &str, arguments: &str) -> CallFacts {
    CallFacts::of(
        AT,
        &ToolCall {
            call_id: "c".into(),
            name: tool.into(),
            arguments: Arguments::from_text(arguments),
            form: CallForm::Function,
            proof: None,
            extra: Extra::NONE,
        },
    )
}

fn result(output: Vec<Output>) -> ResultFacts {
    let result = ToolResult {
        call_id: "c".into(),
        name: None,
        status: Status::Ok,
        output,
        extra: Extra::NONE,
    };
    ResultFacts::of(AT, &result, call("bash", "{}"), vec![Tokens::new(300)], Tokens::ZERO, |text| {
        vec![Tokens::new(text.len() as u64)]
    })
}

fn image(data: &str) -> Output {
    Output::Image(Image {
        media_type: "image/png".to_owned(),
        source: Source::Base64 { data: data.to_owned() },
        width: None,
        height: None,
        extra: Extra::NONE,
    })
}

#[test]
fn the_same_call_is_the_same_tool_with_the_same_characters() {
    assert_eq!(call("bash", r#"{"a":1}"#).hash, call("bash", r#"{"a":1}"#).hash);
    assert_ne!(call("bash", r#"{"a":1}"#).hash, call("bash", r#"{"a":2}"#).hash);
    assert_ne!(call("a", "bc").hash, call("ab", "c").hash);
}

#[test]
fn reading_and_writing_a_file_is_told_by_tool_and_path() {
    let reads = |call: CallFacts| matches!(call.touch, Some(Touch::Reads(_)));
    assert!(reads(call("read", r#"{"path":"/a"}"#)));
    assert!(reads(call("Read", r#"{"file_path":"/a"}"#)));
    assert!(reads(call("str_replace_editor", r#"{"command":"view","path":"/a"}"#)));
    let writes = |call: CallFacts| matches!(call.touch, Some(Touch::Writes(_)));
    assert!(writes(call("Write", r#"{"file_path":"/a","content":"x"}"#)));
    assert!(writes(call("str_replace_editor", r#"{"command":"create","path":"/a"}"#)));
    let path = |touch: Option<Touch>| match touch {
        Some(Touch::Reads(path) | Touch::Writes(path)) => Some(path),
        None => None::<PathHash>,
    };
    let (read, written) = (call("read", r#"{"path":"/a"}"#), call("write", r#"{"path":"/a"}"#));
    assert_eq!(path(read.touch), path(written.touch));
}

#[test]
fn an_edit_a_command_and_broken_arguments_touch_no_file() {
    for (tool, arguments) in [
        ("Edit", r#"{"file_path":"/a","old_string":"x"}"#),
        ("bash", r#"{"command":"cat /a"}"#),
        ("read", r#"{"path":7}"#),
        ("read", r#"{"path":"#),
    ] {
        assert_eq!(call(tool, arguments).touch, None, "{tool} {arguments}");
    }
}

#[test]
fn content_is_the_same_only_where_all_of_it_is() {
    let hash = |output| result(output).content_hash;
    assert_eq!(
        hash(vec![Output::text("a"), image("x")]),
        hash(vec![Output::text("a"), image("x")])
    );
    assert_ne!(
        hash(vec![Output::text("a"), image("x")]),
        hash(vec![Output::text("a"), image("y")])
    );
    assert_ne!(hash(vec![Output::text("ab")]), hash(vec![Output::text("a"), Output::text("b")]));
}

#[test]
fn a_result_carries_the_marker_that_would_stand_for_it() {
    let facts = result(vec![Output::text("one\ntwo"), image("x")]);
    assert_eq!(facts.extent, Extent { lines: 2, bytes: 7, images: 1, documents: 0 });
    let marker = "[Output cleared to save context. bash completed: ok, 300 tokens, 2 lines, \
                  1 image. Recall with id c.]";
    assert_eq!(facts.marker.0, marker);
    assert_eq!(facts.marker_tokens, [Tokens::new(marker.len() as u64)]);
}
