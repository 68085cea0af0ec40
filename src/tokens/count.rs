//! Counting text.
//!
//! The encoders are loaded once, at first use (some 0.1 s and 46 MB each). Special-token
//! literals in tool output are text like any other, so only the ordinary variant is used.

use std::sync::OnceLock;

use tiktoken_rs::CoreBPE;

use super::amount::{Encoding, Tokens};

/// The longest run of white space, or of anything else, that reaches an encoder in one piece,
/// in characters.
///
/// A byte-pair encoder's work grows with the square of an unbroken run, and its splitting
/// expression gives up on runs of about a million characters. Prose and code never reach this
/// limit; base64, minified scripts and CJK without punctuation do, and are counted at most two
/// tokens too high per cut.
const LONGEST_RUN: usize = 400;

/// How many tokens `text` is in `encoding`.
///
/// Exact for text without runs above [`LONGEST_RUN`]; takes time proportional to the text.
pub fn count(encoding: Encoding, text: &str) -> Tokens {
    let encoder = encoder(encoding);
    let counted: usize = pieces(text).map(|piece| encoder.count_ordinary(piece)).sum();
    Tokens::new(counted as u64)
}

fn encoder(encoding: Encoding) -> &'static CoreBPE {
    static O200K: OnceLock<CoreBPE> = OnceLock::new();
    static CL100K: OnceLock<CoreBPE> = OnceLock::new();
    const BUILT_IN: &str =
        "the vocabulary is compiled into the library and was loaded by its tests";
    match encoding {
        Encoding::O200kBase => O200K.get_or_init(|| tiktoken_rs::o200k_base().expect(BUILT_IN)),
        Encoding::Cl100kBase => CL100K.get_or_init(|| tiktoken_rs::cl100k_base().expect(BUILT_IN)),
    }
}

/// Cuts only inside runs that are too long; everything else stays in one piece.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(first_cut(rest).unwrap_or(rest.len()));
        rest = after;
        Some(piece)
    })
}

fn first_cut(text: &str) -> Option<usize> {
    let mut run = 0;
    let mut in_space = false;
    for (at, character) in text.char_indices() {
        let space = character.is_whitespace();
        if space != in_space {
            in_space = space;
            run = 0;
        }
        if run == LONGEST_RUN {
            return Some(at);
        }
        run += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts_have_their_known_counts() {
        assert_eq!(count(Encoding::O200kBase, "hello world"), Tokens::new(2));
        assert_eq!(count(Encoding::Cl100kBase, "hello world"), Tokens::new(2));
        assert_eq!(count(Encoding::O200kBase, ""), Tokens::ZERO);
    }

    #[test]
    fn a_special_token_literal_is_text() {
        assert!(count(Encoding::O200kBase, "<|endoftext|>").get() > 1);
    }

    #[test]
    fn ordinary_text_is_counted_exactly_as_the_encoder_does() {
        let text = include_str!("count.rs").repeat(60);
        assert!(text.len() > 200_000);
        let whole = encoder(Encoding::O200kBase).count_ordinary(&text) as u64;
        assert_eq!(count(Encoding::O200kBase, &text), Tokens::new(whole));
    }

    #[test]
    fn megabytes_without_a_boundary_are_counted_and_do_not_stall() {
        let megabytes = 2 << 20;
        let runs = [
            "a".repeat(megabytes),
            "A".repeat(megabytes),
            " ".repeat(megabytes),
            "\n".repeat(megabytes),
            "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0".repeat(megabytes / 36),
            "漢字仮名交".repeat(megabytes / 15),
            "\u{1f600}".repeat(megabytes / 4),
            "e\u{301}".repeat(megabytes / 3),
        ];
        for text in runs {
            let counted = count(Encoding::O200kBase, &text).get();
            assert!(counted > 0 && counted <= text.len() as u64, "{counted}");
        }
    }

    #[test]
    fn a_cut_run_is_at_most_two_tokens_a_cut_too_high() {
        let text = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0".repeat(200);
        let exact = encoder(Encoding::O200kBase).count_ordinary(&text) as u64;
        let cuts = (text.len() / LONGEST_RUN) as u64;
        let counted = count(Encoding::O200kBase, &text).get();
        assert!((exact..=exact + 2 * cuts).contains(&counted), "{exact} {counted}");
    }
}
