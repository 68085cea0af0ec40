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

/// Claude Opus 4.5, the largest Claude model with the 200 000 token window that all of them
/// have: what fits here fits every one.
///
/// Read 2026-12-01 ("Models overview", "Pricing", "Prompt caching"): $5 a million input tokens,
/// 5-minute cache write 1.25 times, read 0.1 times. No public tokenizer: `o200k_base` times the
/// scale that 484 reported calls of a long `claude-opus-4-5` session give (see
/// `tests/real_sessions.rs`). Thinking is not bound to the conversation on this model.
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
        scale: Scale::permille(1200),
        images: ImageFormula::AnthropicArea,
        binds_thinking: false,
    }
}

/// Claude Opus 5.5.
///
/// Read 2026-12-01 ("Claude Opus 5.5"): window 1M, $4 a million input tokens, 5-minute cache
/// write $5, read $0.20. Thinking blocks are bound to the model and to the conversation.
fn claude_opus_5_5() -> Target {
    Target {
        name: TargetName::new("claude-opus-5-5"),
        model: "claude-opus-5-5".into(),
        reasoning_from: vec!["claude-opus-5-5".into()],
        window: Tokens::new(1_000_000),
        prices: Prices { input_micro_usd: 4_000_000, write_permille: 1250, read_permille: 50 },
        binds_thinking: true,
        ..anthropic()
    }
}

/// Claude Sonnet 5.5.
///
/// Read 2026-12-01 ("Models overview"): window 1M, $2 a million input tokens, 5-minute cache
/// write $2.50, read $0.20.
fn claude_sonnet_5_5() -> Target {
    Target {
        name: TargetName::new("claude-sonnet-5-5"),
        model: "claude-sonnet-5-5".into(),
        window: Tokens::new(1_000_000),
        prices: Prices { input_micro_usd: 2_000_000, write_permille: 1250, read_permille: 100 },
        ..anthropic()
    }
}
