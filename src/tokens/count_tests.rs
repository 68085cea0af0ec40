use proptest::prelude::*;

use super::*;
use crate::tokens::pieces::LONGEST_RUN;

const BOTH: [Encoding; 2] = [Encoding::O200kBase, Encoding::Cl100kBase];

/// As the encoder counts it, uncut.
fn uncut(encoding: Encoding, text: &str) -> Tokens {
    Tokens::new(encoder(encoding).count_ordinary(text) as u64)
}

#[test]
fn known_texts_have_their_known_counts() {
    assert_eq!(count(Encoding::O200kBase, "hello world"), Tokens::new(2));
    assert_eq!(count(Encoding::Cl100kBase, "hello world"), Tokens::new(2));
    assert_eq!(count(Encoding::O200kBase, "1234567"), Tokens::new(3));
    assert_eq!(count(Encoding::O200kBase, ""), Tokens::ZERO);
}

#[test]
fn a_special_token_literal_is_text() {
    assert_eq!(count(Encoding::O200kBase, "<|endoftext|>"), Tokens::new(7));
    assert_eq!(count(Encoding::Cl100kBase, "<|endoftext|>"), Tokens::new(7));
}

#[test]
fn prose_and_code_of_more_than_200_kb_are_exact() {
    let code = include_str!("weight.rs").repeat(30);
    let prose = "Never been a turn so long; it went on, and on… 日本語の文も、あります。\n\n\t- “quoted”, 3.14159, naïve café — don't!\r\n".repeat(1800);
    for text in [&code, &prose] {
        assert!(text.len() > 200_000);
        for encoding in BOTH {
            assert_eq!(count(encoding, text), uncut(encoding, text));
        }
    }
}

#[test]
fn a_long_line_of_minified_code_or_base64_is_exact() {
    let minified = "function(a,b){return a.c(b)?b[0]:{x:1,\"y\":'z'}};".repeat(2000);
    let base64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB+CAIAAACQd1PeAAAADElEQVR4/nGP4z8A".repeat(1000);
    for encoding in BOTH {
        assert_eq!(count(encoding, &minified), uncut(encoding, &minified));
        assert_eq!(count(encoding, &base64), uncut(encoding, &base64));
    }
}

/// What the library's own expression cannot take: it panics at about a million.
#[test]
fn megabytes_without_a_boundary_are_counted_and_do_not_panic() {
    let most = 2 << 20;
    let runs: [(String, u64); 9] = [
        ("a".repeat(most), 262_144),
        (" ".repeat(most), 16_384),
        ("\n".repeat(most), 131_072),
        ("/\n".repeat(most / 2), 1_048_576),
        ("7".repeat(most), 699_051),
        ("-".repeat(most), 32_768),
        ("\u{1f600}".repeat(most / 4), 524_288),
        ("\u{301}".repeat(most / 2), 1_048_576),
        ("漢字".repeat(most / 6), 699_050),
    ];
    for (text, tokens) in runs {
        let first = text.chars().next();
        assert_eq!(count(Encoding::O200kBase, &text), Tokens::new(tokens), "{first:?}");
    }
}

#[test]
fn a_cut_run_is_off_by_at_most_two_tokens_a_cut() {
    let letters: String = (0..20_000_u32).map(|i| char::from(b'a' + (i * i % 26) as u8)).collect();
    let cuts = (letters.len() / LONGEST_RUN) as u64;
    for encoding in BOTH {
        let off = count(encoding, &letters).get().abs_diff(uncut(encoding, &letters).get());
        assert!(off <= 2 * cuts, "{off} for {cuts} cuts");
    }
}

proptest! {
    #[test]
    fn text_without_long_runs_is_exact(text in "(\\PC|[ \t\r\n/']){0,400}") {
        for encoding in BOTH {
            prop_assert_eq!(count(encoding, &text), uncut(encoding, &text));
        }
    }
}
