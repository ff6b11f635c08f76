"""XᵀX·B, the operation that every method is made of, against SciPy and MKL on the same data in the same run.

`cargo xtask bench kernel` makes the Python environment and runs this. Each competitor is a process of its own
that reads the same files, warms up once and then repeats. The best repetition counts; the CSV has all of
them. Every product is compared with SciPy's before anything is reported.
"""
import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import machine
import tables

ROOT = Path(__file__).resolve().parent.parent
STANDARD = {"rows": 400_000, "cols": 20_000, "per_row": 40, "width": 32}
COLUMNS = ("zipf", "uniform")
TOLERANCE = 1e-10


def main():
    args = arguments()
    facts = machine.describe()
    cases = [case(columns, args) for columns in COLUMNS]
    result = {"machine": facts, "versions": versions(cases), "sizes": sizes(args), "cases": cases}
    folder = args.out or default_folder(args)
    folder.mkdir(parents=True, exist_ok=True)
    tables.write(folder / "kernel.csv", [row for c in cases for row in repetitions(c)])
    (folder / "kernel.md").write_text(page(result))
    print(page(result))
    print(
        f"written to {folder.relative_to(ROOT) if folder.is_relative_to(ROOT) else folder}", file=sys.stderr
    )


def arguments():
    parser = argparse.ArgumentParser(description="XᵀX·B against SciPy and MKL")
    parser.add_argument("--rows", type=int, default=STANDARD["rows"])
    parser.add_argument("--cols", type=int, default=STANDARD["cols"])
    parser.add_argument("--per-row", type=int, default=STANDARD["per_row"], help="entries drawn per row of X")
    parser.add_argument("--width", type=int, default=STANDARD["width"], help="columns of B")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="for lcca and MKL")
    parser.add_argument("--only", choices=["mkl", "lcca"], help="one competitor of SciPy instead of both")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=lambda p: Path(p).resolve(), help="folder for the results")
    return parser.parse_args()


def sizes(args):
    return {name: getattr(args, name) for name in STANDARD} | {
        "repetitions": args.repetitions,
        "seed": args.seed,
    }


def default_folder(args):
    """A run with other sizes never replaces the committed results."""
    standard = all(getattr(args, name) == value for name, value in STANDARD.items()) and not args.only
    return ROOT / ("bench/results" if standard else "target/bench/results")


# Data


def case(columns, args):
    """Everything measured on one matrix."""
    folder = ROOT / "target/bench/kernel" / columns
    folder.mkdir(parents=True, exist_ok=True)
    entries = write_data(folder, columns, args)
    print(f"{columns}: {args.rows} × {args.cols}, {entries} entries", file=sys.stderr)
    sides = [scipy_side(folder, args)]
    if args.only != "lcca":
        sides += mkl_sides(folder, args)
    if args.only != "mkl":
        sides += [lcca_side(folder, args, threads) for threads in args.threads]
    return {"columns": columns, "entries": entries, "sides": sides}


def write_data(folder, columns, args):
    random = np.random.default_rng(args.seed)
    x = matrix(random, columns, args)
    sp.save_npz(folder / "x.npz", x, compressed=False)
    np.save(folder / "b.npy", random.standard_normal((args.cols, args.width)))
    return x.nnz


def matrix(random, columns, args):
    """Rows of `per_row` randomly drawn columns, duplicates removed, with normally distributed values."""
    drawn = np.sort(draw(random, columns, (args.rows, args.per_row), args.cols), axis=1)
    first = np.ones(drawn.shape, bool)
    first[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
    offsets = np.concatenate([[0], np.cumsum(first.sum(axis=1))]).astype(np.int32)
    kept = drawn[first]
    return sp.csr_matrix((random.standard_normal(len(kept)), kept, offsets), shape=(args.rows, args.cols))


def draw(random, columns, shape, cols):
    """Column indices. Under Zipf's law column j has frequency ∝ 1/(j+1), like words sorted by frequency."""
    if columns == "uniform":
        return random.integers(0, cols, shape, dtype=np.int32)
    share = np.cumsum(1 / np.arange(1, cols + 1))
    return np.searchsorted(share, random.random(shape) * share[-1], side="right").astype(np.int32)


# Sides


def scipy_side(folder, args):
    forget(folder / "scipy.bin")
    report = run([sys.executable, "bench/kernel_peer.py", "scipy", folder, args.repetitions])
    return side("SciPy", 1, report)


def mkl_sides(folder, args):
    if importlib.util.find_spec("sparse_dot_mkl") is None:
        return [{"name": "MKL", "missing": "not installed"}]
    sides = []
    for threads in args.threads:
        command = [sys.executable, "bench/kernel_peer.py", "mkl", folder, args.repetitions]
        forget(folder / "mkl.bin")
        try:
            report = run(command, MKL_NUM_THREADS=threads, MKL_DYNAMIC="FALSE", **mkl_library())
        except subprocess.CalledProcessError as error:
            return [{"name": "MKL", "missing": f"does not run here: {last_line(error.stderr)}"}]
        check("MKL", folder / "mkl.bin", folder, args)
        sides.append(side("MKL", threads, report))
    return sides


def mkl_library():
    """Tells sparse_dot_mkl the folder in which pip installs MKL, which it does not search."""
    libraries = sorted(Path(sys.prefix, "lib").glob("libmkl_rt.so*"))
    return {"MKL_RT": libraries[0], "LD_LIBRARY_PATH": libraries[0].parent} if libraries else {}


def lcca_side(folder, args, threads):
    cargo = [os.environ.get("CARGO", "cargo"), "run", "--release", "--quiet", "--package", "lcca-io"]
    forget(folder / "lcca.bin")
    report = run([*cargo, "--example", "kernel", "--", folder, args.repetitions, threads])
    check("lcca", folder / "lcca.bin", folder, args)
    return side("lcca", threads, report)


def run(command, **variables):
    """The JSON object that a competitor prints."""
    environment = os.environ | {name: str(value) for name, value in variables.items()}
    done = subprocess.run(
        [str(word) for word in command], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True,
    )
    return json.loads(done.stdout)


def last_line(text):
    return (text.strip().splitlines() or ["no message"])[-1]


def side(name, threads, report):
    ways = report["seconds"]
    best = min(ways, key=lambda way: min(ways[way]))
    return {"name": name, "threads": threads, "version": report["version"], "best_way": best,
            "best": min(ways[best]), "seconds": ways}


def forget(product):
    """Removes the product of an earlier run, so that `check` cannot compare a stale file."""
    product.unlink(missing_ok=True)


def check(name, product, folder, args):
    """A benchmark of a wrong answer is worthless: every column must equal SciPy's."""
    shape = (args.cols, args.width)
    computed, expected = (np.fromfile(path, "<f8").reshape(shape) for path in (product, folder / "scipy.bin"))
    error = np.max(np.linalg.norm(computed - expected, axis=0) / np.linalg.norm(expected, axis=0))
    if not error <= TOLERANCE:
        sys.exit(
            f"{name}: the product differs from SciPy's by {error:.1e} relative, expected at most {TOLERANCE}"
        )


# Report


def versions(cases):
    sides = {s["name"]: s["version"] for c in cases for s in c["sides"] if "version" in s}
    rustc = subprocess.run(["rustc", "--version"], stdout=subprocess.PIPE, text=True, check=True)
    return sides | {"NumPy": np.__version__, "rustc": rustc.stdout.split()[1]}


def page(result):
    s = result["sizes"]
    lines = [
        "# XᵀX·B against SciPy and MKL",
        "",
        f"X is {s['rows']:,} × {s['cols']:,} with {s['per_row']} columns drawn per row, duplicates removed; "
        f"B has {s['width']} columns; everything is f64. Seconds are the best of {s['repetitions']} after a "
        "warm-up, each competitor in a process of its own; [kernel.csv](kernel.csv) has every repetition. "
        "SciPy and MKL can multiply by Xᵀ in two ways, by a view or by a transpose that was converted "
        "beforehand. Both are shown, and ratios are to the faster of SciPy's. SciPy's sparse products use "
        f"one thread on any machine. Every product agrees with SciPy's to {TOLERANCE} relative, column by "
        "column.",
        "",
        machine_line(result["machine"]),
        "",
        "Versions: " + ", ".join(f"{name} {version}" for name, version in result["versions"].items()) + ".",
        "",
        (
            "| columns of X | entries | product | threads | seconds | SciPy's time over it | "
            "speed-up over 1 thread |"
        ),
        "|---|---|---|---|---|---|---|",
    ]
    lines += [row for c in result["cases"] for row in rows(c)]
    return "\n".join(lines + ["", "Repeat it: `cargo xtask bench kernel`.", ""])


def machine_line(m):
    return (
        f"Machine: {m['cpu']}, {m['cores']} cores, {m['logical_cpus']} logical CPUs, {' '.join(m['simd'])}; "
        f"{m['memory_gib']} GiB; {m['os']}; load before the run {m['load_before']}."
    )


def rows(c):
    one_thread = {s["name"]: s["best"] for s in c["sides"] if s.get("threads") == 1}
    for s in c["sides"]:
        if "missing" in s:
            yield line(c, s["name"], "", s["missing"], "", "")
            continue
        alone = one_thread.get(s["name"])
        for way, seconds in s["seconds"].items():
            best = min(seconds)
            speedup = f"{alone / best:.2f}" if alone and s["threads"] > 1 and way == s["best_way"] else ""
            ratio = f"{one_thread['SciPy'] / best:.1f}"
            yield line(c, f"{s['name']}: {way}", str(s["threads"]), f"{best:.4f}", ratio, speedup)


def repetitions(c):
    """One line of CSV per repetition."""
    for s in c["sides"]:
        for way, seconds in s.get("seconds", {}).items():
            for number, value in enumerate(seconds, start=1):
                yield {
                    "columns": c["columns"], "entries": c["entries"], "product": f"{s['name']}: {way}",
                    "threads": s["threads"], "version": s["version"], "repetition": number,
                    "seconds": f"{value:.6f}",
                }


def line(c, *cells):
    return "| " + " | ".join([c["columns"], f"{c['entries']:,}", *cells]) + " |"


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.stderr}\n{' '.join(error.cmd)} failed")
