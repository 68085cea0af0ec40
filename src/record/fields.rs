//! Reading a JSON object field by field, keeping what is left over.
//!
//! serde's tagged enums buffer values, which loses the very characters of arguments and the
//! path of an error; so blocks are read by hand from raw fields.

use std::fmt;

use serde::de::{self, DeserializeOwned, Deserializer, MapAccess};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::error::RecordError;

/// Fields that the record does not know, kept as they were written, in their order.
#[derive(Debug, Clone, Default)]
pub struct Extra(Vec<(String, Box<RawValue>)>);

impl Extra {
    /// No unknown fields.
    pub const NONE: Self = Self(Vec::new());

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The raw JSON of the field `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.get())
    }

    /// Keeps one more field.
    pub fn push(&mut self, name: impl Into<String>, value: Box<RawValue>) {
        self.0.push((name.into(), value));
    }

    pub(super) fn serialize_into<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.0.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
    }
}

impl PartialEq for Extra {
    fn eq(&self, other: &Self) -> bool {
        let plain = |extra: &Self| -> Vec<(String, String)> {
            extra.0.iter().map(|(name, value)| (name.clone(), value.get().to_owned())).collect()
        };
        plain(self) == plain(other)
    }
}

impl Eq for Extra {}

/// The fields of one JSON object, their values still raw, and where the object stands.
pub(super) struct Fields {
    path: String,
    fields: Vec<(String, Box<RawValue>)>,
}

impl Fields {
    /// Reads `json` as an object that stands at `path`.
    pub(super) fn read(json: &str, path: &str) -> Result<Self, RecordError> {
        let RawFields(fields) =
            serde_json::from_str(json).map_err(|error| match error.classify() {
                serde_json::error::Category::Data => RecordError::shape(path, "an object", json),
                serde_json::error::Category::Syntax
                | serde_json::error::Category::Eof
                | serde_json::error::Category::Io => RecordError::NotJson(error.to_string()),
            })?;
        Ok(Self { path: path.to_owned(), fields })
    }

    /// The path of the field `name`.
    pub(super) fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Takes the field `name` out, raw. `null` counts as absent. Of doubled names the last wins.
    pub(super) fn take(&mut self, name: &str) -> Option<Box<RawValue>> {
        let mut found = None;
        while let Some(index) = self.fields.iter().position(|(key, _)| key == name) {
            found = Some(self.fields.remove(index).1);
        }
        found.filter(|value| value.get() != "null")
    }

    /// Takes an optional field of a type that reads itself.
    pub(super) fn optional<T: DeserializeOwned>(
        &mut self,
        name: &str,
        expected: &'static str,
    ) -> Result<Option<T>, RecordError> {
        let Some(raw) = self.take(name) else { return Ok(None) };
        serde_json::from_str(raw.get())
            .map(Some)
            .map_err(|_| RecordError::shape(&self.at(name), expected, raw.get()))
    }

    /// Takes a field that must be there.
    pub(super) fn required<T: DeserializeOwned>(
        &mut self,
        name: &str,
        expected: &'static str,
    ) -> Result<T, RecordError> {
        self.optional(name, expected)?
            .ok_or_else(|| RecordError::shape(&self.at(name), expected, "nothing"))
    }

    /// Takes a list; each element is handed to `read` with its path.
    pub(super) fn list<T>(
        &mut self,
        name: &str,
        expected: &'static str,
        read: impl Fn(&str, &str) -> Result<T, RecordError>,
    ) -> Result<Vec<T>, RecordError> {
        let elements: Vec<Box<RawValue>> = self.required(name, expected)?;
        let path = self.at(name);
        elements
            .iter()
            .enumerate()
            .map(|(index, raw)| read(raw.get(), &format!("{path}[{index}]")))
            .collect()
    }

    /// What nobody took.
    pub(super) fn rest(self) -> Extra {
        Extra(self.fields)
    }
}

struct RawFields(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for RawFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = RawFields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawFields, A::Error> {
                let mut fields = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    fields.push(entry);
                }
                Ok(RawFields(fields))
            }
        }

        deserializer.deserialize_map(Visitor)
    }
}

/// Writes a field only when there is something to write.
pub(super) fn entry_if<M: SerializeMap, T: Serialize>(
    map: &mut M,
    name: &'static str,
    value: Option<&T>,
) -> Result<(), M::Error> {
    match value {
        Some(value) => map.serialize_entry(name, value),
        None => Ok(()),
    }
}
