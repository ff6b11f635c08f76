#!/usr/bin/env python3
"""Measurements on a machine with an NVIDIA GPU, which needs no Rust.

    cargo xtask bench gpu                 builds the programs and packs them with data into target/gpu
    python3 target/gpu/gpu.py run         there: runs the tests on the GPU and measures; results in target/gpu/gpu.json and gpu.md

The second command needs NumPy, and CuPy for the comparison with cuSPARSE. If this machine has a GPU, the first one runs it at once.
"""

import argparse
import gzip
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FITS = [("tatoeba", 20, 1e-4, 5), ("debian400k", 20, 1e-4, 5), ("debian400k", 200, 1e-4, 2), ("debian_full", 20, 1e-3, 3)]
# Rows, columns of each view, pairs, repetitions.
DENSE = (1_000_000, 1024, 20, 4)
PASSES = [("zipf", 400_000, 20_000, 13_500_000), ("uniform", 400_000, 20_000, 13_500_000),
          ("zipf", 4_000_000, 200_000, 158_000_000), ("uniform", 4_000_000, 200_000, 158_000_000)]


def bundle(root):
    """Everything that the other machine needs, in one folder of some ten megabytes."""
    target = root / "target" / "gpu"
    target.mkdir(parents=True, exist_ok=True)
    build = ["cargo", "build", "--release", "--package", "lcca-cuda"]
    subprocess.run([*build, "--example", "measure"], cwd=root, check=True)
    tests = subprocess.run([*build, "--test", "device", "--message-format=json"], cwd=root, check=True, stdout=subprocess.PIPE, text=True)
    messages = [json.loads(line) for line in tests.stdout.splitlines()]
    device = next(m["executable"] for m in messages if m.get("executable") and m["target"]["name"] == "device")
    for name, program in [("measure", root / "target/release/examples/measure"), ("device", device)]:
        shutil.copy(program, target / name)
        subprocess.run(["strip", target / name], check=True)
        pack(target / name, target / f"{name}.gz")
        (target / name).unlink()
    for name in sorted({name for name, *_ in FITS}):
        for view in "xy":
            source, packed = root / "target/data" / name / f"{view}.npz", target / f"{name}-{view}.npz.gz"
            if source.exists() and not packed.exists():
                pack(source, packed)
    shutil.copy(__file__, target)
    print(f"packed into {target}; carry it to the machine and run: python3 {target.name}/gpu.py run")
    return target


def pack(source, packed):
    with open(source, "rb") as file, gzip.open(packed, "wb", compresslevel=6) as out:
        shutil.copyfileobj(file, out)


def unpack(packed, folder):
    path = Path(folder) / packed.name.removesuffix(".gz")
    with gzip.open(packed, "rb") as file, open(path, "wb") as out:
        shutil.copyfileobj(file, out)
    path.chmod(0o755)
    return path


def lines(command):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True)
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
        x = sparse.csr_matrix((parts[0], parts[1].astype(cupy.int32), parts[2].astype(cupy.int32)), shape=(rows, cols))
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
    gpu = results["fits"][0]["device"]
    lines = [
        "# On a GPU",
        "",
        f"Fits and passes on one {gpu}, and the same fits on the {results['cores']} processor cores ({results['machine']}) beside it, ridge 0.01, dense views without a ridge. Seconds are medians without the first fit of a "
        "process, which starts the driver. `cargo xtask bench gpu` repeats it.",
        "",
        "| data | k | tolerance | device | seconds | first fit | total | missing | iterations |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for fit in results["fits"]:
        first = f"{fit['first'][0]:.2f}" if fit["first"] else ""
        lines.append(
            f"| {fit['data']} | {fit['k']} | {fit['tol']:g} | {fit['device']} | {fit['seconds']:.2f} | {first} | {fit['total']:.9f} | {fit['missing']:.1e} | {fit['iterations']} |"
        )
    lines += [
        "",
        "XᵀX·B with 32 columns of f32 numbers, and cuSPARSE through CuPy with both orders of X prepared. The error is that of the sums, relative to the largest.",
        "",
        "| columns | rows × columns | entries | lcca, ms | cuSPARSE, ms | error |",
        "|---|---|---|---|---|---|",
    ]
    for row in results["passes"]:
        peer = row["cusparse"]
        peer = f"{peer['ms']:.2f}" if "ms" in peer else next(iter(peer.values()))
        lines.append(f"| {row['columns']} | {row['rows']:,} × {row['cols']:,} | {row['entries']:,.0f} | {row['ms']:.2f} | {peer} | {row['error']:.1e} |")
    return "\n".join([*lines, "", "Tests on the GPU:", "", *(f"- {line}" for line in results["tests"])]) + "\n"


def add_fit(results, what, runs):
    seconds = [run["seconds"] for run in runs if "seconds" in run]
    # The first fit of a process starts the driver.
    best = statistics.median(seconds[1:] or seconds) if seconds else None
    last = {key: value for key, value in runs[-1].items() if key not in ("trace", "seconds")}
    results["fits"].append({**what, "seconds": best, "first": seconds[:1], **last})
    print(json.dumps(results["fits"][-1]), flush=True)


def run(folder):
    results = {"machine": platform.processor() or platform.machine(), "cores": os.cpu_count(), "passes": [], "fits": []}
    with tempfile.TemporaryDirectory() as scratch:
        device, measure = (unpack(folder / f"{name}.gz", scratch) for name in ("device", "measure"))
        tests = subprocess.run([device, "--test-threads", "1"], env={**os.environ, "LCCA_GPU": "1"}, stdout=subprocess.PIPE, text=True)
        results["tests"] = [line for line in tests.stdout.splitlines() if line.startswith("test ")]
        print(tests.stdout if tests.returncode else results["tests"][-1], flush=True)
        for name, k, tol, repeats in FITS:
            if not (folder / f"{name}-x.npz.gz").exists():
                print(f"{name} is not there", flush=True)
                continue
            x, y = (unpack(folder / f"{name}-{view}.npz.gz", scratch) for view in "xy")
            for where in ("cuda", "cpu"):
                runs = lines([measure, "fit", x, y, k, 0.01, tol, where, repeats])
                add_fit(results, {"data": name, "k": k, "tol": tol}, runs)
        rows, cols, k, repeats = DENSE
        for where in ("cuda", "cpu"):
            runs = lines([measure, "dense", rows, cols, k, where, repeats])
            add_fit(results, {"data": f"dense {rows:,} × ({cols:,} + {cols:,}) f32", "k": k, "tol": 1e-4}, runs)
        for name, rows, cols, entries in PASSES:
            path = generated(name, rows, cols, entries, scratch)
            result = {"columns": name, **lines([measure, "pass", path])[0], "cusparse": cusparse(path)}
            results["passes"].append(result)
            print(json.dumps(result), flush=True)
    (folder / "gpu.json").write_text(json.dumps(results, indent=1) + "\n")
    (folder / "gpu.md").write_text(page(results))
    return 0 if tests.returncode == 0 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["bundle", "run"])
    if parser.parse_args().what == "run":
        sys.exit(run(HERE))
    folder = bundle(HERE.parent)
    if shutil.which("nvidia-smi"):
        sys.exit(run(folder))


if __name__ == "__main__":
    main()
