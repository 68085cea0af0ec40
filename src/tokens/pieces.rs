//! Cutting text for the encoder, where a cut changes no count, or where it must be cut.
//!
//! An encoding first splits text by an expression, then merges the bytes of each part. A part
//! is letters (with one sign before), up to three digits, signs (with a space before and line
//! ends after) or white space. Prose and code have short parts only. White space of a million
//! characters exhausts the backtracking of the expression, which panics inside the library
//! (`tiktoken-rs` 0.12.1), and merging a long part takes more than its length in time.

/// The longest stretch that may be one part, in characters. Longer ones are cut. A power of two,
/// as are the longest tokens of one repeated character, so that such a cut costs nothing.
pub(super) const LONGEST_RUN: usize = 1_024;

/// Texts longer than this reach the encoder in pieces, so that its memory stays bounded; they
/// are cut between lines, where the encodings split anyway.
const LONG: usize = 64 * 1024;

/// `text` in pieces, in order.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(first_cut(rest));
        rest = after;
        Some(piece)
    })
}

/// What a character can share a part with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Letter,
    Sign,
    /// At most three stand together.
    Digit,
    /// A mark goes with letters in one encoding and with signs in another; so does whatever
    /// the standard library cannot tell from a mark.
    Either,
}

impl Class {
    /// Whether a character of this class may be in one part with a run of `before`.
    fn joins(self, before: Self) -> bool {
        match self {
            Self::Space | Self::Letter | Self::Sign => self == before,
            Self::Digit => false,
            Self::Either => before != Self::Digit,
        }
    }
}

fn first_cut(text: &str) -> usize {
    let mut run = 0;
    let mut ends = 0;
    let mut class = Class::Digit;
    let mut last = ' ';
    for (at, next) in text.char_indices() {
        if run == LONGEST_RUN || ends == LONGEST_RUN || (at >= LONG && between_lines(last, next)) {
            return at;
        }
        let found = class_of(next);
        if !found.joins(class) {
            run = 0;
            class = found;
        }
        run += 1;
        // Line ends and slashes after signs are one part, though of two classes.
        ends = if matches!(next, '\r' | '\n' | '/') { ends + 1 } else { 0 };
        last = next;
    }
    text.len()
}

/// White space up to the last line end is one part; a slash would belong to signs before it.
fn between_lines(last: char, next: char) -> bool {
    last == '\n' && !next.is_whitespace() && next != '/'
}

fn class_of(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        _ if c.is_whitespace() => Class::Space,
        _ if c.is_ascii() || is_sign(c) => Class::Sign,
        _ if c.is_numeric() => Class::Digit,
        _ if c.is_alphabetic() => Class::Letter,
        _ => Class::Either,
    }
}

/// Ranges of punctuation and symbols that hold neither letters, digits nor marks.
const fn is_sign(c: char) -> bool {
    matches!(c,
        '\u{2010}'..='\u{2027}'     // dashes, quotes, dots
        | '\u{2190}'..='\u{23ff}'   // arrows, mathematics, technical
        | '\u{2500}'..='\u{26ff}'   // boxes, blocks, shapes, weather and such
        | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}'
        | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
        | '\u{1f300}'..='\u{1faff}') // emoji
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ordinary_text_is_one_piece() {
        let text = "fn main() { println!(\"{}\", 1_000_000); }\n".repeat(100);
        assert_eq!(pieces(&text).count(), 1);
        assert_eq!(pieces("").count(), 0);
    }

    #[test]
    fn a_long_text_is_cut_between_lines_only() {
        let text = "one line\n  another\n/third\n".repeat(10_000);
        let pieces: Vec<&str> = pieces(&text).collect();
        assert_eq!(pieces.len(), 4);
        assert!(pieces.iter().all(|piece| piece.starts_with("one") && piece.ends_with('\n')));
    }

    #[test]
    fn a_run_is_cut_at_the_limit_whatever_stands_before_it() {
        for before in ["", "1", "a ", "("] {
            for unit in ["x", " ", "\n", "!", "é", "\u{301}", "\u{1f600}", "/\n", "e\u{301}"] {
                let text = format!("{before}{}", unit.repeat(10 * LONGEST_RUN));
                let longest = pieces(&text).map(|piece| piece.chars().count()).max();
                assert!(longest <= Some(LONGEST_RUN + before.len()), "{before:?} {unit:?}");
            }
        }
    }

    #[test]
    fn digits_need_no_cut() {
        assert_eq!(pieces(&"7".repeat(10 * LONGEST_RUN)).count(), 1);
    }

    proptest! {
        #[test]
        fn the_pieces_in_order_are_the_text(
            units in proptest::collection::vec(("\\PC|\n| ", 1..3000_usize), 0..40)
        ) {
            let text: String = units.iter().map(|(unit, times)| unit.repeat(*times)).collect();
            prop_assert_eq!(pieces(&text).collect::<String>(), text);
        }
    }
}
