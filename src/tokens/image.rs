//! What an image weighs: by its sides and the provider's formula, never by its bytes.

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
/// screenshot of ordinary size. By the formulas that is 765 tokens (tiles), 768 patches, 1 049
/// (Anthropic) and 516 (Gemini).
const UNKNOWN: Dimensions = Dimensions { width: 1024, height: 768 };

/// How many base64 characters are decoded to find an image's sides: a few thousand hold most
/// headers, but a JPEG may have a thumbnail and profiles of some 100 KB before it.
const HEADERS: [usize; 2] = [4 * 1024, 256 * 1024];

/// The sides of an image: as the record says, else as its header says.
pub fn dimensions(image: &Image) -> Option<Dimensions> {
    if let (Some(width), Some(height)) = (image.width, image.height) {
        return Some(Dimensions { width, height });
    }
    match &image.source {
        Source::Base64 { data } => HEADERS.iter().find_map(|&most| header(data, most)),
        Source::Url { .. } => None,
    }
}

fn header(base64: &str, most: usize) -> Option<Dimensions> {
    let whole_quads = base64.len().min(most) / 4 * 4;
    let head = STANDARD.decode(base64.as_bytes().get(..whole_quads)?).ok()?;
    let size = imagesize::blob_size(&head).ok()?;
    Some(Dimensions {
        width: u32::try_from(size.width).ok()?,
        height: u32::try_from(size.height).ok()?,
    })
}

impl ImageFormula {
    /// What an image of these sides weighs; `None`: sides unknown. Source: wire rules, "Tokens
    /// and images".
    pub fn tokens(self, sides: Option<Dimensions>) -> Tokens {
        let sides = sides.unwrap_or(UNKNOWN);
        let (width, height) = (u64::from(sides.width.max(1)), u64::from(sides.height.max(1)));
        Tokens::new(match self {
            Self::OpenaiTiles => openai_tiles(width, height),
            Self::OpenaiPatches { factor, limit } => {
                (patches(width, height, u64::from(limit)) * u64::from(factor)).div_ceil(1000)
            }
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

/// Patches of 32 px. A larger image is first made smaller, to at most `limit` patches and to a
/// whole number of them along the side that loses more by rounding down.
fn patches(width: u64, height: u64, limit: u64) -> u64 {
    let whole = width.div_ceil(32) * height.div_ceil(32);
    if whole <= limit {
        return whole;
    }
    // The exact sides in patches would be √(limit·w/h) and √(limit·h/w).
    let across = (limit * width / height).isqrt().clamp(1, limit);
    let down = (limit * height / width).isqrt().clamp(1, limit);
    let counted = if across * height <= down * width {
        across * (across * height).div_ceil(width)
    } else {
        down * (down * width).div_ceil(height)
    };
    counted.min(limit)
}

/// The most an image weighs on Anthropic's wire: one that would weigh more is made smaller
/// ("Vision": long edge over 1568 px, or over about 1 600 tokens).
const ANTHROPIC_MOST: u64 = 1_600;

fn anthropic_area(width: u64, height: u64) -> u64 {
    let (width, height) = fit(width, height, 1568);
    (width * height).div_ceil(750).min(ANTHROPIC_MOST)
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
    use crate::record::Extra;

    fn tokens(formula: ImageFormula, width: u32, height: u32) -> u64 {
        formula.tokens(Some(Dimensions { width, height })).get()
    }

    const PATCHES: ImageFormula = ImageFormula::OpenaiPatches { factor: 1000, limit: 1536 };

    #[test]
    fn openai_tiles_match_the_documented_examples() {
        assert_eq!(tokens(ImageFormula::OpenaiTiles, 1024, 1024), 765);
        assert_eq!(tokens(ImageFormula::OpenaiTiles, 2048, 4096), 1105);
        assert_eq!(tokens(ImageFormula::OpenaiTiles, 100, 100), 255);
    }

    #[test]
    fn openai_patches_match_the_documented_examples() {
        assert_eq!(tokens(PATCHES, 1024, 1024), 1024);
        assert_eq!(tokens(PATCHES, 1800, 2400), 1452);
        let mini = ImageFormula::OpenaiPatches { factor: 1620, limit: 1536 };
        assert_eq!(tokens(mini, 320, 320), 162);
    }

    #[test]
    fn openai_patches_match_what_gpt_6_reports() {
        // Measured by others in 2026, the factor being 1.2.
        let gpt_6 = ImageFormula::OpenaiPatches { factor: 1200, limit: 10_000 };
        assert_eq!(tokens(gpt_6, 256, 256), 77);
        assert_eq!(tokens(gpt_6, 1920, 1080), 2448);
        assert_eq!(tokens(gpt_6, 3840, 2160), 9792);
    }

    #[test]
    fn anthropic_is_by_area_after_fitting_and_capped() {
        assert_eq!(tokens(ImageFormula::AnthropicArea, 1000, 1000), 1334);
        assert_eq!(tokens(ImageFormula::AnthropicArea, 1092, 1092), 1590);
        assert_eq!(tokens(ImageFormula::AnthropicArea, 3136, 784), 820);
        assert_eq!(tokens(ImageFormula::AnthropicArea, 4000, 3000), 1600);
    }

    #[test]
    fn gemini_is_one_tile_when_small() {
        assert_eq!(tokens(ImageFormula::GeminiTiles, 384, 384), 258);
        assert_eq!(tokens(ImageFormula::GeminiTiles, 769, 768), 516);
    }

    #[test]
    fn extreme_sides_neither_overflow_nor_vanish() {
        let all = [
            ImageFormula::OpenaiTiles,
            PATCHES,
            ImageFormula::AnthropicArea,
            ImageFormula::GeminiTiles,
        ];
        for formula in all {
            for (width, height) in [(u32::MAX, 1), (1, u32::MAX), (u32::MAX, u32::MAX), (0, 0)] {
                assert!(tokens(formula, width, height) > 0, "{formula:?} {width} {height}");
            }
        }
        assert_eq!(tokens(PATCHES, u32::MAX, 1), 1536);
    }

    #[test]
    fn unknown_sides_weigh_the_documented_default() {
        assert_eq!(ImageFormula::OpenaiTiles.tokens(None), Tokens::new(765));
        assert_eq!(PATCHES.tokens(None), Tokens::new(768));
        assert_eq!(ImageFormula::AnthropicArea.tokens(None), Tokens::new(1049));
        assert_eq!(ImageFormula::GeminiTiles.tokens(None), Tokens::new(516));
    }

    fn image(data: String) -> Image {
        Image {
            media_type: "image/png".into(),
            source: Source::Base64 { data },
            width: None,
            height: None,
            extra: Extra::NONE,
        }
    }

    /// A PNG's header of 640 by 480, and nothing after it.
    fn png() -> Vec<u8> {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend([0, 0, 2, 128, 0, 0, 1, 224, 8, 2, 0, 0, 0]);
        png
    }

    #[test]
    fn sides_are_read_from_the_header_and_not_from_the_length() {
        let sides = Some(Dimensions { width: 640, height: 480 });
        assert_eq!(dimensions(&image(STANDARD.encode(png()))), sides);
        let mut long = png();
        long.extend(vec![7; 1 << 20]);
        assert_eq!(dimensions(&image(STANDARD.encode(long))), sides);
    }

    #[test]
    fn what_is_no_image_has_no_sides() {
        for data in ["", "A", "AAAA", "not base64 at all", "////"] {
            assert_eq!(dimensions(&image(data.to_owned())), None, "{data}");
        }
    }

    #[test]
    fn the_header_of_a_jpeg_behind_a_profile_is_found() {
        let mut jpeg = vec![0xff, 0xd8];
        for _ in 0..2 {
            jpeg.extend([0xff, 0xe2, 0x80, 0x00]);
            jpeg.extend(vec![0; 0x7ffe]);
        }
        jpeg.extend([
            0xff, 0xc0, 0, 17, 8, 0x01, 0xe0, 0x02, 0x80, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1,
        ]);
        assert_eq!(
            dimensions(&image(STANDARD.encode(jpeg))),
            Some(Dimensions { width: 640, height: 480 })
        );
    }
}
