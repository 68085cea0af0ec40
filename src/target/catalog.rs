//! The targets that are known by name: the built-in ones, and what a TOML file adds.

use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

use super::builtin::builtin;
use super::{ImageFormula, Prices, Target, TargetName, Wire};
use crate::tokens::{Encoding, Scale, Tokens};

/// Targets by name, in the order they are listed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    targets: Vec<Target>,
}

/// A name that no target has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no target {name:?}; known targets are {known}{}", hint(.nearest.as_deref()))]
pub struct UnknownTarget {
    /// The name that was asked for.
    pub name: String,
    /// The names that there are.
    pub known: String,
    /// The name that was probably meant.
    pub nearest: Option<String>,
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(" (did you mean {name:?}?)")).unwrap_or_default()
}

/// A targets file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CatalogError {
    /// It is not TOML, or holds a key or value that means nothing here.
    #[error("the targets file is not understood: {0}")]
    Toml(String),
    /// A new target without a base and without all its facts.
    #[error("targets.{target}: {field} is missing; give it, or name a base with `extends = \"…\"`")]
    Missing {
        /// The target.
        target: String,
        /// What it lacks.
        field: &'static str,
    },
    /// A value that has no meaning.
    #[error("targets.{target}.{field}: expected {expected}, found {found}")]
    Value {
        /// The target.
        target: String,
        /// The field.
        field: &'static str,
        /// What may stand there.
        expected: &'static str,
        /// What stood there.
        found: String,
    },
    /// The base of a new target is not known.
    #[error("targets.{target}.extends: {source}")]
    Base {
        /// The target.
        target: String,
        /// Which base was asked for.
        source: UnknownTarget,
    },
}

impl Catalog {
    /// The built-in targets.
    pub fn builtin() -> Self {
        Self { targets: builtin() }
    }

    /// The built-in targets with what a TOML text adds and overrides.
    ///
    /// ```
    /// let catalog = afterturn::target::Catalog::with_toml(r#"
    ///     [targets.mine]
    ///     extends = "anthropic"
    ///     model = "claude-haiku-5-5"
    ///     input = 0.10            # dollars a million tokens
    ///     cache_lifetime = "1h"
    /// "#)?;
    /// assert_eq!(catalog.get("mine")?.model, "claude-haiku-5-5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_toml(text: &str) -> Result<Self, CatalogError> {
        let file: File =
            toml::from_str(text).map_err(|error| CatalogError::Toml(error.to_string()))?;
        let mut catalog = Self::builtin();
        for (name, facts) in file.targets {
            let target = catalog.with_facts(&name, facts)?;
            match catalog.targets.iter_mut().find(|known| known.name == target.name) {
                Some(known) => *known = target,
                None => catalog.targets.push(target),
            }
        }
        Ok(catalog)
    }

    /// The target called `name`.
    pub fn get(&self, name: &str) -> Result<&Target, UnknownTarget> {
        self.iter().find(|target| target.name.as_str() == name).ok_or_else(|| UnknownTarget {
            name: name.to_owned(),
            known: self.names(),
            nearest: self.nearest(name),
        })
    }

    /// All targets: the built-in ones first, then in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Target> {
        self.targets.iter()
    }

    /// The first target of the provider that wrote a session.
    pub fn for_provider(&self, provider: &str) -> Option<&Target> {
        let provider = provider.to_ascii_lowercase();
        let maker = match provider.as_str() {
            "openai" | "openai-codex" | "azure" | "azure-openai" => "openai",
            "anthropic" | "claude" => "anthropic",
            other => other,
        };
        self.iter().find(|target| target.provider == maker)
    }

    fn names(&self) -> String {
        self.iter().map(|target| target.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn nearest(&self, name: &str) -> Option<String> {
        let distance = |target: &Target| edits(name, target.name.as_str());
        let nearest = self.iter().min_by_key(|target| distance(target))?;
        (distance(nearest) <= 3).then(|| nearest.name.as_str().to_owned())
    }

    fn with_facts(&self, name: &str, facts: Facts) -> Result<Target, CatalogError> {
        let base = match &facts.extends {
            Some(base) => Some(
                self.get(base)
                    .map_err(|source| CatalogError::Base { target: name.to_owned(), source })?,
            ),
            None => self.iter().find(|target| target.name.as_str() == name),
        };
        facts.over(name, base)
    }
}

/// Levenshtein distance, for names of a few characters.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let change = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    targets: BTreeMap<String, Facts>,
}

/// What a file may say of a target, in the units that people use.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Facts {
    extends: Option<String>,
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
    scale: Option<f64>,
    images: Option<ImageFormula>,
    binds_thinking: Option<bool>,
}

impl Facts {
    fn over(self, name: &str, base: Option<&Target>) -> Result<Target, CatalogError> {
        let missing = |field| CatalogError::Missing { target: name.to_owned(), field };
        let prices = self.prices(name, base)?;
        let cache_lifetime_ms = match &self.cache_lifetime {
            Some(text) => duration_ms(text).ok_or_else(|| CatalogError::Value {
                target: name.to_owned(),
                field: "cache_lifetime",
                expected: "a duration such as \"5m\", \"1h\" or \"90s\"",
                found: format!("{text:?}"),
            })?,
            None => base.ok_or_else(|| missing("cache_lifetime"))?.cache_lifetime_ms,
        };
        let scale = match self.scale {
            Some(scale) => Scale::permille(permille(name, "scale", scale, 1..=10_000)?),
            None => base.map(|base| base.scale).unwrap_or_default(),
        };
        macro_rules! fact {
            ($field:ident) => {
                self.$field
                    .or_else(|| base.map(|base| base.$field.clone()))
                    .ok_or_else(|| missing(stringify!($field)))?
            };
        }
        Ok(Target {
            name: TargetName::new(name),
            prices,
            cache_lifetime_ms,
            scale,
            wire: fact!(wire),
            provider: fact!(provider),
            model: fact!(model),
            window: fact!(window),
            vision: fact!(vision),
            encoding: fact!(encoding),
            images: fact!(images),
            documents: self.documents.or(base.map(|base| base.documents)).unwrap_or(false),
            binds_thinking: self
                .binds_thinking
                .or(base.map(|base| base.binds_thinking))
                .unwrap_or(false),
            reasoning_from: self
                .reasoning_from
                .or_else(|| base.map(|base| base.reasoning_from.clone()))
                .unwrap_or_default(),
        })
    }

    fn prices(&self, name: &str, base: Option<&Target>) -> Result<Prices, CatalogError> {
        let base = base.map(|base| base.prices);
        let missing = |field| CatalogError::Missing { target: name.to_owned(), field };
        let relative = |field, value: Option<f64>, base: Option<u64>| match value {
            Some(value) => permille(name, field, value, 0..=10_000).map(u64::from),
            None => base.ok_or_else(|| missing(field)),
        };
        Ok(Prices {
            input_micro_usd: match self.input {
                Some(dollars) => u64::from(permille(name, "input", dollars, 0..=1_000_000)?) * 1000,
                None => base.ok_or_else(|| missing("input"))?.input_micro_usd,
            },
            write_permille: relative("write", self.write, base.map(|base| base.write_permille))?,
            read_permille: relative("read", self.read, base.map(|base| base.read_permille))?,
        })
    }
}

/// A decimal number in thousandths, within `range` of thousandths.
fn permille(
    target: &str,
    field: &'static str,
    value: f64,
    range: std::ops::RangeInclusive<u32>,
) -> Result<u32, CatalogError> {
    let thousandths = (value * 1000.0).round();
    if thousandths >= f64::from(*range.start()) && thousandths <= f64::from(*range.end()) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        return Ok(thousandths as u32);
    }
    Err(CatalogError::Value {
        target: target.to_owned(),
        field,
        expected: "a number that is not negative and not absurdly large",
        found: value.to_string(),
    })
}

/// A whole number with a unit, in milliseconds.
fn duration_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim() {
        "ms" => 1,
        "s" => 1000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_targets_are_there_by_name() {
        let catalog = Catalog::builtin();
        assert_eq!(catalog.get("openai").map(|target| target.wire), Ok(Wire::OpenaiChat));
        assert_eq!(catalog.get("anthropic").map(|target| target.wire), Ok(Wire::Anthropic));
        assert_eq!(
            catalog.for_provider("openai-codex").map(|target| target.name.as_str()),
            Some("openai")
        );
    }

    #[test]
    fn an_unknown_name_says_which_there_are_and_which_was_meant() {
        let error = Catalog::builtin().get("antropic").expect_err("no such target");
        assert_eq!(
            error.to_string(),
            "there is no target \"antropic\"; known targets are openai, anthropic, \
             claude-opus-5-5, claude-sonnet-5-5 (did you mean \"anthropic\"?)"
        );
    }

    #[test]
    fn a_file_overrides_single_facts_and_adds_targets() {
        let catalog = Catalog::with_toml(
            "[targets.anthropic]\nwindow = 1000\n[targets.mine]\nextends = \"openai\"\n\
             input = 1.25\nwrite = 1.0\nread = 0.1\ncache_lifetime = \"1h\"\nscale = 1.1",
        )
        .expect("the file is right");
        let anthropic = catalog.get("anthropic").expect("still there");
        assert_eq!(anthropic.window, Tokens::new(1000));
        assert_eq!(anthropic.model, "claude-opus-4-5");
        let mine = catalog.get("mine").expect("added");
        assert_eq!(mine.prices.input_micro_usd, 1_250_000);
        assert_eq!((mine.prices.write_permille, mine.prices.read_permille), (1000, 100));
        assert_eq!(mine.cache_lifetime_ms, 3_600_000);
        assert_eq!(mine.scale, Scale::permille(1100));
    }

    #[test]
    fn a_wrong_file_says_what_and_where() {
        let message = |text: &str| Catalog::with_toml(text).expect_err("wrong").to_string();
        assert!(message("[targets.x]\nwindow = 5").contains("extends"));
        assert!(message("[targets.anthropic]\nwindw = 5").contains("windw"));
        assert!(message("[targets.anthropic]\nread = -1.0").contains("targets.anthropic.read"));
        assert!(message("[targets.anthropic]\ncache_lifetime = \"soon\"").contains("\"5m\""));
        assert!(message("[targets.x]\nextends = \"nobody\"").contains("known targets are"));
    }
}
