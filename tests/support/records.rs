//! Arbitrary records, broken ones too, and tidy sessions that are long enough to be compacted.

use afterturn::record::{
    Arguments, Block, CallForm, Document, Extra, Image, Message, Origin, Output, Proof, ProofKind,
    Reasoning, Role, Source, Status, Timestamp, ToolCall, ToolResult, Usage,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Few ids, so that they repeat; odd ones too.
fn call_ids() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(vec!["c1", "c2", "c3", "c4"]).prop_map(str::to_owned),
        1 => select(vec!["", "a b", "ü", "at_0123456789abcdef0123456789abcdef", "x.y:z"])
            .prop_map(str::to_owned),
        1 => Just("y".repeat(100)),
    ]
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(vec!["bash", "read", "edit", "grep"]).prop_map(str::to_owned),
        1 => select(vec!["", "mcp.search", "a b", "日本", "read_at0123456789ab"])
            .prop_map(str::to_owned),
        1 => Just("n".repeat(100)),
    ]
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z ]{0,40}",
        1 => select(vec!["", " \n\t", "\0", "a\0b", "\u{1}\u{1b}", "end \n", "\u{feff}", "Error: x"])
            .prop_map(str::to_owned),
        1 => Just("😀 astral \u{10ffff}".to_owned()),
        1 => (0..6_u8).prop_map(|n| LINE.repeat(usize::from(n) + 1)),
    ]
}

/// Long enough to be quoted.
const LINE: &str = "fn a_line_that_is_long_enough_to_be_recognised_when_quoted() {}\n";

fn arguments() -> impl Strategy<Value = Arguments> {
    let text = prop_oneof![
        4 => select(vec!["{}", r#"{"path":"a.rs"}"#, r#"{ "n": 1.0e3, "s":"\u0000" }"#])
            .prop_map(str::to_owned),
        2 => select(vec!["", "{broken", "[1]", "null", "\0", "plain text", r#"{"a":1} x"#])
            .prop_map(str::to_owned),
        1 => Just(format!("{{\"d\":{}{}}}", "[".repeat(100), "]".repeat(100))),
        1 => Just(format!("{{\"new\":{}}}", serde_json::to_string(LINE).expect("a string"))),
    ];
    text.prop_map(|text| Arguments::from_text(&text))
}

fn proofs() -> impl Strategy<Value = Option<Proof>> {
    let maker = select(vec![
        ("anthropic", "claude-opus-4-5"),
        ("anthropic", "claude-opus-5-5"),
        ("openai", "gpt-6"),
        ("google", "gemini"),
        ("openrouter", "x"),
    ]);
    let kind = select(vec![
        ProofKind::Signature,
        ProofKind::Redacted,
        ProofKind::Encrypted,
        ProofKind::ThoughtSignature,
    ]);
    let proof = (maker, kind, select(vec!["sig", "", "c2ln"])).prop_map(
        |((provider, model), kind, data)| Proof {
            provider: provider.into(),
            model: model.into(),
            kind,
            data: data.into(),
            item_id: None,
        },
    );
    prop_oneof![1 => Just(None), 3 => proof.prop_map(Some)]
}

/// A PNG header of these sides, and nothing after it: enough to be recognised.
fn png(width: u32, height: u32) -> String {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    png.extend(width.to_be_bytes());
    png.extend(height.to_be_bytes());
    png.extend([8, 2, 0, 0, 0, 0, 0, 0, 0]);
    STANDARD.encode(png)
}

fn images() -> impl Strategy<Value = Image> {
    let source = prop_oneof![
        4 => select(vec![png(32, 32), png(2500, 10), png(9000, 10), "AAAA".into(), "***".into()])
            .prop_map(|data| Source::Base64 { data }),
        1 => select(vec!["https://x/y.png", "file:///etc/passwd"])
            .prop_map(|url| Source::Url { url: url.into() }),
    ];
    (source, select(vec!["image/png", "image/tiff", ""])).prop_map(|(source, media_type)| Image {
        media_type: media_type.into(),
        source,
        width: None,
        height: None,
        extra: Extra::NONE,
    })
}

fn documents() -> impl Strategy<Value = Document> {
    let pdf = STANDARD.encode(b"%PDF-1.4 x");
    let text = STANDARD.encode("some text");
    let of = select(vec![
        ("application/pdf", pdf.clone()),
        ("application/pdf", "AAAA".into()),
        ("text/plain", text),
        ("text/plain", "*".into()),
        ("application/zip", pdf),
    ]);
    (of, proptest::option::of(texts())).prop_map(|((media_type, data), title)| Document {
        media_type: media_type.into(),
        source: Source::Base64 { data },
        title,
        extra: Extra::NONE,
    })
}

fn outputs() -> impl Strategy<Value = Vec<Output>> {
    let output = prop_oneof![
        6 => texts().prop_map(Output::text),
        1 => images().prop_map(Output::Image),
        1 => documents().prop_map(Output::Document),
        1 => (1..60_usize).prop_map(|n| Output::text(LINE.repeat(n * 4))),
    ];
    vec(output, 0..3)
}

fn status() -> impl Strategy<Value = Status> {
    prop_oneof![4 => Just(Status::Ok), 1 => Just(Status::Error)]
}

fn blocks() -> impl Strategy<Value = Block> {
    prop_oneof![
        3 => texts().prop_map(Block::text),
        1 => (texts(), proofs()).prop_map(|(text, proof)| {
            Block::Reasoning(Reasoning { text, proof, extra: Extra::NONE })
        }),
        3 => (call_ids(), names(), arguments(), any::<bool>()).prop_map(
            |(id, name, arguments, custom)| Block::ToolCall(ToolCall {
                call_id: id.into(),
                name: name.into(),
                arguments,
                form: if custom { CallForm::Custom } else { CallForm::Function },
                proof: None,
                extra: Extra::NONE,
            })
        ),
        3 => (call_ids(), proptest::option::of(names()), status(), outputs()).prop_map(
            |(id, name, status, output)| Block::ToolResult(ToolResult {
                call_id: id.into(),
                name: name.map(Into::into),
                status,
                output,
                extra: Extra::NONE,
            })
        ),
        1 => images().prop_map(Block::Image),
        1 => documents().prop_map(Block::Document),
    ]
}

fn roles() -> impl Strategy<Value = Role> {
    prop_oneof![
        3 => Just(Role::User),
        5 => Just(Role::Assistant),
        3 => Just(Role::Tool),
        1 => Just(Role::System),
    ]
}

/// Any record at all: orphans both ways, ids that repeat, results late and twice, blank and
/// broken things.
pub(crate) fn message_lists() -> impl Strategy<Value = Vec<Message>> {
    vec((roles(), vec(blocks(), 0..5), 0..4_i64), 0..24).prop_map(|messages| {
        let mut at = 1_800_000_000_000;
        (0..)
            .zip(messages)
            .map(|(n, (role, blocks, gap))| {
                at += [1_000, 60_000, 400_000, 90_000_000][usize::try_from(gap).unwrap_or(0)];
                let mut message = Message::new(format!("m{n}"), role, blocks);
                message.created_at = Some(Timestamp::from_millis(at));
                if role == Role::Assistant {
                    message.origin =
                        Some(Origin { provider: "anthropic".into(), model: "claude".into() });
                    message.usage = Some(Usage { input: n * 100, ..Usage::default() });
                }
                message
            })
            .collect()
    })
}

/// A round of a tidy session.
#[derive(Debug, Clone)]
struct TidyRound {
    calls: Vec<(u8, u8, u16)>,
    quotes: bool,
    gap: bool,
}

/// Well-formed sessions: rounds of answered calls, repeats, edits, quotes, idle hours.
pub(crate) fn tidy_sessions() -> impl Strategy<Value = Vec<Message>> {
    let round = (vec((0..4_u8, 0..6_u8, 20..400_u16), 1..4), any::<bool>(), any::<u8>())
        .prop_map(|(calls, quotes, gap)| TidyRound { calls, quotes, gap: gap < 32 });
    vec(round, 1..50).prop_map(|rounds| tidy(&rounds))
}

fn tidy(rounds: &[TidyRound]) -> Vec<Message> {
    let mut messages = vec![Message::new("u0", Role::User, vec![Block::text("begin")])];
    let mut at = 1_800_000_000_000;
    for (n, round) in rounds.iter().enumerate() {
        at += if round.gap { 7_200_000 } else { 20_000 };
        if round.gap {
            let mut user =
                Message::new(format!("u{}", n + 1), Role::User, vec![Block::text("go on")]);
            user.created_at = Some(Timestamp::from_millis(at));
            messages.extend([
                Message::new(format!("s{n}"), Role::Assistant, vec![Block::text("done so far")]),
                user,
            ]);
        }
        let mut call_blocks = Vec::new();
        if round.quotes {
            call_blocks.push(Block::text(line(n.saturating_sub(2), 0, 3)));
        }
        let mut results = Vec::new();
        for (index, (tool, file, lines)) in round.calls.iter().enumerate() {
            let id = format!("c{n}_{index}");
            let name = ["read", "edit", "grep", "bash"][usize::from(*tool)];
            let path = format!("{{\"path\":\"f{file}.rs\"}}");
            call_blocks.push(Block::ToolCall(ToolCall {
                call_id: id.clone().into(),
                name: name.into(),
                arguments: Arguments::from_text(&path),
                form: CallForm::Function,
                proof: None,
                extra: Extra::NONE,
            }));
            let text: String = (0..*lines).map(|l| line(n, index, l) + "\n").collect();
            results.push(Block::ToolResult(ToolResult {
                call_id: id.into(),
                name: None,
                status: Status::Ok,
                output: vec![Output::text(text)],
                extra: Extra::NONE,
            }));
        }
        let mut call = Message::new(format!("a{n}"), Role::Assistant, call_blocks);
        call.created_at = Some(Timestamp::from_millis(at));
        let mut answer = Message::new(format!("t{n}"), Role::Tool, results);
        answer.created_at = Some(Timestamp::from_millis(at + 5_000));
        messages.extend([call, answer]);
    }
    messages
}

fn line(round: usize, call: usize, line: u16) -> String {
    format!("round {round} call {call} line {line}: some output that is long enough to be quoted")
}
