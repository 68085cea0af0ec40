//! The targets that are known by name: the built-in ones, and what a TOML file adds.

use std::collections::BTreeMap;

use thiserror::Error;

use super::builtin::builtin;
use super::facts::{Facts, File};
use super::{Target, TargetName};

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
    #[error(
        "targets.{target}: {field} is missing; give it, or name a base with `extends = \"…\"` \
         (known targets are {known})"
    )]
    Missing {
        /// The target.
        target: String,
        /// What it lacks.
        field: &'static str,
        /// The names that it may extend.
        known: String,
    },
    /// A value that has no meaning.
    #[error("targets.{target}.{field}: expected {expected}, found {found}")]
    Value {
        /// The target.
        target: String,
        /// The field.
        field: &'static str,
        /// What may stand there.
        expected: String,
        /// What stood there.
        found: String,
    },
    /// The base of a new target is not known, or is built on it in turn.
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
        let File { targets: mut pending } =
            toml::from_str(text).map_err(|error| CatalogError::Toml(error.to_string()))?;
        let mut catalog = Self::builtin();
        // A base may stand after what extends it: take what is ready until nothing is left.
        while !pending.is_empty() {
            let name = next_ready(&pending);
            if let Some(facts) = pending.remove(&name) {
                catalog.put(&name, facts)?;
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

    /// The first target of the provider that wrote a session, by the name that the session
    /// gives it: clients call one provider by many names.
    pub fn for_provider(&self, provider: &str) -> Option<&Target> {
        let provider = provider.to_ascii_lowercase();
        let names = |part: &&str| provider.contains(*part);
        let maker = if ["anthropic", "claude", "bedrock"].iter().any(names) {
            "anthropic"
        } else if ["openai", "azure", "codex"].iter().any(names) {
            "openai"
        } else {
            provider.as_str()
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

    fn put(&mut self, name: &str, facts: Facts) -> Result<(), CatalogError> {
        let base = match &facts.extends {
            Some(base) => Some(
                self.get(base)
                    .map_err(|source| CatalogError::Base { target: name.to_owned(), source })?,
            ),
            None => self.iter().find(|target| target.name.as_str() == name),
        };
        let target = facts.over(TargetName::new(name), base, &self.names())?;
        match self.targets.iter_mut().find(|known| known.name == target.name) {
            Some(known) => *known = target,
            None => self.targets.push(target),
        }
        Ok(())
    }
}

/// The first name whose base does not wait itself; the first of all where each waits for
/// another, and then its base is unknown.
fn next_ready(pending: &BTreeMap<String, Facts>) -> String {
    let ready = |name: &str, facts: &Facts| {
        facts.extends.as_deref().is_none_or(|base| base == name || !pending.contains_key(base))
    };
    let mut names = pending.iter();
    let found = names.find(|(name, facts)| ready(name, facts)).or_else(|| pending.iter().next());
    found.map(|(name, _)| name.clone()).unwrap_or_default()
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

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
