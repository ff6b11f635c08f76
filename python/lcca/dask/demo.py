"""`python -m lcca.dask.demo`: kills one of two local workers during a fit of generated shards
and gets the same answer."""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from distributed import Client, LocalCluster

import lcca
import lcca.dask

ROWS, COLUMNS, SHARDS = 20_000, 2_000, 8
SETTINGS: dict[str, Any] = {"n_components": 10, "ridge": 0.01, "method": "lobpcg", "structure": False}


def make(view: int, shard: int) -> sp.csr_array:
    """Rows of one view of a shard: some columns near a topic that both views share, others at random."""
    topics, random = np.random.default_rng(shard), np.random.default_rng([view, shard])
    topic = topics.integers(0, 20, ROWS)
    near = topic[:, None] * COLUMNS // 20 + random.integers(0, COLUMNS // 20, (ROWS, 4))
    columns = np.hstack([near, random.integers(0, COLUMNS, (ROWS, 4))]).ravel()
    rows = sp.csr_array(
        (np.ones(columns.size), (np.repeat(np.arange(ROWS), 8), columns)), shape=(ROWS, COLUMNS)
    )
    rows.data[:] = 1
    return rows


def loader(view: int, shard: int) -> Callable[[], sp.csr_array]:
    """A function that makes the rows on the worker."""
    return lambda: make(view, shard)


def main() -> int:
    """Runs the demonstration and returns 0 if both answers agree."""
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
    with cluster, Client(cluster) as client:
        pair = lcca.dask.from_loaders(client, [(loader(0, i), loader(1, i)) for i in range(SHARDS)])
        print(f"{pair} on {len(client.nthreads())} workers")
        victim = sorted(client.run(os.getpid).values())[0]

        def kill(row: Any) -> None:
            if row["iteration"] == 5:
                print(f"iteration 5, captured {row['total']:.6f}: killing worker process {victim}")
                os.kill(victim, signal.SIGKILL)

        many = lcca.CCA(**SETTINGS, callback=kill).fit(pair)
        repeated = sum(record["attempts"] - 1 for record in pair.passes_)
        print(
            f"cluster:     total {many.total_:.12f} in {many.n_passes_:g} passes, {repeated} rounds repeated"
        )
    one = lcca.CCA(**SETTINGS).fit(
        *(sp.vstack([make(view, i) for i in range(SHARDS)], format="csr") for view in (0, 1))
    )
    print(f"one machine: total {one.total_:.12f} in {one.n_passes_:g} passes")
    print(f"they differ by {abs(many.total_ - one.total_):.1e}")
    return int(abs(many.total_ - one.total_) > 1e-9)


if __name__ == "__main__":
    sys.exit(main())
