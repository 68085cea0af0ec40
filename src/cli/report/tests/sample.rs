//! Made-up reports.

use std::time::Duration;

use crate::cli::report::*;
use crate::compaction::{EpochNumber, Trigger};
use crate::target::{Prices, TargetName};
use crate::tokens::{Scale, Tokens};

fn epoch(number: u32, trigger: Trigger, cleared: u64, before: u64, after: u64) -> EpochReport {
    EpochReport {
        trigger,
        cleared,
        tokens_before: Tokens::new(before),
        tokens_after: Tokens::new(after),
        number: EpochNumber(number),
        reason: "rent 61,204 has reached the price 60,871".to_owned(),
        largest: Some(ClearedResult {
            call_id: format!("call_{number}").into(),
            tool: "bash".into(),
            tokens: Tokens::new(1_000 * u64::from(number)),
        }),
    }
}

fn prices() -> Pricing {
    let prices = Prices { input_micro_usd: 5_000_000, write_permille: 1250, read_permille: 100 };
    Pricing::new(prices, 300_000)
}

/// Nothing was cleared on it, and there is nothing else to say.
pub(super) fn quiet_target() -> TargetReport {
    TargetReport {
        target: TargetName::new("anthropic"),
        tokens_before: Tokens::new(3_812),
        tokens_after: Tokens::new(3_812),
        cleared_results: 0,
        epochs: Vec::new(),
        bytes: 14_930,
        prefix_stable: 1.0,
        cost: Costs {
            none: Usd::micros(41_200),
            keep3: Usd::micros(52_900),
            afterturn: Usd::micros(41_200),
        },
        pricing: prices(),
        model_calls: 6,
        kept: [(KeptWhy::CurrentTurn, Tokens::new(1_200)), (KeptWhy::Small, Tokens::new(88))]
            .into_iter()
            .collect(),
        not_cleared: [("nothing_to_clear".to_owned(), 6)].into(),
        last_reason: Some("nothing to clear: all 2 live results are in use".to_owned()),
        regret: None,
        reasoning_left_out: 0,
        repairs: [].into(),
        accounting: None,
    }
}

pub(super) fn rich_target() -> TargetReport {
    let kept = [
        (KeptWhy::Newest, 5, 2_480),
        (KeptWhy::InUse, 9, 811),
        (KeptWhy::Small, 29, 61),
        (KeptWhy::Waiting, 1, 1),
    ];
    TargetReport {
        tokens_before: Tokens::new(184_203),
        tokens_after: Tokens::new(61_411),
        cleared_results: 74,
        epochs: vec![
            epoch(1, Trigger::Rent, 31, 88_102, 50_033),
            epoch(2, Trigger::Cold, 1, 71_930, 66_007),
            epoch(3, Trigger::Undo, 1, 66_007, 71_930),
            epoch(4, Trigger::Rent, 43, 140_337, 61_411),
        ],
        bytes: 312_417,
        prefix_stable: 0.9731,
        cost: Costs {
            none: Usd::micros(4_213_377),
            keep3: Usd::micros(3_602_100),
            afterturn: Usd::micros(2_107_700),
        },
        model_calls: 131,
        kept: kept
            .into_iter()
            .flat_map(|(why, results, each)| (0..results).map(move |_| (why, Tokens::new(each))))
            .collect(),
        not_cleared: [("rent_below_price".to_owned(), 127)].into(),
        last_reason: None,
        regret: Some(Regret { quotes: 234, afterturn_missed: 26, keep3_missed: 141 }),
        reasoning_left_out: 14,
        repairs: [("calls answered as not completed".to_owned(), 1)].into(),
        accounting: Some(Accounting { scale: Scale::permille(1080), error: 0.0241, compared: 57 }),
        ..quiet_target()
    }
}

pub(super) fn conversation(id: &str, target: TargetReport) -> ConversationReport {
    ConversationReport {
        id: id.into(),
        source: "sessions/fix-parser.jsonl".to_owned(),
        format: "claude-code".to_owned(),
        messages: 402,
        calls: 118,
        results: 117,
        skipped: [("file-history-snapshot".to_owned(), 4), ("summary".to_owned(), 12)].into(),
        targets: vec![target],
        unreadable: Vec::new(),
        notes: Vec::new(),
    }
}

pub(super) fn report(conversations: Vec<ConversationReport>) -> RunReport {
    RunReport {
        conversations,
        turns: TurnTimes::of((1..=131).map(|n| Duration::from_micros(n * 100)).collect()),
        database: DatabaseReport { path: "/tmp/afterturn-x7/run.db".to_owned(), temporary: true },
        compaction: true,
        unread: Vec::new(),
        failed: Vec::new(),
    }
}
