//! A small bar chart as a PNG: one real image for the session.
//!
//! Greyscale, with deflate's stored blocks, so that no library is needed and the bytes are the
//! same everywhere.

/// Left to right, in pixels.
const WIDTH: u32 = 128;
/// Top to bottom, in pixels.
const HEIGHT: u32 = 80;

/// A bar for each value, the largest as high as the picture.
pub(crate) fn png(values: &[u64]) -> Vec<u8> {
    let most = values.iter().copied().max().unwrap_or(1).max(1);
    let (width, height) = (u64::from(WIDTH), u64::from(HEIGHT));
    let bar = |x: u64| {
        let index = usize::try_from(x * values.len() as u64 / width).unwrap_or(0);
        values.get(index).map_or(0, |value| value * height / most)
    };
    let mut rows = Vec::new();
    for y in 0..height {
        rows.push(0);
        rows.extend((0..width).map(|x| if height - y <= bar(x) { 40 } else { 240 }));
    }
    let mut header = Vec::new();
    header.extend(WIDTH.to_be_bytes());
    header.extend(HEIGHT.to_be_bytes());
    header.extend([8, 0, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, *b"IHDR", &header);
    chunk(&mut png, *b"IDAT", &zlib(&rows));
    chunk(&mut png, *b"IEND", &[]);
    png
}

fn chunk(png: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).expect("the picture is small");
    png.extend(length.to_be_bytes());
    let start = png.len();
    png.extend(kind);
    png.extend(data);
    let sum = crc(&png[start..]);
    png.extend(sum.to_be_bytes());
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let blocks: Vec<&[u8]> = data.chunks(0xFFFF).collect();
    for (index, block) in blocks.iter().enumerate() {
        out.push(u8::from(index + 1 == blocks.len()));
        let length = u16::try_from(block.len()).expect("chunks are no longer");
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(*block);
    }
    out.extend(adler(data).to_be_bytes());
    out
}

fn adler(data: &[u8]) -> u32 {
    let (a, b) = data.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    b << 16 | a
}

fn crc(data: &[u8]) -> u32 {
    !data.iter().fold(u32::MAX, |mut crc, byte| {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
        crc
    })
}
