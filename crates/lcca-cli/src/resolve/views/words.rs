//! `lcca views words`

use super::ties::ties;
use crate::args::views::WordsArgs;
use crate::failure::Failure;
use crate::resolve::session::Session;
use lcca_io::views::{Corpus, Keep, WordSettings};
use std::path::PathBuf;

pub struct WordViewsJob {
    pub settings: WordSettings,
    pub output: PathBuf,
    pub session: Session,
}

impl WordViewsJob {
    pub fn new(args: WordsArgs) -> Result<Self, Failure> {
        if args.files.iter().any(|path| path.as_os_str() == "-") {
            return Err(Failure::Usage(
                "the corpus is read twice, expected a file, not standard input".into(),
            ));
        }
        let keep = |top: Option<usize>| Keep {
            min_count: args.min_count,
            max_share: None,
            skip: 0,
            top,
            ties: ties(args.ties),
        };
        let settings = WordSettings {
            x: keep(args.x_top),
            y: keep(Some(args.y_top)),
            corpus: Corpus {
                files: args.files,
                tokens: args.tokens,
                lowercase: args.lowercase,
                lossy: args.lossy,
            },
            window: args.window,
            positions: args.positions,
            across_lines: args.across_lines,
            merge: args.merge,
        };
        Ok(WordViewsJob { settings, output: args.output, session: Session::new(args.common) })
    }
}
