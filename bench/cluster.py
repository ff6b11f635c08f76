"""The Python package on a cluster of processes on this machine, against one process, in one run.

`cargo xtask bench dask` builds the package and the data and runs this. Every requirement is a row with its
measurement and a verdict.
"""
import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import lcca
import lcca.dask
import machine
import numpy as np
import scipy.sparse as sp
from distributed import Client, LocalCluster
from verdicts import judged, shown, write

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("LCCA_DATA", ROOT / "target/data"))
SHARDS = ROOT / "target/bench/shards"
CHECKS = ["equal", "overhead", "wall", "killed", "full"]
COLUMNS = 32
WALL = {2: [50_000, 200_000, 800_000], 4: [50_000, 200_000], 8: [50_000, 200_000]}
OPTIONS = {"brown": {"center": False}, "debian400k": {"ridge": 0.01}}

TITLE = "What the package must show on a cluster"
ABOUT = (
    "`lcca.dask` on workers that are processes of one machine and talk over loopback, against one process "
    "with as many threads; k = 20. Waiting is the time of a pass beyond the kernel of the slowest worker."
)


def main():
    args = arguments()
    if args.job:
        print(json.dumps(globals()[args.job]()))
        return
    facts = machine.describe()
    rows = [row for name in args.only for row in globals()[name]()]
    folder = args.out or ROOT / ("bench/results" if set(args.only) == set(CHECKS) else "target/bench/results")
    write("dask", TITLE, ABOUT, facts, rows, folder)


def arguments():
    parser = argparse.ArgumentParser(description="the Python package on a cluster of processes")
    parser.add_argument("--only", nargs="+", choices=CHECKS, default=CHECKS)
    parser.add_argument("--out", type=lambda p: Path(p).resolve(), help="folder for the results")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    return parser.parse_args()


def equal():
    """The same total and passes as one process, with any number of workers and shards."""
    for name, options in OPTIONS.items():
        views = [sp.load_npz(DATA / name / f"{view}.npz").tocsr() for view in "xy"]
        one = lcca.CCA(20, **options).fit(*views)
        for workers, count in [(1, 1), (2, 5), (4, 16)]:
            with cluster(workers) as client:
                many = lcca.CCA(20, **options).fit(lcca.dask.from_loaders(client, cut(name, views, count)))
            gap = abs(many.total_ / one.total_ - 1)
            same = (many.n_passes_, many.n_gram_passes_) == (one.n_passes_, one.n_gram_passes_)
            yield judged(
                name,
                f"{workers} workers, {count} shards: total within 1e-9 of one process, "
                "the same number of passes",
                f"{gap:.1e}; {many.n_passes_:g} and {many.n_gram_passes_:g} over Gram matrices",
                gap < 1e-9 and same,
            )


def overhead():
    """The waiting of a pass with panels of 32 columns, for views of 25,000 + 25,000 and of
    50,000 + 50,000 columns."""
    for cols in (25_000, 50_000):
        with cluster(2) as client:
            for transfer in ("float64", "float32"):
                pair = lcca.dask.from_loaders(client, generated(4, 100_000, cols), transfer=transfer)
                waiting, moved = waited(pair, cols, 12)
                measured = f"{1e3 * waiting:.0f} ms (median of 11), {moved / 1e6:.0f} MB moved"
                quantity = (
                    f"p = {2 * cols:,}, {COLUMNS} columns, four products, 2 workers, {transfer}: waiting"
                )
                if transfer == "float64":
                    yield judged("generated", f"{quantity} under 120 ms", measured, waiting < 0.12)
                else:
                    yield shown("generated", quantity, measured)


def wall():
    """Larger and larger panels over few rows, so that a pass does little but move them."""
    for workers, widths in WALL.items():
        for cols in widths:
            with cluster(workers) as client:
                pair = lcca.dask.from_loaders(client, generated(workers, 20_000, cols))
                waiting, moved = waited(pair, cols, 5)
            panel, rate = 2 * cols * COLUMNS * 8 / 1e6, moved / waiting / 1e9
            yield shown("generated", f"{workers} workers, panels of {panel:.0f} MB: waiting",
                        f"{waiting:.2f} s (median of 4), {moved / 1e6:,.0f} MB moved: {rate:.1f} GB/s")


def generated(shards, rows, cols):
    """Loaders of rows with about 20 entries each, in random columns."""

    def load(seed):
        return lambda: sp.random_array((rows, cols), density=20 / cols, format="csr", rng=seed)

    return [(load(2 * i), load(2 * i + 1)) for i in range(shards)]


def waited(pair, cols, passes):
    """The median waiting in seconds and the bytes moved of passes that form all four products,
    without the first pass."""
    panel = np.random.default_rng(0).standard_normal((cols, COLUMNS))
    for _ in range(passes):
        pair.products(((panel, None), (panel, None)), [(0, 0), (1, 0), (0, 1), (1, 1)])
    rounds = [record for record in pair.passes_ if record["verb"] == "products"][1:]
    waiting = sorted(record["waiting"] for record in rounds)[len(rounds) // 2]
    return waiting, rounds[0]["bytes_out"] + rounds[0]["bytes_in"]


def killed():
    """SIGKILL of one of two workers in the middle of a fit."""
    name, log = "debian400k", SHARDS / "log"
    settings = OPTIONS[name] | {"method": "lobpcg", "structure": False}
    views = [sp.load_npz(DATA / name / f"{view}.npz").tocsr() for view in "xy"]
    one = lcca.CCA(20, **settings).fit(*views)
    SHARDS.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    with cluster(2) as client:
        pair = lcca.dask.from_loaders(client, cut(name, views, 8, log))
        victim = sorted(client.run(os.getpid).items())[0]
        futures = [future.key for future in pair._shards.futures]
        lost = {futures.index(future.key) for future in pair._shards.places()[victim[0]]}

        def kill(row):
            if row["iteration"] == 5:
                threading.Timer(0.02, os.kill, (victim[1], signal.SIGKILL)).start()

        many = lcca.CCA(20, **settings, callback=kill).fit(pair)
        slowest = max(record["seconds"] for record in pair.passes_)
        usual = sorted(record["seconds"] for record in pair.passes_ if record["verb"] == "products")[5]
    starts = [first for first, _ in spans(views[0].shape[0], 8)]
    again = [starts.index(int(first)) for first in log.read_text().split()[8:]]
    gap = abs(many.total_ / one.total_ - 1)
    yield judged(
        name,
        "one of two workers killed in the middle of a fit: the same total, only its shards loaded again",
        f"{gap:.1e}; {len(lost)} of 8 shards were lost, {len(set(again))} loaded again, "
        f"{len(again)} loadings in all (a worker that is started in its place takes them back); "
        f"that pass took {slowest:.1f} s instead of {usual:.2f} s",
        gap < 1e-10 and lost and set(again) == lost,
    )


def full():
    """All Debian paths in 16 shards on 2 workers."""
    job("prepared")  # in another process, so that the memory for cutting is not counted as the client's
    many, one = job("full_cluster"), job("full_alone")
    times = many["seconds"] / one["seconds"]
    yield judged(
        "debian_full",
        "16 shards, 2 workers of one thread: within 1.5 times of one process with two",
        f"{many['seconds']:.0f} s, {one['seconds']:.0f} s: {times:.2f} times",
        times <= 1.5,
    )
    yield judged(
        "debian_full", "client's memory under 3 GB", f"{many['peak'] / 1e9:.2f} GB", many["peak"] < 3e9
    )
    gap = abs(many["total"] / one["total"] - 1)
    yield judged("debian_full", "total within 1e-9 of one process, the same number of passes",
                 f"{many['total']:.9f}, {one['total']:.9f}; {many['passes']}, {one['passes']}",
                 gap < 1e-9 and many["passes"] == one["passes"])


def prepared():
    return len(full_shards(16))


def full_cluster():
    with cluster(2) as client:
        pair = lcca.dask.from_loaders(client, full_shards(16))
        return outcome(lambda: lcca.CCA(20, ridge=0.01, tol=1e-3).fit(pair)) | {"trace": pair.passes_}


def full_alone():
    paths = [str(DATA / f"debian_full/{view}.npz") for view in "xy"]
    views = [lcca.read(path) for path in paths]
    return outcome(lambda: lcca.CCA(20, ridge=0.01, tol=1e-3).fit(*views))


def outcome(fit):
    start = time.perf_counter()
    model = fit()
    seconds, peak = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "seconds": seconds, "peak": peak, "total": model.total_,
        "passes": [model.n_passes_, model.n_gram_passes_],
    }


def full_shards(count):
    """Files of consecutive rows, written by the first run and then reused."""
    folder = SHARDS / f"debian_full_{count}"
    paths = [[folder / f"{view}_{i}.npz" for view in "xy"] for i in range(count)]
    if not folder.exists():
        partial = folder.with_suffix(".partial")
        partial.mkdir(parents=True, exist_ok=True)
        for view in "xy":
            rows = sp.load_npz(DATA / f"debian_full/{view}.npz").tocsr()
            for i, (a, b) in enumerate(spans(rows.shape[0], count)):
                sp.save_npz(partial / f"{view}_{i}.npz", rows[a:b], compressed=False)
        partial.rename(folder)
    return paths


@contextmanager
def cluster(workers):
    """Workers with one thread each. The scheduler runs in this process,
    which is the usual setup on one machine."""
    local = LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, memory_limit=0
    )
    with local, Client(local) as client:
        yield client


def cut(name, views, count, log=None):
    """Loaders of consecutive rows."""
    folder = DATA / name

    def load(view, a, b):
        def call():
            if log is not None and view == "x":
                with open(log, "a") as file:
                    file.write(f"{a}\n")
            return sp.load_npz(folder / f"{view}.npz").tocsr()[a:b]

        return call

    return [(load("x", a, b), load("y", a, b)) for a, b in spans(views[0].shape[0], count)]


def spans(rows, count):
    edges = [rows * i // count for i in range(count + 1)]
    return list(zip(edges, edges[1:]))


def job(name):
    print(f"{name} …", file=sys.stderr, flush=True)
    done = subprocess.run(
        [sys.executable, __file__, "--job", name], stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
