#!/usr/bin/env python3
"""Measurements on a machine with an NVIDIA GPU, which needs no Rust.

    cargo xtask bench gpu                 builds the programs and packs them with data into target/gpu
    python3 target/gpu/gpu.py run         there: runs the tests on the GPU and measures;
                                          results in target/gpu/gpu.json and gpu.md
    python3 target/gpu/gpu.py run dense   only some of tests, python, grams, fits, dense, passes;
                                          the others are kept from the committed run

The second command needs NumPy, CuPy for the comparison with cuSPARSE,
and SciPy and scikit-learn for the Python package. If this machine has a GPU, the first one runs it at once.
"""

import argparse
import importlib.util
import json
import lzma
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FITS = [
    ("tatoeba", 20, 1e-4, 5), ("debian400k", 20, 1e-4, 5), ("debian_full", 20, 1e-3, 6),
    ("debian400k", 200, 1e-4, 3),
]
# Data whose joint Gram matrix is formed on the GPU and on the host, so often.
GRAMS, GRAM_REPEATS = ["tatoeba", "debian400k", "debian_full"], 3
# Rows, columns of each view, pairs, repetitions.
DENSE = (1_000_000, 1024, 20, 4)
# Programs of tests.
TESTS = ["device", "sparse_grams", "arrays", "decompose", "permute"]
# What can be asked for.
PARTS = ["tests", "python", "grams", "fits", "dense", "passes"]
# The Python package with its engine, and the tests of arrays that lie on a GPU.
PACKAGE, PYTHON_TESTS = "lcca.tar.xz", "test_gpu_in_place.py"
PASSES = [("zipf", 400_000, 20_000, 13_500_000), ("uniform", 400_000, 20_000, 13_500_000),
          ("zipf", 4_000_000, 200_000, 158_000_000), ("uniform", 4_000_000, 200_000, 158_000_000)]


def bundle(root):
    """Everything that the other machine needs, in one folder of some ten megabytes."""
    target = root / "target" / "gpu"
    target.mkdir(parents=True, exist_ok=True)
    build = ["cargo", "build", "--release", "--package", "lcca-cuda"]
    subprocess.run([*build, "--example", "measure"], cwd=root, check=True)
    tests = [*build, *(part for name in TESTS for part in ("--test", name)), "--message-format=json"]
    tests = subprocess.run(tests, cwd=root, check=True, stdout=subprocess.PIPE, text=True)
    messages = [json.loads(line) for line in tests.stdout.splitlines()]
    programs = {m["target"]["name"]: m["executable"] for m in messages if m.get("executable")}
    for name, program in [
        ("measure", root / "target/release/examples/measure"),
        *((name, programs[name]) for name in TESTS),
    ]:
        shutil.copy(program, target / name)
        subprocess.run(["strip", target / name], check=True)
        pack(target / name, target / f"{name}.xz")
        (target / name).unlink()
    for name in sorted({name for name, *_ in FITS}):
        for view in "xy":
            source, packed = root / "target/data" / name / f"{view}.npz", target / f"{name}-{view}.npz.xz"
            if source.exists() and not packed.exists():
                pack(source, packed)
    pack_python(root, target)
    shutil.copy(__file__, target)
    shutil.copy(root / "bench/results/gpu.json", target)
    print(f"packed into {target}; carry it to the machine and run: python3 {target.name}/gpu.py run")
    return target


def pack_python(root, target):
    """The package as `maturin develop` left it, if its engine was built."""
    engine = next((root / "python/lcca").glob("_lcca*.so"), None)
    if engine is None:
        print("the Python package is left out: `maturin develop --release` builds it")
        return
    with tarfile.open(target / PACKAGE, "w:xz") as archive, tempfile.TemporaryDirectory() as scratch:
        stripped = Path(scratch) / engine.name
        subprocess.run(["strip", "--strip-unneeded", "-o", stripped, engine], check=True)
        for path in sorted((root / "python/lcca").rglob("*.py")):
            archive.add(path, path.relative_to(root / "python"))
        archive.add(stripped, f"lcca/{engine.name}")
        archive.add(root / "python/tests" / PYTHON_TESTS, PYTHON_TESTS)


def run_python(folder, scratch):
    """The lines of the tests of the Python package on the GPU."""
    missing = [name for name in ("scipy", "sklearn") if importlib.util.find_spec(name) is None]
    if not (folder / PACKAGE).exists() or missing:
        print(f"without the Python package: {' and '.join(missing) or PACKAGE} is not there", flush=True)
        return [], 0
    with tarfile.open(folder / PACKAGE) as archive:
        archive.extractall(scratch, filter="data")
    command = [sys.executable, "-m", "unittest", "-v", PYTHON_TESTS.removesuffix(".py")]
    tests = subprocess.run(
        command, cwd=scratch, env={**os.environ, "LCCA_GPU": "1"}, stderr=subprocess.STDOUT,
        stdout=subprocess.PIPE, text=True,
    )
    print(tests.stdout, flush=True)
    return [
        line
        for line in tests.stdout.splitlines()
        if line.endswith(("... ok", "... FAIL", "... ERROR")) or "skipped" in line
    ], tests.returncode


# Fits to tensors of PyTorch on the GPU, and to the same numbers in NumPy.
FROM_PYTHON = """
import json, sys, time, warnings, torch, lcca
warnings.simplefilter("ignore")
rows, cols, k, repeats = json.loads(sys.argv[1])
shared = torch.randn(rows, 40, device="cuda")
there = [torch.randn(rows, cols, device="cuda") for _ in range(2)]
for view in there:
    view[:, :40] += shared
for name, views in (("PyTorch, on the GPU", there), ("NumPy", [view.cpu().numpy() for view in there])):
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        model = lcca.CCA(k, device="cuda").fit(*views)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"arrays": name, "seconds": seconds, "total": float(model.objective_.sum())}))
"""


def fits_from_python(scratch):
    """Seconds of fits to arrays of the host and of the GPU, if PyTorch is there."""
    if importlib.util.find_spec("torch") is None or not (Path(scratch) / "lcca").exists():
        return []
    found = lines([sys.executable, "-c", FROM_PYTHON, json.dumps(DENSE)], cwd=scratch)
    print(*map(json.dumps, found), sep="\n", flush=True)
    return [fit for fit in found if "seconds" in fit]


def pack(source, packed):
    with open(source, "rb") as file, lzma.open(packed, "wb", preset=3) as out:
        shutil.copyfileobj(file, out)


def unpack(packed, folder):
    path = Path(folder) / packed.name.removesuffix(".xz")
    if path.exists():
        return path
    with lzma.open(packed, "rb") as file, open(path, "wb") as out:
        shutil.copyfileobj(file, out)
    path.chmod(0o755)
    return path


def lines(command, cwd=None):
    done = subprocess.run(list(map(str, command)), cwd=cwd, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return [{"failed": " ".join(map(str, command[1:])), "status": done.returncode}]
    return [json.loads(line) for line in done.stdout.splitlines()]


def generated(name, rows, cols, entries, folder):
    """Rows of ones, as SciPy would save them. Column frequencies follow Zipf's law or are equal."""
    import numpy as np

    random = np.random.default_rng(1)
    width = round(entries / rows * (1.0 if name == "uniform" else 1.15)) + 1
    indices, counts = [], []
    for start in range(0, rows, 1 << 18):
        count = min(1 << 18, rows - start)
        u = random.random((count, width), dtype=np.float32)
        drawn = u * cols if name == "uniform" else np.float32(cols) ** u - 1
        drawn = np.sort(np.minimum(drawn.astype(np.int32), cols - 1), axis=1)
        is_new = np.ones(drawn.shape, dtype=bool)
        is_new[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
        indices.append(drawn[is_new])
        counts.append(is_new.sum(axis=1))
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)
    indices = np.concatenate(indices)
    path = Path(folder) / "generated.npz"
    np.savez(path, format=np.array(b"csr"), shape=np.array([rows, cols]), indptr=indptr, indices=indices,
             data=np.ones(len(indices), dtype=np.float32))
    return path


def cusparse(path):
    """Milliseconds of X.T @ (X @ B) through CuPy, with X.T kept as rows, or why not."""
    try:
        import cupy
        import numpy as np
        from cupyx.scipy import sparse
    except ImportError as error:
        return {"missing": str(error)}
    try:
        saved = np.load(path)
        rows, cols = (int(n) for n in saved["shape"])
        parts = [cupy.asarray(saved[name]) for name in ("data", "indices", "indptr")]
        x = sparse.csr_matrix(
            (parts[0], parts[1].astype(cupy.int32), parts[2].astype(cupy.int32)), shape=(rows, cols)
        )
        b = cupy.random.standard_normal((cols, 32)).astype(cupy.float32)
        transposed = x.T.tocsr()
        times = []
        for _ in range(13):
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            transposed @ (x @ b)
            end.record()
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(start, end))
        return {"ms": statistics.median(times[3:])}
    except Exception as error:  # Whatever a peer does, the run goes on.
        return {"failed": f"{type(error).__name__}: {error}"}


def page(results):
    """The results as a page."""
    lines = [
        "# On a GPU",
        "",
        f"Fits and passes on one {results['gpu']}, and the same fits on the {results['cores']} processor "
        f"cores ({results['machine']}) beside it, ridge 0.01, dense views without a ridge. Seconds are "
        "medians without the first fit of a process, which starts the driver. `cargo xtask bench gpu` "
        "repeats it.",
        *(
            ["", f"Kept from an earlier run on such a machine: {', '.join(results['kept'])}."]
            if results["kept"]
            else []
        ),
        "",
        "| data | k | tolerance | device | seconds | first fit | total | missing | iterations |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for fit in (fit for fit in results["fits"] if fit["seconds"] is not None):
        first = f"{fit['first'][0]:.2f}" if fit["first"] else ""
        lines.append(
            f"| {fit['data']} | {fit['k']} | {fit['tol']:g} | {fit['device']} | {fit['seconds']:.2f} | "
            f"{first} | {fit['total']:.9f} | {fit['missing']:.1e} | {fit['iterations']} |"
        )
    rows, cols, k, _ = DENSE
    if results["python"]:
        lines += [
            "",
            (
                f'From Python, `CCA({k}, device="cuda").fit(X, y)` with '
                f"{rows:,} rows and {cols:,} + {cols:,} columns of f32 random numbers:"
            ),
            "",
        ]
        lines += ["| arrays | seconds | first fit | total |", "|---|---|---|---|"]
    for fit in results["python"]:
        first, *others = fit["seconds"]
        lines.append(
            f"| {fit['arrays']} | {statistics.median(others):.2f} | {first:.2f} | {fit['total']:.9f} |"
        )
    if results["grams"]:
        lines += [
            "",
            (
                "The sparse joint Gram matrix, formed on the GPU, where it stays, copied to the host, "
                "and formed on the processor cores. Rows are copied to the GPU meanwhile. "
                "The difference is the largest one of an entry, relative to it."
            ),
            "",
        ]
        lines += [
            (
                "| data | entries | GPU, seconds | first | with a copy on the host "
                "| cores, seconds | difference |"
            ),
            "|---|---|---|---|---|---|---|",
        ]
    for gram in (gram for gram in results["grams"] if "gpu" in gram):
        (first, *others), brought = gram["gpu"], gram["brought"]
        ours, with_copy, theirs = (
            statistics.median(seconds) for seconds in (others or [first], brought[1:] or brought, gram["cpu"])
        )
        lines.append(
            f"| {gram['data']} | {gram['entries']:,} | {ours:.3f} | {first:.3f} | {with_copy:.3f} | "
            f"{theirs:.3f} | {gram['difference']} |"
        )
    lines += [
        "",
        (
            "XᵀX·B with 32 columns of f32 numbers, and cuSPARSE through CuPy with both orders of X prepared. "
            "The error is that of the sums, relative to the largest."
        ),
        "",
        "| columns | rows × columns | entries | lcca, ms | cuSPARSE, ms | error |",
        "|---|---|---|---|---|---|",
    ]
    for row in results["passes"]:
        peer = row["cusparse"]
        peer = f"{peer['ms']:.2f}" if "ms" in peer else next(iter(peer.values()))
        lines.append(
            f"| {row['columns']} | {row['rows']:,} × {row['cols']:,} | {row['entries']:,.0f} | "
            f"{row['ms']:.2f} | {peer} | {row['error']:.1e} |"
        )
    return (
        "\n".join([*lines, "", "Tests on the GPU:", "", *(f"- {line}" for line in results["tests"])]) + "\n"
    )


def kept(folder, parts):
    """What an earlier run found in the parts that do not run now."""
    known, old = folder / "gpu.json", {}
    if known.exists():
        old = json.loads(known.read_text())
    left = [part for part in PARTS if part not in parts and old]
    fits = [
        fit for fit in old.get("fits", []) if ("dense" if fit["data"].startswith("dense") else "fits") in left
    ]
    tests = [
        line for line in old.get("tests", []) if ("python" if line.startswith("test_") else "tests") in left
    ]
    rows = {part: old.get(part, []) if part in left else [] for part in ("grams", "passes", "python")}
    return {"kept": left, "tests": tests, **rows, "fits": fits}


def save(folder, results):
    """What is known so far: a lent machine may be taken away."""
    (folder / "gpu.json").write_text(json.dumps(results, indent=1) + "\n")
    (folder / "gpu.md").write_text(page(results))


def add_fit(folder, results, what, runs):
    seconds = [run["seconds"] for run in runs if "seconds" in run]
    # The first fit of a process starts the driver.
    best = statistics.median(seconds[1:] or seconds) if seconds else None
    last = {key: value for key, value in runs[-1].items() if key not in ("trace", "seconds")}
    results["fits"].append({**what, "seconds": best, "first": seconds[:1], **last})
    print(json.dumps(results["fits"][-1]), flush=True)
    print("seconds at each iteration of the last fit:", json.dumps(runs[-1].get("trace")), flush=True)
    save(folder, results)


def run_tests(folder, scratch):
    """The lines of all tests on the GPU, and whether any failed."""
    found, failed = [], 0
    for name in TESTS:
        program = unpack(folder / f"{name}.xz", scratch)
        tests = subprocess.run(
            [program, "--test-threads", "1", "--include-ignored"], stdout=subprocess.PIPE, text=True
        )
        own = [line for line in tests.stdout.splitlines() if line.startswith("test ")]
        print(tests.stdout if tests.returncode else own[-1], flush=True)
        found, failed = found + own, failed or tests.returncode
    return found, failed


def run_grams(folder, scratch, measure, results):
    for name in GRAMS:
        if not (folder / f"{name}-x.npz.xz").exists():
            print(f"{name} is not there", flush=True)
            continue
        views = [unpack(folder / f"{name}-{view}.npz.xz", scratch) for view in "xy"]
        found = {"data": name, **lines([measure, "gram", *views, GRAM_REPEATS])[0]}
        results["grams"].append(found)
        print(json.dumps(found), flush=True)
        save(folder, results)


def run_fits(folder, scratch, measure, results):
    for name, k, tol, repeats in FITS:
        if not (folder / f"{name}-x.npz.xz").exists():
            print(f"{name} is not there", flush=True)
            continue
        x, y = (unpack(folder / f"{name}-{view}.npz.xz", scratch) for view in "xy")
        for where in ("cuda", "cpu"):
            runs = lines([measure, "fit", x, y, k, 0.01, tol, where, repeats])
            add_fit(folder, results, {"data": name, "k": k, "tol": tol}, runs)


def run(folder, parts):
    gpus = subprocess.run(
        ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True
    )
    gpu = next(iter(gpus.stdout.splitlines()), "GPU")
    machine = {"machine": platform.processor() or platform.machine(), "cores": os.cpu_count(), "gpu": gpu}
    results = {**machine, **kept(folder, parts)}
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        measure = unpack(folder / "measure.xz", scratch)
        for part, tests in (("tests", run_tests), ("python", run_python)):
            if part in parts:
                found, status = tests(folder, scratch)
                results["tests"] += found
                failed = failed or status
        if "python" in parts:
            results["python"] = fits_from_python(scratch)
        save(folder, results)
        if "grams" in parts:
            run_grams(folder, scratch, measure, results)
        if "fits" in parts:
            run_fits(folder, scratch, measure, results)
        rows, cols, k, repeats = DENSE
        for where in ("cuda", "there", "cpu") if "dense" in parts else ():
            runs = lines([measure, "dense", rows, cols, k, where, repeats])
            add_fit(
                folder,
                results,
                {"data": f"dense {rows:,} × ({cols:,} + {cols:,}) f32", "k": k, "tol": 1e-4},
                runs,
            )
        for name, rows, cols, entries in PASSES if "passes" in parts else ():
            path = generated(name, rows, cols, entries, scratch)
            result = {"columns": name, **lines([measure, "pass", path])[0], "cusparse": cusparse(path)}
            results["passes"].append(result)
            print(json.dumps(result), flush=True)
    save(folder, results)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["bundle", "run"])
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"what to run of {', '.join(PARTS)} [default: all]"
    )
    arguments = parser.parse_args()
    unknown = [part for part in arguments.parts if part not in PARTS]
    if unknown:
        parser.error(f"{unknown[0]!r}, expected one of {', '.join(PARTS)}")
    if arguments.what == "run":
        sys.exit(run(HERE, arguments.parts or PARTS))
    folder = bundle(HERE.parent)
    if shutil.which("nvidia-smi"):
        sys.exit(run(folder, arguments.parts or PARTS))


if __name__ == "__main__":
    main()
