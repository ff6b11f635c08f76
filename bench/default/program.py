"""`lcca` as users run it: one process per fit, its JSON report,
and the processor time that the system counted."""
import json
import os
import resource
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("LCCA_DATA", ROOT / "target/data"))
SCRATCH = ROOT / "target/bench/default"
LIMIT = 900  # seconds; a fit that takes longer is stopped and misses its requirement
SHORT = 10  # seconds; shorter fits with a required time run three times and the fastest counts

# Every fit of this run, for the CSV files.
RUNS = []


class Failed(Exception):
    """The program gave no answer; the message says why."""

    def __init__(self, data, flags, reason):
        super().__init__(reason)
        self.data, self.flags, self.reason = data, flags, reason


def files(data):
    """The two views of a data set; `debian_full/4` has every fourth row."""
    folder, _, step = data.partition("/")
    name = f"{{}}_{step}" if step else "{}"
    for ending in ("safetensors", "npy", "npz"):
        paths = [DATA / folder / f"{name.format(side)}.{ending}" for side in "xy"]
        if all(path.exists() for path in paths):
            return paths
    raise Failed(data, "", "no such data set")


def fit(data, flags, views=None, output=None, timed=False):
    """One fit with k = 20 unless the flags say otherwise. A timed fit that is short runs three
    times and the fastest counts."""
    command = ["fit", *(views or files(data)), *flags.split(), "--json", "--quiet"]
    command += [] if "-k " in flags else ["-k", "20"]
    command += ["--output", output] if output else []
    run = once(command, data, flags)
    for _ in range(2 if timed and run["seconds"]["fit"] < SHORT else 0):
        run = min(run, once(command, data, flags), key=lambda run: run["seconds"]["fit"])
    RUNS.append({key: value for key, value in run.items() if key != "trace"})
    return run


def once(command, data, flags):
    run, cpu = call(command, data, flags)
    # The processor time covers reading and fitting, so it is spread over both by the clock. That is exact
    # enough on one thread, because neither of them waits.
    share = cpu / (run["seconds"]["load"] + run["seconds"]["fit"])
    for row in run["trace"]:
        row["cpu"] = share * row["seconds"]
    return run | {"data": data, "flags": flags, "cpu": cpu, "cpu_per_second": share}


def call(command, data="", flags=""):
    """The JSON that a command prints, and the processor seconds it used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = os.environ.get("LCCA", ROOT / "target/release/lcca")
    words = [str(word) for word in (program, *command)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired as error:
        raise Failed(data, flags, f"over the limit of {LIMIT} s") from error
    if done.returncode != 0:
        raise Failed(data, flags, done.stderr.strip() or f"ended with {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout or "{}"), cpu
