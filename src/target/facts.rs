//! What a targets file may say, in the units that people use.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::catalog::CatalogError;
use super::{ImageFormula, Prices, Target, TargetName, Wire};
use crate::tokens::{Encoding, Scale, Tokens};

/// A targets file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default)]
    pub(super) targets: BTreeMap<String, Facts>,
}

/// What a file says of one target; what it leaves out comes from the base.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Facts {
    pub(super) extends: Option<String>,
    wire: Option<Wire>,
    provider: Option<String>,
    model: Option<String>,
    reasoning_from: Option<Vec<String>>,
    window: Option<Tokens>,
    vision: Option<bool>,
    documents: Option<bool>,
    /// Dollars a million tokens.
    input: Option<f64>,
    /// Relative to fresh input.
    write: Option<f64>,
    /// Relative to fresh input.
    read: Option<f64>,
    /// As `5m`, `1h`, `90s`.
    cache_lifetime: Option<String>,
    encoding: Option<Encoding>,
    /// Tokens of the target a counted one.
    scale: Option<f64>,
    images: Option<ImageFormula>,
    binds_thinking: Option<bool>,
}

impl Facts {
    /// The target that these facts and `base` make; `known` are the names an error lists.
    pub(super) fn over(
        self,
        name: TargetName,
        base: Option<&Target>,
        known: &str,
    ) -> Result<Target, CatalogError> {
        let over = Over { name: name.as_str(), base, known };
        Ok(Target {
            wire: over.fact("wire", self.wire, |base| base.wire)?,
            provider: over.fact("provider", self.provider, |base| base.provider.clone())?,
            model: over.fact("model", self.model, |base| base.model.clone())?,
            reasoning_from: over.list(self.reasoning_from, |base| base.reasoning_from.clone()),
            window: over.window(self.window)?,
            vision: over.fact("vision", self.vision, |base| base.vision)?,
            documents: over.flag(self.documents, |base| base.documents),
            prices: over.prices(self.input, self.write, self.read)?,
            cache_lifetime_ms: over.lifetime(self.cache_lifetime.as_deref())?,
            encoding: over.fact("encoding", self.encoding, |base| base.encoding)?,
            scale: over.scale(self.scale)?,
            images: over.fact("images", self.images, |base| base.images)?,
            binds_thinking: over.flag(self.binds_thinking, |base| base.binds_thinking),
            name,
        })
    }
}

/// A target in the making: its name, what it is built on, and what else there is.
#[derive(Clone, Copy)]
struct Over<'a> {
    name: &'a str,
    base: Option<&'a Target>,
    known: &'a str,
}

impl Over<'_> {
    /// What was given, else the base's; an error where there is neither.
    fn fact<T>(
        self,
        field: &'static str,
        given: Option<T>,
        of: impl FnOnce(&Target) -> T,
    ) -> Result<T, CatalogError> {
        given.or_else(|| self.base.map(of)).ok_or_else(|| CatalogError::Missing {
            target: self.name.to_owned(),
            field,
            known: self.known.to_owned(),
        })
    }

    fn flag(self, given: Option<bool>, of: impl FnOnce(&Target) -> bool) -> bool {
        given.or_else(|| self.base.map(of)).unwrap_or(false)
    }

    fn list<T>(self, given: Option<Vec<T>>, of: impl FnOnce(&Target) -> Vec<T>) -> Vec<T> {
        given.or_else(|| self.base.map(of)).unwrap_or_default()
    }

    fn window(self, given: Option<Tokens>) -> Result<Tokens, CatalogError> {
        let window = self.fact("window", given, |base| base.window)?;
        if window == Tokens::ZERO {
            return Err(self.wrong("window", "a number of tokens, at least 1".into(), "0".into()));
        }
        Ok(window)
    }

    fn prices(
        self,
        input: Option<f64>,
        write: Option<f64>,
        read: Option<f64>,
    ) -> Result<Prices, CatalogError> {
        let input = self.units("input", input, 1_000_000, 0, 1_000)?;
        let write = self.units("write", write, 1_000, 0, 10)?;
        let read = self.units("read", read, 1_000, 0, 10)?;
        Ok(Prices {
            input_micro_usd: self.fact("input", input, |base| base.prices.input_micro_usd)?,
            write_permille: self.fact("write", write, |base| base.prices.write_permille)?,
            read_permille: self.fact("read", read, |base| base.prices.read_permille)?,
        })
    }

    /// Without a base or a scale of its own, a target counts as its encoding does.
    fn scale(self, given: Option<f64>) -> Result<Scale, CatalogError> {
        let given = self.units("scale", given, 1_000, 1, 10)?;
        let given = given.and_then(|permille| u32::try_from(permille).ok()).map(Scale::permille);
        Ok(given.or_else(|| self.base.map(|base| base.scale)).unwrap_or_default())
    }

    fn lifetime(self, given: Option<&str>) -> Result<u64, CatalogError> {
        const EXPECTED: &str = "a duration such as \"5m\", \"1h\" or \"90s\"";
        let given = given
            .map(|text| {
                duration_ms(text).ok_or_else(|| {
                    self.wrong("cache_lifetime", EXPECTED.into(), format!("{text:?}"))
                })
            })
            .transpose()?;
        self.fact("cache_lifetime", given, |base| base.cache_lifetime_ms)
    }

    /// A decimal number in whole parts, of which `parts` are one; from `least` parts to `most`
    /// whole ones.
    fn units(
        self,
        field: &'static str,
        given: Option<f64>,
        parts: u32,
        least: u32,
        most: u32,
    ) -> Result<Option<u64>, CatalogError> {
        let Some(number) = given else { return Ok(None) };
        let counted = (number * f64::from(parts)).round();
        if counted >= f64::from(least) && counted <= f64::from(parts) * f64::from(most) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "in range"
            )]
            return Ok(Some(counted as u64));
        }
        let above = if least == 0 { "from 0" } else { "above 0 and" };
        Err(self.wrong(field, format!("a number {above} up to {most}"), number.to_string()))
    }

    fn wrong(self, field: &'static str, expected: String, found: String) -> CatalogError {
        CatalogError::Value { target: self.name.to_owned(), field, expected, found }
    }
}

/// A whole number with a unit, in milliseconds.
fn duration_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim() {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}
