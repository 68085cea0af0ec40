//! The kinds of block, and their JSON form: tagged by `type`, `snake_case`.

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::error::RecordError;
use super::fields::{Extra, Fields, entry_if};
use super::ids::{CallId, ToolName};

/// One piece of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Speech.
    Text(Text),
    /// What the model thought. Not speech.
    Reasoning(Reasoning),
    /// The model asks for a tool to be run.
    ToolCall(ToolCall),
    /// What running the tool gave.
    ToolResult(ToolResult),
    /// A picture.
    Image(Image),
    /// A file for the model to read.
    Document(Document),
}

/// The kinds of [`Block`], for accounts and messages to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockKind {
    /// [`Block::Text`]
    Text,
    /// [`Block::Reasoning`]
    Reasoning,
    /// [`Block::ToolCall`]
    ToolCall,
    /// [`Block::ToolResult`]
    ToolResult,
    /// [`Block::Image`]
    Image,
    /// [`Block::Document`]
    Document,
}

impl BlockKind {
    /// The `type` that stands in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Image => "image",
            Self::Document => "document",
        }
    }
}

/// The types a block may have, as an error names them.
const BLOCK_TYPES: &str = "text, reasoning, tool_call, tool_result, image, document";
/// The types a result's output may have.
const OUTPUT_TYPES: &str = "text, image, document";

/// Speech, or the text of a result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    /// The text, as it was.
    pub text: String,
    /// Fields the record does not know.
    pub extra: Extra,
}

/// What the model thought, and what lets it cross natively.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reasoning {
    /// The thought; may be empty where only the proof was given.
    pub text: String,
    /// What lets it cross to the provider that made it.
    pub proof: Option<Proof>,
    /// Fields the record does not know.
    pub extra: Extra,
}

/// The model asks for a tool to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The provider's id of the call.
    pub call_id: CallId,
    /// The tool.
    pub name: ToolName,
    /// What it is called with.
    pub arguments: Arguments,
    /// Whether the provider knows it as a function or as a free-form tool.
    pub form: CallForm,
    /// A signature that the provider put on the call itself (Gemini thought signatures).
    pub proof: Option<Proof>,
    /// Fields the record does not know.
    pub extra: Extra,
}

/// How a call was declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallForm {
    /// With JSON arguments.
    #[default]
    Function,
    /// With free text (`custom_tool_call` of the Responses API).
    Custom,
}

/// What a tool is called with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arguments {
    /// A JSON object, in the very characters it was written in.
    Object(JsonObject),
    /// What the model wrote where it should have written an object; free text included.
    Broken(String),
}

impl Arguments {
    /// Reads what a model wrote: an object where it parses to one, the raw text otherwise.
    pub fn from_text(text: &str) -> Self {
        JsonObject::parse(text).map_or_else(|| Self::Broken(text.to_owned()), Self::Object)
    }

    /// The characters as written: the object's JSON, or the raw text.
    pub fn as_written(&self) -> &str {
        match self {
            Self::Object(object) => object.as_str(),
            Self::Broken(text) => text,
        }
    }
}

/// JSON text that is known to be one object. Equality is by characters.
#[derive(Debug, Clone)]
pub struct JsonObject(Box<RawValue>);

impl JsonObject {
    /// Reads `text`; `None` where it is not exactly one JSON object.
    pub fn parse(text: &str) -> Option<Self> {
        let raw: Box<RawValue> = serde_json::from_str(text).ok()?;
        Self::from_raw(raw)
    }

    fn from_raw(raw: Box<RawValue>) -> Option<Self> {
        // RawValue is valid JSON without surrounding white space, so the first byte decides.
        raw.get().starts_with('{').then_some(Self(raw))
    }

    /// The JSON, as it was written.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl PartialEq for JsonObject {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for JsonObject {}

/// What running the tool gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The call it answers.
    pub call_id: CallId,
    /// The tool, where the source says so.
    pub name: Option<ToolName>,
    /// How it went.
    pub status: Status,
    /// What came out, in order; may be empty.
    pub output: Vec<Output>,
    /// Fields the record does not know.
    pub extra: Extra,
}

/// How a call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It gave what it should.
    Ok,
    /// It failed, and the output says how.
    Error,
}

/// One piece of a result's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Text.
    Text(Text),
    /// A picture.
    Image(Image),
    /// A file.
    Document(Document),
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// As `image/png`.
    pub media_type: String,
    /// Where its bytes are.
    pub source: Source,
    /// Width in pixels, where the source says so.
    pub width: Option<u32>,
    /// Height in pixels, where the source says so.
    pub height: Option<u32>,
    /// Fields the record does not know.
    pub extra: Extra,
}

/// A file for the model to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// As `application/pdf` or `text/plain`.
    pub media_type: String,
    /// Where its bytes are.
    pub source: Source,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// Fields the record does not know.
    pub extra: Extra,
}

/// Where the bytes of an image or a document are. A URL is never fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Source {
    /// Here, in base64.
    Base64 {
        /// Standard alphabet, as it came.
        data: String,
    },
    /// Elsewhere.
    Url {
        /// As it came.
        url: String,
    },
}

/// What lets reasoning (or a call) cross back to the provider that made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// Who made it, as `anthropic`.
    pub provider: String,
    /// The model that made it; empty where the source does not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// What it is.
    pub kind: ProofKind,
    /// The signature, or the encrypted thought. Opaque.
    pub data: String,
    /// The provider's id of the item it proves (`rs_…` of the Responses API).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<String>,
}

/// The forms a proof has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofKind {
    /// Signs the text that stands beside it (Anthropic `thinking`).
    Signature,
    /// Holds the thought itself, unreadable (Anthropic `redacted_thinking`).
    Redacted,
    /// Holds the thought itself, encrypted (OpenAI `encrypted_content`).
    Encrypted,
    /// Stands on a part of the answer (Gemini `thoughtSignature`).
    ThoughtSignature,
}

impl Block {
    /// Which kind it is.
    pub const fn kind(&self) -> BlockKind {
        match self {
            Self::Text(_) => BlockKind::Text,
            Self::Reasoning(_) => BlockKind::Reasoning,
            Self::ToolCall(_) => BlockKind::ToolCall,
            Self::ToolResult(_) => BlockKind::ToolResult,
            Self::Image(_) => BlockKind::Image,
            Self::Document(_) => BlockKind::Document,
        }
    }

    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Text { text: text.into(), extra: Extra::NONE })
    }

    /// Reads the JSON of one block that stands at `path`.
    pub(super) fn read(json: &str, path: &str) -> Result<Self, RecordError> {
        let mut fields = Fields::read(json, path)?;
        let kind: String = fields.required("type", "the block's type")?;
        match kind.as_str() {
            "text" => Text::read(fields).map(Self::Text),
            "reasoning" => Reasoning::read(fields).map(Self::Reasoning),
            "tool_call" => ToolCall::read(fields).map(Self::ToolCall),
            "tool_result" => ToolResult::read(fields).map(Self::ToolResult),
            "image" => Image::read(fields).map(Self::Image),
            "document" => Document::read(fields).map(Self::Document),
            _ => Err(unknown(&fields, kind, BLOCK_TYPES)),
        }
    }
}

impl Output {
    /// A text output.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Text { text: text.into(), extra: Extra::NONE })
    }

    fn read(json: &str, path: &str) -> Result<Self, RecordError> {
        let mut fields = Fields::read(json, path)?;
        let kind: String = fields.required("type", "the output's type")?;
        match kind.as_str() {
            "text" => Text::read(fields).map(Self::Text),
            "image" => Image::read(fields).map(Self::Image),
            "document" => Document::read(fields).map(Self::Document),
            _ => Err(unknown(&fields, kind, OUTPUT_TYPES)),
        }
    }
}

fn unknown(fields: &Fields, found: String, known: &'static str) -> RecordError {
    RecordError::UnknownBlock { path: fields.at("type"), found, known }
}

impl Text {
    fn read(mut fields: Fields) -> Result<Self, RecordError> {
        Ok(Self { text: fields.required("text", "a string")?, extra: fields.rest() })
    }
}

impl Reasoning {
    fn read(mut fields: Fields) -> Result<Self, RecordError> {
        Ok(Self {
            text: fields.optional("text", "a string")?.unwrap_or_default(),
            proof: read_proof(&mut fields)?,
            extra: fields.rest(),
        })
    }
}

impl ToolCall {
    fn read(mut fields: Fields) -> Result<Self, RecordError> {
        Ok(Self {
            call_id: fields.required("call_id", "a string")?,
            name: fields.required("name", "a string")?,
            arguments: read_arguments(&mut fields)?,
            form: fields.optional("form", "function or custom")?.unwrap_or_default(),
            proof: read_proof(&mut fields)?,
            extra: fields.rest(),
        })
    }
}

impl ToolResult {
    fn read(mut fields: Fields) -> Result<Self, RecordError> {
        Ok(Self {
            call_id: fields.required("call_id", "a string")?,
            name: fields.optional("name", "a string")?,
            status: fields.required("status", "ok or error")?,
            output: fields.list("output", "a list of text, image and document", Output::read)?,
            extra: fields.rest(),
        })
    }
}

impl Image {
    fn read(mut fields: Fields) -> Result<Self, RecordError> {
        Ok(Self {
            media_type: fields.required("media_type", "a string")?,
            source: read_source(&mut fields)?,
            width: fields.optional("width", "a number of pixels")?,
            height: fields.optional("height", "a number of pixels")?,
            extra: fields.rest(),
        })
    }
}

impl Document {
    fn read(mut fields: Fields) -> Result<Self, RecordError> {
        Ok(Self {
            media_type: fields.required("media_type", "a string")?,
            source: read_source(&mut fields)?,
            title: fields.optional("title", "a string")?,
            extra: fields.rest(),
        })
    }
}

fn read_proof(fields: &mut Fields) -> Result<Option<Proof>, RecordError> {
    fields.optional("proof", "{provider, model, kind, data}")
}

fn read_source(fields: &mut Fields) -> Result<Source, RecordError> {
    fields.required("source", "{type: base64, data} or {type: url, url}")
}

fn read_arguments(fields: &mut Fields) -> Result<Arguments, RecordError> {
    const EXPECTED: &str = "a JSON object, or a string where the model wrote none";
    let path = fields.at("arguments");
    let raw =
        fields.take("arguments").ok_or_else(|| RecordError::shape(&path, EXPECTED, "nothing"))?;
    if raw.get().starts_with('"') {
        let text: String = serde_json::from_str(raw.get())
            .map_err(|_| RecordError::shape(&path, EXPECTED, raw.get()))?;
        return Ok(Arguments::Broken(text));
    }
    let found = raw.get().to_owned();
    JsonObject::from_raw(raw)
        .map(Arguments::Object)
        .ok_or_else(|| RecordError::shape(&path, EXPECTED, &found))
}

impl Serialize for Arguments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Object(object) => object.0.serialize(serializer),
            Self::Broken(text) => serializer.serialize_str(text),
        }
    }
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.kind().as_str())?;
        match self {
            Self::Text(text) => text.write(&mut map)?,
            Self::Reasoning(reasoning) => reasoning.write(&mut map)?,
            Self::ToolCall(call) => call.write(&mut map)?,
            Self::ToolResult(result) => result.write(&mut map)?,
            Self::Image(image) => image.write(&mut map)?,
            Self::Document(document) => document.write(&mut map)?,
        }
        map.end()
    }
}

impl Serialize for Output {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Text(text) => {
                map.serialize_entry("type", BlockKind::Text.as_str())?;
                text.write(&mut map)?;
            }
            Self::Image(image) => {
                map.serialize_entry("type", BlockKind::Image.as_str())?;
                image.write(&mut map)?;
            }
            Self::Document(document) => {
                map.serialize_entry("type", BlockKind::Document.as_str())?;
                document.write(&mut map)?;
            }
        }
        map.end()
    }
}

impl Text {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("text", &self.text)?;
        self.extra.serialize_into(map)
    }
}

impl Reasoning {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("text", &self.text)?;
        entry_if(map, "proof", self.proof.as_ref())?;
        self.extra.serialize_into(map)
    }
}

impl ToolCall {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("call_id", &self.call_id)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("arguments", &self.arguments)?;
        entry_if(map, "form", (self.form != CallForm::Function).then_some(&self.form))?;
        entry_if(map, "proof", self.proof.as_ref())?;
        self.extra.serialize_into(map)
    }
}

impl ToolResult {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("call_id", &self.call_id)?;
        entry_if(map, "name", self.name.as_ref())?;
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("output", &self.output)?;
        self.extra.serialize_into(map)
    }
}

impl Image {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("media_type", &self.media_type)?;
        map.serialize_entry("source", &self.source)?;
        entry_if(map, "width", self.width.as_ref())?;
        entry_if(map, "height", self.height.as_ref())?;
        self.extra.serialize_into(map)
    }
}

impl Document {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("media_type", &self.media_type)?;
        map.serialize_entry("source", &self.source)?;
        entry_if(map, "title", self.title.as_ref())?;
        self.extra.serialize_into(map)
    }
}
