//! The seeds: small, undamaged files, made by code or kept beside the tests.

use crate::packing::{gzip, zip, zstd};
use crate::parquet_seeds;
use lcca::data::{Cost, InMemory};
use lcca::fit::{Checkpoint, Loop, TraceRow, fit};
use lcca::matrix::{DenseRows, DenseValues, Matrix, OneHotRows, Panel, SparseRows, Values};
use lcca::method::{Method, Settings};
use lcca_io::{Identity, ModelNames, Names, write_checkpoint, write_matrix_named, write_model_named};
use std::path::Path;

const ARROW: [&[u8]; 8] = [
    include_bytes!("../corpus/rows-without-columns.arrow"),
    include_bytes!("../../crates/lcca-io/tests/files/arrow/dictionary.feather"),
    include_bytes!("../../crates/lcca-io/tests/files/arrow/index.feather"),
    include_bytes!("../../crates/lcca-io/tests/files/arrow/lz4.feather"),
    include_bytes!("../../crates/lcca-io/tests/files/arrow/missing.feather"),
    include_bytes!("../../crates/lcca-io/tests/files/arrow/texts.feather"),
    include_bytes!("../../crates/lcca-io/tests/files/arrow/uncompressed.feather"),
    include_bytes!("../../crates/lcca-io/tests/files/arrow/zstd.feather"),
];

/// A pair of small views.
pub fn pair() -> InMemory {
    InMemory::new(sparse(false), sparse(true)).unwrap()
}

pub fn settings() -> Settings {
    Settings::new(Method::als(3), 2)
}

fn sparse(ones: bool) -> Matrix {
    let (offsets, columns) = (vec![0, 2, 3, 5, 6], vec![0, 2, 1, 0, 1, 2]);
    let values = if ones { Values::Ones } else { Values::F64(vec![0.5, 2.0, 3.0, -1.0, 0.25, 7.0].into()) };
    SparseRows::new(3, offsets.into(), columns.into(), values).unwrap().into()
}

fn dense() -> Matrix {
    let values = (0..12).map(|value| value as f32 / 3.0).collect::<Vec<_>>();
    DenseRows::new(4, 3, DenseValues::F32(values.into())).unwrap().into()
}

fn one_hot() -> Matrix {
    OneHotRows::new(3, vec![0, 2, OneHotRows::EMPTY, 1].into()).unwrap().into()
}

fn state() -> Checkpoint {
    let panel = |seed: f64| Panel::from_fn(3, 2, |i, j| (seed + i as f64 / 3.0 + j as f64).sin());
    let row = TraceRow {
        iteration: 1,
        passes: 3.0,
        gram_passes: 0.0,
        work: 1.0,
        total: 0.5,
        missing: None,
        seconds: 0.1,
    };
    Checkpoint {
        algorithm: Loop::Alternate,
        weights: [panel(0.1), panel(0.2)],
        step: None,
        trace: vec![row],
        totals: vec![0.5],
        by_residuals: vec![0.25],
        cost: Cost { passes: 3.0, gram_passes: 0.0, columns: 2.0 },
    }
}

/// The bytes of a file that `write` makes at the path it gets.
fn written(scratch: &Path, name: &str, write: impl FnOnce(&Path)) -> Vec<u8> {
    let path = scratch.join(name);
    write(&path);
    std::fs::read(path).unwrap()
}

fn matrix(scratch: &Path, name: &str, matrix: &Matrix) -> Vec<u8> {
    written(scratch, name, |path| write_matrix_named(path, matrix, None).unwrap())
}

fn texts(all: &[&str]) -> Vec<Vec<u8>> {
    all.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// The seeds of one kind of file.
pub fn seeds(kind: &str, scratch: &Path) -> Vec<Vec<u8>> {
    match kind {
        "csv" => texts(&[
            "id,a,b\nr1,1,2\nr2,NA,4\n",
            "1,2,3\n4,5,6\n",
            "a;b\n1,5;2\n",
            "\u{feff}\"x\ny\",\"z\"\n\"1,234.5\",2\r\n",
            "g,v\nred,1\nblue,2\nred,3\n",
        ]),
        "tsv" => texts(&["id\ta\tb\nr1\t1\t2\nr2\t\t4\n", "1\t2\n3\t4\n", "a\tb\nx\ty\n"]),
        "svmlight" => texts(&["1 1:0.5 3:2\n-1 qid:3 2:1 # note\n", "0 4294967294:1\n", "1,2 1:1 2:nan\n"]),
        "mtx" => {
            let mut seeds =
                vec![matrix(scratch, "s.mtx", &sparse(false)), matrix(scratch, "d.mtx", &dense())];
            seeds.extend(texts(&[
                "%%MatrixMarket matrix coordinate pattern symmetric\n% note\n3 3 2\n2 1\n3 3\n",
                "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
            ]));
            seeds
        }
        "npy" => vec![matrix(scratch, "d.npy", &dense())],
        "npz" => vec![
            matrix(scratch, "s.npz", &sparse(false)),
            matrix(scratch, "o.npz", &one_hot()),
            coordinates(),
        ],
        "parquet" => parquet_seeds::files(),
        "arrow" => ARROW.map(<[u8]>::to_vec).to_vec(),
        "store" => {
            let names = Names::new(["alpha", "b", ""]);
            let named = written(scratch, "n.safetensors", |path| {
                write_matrix_named(path, &sparse(false), Some(&names)).unwrap();
            });
            let plain =
                [sparse(true), dense(), one_hot()].map(|rows| matrix(scratch, "s.safetensors", &rows));
            [vec![named], plain.to_vec()].concat()
        }
        "model" => {
            let model = fit(&pair(), &settings(), &()).unwrap().model;
            let names = ModelNames { x: Some(Names::new(["a", "b", "c"])), y: None, ..ModelNames::default() };
            let provenance = serde_json::json!({"x": "x.npz", "fit": {"converged": true}});
            let provenance = provenance.as_object().cloned().unwrap();
            vec![written(scratch, "model", |path| {
                write_model_named(path, &model, &names, &provenance).unwrap()
            })]
        }
        "checkpoint" => {
            let identity = Identity::new(&pair(), &settings()).unwrap();
            vec![written(scratch, "state", |path| write_checkpoint(path, &state(), &identity).unwrap())]
        }
        "gz" => {
            [seeds("mtx", scratch), seeds("npy", scratch)].concat().iter().map(|seed| gzip(seed)).collect()
        }
        "zst" => {
            [seeds("csv", scratch), seeds("npy", scratch)].concat().iter().map(|seed| zstd(seed)).collect()
        }
        "json" => texts(&[
            "{\"x\": \"a b\", \"y\": 1.5}\n{\"x\": null, \"y\": [\"c\", {}]}\n",
            "{\"x\":\"\\u00e9\",\"y\":true}",
        ]),
        "selection" => texts(&["first:35%,last:2", "0..3,17", "gene_*,a?b", "first:100%,0..1"]),
        "sizes" => texts(&["8GiB", "1.5g", "500 MB", "1e400", "99999999999999999999t"]),
        "names" => texts(&["a\nb\nc\n", "tab\there\r\n\n"]),
        _ => Vec::new(),
    }
}

/// A SciPy archive of entries in any order, as other programs write it.
fn coordinates() -> Vec<u8> {
    let array = |descr: &str, shape: &str, data: &[u8]| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}\n");
        let len = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &len[..], header.as_bytes(), data].concat()
    };
    let integers = |numbers: &[i32]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        array("<i4", &format!("{},", numbers.len()), &bytes)
    };
    let members = [
        ("format.npy", array("|S3", "", b"coo")),
        ("shape.npy", integers(&[3, 4])),
        ("row.npy", integers(&[2, 0, 2])),
        ("col.npy", integers(&[3, 1, 0])),
        ("data.npy", array("<f8", "3,", &[1.0f64, 2.0, 3.0].map(f64::to_le_bytes).concat())),
    ];
    zip(&members.map(|(name, bytes)| (name.to_string(), bytes)), true)
}
