//! A figure as a PNG file.

use super::chart::Chart;
use super::draw::draw;
use super::layout::size;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use plotters::prelude::BitMapBackend;
use std::io::{self, Write};

/// Pixels per point.
const PNG_SCALE: u32 = 2;
/// How many times larger the figure is drawn before it is averaged down, because the bitmap backend does
/// not smooth thick lines.
const SMOOTHING: u32 = 2;

pub fn png(panels: &[&Chart]) -> Result<Vec<u8>, String> {
    let (width, height) = size(panels);
    let (width, height) = (width * PNG_SCALE, height * PNG_SCALE);
    let large = (width * SMOOTHING, height * SMOOTHING);
    let mut pixels = vec![0; 3 * large.0 as usize * large.1 as usize];
    draw(panels, PNG_SCALE * SMOOTHING, BitMapBackend::with_buffer(&mut pixels, large))?;
    encode(&averaged(&pixels, large), (width, height)).map_err(|error| format!("PNG: {error}"))
}

/// Averages each square of [`SMOOTHING`]² pixels into one pixel.
fn averaged(pixels: &[u8], (width, height): (u32, u32)) -> Vec<u8> {
    let (step, stride) = (SMOOTHING as usize, 3 * width as usize);
    let mean = |row: usize, column: usize, channel: usize| {
        let mut sum = 0;
        for i in 0..step * step {
            let (pixel_row, pixel_column) = (row * step + i / step, column * step + i % step);
            sum += usize::from(pixels[pixel_row * stride + 3 * pixel_column + channel]);
        }
        (sum / (step * step)) as u8
    };
    let (rows, columns) = (height as usize / step, width as usize / step);
    (0..rows * columns * 3).map(|i| mean(i / 3 / columns, i / 3 % columns, i % 3)).collect()
}

/// A PNG file of three bytes per pixel (https://www.w3.org/TR/png-3/).
fn encode(pixels: &[u8], (width, height): (u32, u32)) -> io::Result<Vec<u8>> {
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    // Eight bits per channel, red, green and blue; deflated, filtered line by line, not interlaced.
    header.extend([8, 2, 0, 0, 0]);
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    let line = 3 * width as usize;
    let mut above: &[u8] = &vec![0; line];
    for pixels in pixels.chunks_exact(line.max(1)) {
        // Each byte is stored as its difference from the one above, because figures are mostly upright and
        // level lines.
        packed.write_all(&[2])?;
        let differences: Vec<u8> =
            pixels.iter().zip(above).map(|(pixel, above)| pixel.wrapping_sub(*above)).collect();
        packed.write_all(&differences)?;
        above = pixels;
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, data) in [(b"IHDR", header), (b"IDAT", packed.finish()?), (b"IEND", Vec::new())] {
        file.extend((data.len() as u32).to_be_bytes());
        let start = file.len();
        file.extend(name);
        file.extend(data);
        let sum = crc32fast::hash(&file[start..]);
        file.extend(sum.to_be_bytes());
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn averaging_a_square_takes_its_mean() {
        let step = SMOOTHING as usize;
        let pixels: Vec<u8> = (0..step * step).flat_map(|i| [10 * i as u8, 7, 0]).collect();
        assert_eq!(averaged(&pixels, (SMOOTHING, SMOOTHING)), [(5 * (step * step - 1)) as u8, 7, 0]);
    }
    #[test]
    fn pixels_come_back_from_the_file() {
        let pixels: Vec<u8> = (0..3 * 5 * 4).map(|i| (i * i % 251) as u8).collect();
        let file = encode(&pixels, (5, 4)).unwrap();
        let end = file.len() - 12;
        assert_eq!(&file[12..16], b"IHDR");
        assert_eq!(&file[16..24], [0, 0, 0, 5, 0, 0, 0, 4]);
        assert_eq!(&file[37..41], b"IDAT");
        assert_eq!(&file[end..], b"\0\0\0\0IEND\xae\x42\x60\x82");
        let mut lines = Vec::new();
        flate2::read::ZlibDecoder::new(&file[41..end - 4]).read_to_end(&mut lines).unwrap();
        let mut above = vec![0; 15];
        for (line, expected) in lines.chunks(16).zip(pixels.chunks(15)) {
            assert_eq!(line[0], 2);
            above = line[1..].iter().zip(&above).map(|(byte, above)| byte.wrapping_add(*above)).collect();
            assert_eq!(above, expected);
        }
        assert_eq!(lines.len(), 4 * 16);
    }
}
