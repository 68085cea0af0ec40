//! `afterturn targets`: what projections can be made for.

use super::context::catalog;
use crate::cli::args::{Global, TargetsArgs};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::target::Target;

/// Lists the targets.
pub(super) fn targets(global: &Global, args: &TargetsArgs) -> anyhow::Result<Exit> {
    let catalog = catalog(global)?;
    let targets: Vec<&Target> = catalog.iter().collect();
    let mut output = Output::stdout();
    if args.json {
        output.json(&targets)?;
    } else {
        output.line(&format!(
            "{:<20} {:<18} {:<18} {:>9} {:>8} {:>6} {:>6} {:>6}",
            "TARGET", "WIRE", "MODEL", "WINDOW", "$/M IN", "WRITE", "READ", "CACHE"
        ))?;
        for target in targets {
            output.line(&line(target))?;
        }
    }
    output.finish()?;
    Ok(Exit::Done)
}

fn line(target: &Target) -> String {
    let prices = target.prices;
    format!(
        "{:<20} {:<18} {:<18} {:>9} {:>8} {:>6} {:>6} {:>5}m",
        target.name.as_str(),
        target.wire.as_str(),
        target.model,
        target.window.get(),
        format!(
            "{}.{:02}",
            prices.input_micro_usd / 1_000_000,
            prices.input_micro_usd / 10_000 % 100
        ),
        format!("{}.{:03}", prices.write_permille / 1000, prices.write_permille % 1000),
        format!("{}.{:03}", prices.read_permille / 1000, prices.read_permille % 1000),
        target.cache_lifetime_ms / 60_000,
    )
}
