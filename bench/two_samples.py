"""Seurat's CCA of two large data sets: `python bench/two_samples.py FOLDER [--cells 1000000] [--genes 2000]`.

Writes two stores of simulated counts to FOLDER, chunk by chunk, unless they are there: 5% of the entries are
filled, and cells are of 12 types that both data sets share. Then runs `lcca.sc.run_cca` in a process of its
own, and prints its seconds, its CPU seconds and its peak memory. Needs the Python package
(`cargo xtask python` builds it into target/python-package).
"""
import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import machine
import numpy as np
import scipy.sparse as sp

FILLED = 0.05
TYPES = 12
CHUNK = 50_000


def chunks(cells, genes, seed):
    """Rows with one entry in each stratum of 20 genes: the type's own gene in 3 of
    10 cells, otherwise any."""
    width = int(1 / FILLED)
    strata = genes // width
    preferred = np.random.default_rng(99).integers(width, size=(TYPES, strata))
    random = np.random.default_rng(seed)
    for start in range(0, cells, CHUNK):
        rows = min(CHUNK, cells - start)
        kind = random.integers(TYPES, size=rows)
        follows = random.random((rows, strata), dtype=np.float32) < 0.3
        chosen = np.where(follows, preferred[kind], random.integers(width, size=(rows, strata)))
        columns = (chosen + width * np.arange(strata)).astype(np.int32)
        values = random.geometric(0.5, size=columns.size).astype(np.float32)
        yield sp.csr_matrix((values, columns.ravel(), np.arange(rows + 1) * strata), shape=(rows, genes))


def make(path, cells, genes, seed):
    from lcca.sc import _store

    if not path.exists():
        entries = cells * (genes // int(1 / FILLED))
        _store.write(str(path), (cells, genes), entries, lambda: chunks(cells, genes, seed), True, None, None)


def run(paths, components):
    """The measurement, in a process of its own."""
    import lcca.sc

    start = time.perf_counter()
    found = lcca.sc.run_cca(*paths, components)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    facts = {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_gib": usage.ru_maxrss / 2**20,
        "departure": found.departure,
        "values": found.values[:15].tolist(),
        "shapes": [found.x.shape, found.y.shape],
    }
    print(json.dumps(facts))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cells", type=int, default=1_000_000)
    parser.add_argument("--genes", type=int, default=2000)
    parser.add_argument("--components", type=int, default=20)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    typed = parser.parse_args()
    typed.folder.mkdir(parents=True, exist_ok=True)
    paths = [typed.folder / f"{typed.cells}-{typed.genes}-{seed}.safetensors" for seed in (1, 2)]
    if typed.measure:
        return run(paths, typed.components)
    start = time.perf_counter()
    for seed, path in enumerate(paths, 1):
        make(path, typed.cells, typed.genes, seed)
    print(
        f"made in {time.perf_counter() - start:.0f} s: "
        f"{sum(path.stat().st_size for path in paths) / 1e9:.2f} GB"
    )
    words = [
        typed.folder, "--cells", typed.cells, "--genes", typed.genes, "--components", typed.components,
        "--measure",
    ]
    done = subprocess.run(
        [sys.executable, __file__, *map(str, words)], check=True, capture_output=True, text=True
    )
    facts = json.loads(done.stdout)
    print(machine.short(machine.describe()))
    print(
        f"{typed.cells} + {typed.cells} cells × {typed.genes} genes, {typed.components} components: "
        f"{facts['seconds']:.0f} s, {facts['cpu_seconds']:.0f} CPU seconds, "
        f"peak memory {facts['peak_gib']:.1f} GiB, departure from orthonormal {max(facts['departure']):.1e}"
    )
    print("singular values", " ".join(f"{value:.4g}" for value in facts["values"]))


if __name__ == "__main__":
    main()
