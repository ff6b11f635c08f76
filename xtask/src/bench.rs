//! `cargo xtask bench NAME`: one comparison with peers, in an environment of its own.

use crate::step::{self, cargo};
use crate::{data, package, python};
use std::path;
use std::process::Command;
use std::time::Duration;

/// Some optional peers are compiled from source. One that takes longer than this is left out of the
/// comparison.
const COMPILING: Duration = Duration::from_secs(20 * 60);

struct Bench {
    script: &'static str,
    /// The folder of the Python environment.
    home: &'static str,
    /// The list of packages without which the script does not run.
    requirements: &'static str,
    /// The list of peers that are compared if they can be installed.
    optional: &'static str,
}

const KERNEL: Bench = Bench {
    script: "bench/kernel.py",
    home: "target/python-bench",
    requirements: "bench/requirements.txt",
    optional: "bench/requirements-optional.txt",
};

const PEERS: Bench = Bench {
    script: "bench/peers.py",
    home: "target/python-peers",
    requirements: "bench/requirements-peers.txt",
    optional: "bench/requirements-peers-optional.txt",
};

pub fn run(name: &str, flags: &[&str]) -> Result<(), String> {
    match name {
        "kernel" => step::run(&mut KERNEL.command(flags)?),
        "fits" => on_data(without_peers("bench/fits.py", flags)?),
        "default" => default(flags),
        "texts" => texts(flags),
        "claims" => claims(flags),
        "peers" => peers(flags),
        "python" => on_data(package(flags)?),
        "dask" => dask(flags),
        "gpu" => gpu(),
        _ => Err(format!(
            "`{name}` is not a benchmark; there are: kernel, fits, default, texts, claims, peers, python, \
             dask, gpu"
        )),
    }
}

impl Bench {
    /// The script's command line, in its environment.
    fn command(&self, flags: &[&str]) -> Result<Command, String> {
        let python = python::environment(self.home, self.requirements)?;
        if let Err(reason) = python::install_within(self.home, self.optional, COMPILING) {
            step::note(&format!("continuing without the optional peers: {reason}"));
        }
        let mut command = Command::new(python);
        command.arg(self.script).args(flags);
        Ok(command)
    }
}

/// A script that measures the program alone and so needs no peers.
fn without_peers(script: &str, flags: &[&str]) -> Result<Command, String> {
    let mut bench = Command::new(python::environment("target/python", "xtask/requirements.txt")?);
    bench.arg(script).args(flags);
    Ok(bench)
}

/// The benchmark of the Python package, in the package's environment with its peers installed beside it.
fn package(flags: &[&str]) -> Result<Command, String> {
    let mut bench = Command::new(package::build()?);
    python::install(package::HOME, "bench/requirements-python.txt")?;
    bench.arg("bench/python.py").args(flags);
    Ok(bench)
}

/// The benchmark of the Python package on a cluster of local processes.
fn dask(flags: &[&str]) -> Result<(), String> {
    let mut bench = Command::new(package::build()?);
    bench.arg("bench/cluster.py").args(flags);
    data::prepare_full(path::Path::new(bench.get_program()))?;
    data::languages(path::Path::new(bench.get_program()))?;
    on_data(bench)
}

/// lcca and its peers, on descriptions in two languages among others.
fn peers(flags: &[&str]) -> Result<(), String> {
    let bench = PEERS.command(flags)?;
    data::languages(path::Path::new(bench.get_program()))?;
    on_data(bench)
}

/// The benchmark of the default method, on all real data sets including the largest.
fn default(flags: &[&str]) -> Result<(), String> {
    let bench = without_peers("bench/default.py", flags)?;
    data::prepare_full(path::Path::new(bench.get_program()))?;
    on_data(bench)
}

/// Descriptions in two languages.
fn texts(flags: &[&str]) -> Result<(), String> {
    let bench = without_peers("bench/texts.py", flags)?;
    data::languages(path::Path::new(bench.get_program()))?;
    on_data(bench)
}

/// The measurements on a GPU, of real data sets including the largest.
fn gpu() -> Result<(), String> {
    let bench = without_peers("bench/gpu.py", &["bundle"])?;
    data::prepare_full(path::Path::new(bench.get_program()))?;
    on_data(bench)
}

/// The trials of claims, mostly on made-up data. Real data are tried if they are there, and a program that is
/// named need not be built.
fn claims(flags: &[&str]) -> Result<(), String> {
    let mut bench = without_peers("bench/claims.py", flags)?;
    if let Some(data) = data::prepare(path::Path::new(bench.get_program()))? {
        bench.env("LCCA_DATA", path::absolute(data).map_err(|e| e.to_string())?);
    }
    if !flags.contains(&"--program") {
        step::run(&mut cargo("build --release --package lcca-cli"))?;
    }
    step::run(&mut bench)
}

/// Builds the program, prepares the data and runs `bench` with the data's folder in `LCCA_DATA`.
fn on_data(mut bench: Command) -> Result<(), String> {
    let python = bench.get_program().to_owned();
    let data = data::prepare(path::Path::new(&python))?.ok_or("this benchmark needs the real data sets")?;
    step::run(&mut cargo("build --release --package lcca-cli"))?;
    step::run(bench.env("LCCA_DATA", path::absolute(data).map_err(|e| e.to_string())?))
}
