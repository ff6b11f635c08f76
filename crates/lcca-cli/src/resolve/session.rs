//! The options of every computing command: how many threads it uses, and how it reports.

use crate::args::CommonArgs;
use std::thread;

pub struct Session {
    pub threads: usize,
    /// Whether results are one JSON object instead of text.
    pub json: bool,
    /// Whether progress bars and remarks are left out.
    pub quiet: bool,
}

impl Session {
    pub fn new(args: CommonArgs) -> Self {
        let all_cores = || thread::available_parallelism().map_or(1, |cores| cores.get());
        let threads = args.threads.map_or_else(all_cores, |threads| threads as usize);
        Session { threads, json: args.json, quiet: args.quiet }
    }
}
