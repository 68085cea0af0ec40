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
/// Exact, except that a stretch of more than [`LONGEST_RUN`] characters that the encoding does
/// not split (letters, white space or signs, with nothing between) is counted in parts. Each
/// cut is off by a token or two; on stretches of one letter, CJK, emoji or white space that is
/// under 1 %. Takes time proportional to the text.
///
/// [`LONGEST_RUN`]: super::pieces::LONGEST_RUN
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
