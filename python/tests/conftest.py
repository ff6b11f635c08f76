"""What tests share."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def program():
    """Runs the program `lcca` on what it is given and returns what it prints."""
    path = Path(os.environ.get("LCCA_PROGRAM", ROOT / "target/release/lcca"))
    if not path.exists():
        pytest.skip(f"{path} is not there: cargo build --release makes it")

    def run(*words):
        done = subprocess.run([path, *map(str, words)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def data():
    """The folder of prepared data sets."""
    folder = os.environ.get("LCCA_DATA")
    if folder is None:
        pytest.skip("LCCA_DATA is not set")
    return Path(folder)


@pytest.fixture
def factors():
    """Dense views that share three factors."""
    return shared_factors(300, 8, 6, 3)


@pytest.fixture
def words():
    """Sparse views of few columns a row, as bags of words are."""
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
    """By QR and SVD of the centred views (Björck & Golub)."""
    dense = [np.asarray(v.toarray() if sp.issparse(v) else v, dtype=float) for v in (x, y)]
    bases = []
    for view in dense:
        u, s, _ = np.linalg.svd(view - view.mean(axis=0), full_matrices=False)
        bases.append(u[:, s > 1e-10 * s[0]])
    return np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)
