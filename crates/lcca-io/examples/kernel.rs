//! Times XᵀX·B, one view's half of a pass: `kernel FOLDER REPETITIONS THREADS`.
//!
//! Reads `x.npz` and `b.npy` in FOLDER, writes the product to `lcca.bin` there (doubles, row after row,
//! little end first) and prints one JSON object. `cargo xtask bench kernel` compares it with other
//! libraries.

use lcca::data::{Ask, InMemory, Pair, Side};
use lcca::matrix::{Matrix, OneHotRows, Panel};
use serde_json::json;
use std::error::Error;
use std::path::Path;
use std::time::Instant;
use std::{env, fs};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [folder, repetitions, threads] = &args[..] else {
        return Err("usage: kernel FOLDER REPETITIONS THREADS".into());
    };
    let (folder, repetitions) = (Path::new(folder), repetitions.parse()?);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let (seconds, product) = pool.install(|| measure(folder, repetitions))?;
    fs::write(folder.join("lcca.bin"), bytes(&product))?;
    println!("{}", json!({ "version": env!("CARGO_PKG_VERSION"), "seconds": { "one fused pass": seconds } }));
    Ok(())
}

/// Multiplies once to warm up, then times each repetition. Returns the seconds of each and the last
/// product.
fn measure(folder: &Path, repetitions: usize) -> Result<(Vec<f64>, Panel)> {
    let x = lcca_io::read_matrix(&folder.join("x.npz"))?.matrix;
    let b = panel(&lcca_io::read_matrix(&folder.join("b.npy"))?.matrix);
    let mut out = Panel::zeros(x.cols(), b.cols());
    let pair = paired(x)?;
    let mut seconds = Vec::with_capacity(repetitions);
    for _ in 0..=repetitions {
        let start = Instant::now();
        out.clear();
        pair.pass(&mut Ask::new().source(Side::X, &b).to(Side::X, &mut out))?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.remove(0);
    Ok((seconds, out))
}

/// Pairs X with a second view of one column, because a pass reads two views; the second is never asked for.
fn paired(x: Matrix) -> Result<InMemory> {
    let y = OneHotRows::new(1, vec![0; x.rows()].into())?;
    Ok(InMemory::new(x, y.into())?)
}

fn panel(dense: &Matrix) -> Panel {
    let mut panel = Panel::zeros(dense.rows(), dense.cols());
    for i in 0..dense.rows() {
        let row = panel.row_mut(i);
        dense.for_each(i, |j, value| row[j] = value);
    }
    panel
}

fn bytes(panel: &Panel) -> Vec<u8> {
    (0..panel.rows()).flat_map(|i| panel.row(i)).flat_map(|value| value.to_le_bytes()).collect()
}
