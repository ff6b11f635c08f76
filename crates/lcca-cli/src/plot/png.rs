//! A figure as a PNG file.

use super::chart::Chart;
use super::draw::draw;
use super::layout::size;
use plotters::prelude::BitMapBackend;

/// Pixels per point.
const PNG_SCALE: u32 = 2;
/// The figure is drawn this many times larger and averaged down, because the bitmap backend does not smooth thick lines.
const SMOOTHING: u32 = 2;

pub fn png(panels: &[&Chart]) -> Result<Vec<u8>, String> {
    let (width, height) = size(panels);
    let (width, height) = (width * PNG_SCALE, height * PNG_SCALE);
    let large = (width * SMOOTHING, height * SMOOTHING);
    let mut pixels = vec![0; 3 * large.0 as usize * large.1 as usize];
    draw(panels, PNG_SCALE * SMOOTHING, BitMapBackend::with_buffer(&mut pixels, large))?;
    encode(&averaged(&pixels, large), (width, height)).map_err(|error| format!("PNG: {error}"))
}

/// Each pixel is the mean of a square of [`SMOOTHING`]² pixels.
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

fn encode(pixels: &[u8], (width, height): (u32, u32)) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averaging_a_square_takes_its_mean() {
        let step = SMOOTHING as usize;
        let pixels: Vec<u8> = (0..step * step).flat_map(|i| [10 * i as u8, 7, 0]).collect();
        assert_eq!(averaged(&pixels, (SMOOTHING, SMOOTHING)), [(5 * (step * step - 1)) as u8, 7, 0]);
    }
}
