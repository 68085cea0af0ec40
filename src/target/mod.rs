//! What is known of the models that projections are made for.
//!
//! Lives here: windows, prices, cache lifetimes, tokenizers, what a model can see and which
//! reasoning it takes back. Never lives here: how a wire is written (`replay::wire`), or any
//! decision (`compaction`).

mod builtin;
mod catalog;
mod facts;

pub use catalog::{Catalog, CatalogError, UnknownTarget};

use serde::{Deserialize, Serialize};

use crate::record::Proof;
use crate::tokens::{Encoding, Scale, Tokens};

/// Names a target, as the command line and the configuration do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TargetName(String);

impl TargetName {
    /// The target called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for TargetName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A wire format. One encoder each; adding one does not compile until every owner decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// Anthropic Messages.
    Anthropic,
}

impl Wire {
    /// As files and lists name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai_chat",
            Self::Anthropic => "anthropic",
        }
    }
}

/// A wire format and the facts of one model behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// What people call it.
    pub name: TargetName,
    /// How its requests are written.
    pub wire: Wire,
    /// Who serves it, as proofs name it: `anthropic`.
    pub provider: String,
    /// The model, as its provider calls it.
    pub model: String,
    /// Beginnings of the names of models whose proofs this model takes back; empty: any model
    /// of the provider.
    #[serde(default)]
    pub reasoning_from: Vec<String>,
    /// The context window, in tokens.
    pub window: Tokens,
    /// Whether it sees images.
    pub vision: bool,
    /// Whether it reads documents.
    #[serde(default)]
    pub documents: bool,
    /// What its input costs.
    pub prices: Prices,
    /// How long its prompt cache lives after the last request, in milliseconds.
    pub cache_lifetime_ms: u64,
    /// What its text is counted in.
    pub encoding: Encoding,
    /// How many of its tokens a counted one stands for.
    #[serde(default)]
    pub scale: Scale,
    /// How its images are counted.
    pub images: ImageFormula,
    /// Whether its signed reasoning is bound to everything before it (AN7).
    #[serde(default)]
    pub binds_thinking: bool,
}

/// Input prices. `write` and `read` are relative to fresh input, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Fresh input, in micro-dollars a million tokens ($5 is `5_000_000`).
    pub input_micro_usd: u64,
    /// Writing to the prompt cache (w): 1250 is a quarter more than fresh input.
    pub write_permille: u64,
    /// Reading from the prompt cache (r): 100 is a tenth of fresh input.
    pub read_permille: u64,
}

/// How a provider counts the tokens of an image from its sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageFormula {
    /// OpenAI, tiled models: 170 a tile of 512 px, and 85.
    OpenaiTiles,
    /// OpenAI, patch models: patches of 32 px, times a factor.
    OpenaiPatches {
        /// Tokens a patch, in thousandths.
        factor: u32,
        /// The most patches; a larger image is made smaller.
        limit: u32,
    },
    /// Anthropic: w·h/750 after scaling to at most 1568 px and 1600 tokens.
    AnthropicArea,
    /// Gemini: 258 a tile of 768 px.
    GeminiTiles,
}

impl Target {
    /// Whether this model takes a proof back: its own provider's, of a model family it knows
    /// (invariant 6).
    pub fn accepts(&self, proof: &Proof) -> bool {
        self.accepts_from(&proof.provider, &proof.model)
    }

    /// Whether this model takes back a proof that `model` of `provider` made. A proof whose
    /// maker the source does not name is the provider's word that it made it.
    pub fn accepts_from(&self, provider: &str, model: &str) -> bool {
        provider == self.provider
            && (self.reasoning_from.is_empty()
                || model.is_empty()
                || self.reasoning_from.iter().any(|family| model.starts_with(family)))
    }
}
