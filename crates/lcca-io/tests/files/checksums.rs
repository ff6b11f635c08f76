//! A flipped bit in a store or a model is noticed when the number that holds it is read.

use crate::support::*;
use lcca::fit::fit;
use lcca::matrix::Matrix;
use lcca::method::{Method, Settings};
use lcca_io::{ModelNames, Names, read_matrix, read_model, verify, write_matrix_named, write_model_named};
use serde_json::Map;
use std::path::Path;

const FLIPS: u64 = 1000;

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % below
    }
}

fn matrix(rows: usize, cols: usize, shift: usize) -> Matrix {
    let value = |row: usize, col: usize| match (row * 7 + col * 13 + shift) % 5 {
        0 => 1.0 + ((row * row + 3 * col + shift) % 11) as f64 / 7.0,
        _ => 0.0,
    };
    let rows: Vec<Vec<f64>> = (0..rows).map(|row| (0..cols).map(|col| value(row, col)).collect()).collect();
    sparse(&rows, false)
}

fn names(cols: usize, prefix: &str) -> Names {
    Names::new((0..cols).map(|col| format!("{prefix}{col}")))
}

/// Flips one bit at a time. The file must be refused in one line, or mean the same as before. Returns the
/// number of refusals.
fn flips<T: PartialEq>(path: &Path, read: impl Fn(&Path) -> lcca_io::Result<T>) -> u64 {
    let (bytes, whole) = (std::fs::read(path).unwrap(), read(path).unwrap());
    let (mut dice, mut refused) = (Dice(7), 0);
    for _ in 0..FLIPS {
        let (index, bit) = (dice.roll(bytes.len()), dice.roll(8));
        let mut damaged = bytes.clone();
        damaged[index] ^= 1 << bit;
        std::fs::write(path, &damaged).unwrap();
        match read(path) {
            Ok(read) => assert!(read == whole, "the flip of bit {bit} of byte {index} changed what is read"),
            Err(error) => {
                assert_eq!(error.to_string().lines().count(), 1, "{error}");
                assert!(!error.is_machine_failure(), "{error}");
                refused += 1;
            }
        }
        let complete = verify(path);
        assert!(complete.is_err() || complete.unwrap().is_none(), "bit {bit} of byte {index} passed");
    }
    refused
}

#[test]
fn every_flip_in_a_store_that_changes_a_number_is_refused() {
    let file = scratch("m.safetensors");
    write_matrix_named(&file.path, &matrix(150, 20, 0), Some(&names(20, "column"))).unwrap();
    let refused = flips(&file.path, |path| {
        let loaded = read_matrix(path)?;
        Ok((dense(&loaded.matrix), loaded.names()?))
    });
    assert_eq!(refused, FLIPS, "a store is read as a whole");
}

#[test]
fn every_flip_in_a_model_that_changes_a_number_is_refused() {
    let pair = lcca::data::InMemory::new(matrix(60, 12, 0), matrix(60, 9, 3)).unwrap();
    let model = fit(&pair, &Settings::new(Method::exact(), 2).ridge(0.1), &()).unwrap().model;
    let file = scratch("m.model");
    let named = ModelNames { x: Some(names(12, "x")), y: None, ..ModelNames::default() };
    write_model_named(&file.path, &model, &named, &Map::new()).unwrap();
    let refused = flips(&file.path, read_model);
    assert!(refused > FLIPS * 9 / 10, "{refused}");
}

#[test]
fn the_message_names_tensor_and_bytes() {
    let file = scratch("m.safetensors");
    write_matrix_named(&file.path, &matrix(150, 20, 0), None).unwrap();
    let bytes = std::fs::read(&file.path).unwrap();
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    for (index, needle) in
        [(header + 9, "m.safetensors: indptr: bytes "), (30, "m.safetensors: header: bytes 0 to ")]
    {
        let mut damaged = bytes.clone();
        // A digit or a letter becomes another one, so that the header is still a header.
        damaged[index] ^= 2;
        std::fs::write(&file.path, &damaged).unwrap();
        let message = verify(&file.path).unwrap_err().to_string();
        let expected =
            message.contains(needle) && message.contains("are damaged, their checksum does not match");
        assert!(
            expected || message.contains("truncated, corrupt") || message.contains("header: is damaged"),
            "{message}"
        );
    }
}

#[test]
fn files_without_checksums_still_open() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/version-1");
    assert_eq!(verify(&folder.join("store.safetensors")).unwrap(), None);
    assert!(!read_matrix(&folder.join("store.safetensors")).unwrap().has_checksums());
    let file = scratch("m.safetensors");
    write_matrix_named(&file.path, &matrix(5, 4, 0), None).unwrap();
    assert!(read_matrix(&file.path).unwrap().has_checksums());
    assert!(verify(&file.path).unwrap().is_some_and(|bytes| bytes > 100));
}
