//! What a document weighs: text is counted, anything else estimated by its size.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::amount::{Encoding, Tokens};
use super::weight::{Counts, counts, scaled};
use crate::record::{Document, Source};
use crate::target::Target;

/// What a document weighs, before a target is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentWeight {
    /// Text, counted.
    Text(Counts),
    /// Pages that were not opened, estimated.
    Pages(Tokens),
}

/// A page of a PDF is 1 500 to 3 000 tokens of text (Anthropic, "PDF support"), and its
/// picture besides is not counted here.
const TOKENS_PER_PAGE: u64 = 2_000;
/// Pages are not counted without opening the file. An ordinary page of text with its fonts
/// takes some 50 KB; a scanned one takes more and a plain one less, so this is off by a factor
/// of several for either.
const BYTES_PER_PAGE: u64 = 50_000;
/// Where even the size is not known (a URL, which is never fetched).
const UNKNOWN_PAGES: u64 = 5;

impl DocumentWeight {
    /// What it weighs on a target that reads documents.
    pub(super) fn on(&self, target: &Target) -> Tokens {
        match self {
            Self::Text(counts) => scaled(counts, target),
            Self::Pages(tokens) => *tokens,
        }
    }
}

/// Counts a text document and estimates any other.
pub(super) fn weigh_document(
    document: &Document,
    encodings: &BTreeSet<Encoding>,
) -> DocumentWeight {
    match &document.source {
        Source::Url { .. } => DocumentWeight::Pages(Tokens::new(UNKNOWN_PAGES * TOKENS_PER_PAGE)),
        Source::Base64 { data } => match text(&document.media_type, data) {
            Some(text) => DocumentWeight::Text(counts(encodings, [text.as_str()])),
            None => DocumentWeight::Pages(pages(data)),
        },
    }
}

fn text(media_type: &str, base64: &str) -> Option<String> {
    if !media_type.starts_with("text/") {
        return None;
    }
    let bytes = STANDARD.decode(base64.trim()).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A share of a page's tokens for a share of its bytes, but at least one page.
fn pages(base64: &str) -> Tokens {
    let bytes = base64.len() as u64 / 4 * 3;
    Tokens::new((bytes * TOKENS_PER_PAGE / BYTES_PER_PAGE).max(TOKENS_PER_PAGE))
}
