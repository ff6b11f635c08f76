//! Measures how long it takes to read a store of sparse rows, with and without its checksums, warm from the
//! page cache.
//!
//!     cargo run --release --package lcca-io --example reading -- ROWS PER_ROW REPEATS

use lcca::matrix::{Matrix, SparseRows, Values};
use lcca_io::{read_matrix, write_matrix};
use std::path::Path;
use std::time::Instant;

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [rows, per_row, repeats] = numbers[..] else { panic!("expected ROWS PER_ROW REPEATS") };
    let folder = std::env::temp_dir().join(format!("lcca-reading-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    for (name, boolean) in [("boolean", true), ("f64", false)] {
        let [with, without] = ["with", "without"].map(|kind| folder.join(format!("{kind}.safetensors")));
        write_matrix(&with, &matrix(rows, per_row, boolean)).expect("a store");
        strip(&with, &without);
        let mut seconds = [Vec::new(), Vec::new()];
        for _ in 0..repeats {
            for (seconds, path) in seconds.iter_mut().zip([&with, &without]) {
                let start = Instant::now();
                let loaded = read_matrix(path).expect("the store");
                seconds.push(start.elapsed().as_secs_f64());
                drop(loaded);
            }
        }
        let [with, without] = seconds.map(median);
        println!(
            "{name}: {with:.4} s with checksums, {without:.4} s without, {:+.1}%",
            100.0 * (with / without - 1.0)
        );
    }
    let _ = std::fs::remove_dir_all(folder);
}

fn matrix(rows: usize, per_row: usize, boolean: bool) -> Matrix {
    let cols = 100 * per_row;
    let offsets: Vec<u64> = (0..=rows).map(|row| (row * per_row) as u64).collect();
    let column = |entry: usize| (entry % per_row * 100 + entry.wrapping_mul(2654435761) % 100) as u32;
    let columns: Vec<u32> = (0..rows * per_row).map(column).collect();
    let values = if boolean {
        Values::Ones
    } else {
        Values::F64((0..rows * per_row).map(|entry| (entry % 97) as f64).collect::<Vec<_>>().into())
    };
    SparseRows::new(cols, offsets.into(), columns.into(), values).expect("valid rows").into()
}

/// Copies a store and leaves out its checksums, as older versions wrote it.
fn strip(from: &Path, to: &Path) {
    let bytes = std::fs::read(from).expect("the store");
    let data = 8 + u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    let mut header: serde_json::Value = serde_json::from_slice(&bytes[8..data]).expect("a header");
    let offsets = header["checksums"]["data_offsets"][0].as_u64().expect("checksums") as usize;
    let fields = header.as_object_mut().expect("an object");
    fields.remove("checksums");
    fields["__metadata__"].as_object_mut().expect("texts").remove("checksums");
    let mut json = header.to_string().into_bytes();
    json.resize((8 + json.len()).next_multiple_of(64) - 8, b' ');
    let mut out = (json.len() as u64).to_le_bytes().to_vec();
    out.extend(json);
    out.extend(&bytes[data..data + offsets]);
    std::fs::write(to, out).expect("the copy");
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
