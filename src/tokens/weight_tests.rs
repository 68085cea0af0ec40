use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::*;
use crate::record::{
    Arguments, CallForm, Document, Extra, Image, Source, Status, Text, ToolCall, ToolResult,
};
use crate::target::{Catalog, ImageFormula};
use crate::tokens::{DocumentWeight, Scale};

const BOTH: [Encoding; 2] = [Encoding::O200kBase, Encoding::Cl100kBase];

fn target(name: &str) -> Target {
    Catalog::builtin().get(name).expect("it is built in").clone()
}

/// Anthropic's wire, with weights as counted.
fn plain() -> Target {
    Target { scale: Scale::ONE, ..target("anthropic") }
}

fn weigh_one(block: Block) -> BlockWeight {
    let message = Message::new("m", Role::User, vec![block]);
    weigh(&message, &BTreeSet::from(BOTH)).block(0).expect("it has one block").clone()
}

fn image(width: Option<u32>, height: Option<u32>, data: String) -> Image {
    Image {
        media_type: "image/png".into(),
        source: Source::Base64 { data },
        width,
        height,
        extra: Extra::NONE,
    }
}

fn document(media_type: &str, source: Source) -> Block {
    let media_type = media_type.into();
    Block::Document(Document { media_type, source, title: None, extra: Extra::NONE })
}

fn reasoning(text: &str, kind: ProofKind, data: &str) -> Block {
    let proof = Proof {
        provider: "anthropic".into(),
        model: "claude-opus-4-5".into(),
        kind,
        data: data.into(),
        item_id: None,
    };
    Block::Reasoning(Reasoning { text: text.into(), proof: Some(proof), extra: Extra::NONE })
}

fn result(output: Vec<Output>) -> Block {
    Block::ToolResult(ToolResult {
        call_id: "c".into(),
        name: None,
        status: Status::Ok,
        output,
        extra: Extra::NONE,
    })
}

fn call() -> Block {
    Block::ToolCall(ToolCall {
        call_id: "c".into(),
        name: "bash".into(),
        arguments: Arguments::from_text("hello world"),
        form: CallForm::Custom,
        proof: None,
        extra: Extra::NONE,
    })
}

#[test]
fn text_weighs_its_tokens_times_the_scale() {
    let text = weigh_one(Block::text("hello world"));
    assert_eq!(text.on(&plain()), Tokens::new(2));
    assert_eq!(text.on(&Target { scale: Scale::permille(1250), ..plain() }), Tokens::new(3));
    assert_eq!(text_on("hello world", &plain()), Tokens::new(2));
}

#[test]
fn a_call_weighs_its_name_its_arguments_and_what_the_wire_adds() {
    assert_eq!(weigh_one(call()).on(&plain()), Tokens::new(1 + 2 + 26));
    assert_eq!(weigh_one(call()).on(&target("openai")), Tokens::new(1 + 2 + 8));
}

#[test]
fn a_result_weighs_its_texts_and_its_images_by_their_sides() {
    let picture = image(Some(750), Some(100), "A".repeat(100_000));
    let block = result(vec![
        Output::text("hello world"),
        Output::Image(picture),
        Output::Text(Text { text: "hello world".into(), extra: Extra::NONE }),
    ]);
    assert_eq!(weigh_one(block).on(&plain()), Tokens::new(2 + 2 + 100 + 26));
    assert_eq!(weigh_one(result(Vec::new())).on(&plain()), Tokens::new(26));
}

#[test]
fn an_image_without_sight_weighs_as_the_text_that_names_it() {
    let block = weigh_one(Block::Image(image(Some(1000), Some(1000), String::new())));
    assert_eq!(block.on(&Target { vision: false, ..plain() }), UNSEEN);
    let tiles = Target { images: ImageFormula::OpenaiTiles, ..plain() };
    assert_eq!(block.on(&tiles), Tokens::new(765));
}

#[test]
fn reasoning_weighs_only_where_it_crosses() {
    let block = weigh_one(reasoning("hello world", ProofKind::Signature, "sig"));
    assert_eq!(block.on(&plain()), Tokens::new(2));
    assert_eq!(block.on(&target("openai")), Tokens::ZERO);
    let unproven = Reasoning { text: "hello world".into(), proof: None, extra: Extra::NONE };
    assert_eq!(weigh_one(Block::Reasoning(unproven)).on(&plain()), Tokens::ZERO);
}

#[test]
fn an_opaque_thought_is_estimated_from_its_proof() {
    // 4 000 characters of base64 are 3 000 bytes, of which an envelope is none of the thought.
    let proof = "A".repeat(4000);
    let weight = |kind| weigh_one(reasoning("", kind, &proof)).on(&plain());
    assert_eq!(weight(ProofKind::Signature), Tokens::new((3000 - 180) / 4));
    assert_eq!(weight(ProofKind::Redacted), Tokens::new((3000 - 180) / 4));
    assert_eq!(weight(ProofKind::Encrypted), Tokens::new((3000 - 650) / 4));
    assert_eq!(weight(ProofKind::ThoughtSignature), Tokens::ZERO);
}

#[test]
fn a_text_document_is_counted_and_a_pdf_is_estimated_by_its_bytes() {
    let base64 = |bytes: &[u8]| Source::Base64 { data: STANDARD.encode(bytes) };
    let text = weigh_one(document("text/plain", base64(b"hello world")));
    assert_eq!(text.on(&plain()), Tokens::new(2));
    let pdf = weigh_one(document("application/pdf", base64(&vec![0; 150_000])));
    assert_eq!(pdf.on(&plain()), Tokens::new(6_000));
    let small = weigh_one(document("application/pdf", base64(b"%PDF")));
    assert_eq!(small.on(&plain()), Tokens::new(2_000));
    assert_eq!(pdf.on(&Target { documents: false, ..plain() }), UNSEEN);
}

#[test]
fn a_document_that_cannot_be_read_is_estimated() {
    let far = weigh_one(document("text/plain", Source::Url { url: "https://x".into() }));
    assert_eq!(far.on(&plain()), Tokens::new(10_000));
    let broken = weigh_one(document("text/plain", Source::Base64 { data: "no base64!".into() }));
    let one_page = MediaWeight::Document(DocumentWeight::Pages(Tokens::new(2_000)));
    assert_eq!(broken, BlockWeight::Media(one_page));
}

#[test]
fn a_message_weighs_its_blocks_and_its_frame() {
    let message = Message::new("m", Role::Assistant, vec![Block::text("hello world"), call()]);
    let weight = weigh(&message, &BTreeSet::from(BOTH));
    assert_eq!(weight.on(Role::Assistant, &plain()), Tokens::new(3 + 2 + 29));
    // A tool message is the frames of its results.
    assert_eq!(weight.on(Role::Tool, &plain()), Tokens::new(2 + 29));
    assert_eq!(weight.blocks().len(), 2);
    assert_eq!(weight.block(2), None);
}

#[test]
fn it_is_stored_compactly_and_comes_back_the_same() {
    let blocks = vec![
        Block::text("hello world"),
        reasoning("a", ProofKind::Redacted, "AAAA"),
        result(vec![Output::Image(image(Some(2), Some(1), String::new()))]),
    ];
    let weight = weigh(&Message::new("m", Role::User, blocks), &BTreeSet::from([BOTH[0]]));
    let json = serde_json::to_string(&weight).expect("it serializes");
    assert_eq!(
        json,
        concat!(
            r#"[{"text":{"o200k_base":2}},"#,
            r#"{"reasoning":[{"o200k_base":1},{"provider":"anthropic","model":"claude-opus-4-5","kind":"redacted","bytes":4}]},"#,
            r#"{"result":[{"o200k_base":0},[{"image":{"width":2,"height":1}}]]}]"#
        )
    );
    assert_eq!(serde_json::from_str::<MessageWeight>(&json).ok(), Some(weight));
}

#[test]
fn an_encoding_that_was_not_counted_reads_the_one_that_was() {
    let message = Message::new("m", Role::User, vec![Block::text("hello world")]);
    let weight = weigh(&message, &BTreeSet::from([Encoding::Cl100kBase]));
    assert_eq!(weight.block(0).map(|block| block.on(&plain())), Some(Tokens::new(2)));
}
