//! What crosses to providers, rule by rule. The rules' numbers are those of the wire rules that
//! the code names: C (all), OC (OpenAI Chat), AN (Anthropic).

mod support;

use afterturn::record::{
    Arguments, Block, CallForm, Extra, Image, Message, Output, Proof, ProofKind, Reasoning, Role,
    Source, Status, ToolCall, ToolResult,
};
use afterturn::replay::{Cut, Repair, Request, assemble, history, project_whole};
use afterturn::target::Catalog;
use base64::Engine as _;
use serde_json::{Value, json};
use support::stored;

fn call(id: &str, arguments: &str) -> Block {
    Block::ToolCall(ToolCall {
        call_id: id.into(),
        name: "bash".into(),
        arguments: Arguments::from_text(arguments),
        form: CallForm::Function,
        proof: None,
        extra: Extra::NONE,
    })
}

fn result(id: &str, status: Status, output: Vec<Output>) -> Block {
    let name = Some("bash".into());
    Block::ToolResult(ToolResult { call_id: id.into(), name, status, output, extra: Extra::NONE })
}

fn ok(id: &str, text: &str) -> Block {
    result(id, Status::Ok, vec![Output::text(text)])
}

fn thinking(provider: &str, data: &str) -> Block {
    Block::Reasoning(Reasoning {
        text: "secret thought".into(),
        proof: (!data.is_empty()).then(|| Proof {
            provider: provider.into(),
            model: String::new(),
            kind: ProofKind::Signature,
            data: data.into(),
            item_id: None,
        }),
        extra: Extra::NONE,
    })
}

fn record(messages: Vec<(Role, Vec<Block>)>) -> Vec<Message> {
    let named = messages.into_iter().enumerate();
    named.map(|(n, (role, blocks))| Message::new(format!("m{n}"), role, blocks)).collect()
}

fn projected(target: &str, messages: Vec<(Role, Vec<Block>)>) -> Value {
    let catalog = Catalog::builtin();
    let target = catalog.get(target).expect("it is built in");
    let projection = project_whole(&stored(record(messages)), &[], target, Cut::Never);
    let text = history(target, &projection.system, &projection.history());
    serde_json::from_str(&text).expect("it is JSON")
}

fn user(text: &str) -> (Role, Vec<Block>) {
    (Role::User, vec![Block::text(text)])
}

#[test]
fn late_results_are_taken_to_their_round_and_speech_follows_it() {
    let messages = vec![
        user("go"),
        (Role::Assistant, vec![call("a", "{}"), call("b", "{}")]),
        user("are you there?"),
        (Role::Tool, vec![ok("b", "two")]),
        (Role::Tool, vec![ok("a", "one")]),
    ];
    let openai = projected("openai", messages.clone());
    let roles: Vec<_> =
        openai["messages"].as_array().expect("a list").iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "user"]);
    assert_eq!(openai["messages"][2]["content"], "one");
    let anthropic = projected("anthropic", messages);
    let content = anthropic["messages"][2]["content"].as_array().expect("a list");
    let kinds: Vec<_> = content.iter().map(|block| block["type"].clone()).collect();
    assert_eq!(kinds, ["tool_result", "tool_result", "text"]);
}

#[test]
fn an_interrupted_call_is_answered_as_not_completed() {
    let messages = vec![user("go"), (Role::Assistant, vec![call("a", "{}")]), user("stop")];
    let anthropic = projected("anthropic", messages.clone());
    let answer = &anthropic["messages"][2]["content"][0];
    assert_eq!((&answer["tool_use_id"], &answer["is_error"]), (&json!("a"), &json!(true)));
    assert!(answer["content"][0]["text"].as_str().is_some_and(|t| t.contains("did not complete")));
    let openai = projected("openai", messages);
    assert!(
        openai["messages"][2]["content"].as_str().is_some_and(|t| t.contains("did not complete"))
    );
}

#[test]
fn a_result_without_its_call_becomes_prose_and_never_a_tool_role() {
    let messages = vec![
        user("go"),
        (Role::Tool, vec![ok("gone", "42")]),
        (Role::Tool, vec![result("gone", Status::Error, vec![Output::text("no")])]),
    ];
    let openai = projected("openai", messages);
    assert_eq!(openai["messages"][1], json!({"role": "user", "content": "Result (bash): 42"}));
    assert_eq!(openai["messages"][2], json!({"role": "user", "content": "Error (bash): no"}));
}

#[test]
fn broken_arguments_cross_as_an_object_and_repeated_ids_are_told_apart() {
    let messages = vec![
        user("go"),
        (Role::Assistant, vec![call("a", "{oops"), call("a", "")]),
        (Role::Tool, vec![ok("a", "first"), ok("a", "second")]),
    ];
    let anthropic = projected("anthropic", messages.clone());
    let calls = &anthropic["messages"][1]["content"];
    assert_eq!(calls[0]["input"], json!({"_raw": "{oops"}));
    assert_eq!(calls[1]["input"], json!({}));
    assert_ne!(calls[0]["id"], calls[1]["id"]);
    let results = &anthropic["messages"][2]["content"];
    assert_eq!(results[1]["tool_use_id"], calls[1]["id"]);
    assert_eq!(results[1]["content"][0]["text"], "second");
    let openai = projected("openai", messages);
    let first = &openai["messages"][1]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(first, r#"{"_raw":"{oops"}"#);
}

#[test]
fn arguments_keep_the_characters_that_the_model_wrote() {
    let messages = vec![
        user("go"),
        (Role::Assistant, vec![call("a", r#"{ "z": 1.0e3, "a": 12345678901234567890 }"#)]),
        (Role::Tool, vec![ok("a", "x")]),
    ];
    let openai = projected("openai", messages);
    assert_eq!(
        openai["messages"][1]["tool_calls"][0]["function"]["arguments"],
        r#"{ "z": 1.0e3, "a": 12345678901234567890 }"#
    );
}

#[test]
fn signed_reasoning_goes_back_to_who_signed_it_and_never_becomes_speech() {
    let spoken = |provider: &str, data: &str| {
        vec![user("go"), (Role::Assistant, vec![thinking(provider, data), Block::text("hello")])]
    };
    let signed = projected("anthropic", spoken("anthropic", "sig"));
    let expected = json!({"type": "thinking", "thinking": "secret thought", "signature": "sig"});
    assert_eq!(signed["messages"][1]["content"][0], expected);
    for (target, provider, data) in [
        ("anthropic", "openai", "sig"),
        ("anthropic", "anthropic", ""),
        ("openai", "anthropic", "sig"),
        ("openai", "openai", "sig"),
    ] {
        let text = projected(target, spoken(provider, data)).to_string();
        assert!(!text.contains("secret thought"), "{target} {provider} {data:?}: {text}");
    }
}

#[test]
fn signed_thinking_that_holds_nul_stays_out_rather_than_be_changed() {
    let mut thought = thinking("anthropic", "sig");
    if let Block::Reasoning(reasoning) = &mut thought {
        reasoning.text = "a\0b".into();
    }
    let messages = vec![user("go"), (Role::Assistant, vec![thought, Block::text("hello")])];
    let anthropic = projected("anthropic", messages);
    assert_eq!(anthropic["messages"][1]["content"], json!([{"type": "text", "text": "hello"}]));
}

#[test]
fn where_one_thought_of_a_loop_cannot_cross_none_of_it_does() {
    let messages = vec![
        user("go"),
        (Role::Assistant, vec![thinking("anthropic", "one"), call("a", "{}")]),
        (Role::Tool, vec![ok("a", "x")]),
        (Role::Assistant, vec![thinking("anthropic", ""), call("b", "{}")]),
        (Role::Tool, vec![ok("b", "x")]),
        user("next"),
        (Role::Assistant, vec![thinking("anthropic", "two"), Block::text("done")]),
    ];
    let text = projected("anthropic", messages).to_string();
    assert!(!text.contains("\"one\"") && text.contains("\"two\""), "{text}");
}

#[test]
fn thinking_that_does_not_lead_or_leads_nothing_stays_out() {
    let messages = vec![
        user("go"),
        (Role::Assistant, vec![thinking("anthropic", "alone")]),
        user("still there?"),
        (Role::Assistant, vec![Block::text("yes"), thinking("anthropic", "late"), call("a", "{}")]),
        (Role::Tool, vec![ok("a", "x")]),
    ];
    let text = projected("anthropic", messages).to_string();
    assert!(!text.contains("alone") && !text.contains("late"), "{text}");
}

#[test]
fn an_image_that_cannot_be_shown_is_named_as_unseen() {
    let image = |data: &str| Image {
        media_type: "image/tiff".into(),
        source: Source::Base64 { data: data.into() },
        width: None,
        height: None,
        extra: Extra::NONE,
    };
    let messages = vec![
        (Role::User, vec![Block::Image(image("AAAA"))]),
        (Role::Assistant, vec![call("a", "{}")]),
        (Role::Tool, vec![result("a", Status::Ok, vec![Output::Image(image("***"))])]),
    ];
    for target in ["openai", "anthropic"] {
        let text = projected(target, messages.clone()).to_string();
        assert_eq!(text.matches("[Image not shown (image/tiff): ").count(), 2, "{text}");
        assert!(text.contains("You have not seen it."));
    }
}

#[test]
fn an_image_in_a_result_follows_its_round_where_results_hold_text_only() {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    png.extend([0, 0, 0, 9, 0, 0, 0, 9, 8, 2, 0, 0, 0, 0, 0, 0, 0]);
    let data = base64::engine::general_purpose::STANDARD.encode(png);
    let image = Output::Image(Image {
        media_type: "image/png".into(),
        source: Source::Base64 { data },
        width: None,
        height: None,
        extra: Extra::NONE,
    });
    let messages = vec![
        user("go"),
        (Role::Assistant, vec![call("a", "{}"), call("b", "{}")]),
        (Role::Tool, vec![result("a", Status::Ok, vec![image]), ok("b", "x")]),
    ];
    let openai = projected("openai", messages.clone());
    assert_eq!(openai["messages"][4]["role"], "user");
    assert_eq!(openai["messages"][4]["content"][1]["type"], "image_url");
    let anthropic = projected("anthropic", messages);
    let block = &anthropic["messages"][2]["content"][0];
    assert_eq!(block["content"][0]["type"], "image");
}

#[test]
fn empty_and_blank_things_are_said_or_left_out() {
    let messages = vec![
        user("go"),
        (Role::Assistant, vec![Block::text(" \n"), call("a", "{}"), call("b", "{}")]),
        (
            Role::Tool,
            vec![
                result("a", Status::Ok, vec![]),
                result("b", Status::Error, vec![Output::text("\t")]),
            ],
        ),
        (Role::Assistant, vec![Block::text("said \n")]),
    ];
    let anthropic = projected("anthropic", messages);
    assert_eq!(anthropic["messages"][1]["content"][0]["type"], "tool_use");
    let results = &anthropic["messages"][2]["content"];
    assert_eq!(results[0]["content"][0]["text"], "[The tool completed and returned nothing.]");
    assert_eq!(results[1]["content"][0]["text"], "[The tool failed and returned nothing.]");
    assert_eq!(results[1]["is_error"], true);
    assert_eq!(anthropic["messages"][3]["content"][0]["text"], "said");
}

#[test]
fn system_parts_stand_where_the_wire_wants_them() {
    let messages = vec![
        (Role::System, vec![Block::text("rules")]),
        (Role::Assistant, vec![Block::text("hi")]),
        (Role::System, vec![Block::text("new rules")]),
    ];
    let anthropic = projected("anthropic", messages.clone());
    assert_eq!(anthropic["system"], json!([{"type": "text", "text": "rules"}]));
    let first = &anthropic["messages"][0];
    assert_eq!(first["content"][0]["text"], "[The conversation begins with the assistant.]");
    let last = &anthropic["messages"][2]["content"];
    assert!(last[0]["text"].as_str().is_some_and(|text| text.contains("operator")));
    assert_eq!(last[1]["text"], "new rules");
    let openai = projected("openai", messages);
    assert_eq!(openai["messages"][0], json!({"role": "system", "content": "rules"}));
}

#[test]
fn what_was_mended_is_counted() {
    let catalog = Catalog::builtin();
    let messages = stored(record(vec![
        user("go"),
        (Role::Assistant, vec![thinking("openai", "x"), call("", "{oops")]),
        (Role::Tool, vec![ok("gone", "42")]),
    ]));
    let target = catalog.get("anthropic").expect("it is built in");
    let repairs = project_whole(&messages, &[], target, Cut::Never).repairs();
    let expected = [
        (Repair::DidNotComplete, 1),
        (Repair::OrphanToProse, 1),
        (Repair::IdRenamed, 1),
        (Repair::ArgumentsWrapped, 1),
        (Repair::ReasoningLeftOut, 1),
    ];
    assert_eq!(repairs.counts, expected.into());
    assert_eq!(repairs.left_out.len(), 1);
}

#[test]
fn a_request_holds_the_principal_and_two_breakpoints_and_the_cached_bytes_do_not() {
    let catalog = Catalog::builtin();
    let target = catalog.get("anthropic").expect("it is built in");
    let messages = stored(record(vec![
        user("go"),
        (Role::Assistant, vec![call("a", "{}")]),
        (Role::Tool, vec![ok("a", "x")]),
        (Role::Assistant, vec![Block::text("done")]),
        user("more"),
    ]));
    let projection = project_whole(&messages, &[], target, Cut::Every { bytes: 1 });
    let (open, sealed) = projection.segments.split_last().expect("there is one");
    let sealed: Vec<_> = sealed.iter().map(|segment| segment.bytes.as_str()).collect();
    let request = Request {
        instructions: Some("Be kind."),
        principal: Some("You act as uid 7."),
        system: &[],
    };
    let text = assemble(target, &request, &sealed.join(","), &open.bytes);
    let value: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(value["system"][0]["text"], "Be kind.");
    assert_eq!(value["system"][1]["text"], "You act as uid 7.");
    assert_eq!(text.matches("cache_control").count(), 2);
    assert!(value["messages"].as_array().is_some_and(|list| list.len() == 5));
    assert!(!projection.history().contains("uid 7"));
}
