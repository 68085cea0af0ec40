//! Counting text.
//!
//! The encoders are loaded once, at first use. Special-token literals in tool output are text
//! like any other, so only the ordinary variant is used.

use std::sync::OnceLock;

use tiktoken_rs::CoreBPE;

use super::amount::{Encoding, Tokens};
use super::pieces::pieces;

/// How many tokens `text` is in `encoding`.
///
/// Exact, except that a stretch of more than 1 024 characters that the encoding does not split
/// (letters only, signs only or white space only) is counted in parts, and each cut is off by a
/// token or two: less than 0.1 % on megabytes of random letters, signs, CJK, emoji or of one
/// repeated character. Takes time proportional to the text.
pub fn count(encoding: Encoding, text: &str) -> Tokens {
    let encoder = encoder(encoding);
    let counted: usize = pieces(text).map(|piece| encoder.count_ordinary(piece)).sum();
    Tokens::new(counted as u64)
}

fn encoder(encoding: Encoding) -> &'static CoreBPE {
    static O200K: OnceLock<CoreBPE> = OnceLock::new();
    static CL100K: OnceLock<CoreBPE> = OnceLock::new();
    const BUILT_IN: &str = "the vocabulary is compiled into the library, whose tests load it";
    match encoding {
        Encoding::O200kBase => O200K.get_or_init(|| tiktoken_rs::o200k_base().expect(BUILT_IN)),
        Encoding::Cl100kBase => CL100K.get_or_init(|| tiktoken_rs::cl100k_base().expect(BUILT_IN)),
    }
}

#[cfg(test)]
#[path = "count_tests.rs"]
mod tests;
