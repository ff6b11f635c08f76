//! The kernels, compiled ahead of time for every GPU of compute capability 7.0 or later. The driver
//! translates them for the GPU that it finds, and remembers the translation. Files with dense products are
//! compiled a second time for 8.0 and later, because tensor cores multiply f64 numbers there. Gram matrices,
//! factors and tall panels are compiled a third time for 9.0 and later, which multiply larger pieces.

/// A file of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum File {
    Gather,
    Panel,
    Product,
    Tall,
    Gram,
    Block,
    Factor,
    Array,
    Sort,
    Pairs,
    Jacobi,
    Columns,
    Count,
    Deal,
    Shuffle,
}

/// The kernels that form Gram matrices of f32 and of f64 numbers on tensor cores. They do not exist before
/// 8.0.
pub(crate) const TENSOR_GRAMS: [&str; 2] = ["tensor_gram_f32", "tensor_gram_f64"];

/// The kernel that updates large matrices on tensor cores. It does not exist before 8.0 either.
pub(crate) const TENSOR_REST: &str = "factor_rest_wide";

macro_rules! ptx {
    ($name:literal) => {
        concat!(include_str!(concat!("../kernels/", $name, ".ptx")), "\0")
    };
}

impl File {
    /// Returns the PTX of a file for GPUs of a major compute capability, as text that ends with a zero
    /// byte.
    pub fn ptx(self, major: i32) -> &'static str {
        match self {
            File::Gather => ptx!("gather.70"),
            File::Panel => ptx!("panel.70"),
            File::Product if major >= 8 => ptx!("product.80"),
            File::Product => ptx!("product.70"),
            File::Tall if major >= 9 => ptx!("tall.90"),
            File::Tall if major >= 8 => ptx!("tall.80"),
            File::Tall => ptx!("tall.70"),
            File::Gram if major >= 9 => ptx!("gram.90"),
            File::Gram if major >= 8 => ptx!("gram.80"),
            File::Gram => ptx!("gram.70"),
            File::Block => ptx!("block.70"),
            File::Factor if major >= 9 => ptx!("factor.90"),
            File::Factor if major >= 8 => ptx!("factor.80"),
            File::Factor => ptx!("factor.70"),
            File::Array => ptx!("array.70"),
            File::Sort => ptx!("sort.70"),
            File::Pairs => ptx!("pairs.70"),
            File::Jacobi => ptx!("jacobi.70"),
            File::Columns => ptx!("columns.70"),
            File::Count => ptx!("count.70"),
            File::Deal => ptx!("deal.70"),
            File::Shuffle => ptx!("shuffle.70"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    const FILES: &[(File, &str)] = &[
        (File::Gather, include_str!("../kernels/gather.cu")),
        (File::Panel, include_str!("../kernels/panel.cu")),
        (File::Product, include_str!("../kernels/product.cu")),
        (File::Tall, include_str!("../kernels/tall.cu")),
        (File::Gram, concat!(include_str!("../kernels/tensor.cuh"), include_str!("../kernels/gram.cu"))),
        (File::Block, include_str!("../kernels/block.cu")),
        (File::Factor, concat!(include_str!("../kernels/tensor.cuh"), include_str!("../kernels/factor.cu"))),
        (File::Array, include_str!("../kernels/array.cu")),
        (File::Sort, include_str!("../kernels/sort.cu")),
        (File::Pairs, include_str!("../kernels/pairs.cu")),
        (File::Jacobi, include_str!("../kernels/jacobi.cu")),
        (File::Columns, include_str!("../kernels/columns.cu")),
        (File::Count, include_str!("../kernels/count.cu")),
        (File::Deal, include_str!("../kernels/deal.cu")),
        (File::Shuffle, include_str!("../kernels/shuffle.cu")),
    ];

    /// Returns the kernels that a file of this crate names, as PTX declares them. Every text that looks
    /// like the name of a kernel counts.
    fn launched(source: &str) -> Vec<String> {
        let words = source.split('"').skip(1).step_by(2);
        let is_name = |word: &&str| {
            word.contains('_')
                && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_' || b.is_ascii_digit())
        };
        words.filter(is_name).map(|name| format!(".entry {name}(")).collect()
    }

    fn files_below(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
    }

    /// FNV-1a of 64 bits.
    fn fingerprint(text: &str) -> String {
        let value = text
            .bytes()
            .fold(0xcbf29ce484222325u64, |value, byte| (value ^ u64::from(byte)).wrapping_mul(0x100000001b3));
        format!("{value:016x}")
    }

    #[test]
    fn the_compiled_kernels_are_those_of_the_source() {
        for (file, source) in FILES {
            let whole = format!("{}{source}", include_str!("../kernels/common.cuh"));
            for major in [7, 8, 9] {
                let first = file.ptx(major).lines().next().unwrap();
                assert!(first.contains(&fingerprint(&whole)), "run `cargo xtask kernels`: {first}");
            }
        }
    }

    #[test]
    fn every_launched_kernel_was_compiled_for_every_gpu() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let sources = files_below(&folder).into_iter().filter(|path| !path.ends_with("kernels.rs"));
        let names: Vec<String> =
            sources.flat_map(|path| launched(&std::fs::read_to_string(path).unwrap())).collect();
        assert!(names.len() > 40, "{names:?}");
        for major in [7, 8, 9] {
            let all: String = FILES.iter().map(|(file, _)| file.ptx(major)).collect();
            for name in &names {
                assert!(all.contains(name), "{name} is not in the compiled kernels");
            }
            for name in [TENSOR_GRAMS[0], TENSOR_GRAMS[1], TENSOR_REST] {
                assert_eq!(all.contains(&format!(".entry {name}(")), major >= 8, "{name} for {major}.0");
            }
        }
    }
}
