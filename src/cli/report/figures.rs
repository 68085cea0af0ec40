//! Figures as people read them.

use std::time::Duration;

use super::money::Usd;
use crate::cli::paper::harmless;

/// `1234567` as `1,234,567`.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 result`, `1,204 results`.
pub(super) fn counted(n: u64, one: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {one}{plural}", grouped(n))
}

/// In decimal units: `812 B`, `312.4 kB`, `3.1 MB`.
#[expect(clippy::cast_precision_loss, reason = "four digits are shown")]
pub(super) fn size(bytes: u64) -> String {
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut unit = "B";
    for larger in ["kB", "MB", "GB", "TB"] {
        // Not 1000: that would show as 1000.0.
        if value < 999.95 {
            break;
        }
        value /= 1000.0;
        unit = larger;
    }
    format!("{value:.1} {unit}")
}

/// A change as a share: `−66.7 %`, `+12.0 %`, `0.0 %`.
pub(super) fn change(share: f64) -> String {
    let tenths = (share * 1000.0).round();
    let sign = if tenths < 0.0 {
        "−"
    } else if tenths > 0.0 {
        "+"
    } else {
        ""
    };
    format!("{sign}{:.1} %", tenths.abs() / 10.0)
}

/// How `now` compares with `before`, if `before` was anything.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(super) fn change_between(before: u64, now: u64) -> Option<String> {
    (before > 0).then(|| change(now as f64 / before as f64 - 1.0))
}

/// A share of 1 as `97.31 %`, rounded down: only all of it shows as `100 %`.
pub(super) fn percent(share: f64) -> String {
    if share >= 1.0 {
        "100 %".to_owned()
    } else {
        format!("{:.2} %", (share * 1e4).floor() / 100.0)
    }
}

/// Thousandths as a factor: `1.25`, `0.1`.
pub(super) fn factor(permille: u64) -> String {
    let text = format!("{}.{:03}", permille / 1000, permille % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `0.31 ms`, `12.4 ms`, `1.2 s`.
pub(super) fn short_time(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1000.0;
    match ms {
        ms if ms < 1.0 => format!("{ms:.2} ms"),
        ms if ms < 1000.0 => format!("{ms:.1} ms"),
        ms => format!("{:.1} s", ms / 1000.0),
    }
}

/// A lifetime in its largest whole unit: `5 min`, `1 h`, `90 s`.
pub(super) fn lifetime(ms: u64) -> String {
    match ms {
        0 => "0 s".to_owned(),
        ms if ms.is_multiple_of(3_600_000) => format!("{} h", ms / 3_600_000),
        ms if ms.is_multiple_of(60_000) => format!("{} min", ms / 60_000),
        ms if ms.is_multiple_of(1_000) => format!("{} s", ms / 1_000),
        ms => format!("{ms} ms"),
    }
}

/// How many decimals tell amounts of this size apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dollars(usize);

impl Dollars {
    /// For amounts that stand side by side, of which `largest` is the largest.
    pub(super) fn up_to(largest: Usd) -> Self {
        match largest.dollars() {
            dollars if dollars >= 1.0 => Self(2),
            dollars if dollars >= 0.01 => Self(4),
            _ => Self(6),
        }
    }

    /// `$4.21`.
    pub(super) fn show(self, amount: Usd) -> String {
        format!("${:.*}", self.0, amount.dollars())
    }
}

/// A price that is listed, not measured: `$5`, `$0.075`.
pub(super) fn price(amount: Usd) -> String {
    let text = format!("{:.6}", amount.dollars());
    format!("${}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A word that a POSIX shell reads back as it is.
pub(super) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", harmless(word).replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(counted(1, "result"), "1 result");
        assert_eq!(counted(1_204, "result"), "1,204 results");
    }

    #[test]
    fn sizes_have_one_decimal_and_never_a_thousand() {
        assert_eq!(size(999), "999 B");
        assert_eq!(size(312_417), "312.4 kB");
        assert_eq!(size(999_949), "999.9 kB");
        assert_eq!(size(999_950), "1.0 MB");
        assert_eq!(size(3_100_000_000), "3.1 GB");
    }

    #[test]
    fn changes_have_a_sign_unless_there_is_none() {
        assert_eq!(change(-0.667), "−66.7 %");
        assert_eq!(change(0.12), "+12.0 %");
        assert_eq!(change(-0.0001), "0.0 %");
        assert_eq!(change_between(200, 50).as_deref(), Some("−75.0 %"));
        assert_eq!(change_between(0, 50), None);
    }

    #[test]
    fn a_share_is_never_rounded_up_to_all() {
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.9999), "99.99 %");
        assert_eq!(percent(0.999_999), "99.99 %");
        assert_eq!(percent(0.0), "0.00 %");
    }

    #[test]
    fn factors_and_prices_carry_no_empty_digits() {
        assert_eq!([factor(1250), factor(100), factor(1000)], ["1.25", "0.1", "1"]);
        assert_eq!(price(Usd::micros(5_000_000)), "$5");
        assert_eq!(price(Usd::micros(75_000)), "$0.075");
    }

    #[test]
    fn times_fit_their_unit() {
        assert_eq!(short_time(Duration::from_micros(310)), "0.31 ms");
        assert_eq!(short_time(Duration::from_micros(12_400)), "12.4 ms");
        assert_eq!(short_time(Duration::from_millis(1_200)), "1.2 s");
        assert_eq!([lifetime(300_000), lifetime(3_600_000)], ["5 min", "1 h"]);
        assert_eq!([lifetime(90_000), lifetime(1), lifetime(0)], ["90 s", "1 ms", "0 s"]);
    }

    #[test]
    fn small_amounts_get_more_decimals() {
        let show = |micros| Dollars::up_to(Usd::micros(micros)).show(Usd::micros(micros));
        assert_eq!(show(4_213_377), "$4.21");
        assert_eq!(show(42_133), "$0.0421");
        assert_eq!(show(42), "$0.000042");
    }

    #[test]
    fn what_is_copied_into_a_shell_stays_one_word() {
        assert_eq!(shell_word("/tmp/a-1.db"), "/tmp/a-1.db");
        assert_eq!(shell_word("it's; rm"), r"'it'\''s; rm'");
        assert_eq!(shell_word(""), "''");
    }
}
