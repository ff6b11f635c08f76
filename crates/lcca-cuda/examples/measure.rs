//! Measurements on a GPU, one JSON object per line.
//!
//! ```text
//! measure passes                          products of generated rows, f32
//! measure fit X Y K RIDGE TOL DEVICE REPEATS   fits to files, on cpu or cuda
//! ```

use lcca::data::InMemory;
use lcca::fit::fit;
use lcca::matrix::{Matrix, SparseRows, Values};
use lcca::method::{Method, Settings};
use lcca_cuda::measure::SinglePass;
use lcca_cuda::on;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["passes"] => passes(),
        ["fit", x, y, k, ridge, tol, device, repeats] => {
            fits([x, y], k.parse()?, ridge.parse()?, tol.parse()?, device, repeats.parse()?)
        }
        _ => Err("measure passes | measure fit X Y K RIDGE TOL cpu|cuda REPEATS".into()),
    }
}

/// Rows of about so many entries in all; column frequencies follow Zipf's law or are equal.
fn generated(rows: usize, cols: usize, entries: usize, is_zipf: bool) -> Matrix {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let per_row = entries as f64 / rows as f64;
    let (mut offsets, mut columns) = (vec![0u64], Vec::with_capacity(entries + entries / 8));
    let mut row = Vec::new();
    for _ in 0..rows {
        row.clear();
        let count =
            (per_row * if is_zipf { 1.35 } else { 1.0 } * random.random_range(0.5..1.5)).round() as usize;
        for _ in 0..count {
            let u: f64 = random.random();
            let column = if is_zipf { (cols as f64).powf(u) - 1.0 } else { cols as f64 * u };
            row.push((column as u32).min(cols as u32 - 1));
        }
        row.sort_unstable();
        row.dedup();
        columns.extend_from_slice(&row);
        offsets.push(columns.len() as u64);
    }
    SparseRows::new(cols, offsets.into(), columns.into(), Values::Ones).expect("columns ascend").into()
}

/// The median of some numbers.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn passes() -> Result<(), Box<dyn std::error::Error>> {
    let cuda = lcca_cuda::open(0, None)?;
    println!("{}", json!({"device": cuda.device().name()}));
    let sets = [
        ("zipf", 400_000, 20_000, 13_500_000, true),
        ("uniform", 400_000, 20_000, 13_500_000, false),
        ("zipf", 4_000_000, 200_000, 158_000_000, true),
        ("uniform", 4_000_000, 200_000, 158_000_000, false),
    ];
    for (name, rows, cols, entries, is_zipf) in sets {
        let view = generated(rows, cols, entries, is_zipf);
        let width = 32;
        let panel: Vec<f32> = (0..cols * width).map(|i| ((i * 7919) % 1000) as f32 / 1000.0 - 0.5).collect();
        let pass = SinglePass::new(&cuda, &view, &panel, width)?;
        (0..3).try_for_each(|_| pass.run())?;
        let mut times = Vec::new();
        for _ in 0..20 {
            let start = Instant::now();
            pass.run()?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        let ms = median(times);
        // What must at least cross the memory: indices of both orders, the panel and the product, z written and read once.
        let entries = view.entries() as f64;
        let least = 8.0 * entries + (2.0 * cols as f64 + 2.0 * rows as f64) * width as f64 * 4.0;
        // What is asked for: a row of the panel for each entry, twice.
        let asked = 2.0 * entries * (4.0 + width as f64 * 4.0);
        println!(
            "{}",
            json!({"pass": name, "rows": rows, "cols": cols, "entries": entries, "ms": ms,
                "error": error_of(&view, &panel, width, &pass.product()?),
                "least_bytes_per_second": least / ms * 1e3, "asked_bytes_per_second": asked / ms * 1e3})
        );
    }
    Ok(())
}

/// The largest difference from sums in f64 over some columns, relative to the largest number.
fn error_of(view: &Matrix, panel: &[f32], width: usize, product: &[f32]) -> f64 {
    let watched: Vec<usize> = (0..view.cols()).step_by(view.cols() / 97).collect();
    let mut place = vec![usize::MAX; view.cols()];
    watched.iter().enumerate().for_each(|(i, &column)| place[column] = i);
    let mut expected = vec![0.0f64; watched.len() * width];
    let mut z = vec![0.0f64; width];
    for row in 0..view.rows() {
        z.fill(0.0);
        let mut is_watched = false;
        view.for_each(row, |column, _| is_watched |= place[column] != usize::MAX);
        if !is_watched {
            continue;
        }
        view.for_each(row, |column, value| {
            (0..width).for_each(|j| z[j] += value * f64::from(panel[column * width + j]));
        });
        view.for_each(row, |column, value| {
            if place[column] != usize::MAX {
                (0..width).for_each(|j| expected[place[column] * width + j] += value * z[j]);
            }
        });
    }
    let largest = expected.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let mut worst = 0.0f64;
    for (i, &column) in watched.iter().enumerate() {
        for j in 0..width {
            worst = worst.max((f64::from(product[column * width + j]) - expected[i * width + j]).abs());
        }
    }
    worst / largest
}

fn fits(
    [x, y]: [&str; 2],
    k: usize,
    ridge: f64,
    tol: f64,
    device: &str,
    repeats: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let read = |path: &str| lcca_io::read_matrix(Path::new(path)).map(|loaded| loaded.matrix);
    let pair = InMemory::new(read(x)?, read(y)?)?;
    let mut settings = Settings::new(Method::auto(), k);
    (settings.ridge_x, settings.ridge_y, settings.tol) = (ridge, ridge, tol);
    settings.memory = 32 << 30;
    for _ in 0..repeats {
        let start = Instant::now();
        let result = if device == "cuda" {
            let cuda = lcca_cuda::open(0, None)?;
            let fit = fit(&on(&cuda, &pair), &settings, &Clock(start))?;
            (fit, cuda.device().name().to_string())
        } else {
            (fit(&pair, &settings, &Clock(start))?, "cpu".to_string())
        };
        let seconds = start.elapsed().as_secs_f64();
        let (fit, device) = result;
        let trace: Vec<f64> = fit.trace.iter().map(|row| row.seconds).collect();
        println!(
            "{}",
            json!({"fit": x, "device": device, "seconds": seconds, "total": fit.model.objective.iter().sum::<f64>(),
                "missing": fit.missing, "converged": fit.converged, "iterations": fit.trace.len(),
                "passes": fit.cost.passes, "gram_passes": fit.cost.gram_passes, "trace": trace})
        );
    }
    Ok(())
}

/// Tells the time.
struct Clock(Instant);

impl lcca::watch::Watch for Clock {
    fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
