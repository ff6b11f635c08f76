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

    /// The functions that the other files of this crate launch, with a trailing parenthesis as in PTX.
    fn launched(source: &str) -> Vec<String> {
        let calls = source.split(".launch(").skip(1).chain(source.split("kernel_name(").skip(1));
        calls.filter_map(|rest| rest.split('"').nth(1)).map(|name| format!(".entry {name}(")).collect()
    }

    #[test]
    fn every_launched_kernel_was_compiled() {
        let files = [File::Gather, File::Panel, File::Product, File::Block];
        let all: String = files.iter().map(|file| file.ptx()).collect();
        let sources = [include_str!("space.rs"), include_str!("sparse.rs"), include_str!("inverse.rs")];
        let names: Vec<String> = sources.iter().flat_map(|source| launched(source)).collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            assert!(all.contains(&name), "{name} is not in the compiled kernels");
        }
    }
}
