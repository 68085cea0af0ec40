//! The profiles that come with the program.
//!
//! Facts age. Each carries its source and the day it was read; a TOML file overrides them.

use super::{ImageFormula, Prices, Target, TargetName, Wire};
use crate::tokens::{Encoding, Scale, Tokens};

const MINUTE_MS: u64 = 60_000;

/// All built-in targets, in the order they are listed in.
pub(super) fn builtin() -> Vec<Target> {
    vec![openai(), anthropic(), claude_opus_5_5(), claude_sonnet_5_5()]
}

/// GPT-6.2 Sol over Chat Completions.
///
/// Read 2026-12-01 (developers.openai.com, model page of `gpt-6.2-sol` and "Prompt caching"):
/// $2.00 a million input tokens, cached $0.10, cache write $2.50, kept for 30 minutes. The
/// window is 1 050 000, but above 272 000 input tokens the whole request costs twice as much:
/// that is the window we plan for. An image costs 1.2 tokens a patch of 32 px (measured by
/// others); 10 000 patches is the documented budget of its family.
fn openai() -> Target {
    Target {
        name: TargetName::new("openai"),
        wire: Wire::OpenaiChat,
        provider: "openai".into(),
        model: "gpt-6.2-sol".into(),
        reasoning_from: Vec::new(),
        window: Tokens::new(272_000),
        vision: true,
        documents: false,
        prices: Prices { input_micro_usd: 2_000_000, write_permille: 1250, read_permille: 50 },
        cache_lifetime_ms: 30 * MINUTE_MS,
        encoding: Encoding::O200kBase,
        scale: Scale::ONE,
        images: ImageFormula::OpenaiPatches { factor: 1200, limit: 10_000 },
        binds_thinking: false,
    }
}

/// Claude Opus 4.5, with the smallest window that a Claude model in service has: what fits
/// here fits every one.
///
/// Read 2026-12-01 (platform.claude.com, overview of the model and "Pricing"): window 200 000,
/// $5 a million input tokens, 5-minute cache write $6.25, read $0.50; legacy, retired not sooner
/// than 2026-11-24. No public tokenizer: `o200k_base` times the scale that 468 pairs of reported
/// calls of one session of this model give (1.259, arguments counted as the values they hold; see
/// `tokens::Calibration` and its test).
///
/// Thinking is not bound to the conversation on this model. From Fable 5.1, Opus 5.5, Sonnet 5.5
/// and Haiku 5.5 on it is ("Preserved thinking"), and `binds_thinking` belongs on: requests that
/// change what stands before a thinking block are refused with "The block is bound to a
/// different conversation", for accounts made since 2026-08-31 and for requests that ask for it
/// (beta header `thinking-binding-controls-2026-08-01`).
fn anthropic() -> Target {
    Target {
        name: TargetName::new("anthropic"),
        wire: Wire::Anthropic,
        provider: "anthropic".into(),
        model: "claude-opus-4-5".into(),
        reasoning_from: vec!["claude".into()],
        window: Tokens::new(200_000),
        vision: true,
        documents: true,
        prices: Prices { input_micro_usd: 5_000_000, write_permille: 1250, read_permille: 100 },
        cache_lifetime_ms: 5 * MINUTE_MS,
        encoding: Encoding::O200kBase,
        scale: Scale::permille(1259),
        images: ImageFormula::AnthropicArea,
        binds_thinking: false,
    }
}

/// Claude Opus 5.5.
///
/// Read 2026-12-01 ("Claude Opus 5.5"): window 1M, $4 a million input tokens, 5-minute cache
/// write $5, read $0.20. Thinking blocks are bound to the model and to the conversation. Since
/// Opus 4.7 the tokenizer gives some 30 % more tokens ("Token counting"): three long sessions of
/// Sonnet 5 and Opus 5 gave scales of 1.59, 1.60 and 1.70. Large images are seen at a higher
/// resolution than `images` counts, and weigh up to 2.5 times as much.
fn claude_opus_5_5() -> Target {
    Target {
        name: TargetName::new("claude-opus-5-5"),
        model: "claude-opus-5-5".into(),
        reasoning_from: vec!["claude-opus-5-5".into()],
        window: Tokens::new(1_000_000),
        prices: Prices { input_micro_usd: 4_000_000, write_permille: 1250, read_permille: 50 },
        scale: Scale::permille(1600),
        binds_thinking: true,
        ..anthropic()
    }
}

/// Claude Sonnet 5.5.
///
/// Read 2026-12-01 ("Claude Sonnet 5.5"): window 1M, $2 a million input tokens, 5-minute cache
/// write $2.50, read $0.20. Thinking and tokenizer as of Opus 5.5.
fn claude_sonnet_5_5() -> Target {
    Target {
        name: TargetName::new("claude-sonnet-5-5"),
        model: "claude-sonnet-5-5".into(),
        reasoning_from: vec!["claude-sonnet-5-5".into()],
        prices: Prices { input_micro_usd: 2_000_000, write_permille: 1250, read_permille: 100 },
        ..claude_opus_5_5()
    }
}
