//! The kernels, compiled ahead of time for every GPU of compute capability 7.0 or later: the driver translates them for the one it
//! finds, and remembers the translation.

/// A file of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum File {
    Gather,
    Panel,
    Product,
    Block,
}

impl File {
    /// What was compiled, as text that ends with a zero byte.
    pub fn ptx(self) -> &'static str {
        match self {
            File::Gather => concat!(include_str!("../kernels/gather.ptx"), "\0"),
            File::Panel => concat!(include_str!("../kernels/panel.ptx"), "\0"),
            File::Product => concat!(include_str!("../kernels/product.ptx"), "\0"),
            File::Block => concat!(include_str!("../kernels/block.ptx"), "\0"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernels that a file of this crate names, as PTX declares them. Every text that looks like the name of one counts.
    fn launched(source: &str) -> Vec<String> {
        let words = source.split('"').skip(1).step_by(2);
        let is_name = |word: &&str| {
            word.contains('_')
                && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_' || b.is_ascii_digit())
        };
        words.filter(is_name).map(|name| format!(".entry {name}(")).collect()
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
        for (file, source) in [
            (File::Gather, include_str!("../kernels/gather.cu")),
            (File::Panel, include_str!("../kernels/panel.cu")),
            (File::Product, include_str!("../kernels/product.cu")),
            (File::Block, include_str!("../kernels/block.cu")),
        ] {
            let first = file.ptx().lines().next().unwrap();
            assert!(first.contains(&fingerprint(source)), "run `cargo xtask kernels`: {first}");
        }
    }

    #[test]
    fn every_launched_kernel_was_compiled() {
        let files = [File::Gather, File::Panel, File::Product, File::Block];
        let all: String = files.iter().map(|file| file.ptx()).collect();
        let sources = [
            include_str!("home.rs"),
            include_str!("inverse.rs"),
            include_str!("panel.rs"),
            include_str!("space.rs"),
            include_str!("sparse.rs"),
        ];
        let names: Vec<String> = sources.iter().flat_map(|source| launched(source)).collect();
        assert!(names.len() > 20, "{names:?}");
        for name in names {
            assert!(all.contains(&name), "{name} is not in the compiled kernels");
        }
    }
}
