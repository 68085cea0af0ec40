//! Images and documents: shown where wire and model take them, otherwise named as unseen.
//!
//! Invariant 7: never dropped, never shaped like success. URLs are never fetched, images never
//! resized.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use imagesize::ImageType;

use super::images::{ImageLimits, SMALL_SIDE};
use super::item::SeenImage;
use super::repairs::{Repair, Repairs};
use super::text::{clean, is_blank};
use crate::record::{Document, Source};
use crate::target::{Target, Wire};

/// An image as it can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shown<'r> {
    /// Its bytes in base64, of a type that every model with vision takes.
    Bytes { media_type: &'static str, base64: Cow<'r, str> },
    /// A place that the provider fetches it from.
    Url(&'r str),
}

/// An image as the target can see it, or the words that name it as unseen.
pub(super) fn image<'r>(
    seen: SeenImage<'r>,
    target: &Target,
    limits: ImageLimits,
    repairs: &mut Repairs,
) -> Result<Shown<'r>, String> {
    show_image(seen, target, limits).map_err(|why| {
        repairs.count(Repair::ImageUnseen);
        let media_type = named(&seen.image.media_type, "unknown type");
        format!("[Image not shown ({media_type}): {why}. You have not seen it.]")
    })
}

fn show_image<'r>(
    seen: SeenImage<'r>,
    target: &Target,
    limits: ImageLimits,
) -> Result<Shown<'r>, String> {
    if !target.vision {
        return Err("this model cannot see images".into());
    }
    if seen.ordinal < limits.unseen_below {
        return Err("the conversation holds more images than one request takes".into());
    }
    match &seen.image.source {
        Source::Url { url } if url.starts_with("https://") => Ok(Shown::Url(url)),
        Source::Url { .. } => Err("its address is not an https URL".into()),
        Source::Base64 { data } => show_bytes(data, target, limits),
    }
}

fn show_bytes<'r>(
    data: &'r str,
    target: &Target,
    limits: ImageLimits,
) -> Result<Shown<'r>, String> {
    let data = without_white_space(data);
    let bytes = STANDARD.decode(data.as_bytes()).map_err(|_| "its data is not valid base64")?;
    let (most_bytes, most_side) = match target.wire {
        // AN8.
        Wire::Anthropic => (5 << 20, if limits.small_only { SMALL_SIDE } else { 8000 }),
        // "Images and vision": 50 MB a request; a single one is kept well below.
        Wire::OpenaiChat => (20 << 20, u32::MAX),
    };
    if bytes.len() > most_bytes {
        return Err(format!("it is larger than {} MB", most_bytes >> 20));
    }
    let media_type = match imagesize::image_type(&bytes) {
        Ok(ImageType::Png) => "image/png",
        Ok(ImageType::Jpeg) => "image/jpeg",
        Ok(ImageType::Gif) => "image/gif",
        Ok(ImageType::Webp) => "image/webp",
        _ => return Err("it is not a PNG, JPEG, GIF or WebP".into()),
    };
    let size = imagesize::blob_size(&bytes).map_err(|_| "its size cannot be read")?;
    let longest = size.width.max(size.height);
    if longest == 0 || longest > most_side as usize {
        return Err(format!("its sides are {} by {} pixels", size.width, size.height));
    }
    Ok(Shown::Bytes { media_type, base64: data })
}

/// A document as it can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShownDocument<'r> {
    /// A PDF in base64.
    Pdf(Cow<'r, str>),
    /// Its text.
    Text(String),
    /// A place that the provider fetches it from.
    Url(&'r str),
}

/// A document as the target can read it, or the words that name it as unseen.
pub(super) fn document<'r>(
    document: &'r Document,
    target: &Target,
    repairs: &mut Repairs,
) -> Result<ShownDocument<'r>, String> {
    show_document(document, target).map_err(|why| {
        repairs.count(Repair::DocumentUnseen);
        let media_type = named(&document.media_type, "unknown type");
        let title = document.title.as_deref().map_or_else(String::new, |title| {
            format!(" {:?}", clean(title).chars().take(100).collect::<String>())
        });
        format!("[Document{title} not shown ({media_type}): {why}. You have not read it.]")
    })
}

fn show_document<'r>(
    document: &'r Document,
    target: &Target,
) -> Result<ShownDocument<'r>, &'static str> {
    match &document.source {
        Source::Base64 { data } if document.media_type.starts_with("text/") => {
            let data = without_white_space(data);
            let bytes =
                STANDARD.decode(data.as_bytes()).map_err(|_| "its data is not valid base64")?;
            let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text")?;
            let text = clean(&text).into_owned();
            if is_blank(&text) { Err("it is empty") } else { Ok(ShownDocument::Text(text)) }
        }
        _ if !target.documents => Err("this model does not read documents here"),
        Source::Url { url } if url.starts_with("https://") => Ok(ShownDocument::Url(url)),
        Source::Url { .. } => Err("its address is not an https URL"),
        Source::Base64 { data } if document.media_type == "application/pdf" => {
            let data = without_white_space(data);
            let bytes =
                STANDARD.decode(data.as_bytes()).map_err(|_| "its data is not valid base64")?;
            if bytes.starts_with(b"%PDF-") {
                Ok(ShownDocument::Pdf(data))
            } else {
                Err("its data is not a PDF")
            }
        }
        Source::Base64 { .. } => Err("only PDF and plain text can be read"),
    }
}

fn without_white_space(data: &str) -> Cow<'_, str> {
    if data.contains(|c: char| c.is_ascii_whitespace()) {
        data.chars().filter(|c| !c.is_ascii_whitespace()).collect::<String>().into()
    } else {
        data.into()
    }
}

/// Foreign text in one of our sentences: short, and without what would break the sentence.
fn named<'t>(text: &'t str, otherwise: &'t str) -> Cow<'t, str> {
    if is_blank(text) {
        return otherwise.into();
    }
    text.chars()
        .filter(|c| !c.is_control() && !"[]".contains(*c))
        .take(60)
        .collect::<String>()
        .into()
}
