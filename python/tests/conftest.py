"""Fixtures and data that tests share."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import ROWS, X_COLS, Y_COLS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def program():
    """Runs the program `lcca` with the given arguments and returns its output."""
    path = Path(os.environ.get("LCCA_PROGRAM", ROOT / "target/release/lcca"))
    if not path.exists():
        pytest.skip(f"{path} does not exist: cargo build --release makes it")

    def run(*words):
        done = subprocess.run([path, *map(str, words)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def cluster():
    """Two workers of one thread each, with nannies. Tests that lose or add workers leave two behind."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    # A LocalCluster checks some time after every loss whether that worker is back,
    # and may find it lost again by then.
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
            memory_limit="2GB",
        ) as made,
    ):
        yield made


@pytest.fixture
def client(cluster):
    """A client of the cluster, once both workers are ready."""
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture(scope="module")
def views():
    """Sparse views to be cut into shards."""
    return sparse_pair(ROWS, X_COLS, Y_COLS)


@pytest.fixture(params=["LCCA_GENERATED", "LCCA_DATA"])
def data(request):
    """A folder of data sets: generated ones, which `cargo xtask python` makes,
    and real ones if they are prepared."""
    folder = os.environ.get(request.param)
    if folder is None:
        pytest.skip(f"{request.param} is not set")
    return Path(folder)


@pytest.fixture
def factors():
    """Dense views that share three factors."""
    return shared_factors(300, 8, 6, 3)


@pytest.fixture
def words():
    """Sparse views with few entries per row, like bags of words."""
    return sparse_pair(2000, 120, 90)


def shared_factors(rows, x_cols, y_cols, count, seed=0):
    random = np.random.default_rng(seed)
    factors = random.standard_normal((rows, count)) * np.linspace(2, 1, count)
    noise = [random.standard_normal((rows, cols)) for cols in (x_cols, y_cols)]
    return [factors @ random.standard_normal((count, part.shape[1])) + part + 3 for part in noise]


def sparse_pair(rows, x_cols, y_cols, seed=0):
    """Boolean rows whose columns depend on a hidden topic of the row."""
    random = np.random.default_rng(seed)
    topic = random.integers(0, 10, rows)

    def view(cols):
        near = (topic[:, None] * cols // 10 + random.integers(0, cols // 10, (rows, 3))) % cols
        column = np.hstack([near, random.integers(0, cols, (rows, 3))])
        ones = np.ones(column.size)
        made = sp.csr_array((ones, (np.repeat(np.arange(rows), 6), column.ravel())), shape=(rows, cols))
        made.data[:] = 1
        return made

    return view(x_cols), view(y_cols)


def exact_correlations(x, y):
    """Canonical correlations by QR and SVD of the centered views (Björck & Golub)."""
    dense = [np.asarray(v.toarray() if sp.issparse(v) else v, dtype=float) for v in (x, y)]
    bases = []
    for view in dense:
        u, s, _ = np.linalg.svd(view - view.mean(axis=0), full_matrices=False)
        bases.append(u[:, s > 1e-10 * s[0]])
    return np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)
