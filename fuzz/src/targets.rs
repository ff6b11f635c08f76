//! One target per reader: the origin of its seeds, the repair after the damage, and the call.

use crate::corpus::{pair, settings};
use crate::mutate::mutate;
use crate::packing::{gzip, members, zip, zstd};
use crate::random::Random;
use crate::{repair, sizes};
use lcca_io::views::{
    Amounts, Bagging, Columns, Keep, Selection, TableFormat, TextInput, TextSettings, Ties, Tokens,
    text_views,
};
use lcca_io::{
    Align, Categorical, Identity, Index, Loaded, Missing, ModelFile, ReadOptions, TableOptions, describe,
    read_checkpoint, read_matrix, read_matrix_with, read_names, verify,
};
use std::path::Path;

pub struct Target {
    pub name: &'static str,
    /// The kind of seeds.
    pub seeds: &'static str,
    /// The name of the file.
    pub file: &'static str,
    pub damage: Damage,
    pub read: fn(&Path),
}

/// The way in which a seed is damaged.
pub enum Damage {
    Plain,
    /// Damages a safetensors file; half of the time its checksums are made to match.
    Checksummed,
    /// Damages the contents and packs them again half of the time.
    Packed(fn(&[u8]) -> Vec<u8>, &'static str),
    /// Damages a member of the archive half of the time, with a matching checksum.
    Archive,
}

const fn matrix(name: &'static str, file: &'static str) -> Target {
    Target { name, seeds: name, file, damage: Damage::Plain, read: read_a_matrix }
}

const fn views(name: &'static str, seeds: &'static str, file: &'static str) -> Target {
    Target { name, seeds, file, damage: Damage::Plain, read: read_views }
}

pub const TARGETS: [Target; 22] = [
    matrix("csv", "m.csv"),
    matrix("tsv", "m.tsv"),
    matrix("svmlight", "m.svm"),
    matrix("mtx", "m.mtx"),
    matrix("npy", "m.npy"),
    Target { damage: Damage::Archive, ..matrix("npz", "m.npz") },
    matrix("parquet", "m.parquet"),
    matrix("arrow", "m.arrow"),
    Target { damage: Damage::Checksummed, ..matrix("store", "m.safetensors") },
    Target {
        name: "model",
        seeds: "model",
        file: "m.model",
        damage: Damage::Checksummed,
        read: read_a_model,
    },
    Target {
        name: "checkpoint",
        seeds: "checkpoint",
        file: "state",
        damage: Damage::Checksummed,
        read: read_a_state,
    },
    Target {
        name: "folder",
        seeds: "mtx",
        file: "folder/matrix.mtx",
        damage: Damage::Plain,
        read: read_a_folder,
    },
    Target {
        name: "features",
        seeds: "tsv",
        file: "named/features.tsv",
        damage: Damage::Plain,
        read: read_a_named_folder,
    },
    Target { damage: Damage::Packed(gzip, "mtx"), ..matrix("gz", "m.mtx.gz") },
    Target { damage: Damage::Packed(zstd, "csv"), ..matrix("zst", "m.csv.zst") },
    Target {
        name: "npy-gz",
        seeds: "npy",
        file: "m.npy.gz",
        damage: Damage::Packed(gzip, "npy"),
        read: read_a_matrix,
    },
    views("views-json", "json", "v.jsonl"),
    views("views-csv", "csv", "v.csv"),
    views("views-tsv", "tsv", "v.tsv"),
    views("views-parquet", "parquet", "v.parquet"),
    Target {
        name: "selection",
        seeds: "selection",
        file: "selection",
        damage: Damage::Plain,
        read: parse_a_selection,
    },
    Target { name: "sizes", seeds: "sizes", file: "sizes", damage: Damage::Plain, read: parse_a_size },
];

impl Damage {
    pub fn apply(&self, random: &mut Random, seed: &[u8], other: &[u8], plain: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seed.to_vec();
        match self {
            Damage::Packed(pack, _) if random.once_in(2) => {
                let mut inside = random.pick(plain).clone();
                mutate(random, &mut inside, other);
                return pack(&inside);
            }
            Damage::Archive if random.once_in(2) => {
                let mut contents = members(seed);
                let index = random.below(contents.len());
                mutate(random, &mut contents[index].1, other);
                return zip(&contents, random.once_in(2));
            }
            _ => mutate(random, &mut bytes, other),
        }
        if matches!(self, Damage::Checksummed) && random.once_in(2) {
            if random.once_in(2) {
                repair::header_length(&mut bytes, seed);
            }
            repair::checksums(&mut bytes);
        }
        bytes
    }

    /// The kind of seeds that are packed.
    pub fn plain_seeds(&self) -> Option<&'static str> {
        match self {
            Damage::Packed(_, kind) => Some(kind),
            _ => None,
        }
    }
}

/// Unwraps a result. Damaged files should give errors, which must be one line.
fn checked<T>(result: lcca_io::Result<T>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            let message = error.to_string();
            assert!(message.lines().count() == 1 && !message.contains('\u{1b}'), "{message:?}");
            None
        }
    }
}

fn read_a_matrix(path: &Path) {
    let options = options(&std::fs::read(path).unwrap());
    if let Some(loaded) = checked(read_matrix_with(path, &options)) {
        use_rows(&loaded, options.table.missing);
        checked(loaded.names());
        checked(loaded.row_names());
        checked(pair_with_itself(&loaded, path, &options));
    }
    checked(read_names(path));
}

/// Options that depend only on the contents, so that the same input is always read in the same way.
fn options(bytes: &[u8]) -> ReadOptions {
    let mut random = Random(crc32fast::hash(bytes).into());
    let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<String>>();
    let header = [None, None, Some(true), Some(false)][random.below(4)];
    let index = [Index::Guess, Index::Guess, Index::None, Index::Column("a".into())][random.below(4)].clone();
    let columns = [None, None, Some(texts(&["*"])), Some(texts(&["b", "2", "?*"]))][random.below(4)].clone();
    let missing = [Missing::Error, Missing::Drop, Missing::Mean][random.below(3)];
    let categories = [Categorical::Auto, Categorical::Error, Categorical::Columns(texts(&["g*"]))];
    let categorical = categories[random.below(3)].clone();
    let table = TableOptions::default().header(header).index(index).columns(columns).missing(missing);
    ReadOptions::default().zero_based(random.once_in(3)).table(table.categorical(categorical))
}

fn pair_with_itself(loaded: &Loaded, path: &Path, options: &ReadOptions) -> lcca_io::Result<()> {
    let again = read_matrix_with(path, options)?;
    lcca_io::pair_rows([loaded, &again], Align::Auto).map(drop)
}

/// Looks at some rows, which must be as valid as the reader says. Rows that will be left out may hold
/// anything.
fn use_rows(loaded: &Loaded, missing: Missing) {
    let matrix = &loaded.matrix;
    let rows = matrix.rows();
    for row in [0, rows / 2, rows.saturating_sub(1)].into_iter().filter(|&row| row < rows) {
        matrix.for_each(row, |column, value| {
            assert!(column < matrix.cols() && (value.is_finite() || missing == Missing::Drop));
        });
    }
}

fn read_a_folder(path: &Path) {
    if let Some(folder) = path.parent() {
        checked(read_matrix(folder));
    }
}

fn read_a_named_folder(path: &Path) {
    let Some(folder) = path.parent() else { return };
    let market = "%%MatrixMarket matrix coordinate real general\n2 1 1\n1 1 3\n";
    std::fs::write(folder.join("matrix.mtx"), market).unwrap();
    if let Some(loaded) = checked(read_matrix(folder)) {
        checked(loaded.names());
    }
}

fn read_a_model(path: &Path) {
    if let Some(file) = checked(ModelFile::open(path)) {
        let _ = file.record().map(|record| (record.why(), record.note_sentences()));
        checked(file.names());
    }
    checked(describe(path));
    checked(verify(path));
}

fn read_a_state(path: &Path) {
    let identity = Identity::new(&pair(), &settings()).unwrap();
    checked(read_checkpoint(path, &identity));
}

fn read_views(path: &Path) {
    let keep = Keep { min_count: 1, max_share: None, skip: 0, top: None, ties: Ties::default() };
    let bagging = Bagging {
        tokens: Tokens::Words,
        lowercase: true,
        amounts: Amounts::Count,
        columns: Columns::Tokens(keep),
    };
    let name = path.to_string_lossy();
    let format = match name.rsplit('.').next() {
        Some("jsonl") => TableFormat::JsonLines,
        Some("csv") => TableFormat::Csv,
        Some("parquet") => TableFormat::Parquet,
        _ => TableFormat::Tsv,
    };
    let named = matches!(format, TableFormat::JsonLines | TableFormat::Parquet);
    let columns = match format {
        TableFormat::JsonLines => ["x", "y"],
        TableFormat::Parquet => ["text", "real"],
        _ => ["1", "2"],
    };
    let columns = [Some(columns[0].to_string()), Some(columns[1].to_string()), None];
    let input = TextInput::Table { path: path.into(), format: Some(format), header: !named, columns };
    let settings = TextSettings { input, views: [bagging.clone(), bagging], lossy: true };
    checked(text_views(&settings, &|_| ()));
}

fn parse_a_selection(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    let _ = String::from_utf8_lossy(&bytes).parse::<Selection>();
}

fn parse_a_size(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    let _ = sizes::parse_bytes(&String::from_utf8_lossy(&bytes));
}
