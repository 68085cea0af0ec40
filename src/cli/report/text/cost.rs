//! What the input cost, by policy.

use super::page::Page;
use crate::cli::paper::harmless;
use crate::cli::report::figures::{Dollars, change, counted, factor, grouped, lifetime, price};
use crate::cli::report::model::{Pricing, TargetReport};
use crate::cli::report::money::Usd;

/// The longest bar.
const BAR: usize = 24;

/// What "forgot" means.
pub(super) const FORGOT: &str = "Forgot: a later message quoted output that was cleared by then.";

/// One policy's line.
struct Line {
    policy: &'static str,
    cost: Usd,
    missed: Option<u64>,
}

pub(super) fn write(page: &mut Page, target: &TargetReport) {
    if target.model_calls == 0 {
        page.field("input cost", "none: no model call in this session");
        return;
    }
    let costs = target.cost;
    let regret = target.regret;
    let lines = [
        Line { policy: "no clearing", cost: costs.none, missed: None },
        Line { policy: "keep last 3", cost: costs.keep3, missed: regret.map(|r| r.keep3_missed) },
        Line {
            policy: "Afterturn",
            cost: costs.afterturn,
            missed: regret.map(|r| r.afterturn_missed),
        },
    ];
    let largest = lines.iter().map(|line| line.cost).max().unwrap_or(Usd::ZERO);
    let quotes = regret.map_or(0, |regret| regret.quotes);
    for (i, line) in lines.iter().enumerate() {
        let text = line.text(page, costs.none, largest, quotes);
        page.field(if i == 0 { "input cost" } else { "" }, &text);
    }
    let told = how_it_is_counted(target.target.as_str(), target.pricing, target.model_calls);
    page.small_print(&told);
    if quotes > 0 {
        page.small_print(FORGOT);
    }
}

impl Line {
    fn text(&self, page: &Page, base: Usd, largest: Usd, quotes: u64) -> String {
        let dollars = Dollars::up_to(largest);
        let width = dollars.show(largest).len();
        let change = match self.cost.change_from(base) {
            Some(share) if self.cost != base => change(share),
            Some(_) | None => String::new(),
        };
        let change = format!("{change:>9}");
        let painted = if self.cost < base { page.paper.good(&change) } else { change.into() };
        let forgot = match self.missed {
            Some(missed) if quotes > 0 => {
                format!("  forgot {} of {}", grouped(missed), counted(quotes, "quote"))
            }
            Some(_) | None => String::new(),
        };
        let amount = dollars.show(self.cost);
        let bar = bar(self.cost, largest);
        format!("{:<11}  {amount:>width$} {painted}  {bar:<BAR$}{forgot}", self.policy)
    }
}

/// Cells in proportion to the largest; what costs anything has at least one.
fn bar(cost: Usd, largest: Usd) -> String {
    if largest == Usd::ZERO || cost == Usd::ZERO {
        return String::new();
    }
    let share = cost.dollars() / largest.dollars().max(f64::MIN_POSITIVE);
    let cells = (1..=BAR).rev().find(|cells| bar_reaches(*cells, share)).unwrap_or(1);
    "█".repeat(cells)
}

#[expect(clippy::cast_precision_loss, reason = "a bar has few cells")]
fn bar_reaches(cells: usize, share: f64) -> bool {
    share * BAR as f64 >= cells as f64 - 0.5
}

/// One sentence that says what the figures are of.
pub(super) fn how_it_is_counted(target: &str, pricing: Pricing, model_calls: u64) -> String {
    format!(
        "History alone, over {}, at {}'s prices: {} a million fresh tokens, ×{} to write the \
         prompt cache, ×{} to read it; it lives {}. System prompt, tools and output cost the \
         same either way.",
        counted(model_calls, "model call"),
        harmless(target),
        price(pricing.input),
        factor(pricing.write),
        factor(pricing.read),
        lifetime(pricing.cache_lifetime_ms)
    )
}
