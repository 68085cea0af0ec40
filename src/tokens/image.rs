//! What an image weighs: by its sides and the provider's formula, never by its bytes.
//!
//! Formulas: `OpenAI`, "Images and vision"; Anthropic, "Vision"; Google, "Understand and count
//! tokens" (as read in 2026).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::amount::Tokens;
use crate::record::{Image, Source};
use crate::target::ImageFormula;

/// The sides of an image in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Dimensions {
    /// Left to right.
    pub width: u32,
    /// Top to bottom.
    pub height: u32,
}

/// What is assumed where the sides cannot be known (a URL, an unreadable header): a
/// screenshot of ordinary size.
const UNKNOWN: Dimensions = Dimensions { width: 1024, height: 768 };

/// The most base64 characters that are decoded to find an image's header. JPEG may hold a
/// thumbnail and profiles of up to some 100 KB before it.
const HEADER_BASE64: usize = 256 * 1024;

/// The sides of an image: as the record says, else as its header says.
pub fn dimensions(image: &Image) -> Option<Dimensions> {
    if let (Some(width), Some(height)) = (image.width, image.height) {
        return Some(Dimensions { width, height });
    }
    match &image.source {
        Source::Base64 { data } => header_dimensions(data),
        Source::Url { .. } => None,
    }
}

fn header_dimensions(base64: &str) -> Option<Dimensions> {
    let whole_quads = base64.len().min(HEADER_BASE64) / 4 * 4;
    let head = STANDARD.decode(base64.as_bytes().get(..whole_quads)?).ok()?;
    let size = imagesize::blob_size(&head).ok()?;
    Some(Dimensions {
        width: u32::try_from(size.width).ok()?,
        height: u32::try_from(size.height).ok()?,
    })
}

impl ImageFormula {
    /// What an image of these sides weighs; `None`: sides unknown.
    pub fn tokens(self, sides: Option<Dimensions>) -> Tokens {
        let sides = sides.unwrap_or(UNKNOWN);
        let (width, height) = (u64::from(sides.width.max(1)), u64::from(sides.height.max(1)));
        Tokens::new(match self {
            Self::OpenaiTiles => openai_tiles(width, height),
            Self::OpenaiPatches(factor) => openai_patches(width, height, u64::from(factor)),
            Self::AnthropicArea => anthropic_area(width, height),
            Self::GeminiTiles => gemini_tiles(width, height),
        })
    }
}

/// Fits the sides into `limit` on the long side, rounding to nearest; never enlarges.
fn fit(width: u64, height: u64, limit: u64) -> (u64, u64) {
    let long = width.max(height);
    if long <= limit {
        return (width, height);
    }
    let scale = |side: u64| ((side * limit + long / 2) / long).max(1);
    (scale(width), scale(height))
}

fn openai_tiles(width: u64, height: u64) -> u64 {
    let (width, height) = fit(width, height, 2048);
    let short = width.min(height);
    let scale = |side: u64| if short > 768 { (side * 768).div_ceil(short) } else { side };
    let tiles = scale(width).div_ceil(512) * scale(height).div_ceil(512);
    85 + 170 * tiles
}

fn openai_patches(width: u64, height: u64, factor_permille: u64) -> u64 {
    let patches = (width.div_ceil(32) * height.div_ceil(32)).min(1536);
    (patches * factor_permille).div_ceil(1000)
}

fn anthropic_area(width: u64, height: u64) -> u64 {
    let (width, height) = fit(width, height, 1568);
    (width * height).div_ceil(750)
}

fn gemini_tiles(width: u64, height: u64) -> u64 {
    if width <= 384 && height <= 384 {
        return 258;
    }
    258 * width.div_ceil(768) * height.div_ceil(768)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(formula: ImageFormula, width: u32, height: u32) -> u64 {
        formula.tokens(Some(Dimensions { width, height })).get()
    }

    #[test]
    fn openai_tiles_match_the_documented_examples() {
        assert_eq!(tokens(ImageFormula::OpenaiTiles, 1024, 1024), 765);
        assert_eq!(tokens(ImageFormula::OpenaiTiles, 2048, 4096), 1105);
        assert_eq!(tokens(ImageFormula::OpenaiTiles, 100, 100), 255);
    }

    #[test]
    fn openai_patches_are_capped_and_scaled() {
        assert_eq!(tokens(ImageFormula::OpenaiPatches(1000), 1024, 1024), 1024);
        assert_eq!(tokens(ImageFormula::OpenaiPatches(1000), 1800, 2400), 1536);
        assert_eq!(tokens(ImageFormula::OpenaiPatches(1620), 320, 320), 162);
    }

    #[test]
    fn anthropic_is_by_area_after_fitting() {
        assert_eq!(tokens(ImageFormula::AnthropicArea, 1000, 1000), 1334);
        assert_eq!(tokens(ImageFormula::AnthropicArea, 3136, 1568), 1640);
    }

    #[test]
    fn gemini_is_one_tile_when_small() {
        assert_eq!(tokens(ImageFormula::GeminiTiles, 384, 384), 258);
        assert_eq!(tokens(ImageFormula::GeminiTiles, 769, 768), 516);
    }

    #[test]
    fn extreme_sides_neither_overflow_nor_vanish() {
        for formula in [ImageFormula::OpenaiTiles, ImageFormula::AnthropicArea] {
            assert!(tokens(formula, u32::MAX, 1) > 0);
            assert!(tokens(formula, 0, 0) > 0);
        }
        assert!(tokens(ImageFormula::GeminiTiles, u32::MAX, u32::MAX) > 0);
    }

    #[test]
    fn sides_are_read_from_the_header_and_not_from_the_length() {
        // A PNG header of 640 by 480, and nothing after it.
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend([0, 0, 2, 128, 0, 0, 1, 224, 8, 2, 0, 0, 0]);
        let image = Image {
            media_type: "image/png".into(),
            source: Source::Base64 { data: STANDARD.encode(&png) },
            width: None,
            height: None,
            extra: crate::record::Extra::NONE,
        };
        assert_eq!(dimensions(&image), Some(Dimensions { width: 640, height: 480 }));
    }
}
