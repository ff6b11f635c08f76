//! The loop of one target.

use crate::allocator;
use crate::arguments::Arguments;
use crate::corpus::seeds;
use crate::cpu_time::cpu_seconds;
use crate::random::Random;
use crate::targets::{TARGETS, Target};
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The number of the run that is under way, for the watchdog.
static RUN: AtomicU64 = AtomicU64::new(0);
const LONGEST: Duration = Duration::from_secs(10);

/// A folder in memory if the system has one.
fn scratch(target: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    base.join(format!("lcca-fuzz-{}", parent_id())).join(target)
}

/// The process whose id names the folder, because workers and the process that starts them share one.
fn parent_id() -> u32 {
    #[cfg(unix)]
    if std::env::args().any(|word| word == "--worker") {
        return std::os::unix::process::parent_id();
    }
    std::process::id()
}

/// Copies the last input of a failed target to a place where it can be found.
pub fn keep_last_input(name: &str) -> PathBuf {
    let folder = Path::new("target/fuzz");
    let _ = fs::create_dir_all(folder);
    let kept = folder.join(format!("{name}-{}", std::process::id()));
    if let Some(target) = TARGETS.iter().find(|target| target.name == name) {
        let _ = fs::copy(scratch(name).join(target.file), &kept);
    }
    kept
}

/// Removes the folder of all targets.
pub fn remove_scratch() {
    let _ = fs::remove_dir_all(scratch(""));
}

pub fn run(name: &str, arguments: &Arguments) -> ExitCode {
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        eprintln!("fuzz: {name} is not a target");
        return ExitCode::from(2);
    };
    // One thread is enough for small inputs, and makes runs the same every time.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    std::panic::set_hook(Box::new(|panic| {
        if !lcca_io::panics_are_guarded() {
            eprintln!("fuzz: {panic}");
        }
    }));
    std::thread::spawn(watch);
    run_loop(target, arguments)
}

fn run_loop(target: &Target, arguments: &Arguments) -> ExitCode {
    let folder = scratch(target.name);
    let path = folder.join(target.file);
    fs::create_dir_all(path.parent().unwrap_or(&folder)).unwrap();
    let corpus = seeds(target.seeds, &folder);
    let plain = target.damage.plain_seeds().map(|kind| seeds(kind, &folder)).unwrap_or_default();
    let mut random = Random(arguments.seed ^ u64::from(crc32fast::hash(target.name.as_bytes())));
    let (runs, time) = arguments.limits();
    let (start, mut done) = (Instant::now(), 0);
    while done < runs && start.elapsed() < time {
        let other = random.pick(&corpus).clone();
        let seed = random.pick(&corpus);
        // The first runs are the seeds themselves.
        let bytes = match corpus.get(done as usize) {
            Some(seed) => seed.clone(),
            None => target.damage.apply(&mut random, seed, &other, &plain),
        };
        fs::write(&path, &bytes).unwrap();
        RUN.store(done + 1, Relaxed);
        if catch_unwind(|| (target.read)(&path)).is_err() {
            return ExitCode::FAILURE;
        }
        done += 1;
    }
    let (seconds, peak) = (start.elapsed().as_secs_f64(), allocator::peak() >> 20);
    println!(
        "{}: {done} runs from {} seeds in {seconds:.1} s, at most {peak} MiB",
        target.name,
        corpus.len()
    );
    let _ = fs::remove_dir_all(folder);
    ExitCode::SUCCESS
}

/// Ends the process if one run takes too long. It measures processor time, because other programs may keep
/// the processor busy. The clock finds a run that waits for something that never comes.
fn watch() {
    let (mut seen, mut cpu, mut since) = (0, cpu_seconds(), Instant::now());
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let run = RUN.load(Relaxed);
        if run != seen {
            (seen, cpu, since) = (run, cpu_seconds(), Instant::now());
        } else if run > 0 && (cpu_seconds() - cpu > LONGEST.as_secs_f64() || since.elapsed() > 12 * LONGEST) {
            eprintln!("fuzz: run {run} takes longer than {} s", LONGEST.as_secs());
            std::process::abort();
        }
    }
}
