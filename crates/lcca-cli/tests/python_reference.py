"""Two random sparse views as SciPy files, and their canonical correlations by dense SVDs.

usage: python_reference.py FOLDER     writes x.npz and y.npz there, prints the answers as JSON
"""

import json
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp

ROWS, X_COLS, Y_COLS, SHARED = 2000, 60, 45, 12


def sparse_views(rng):
    """Each shared factor drives one column of either view, more and more noisily;
    the other columns are noise."""

    def thinned(cols):
        return rng.normal(size=(ROWS, cols)) * (rng.random((ROWS, cols)) < 0.2)

    x, y, shared = thinned(X_COLS), thinned(Y_COLS), thinned(SHARED)
    noise = np.linspace(0.2, 2.0, SHARED)
    x[:, :SHARED] = shared + noise * x[:, :SHARED]
    y[:, :SHARED] = shared + noise * y[:, :SHARED]
    x[:, -1] = 3.0 * (rng.random(ROWS) < 0.5)
    return x, y


def inverse_root(c, ridge):
    """(C + ridge·(tr C/p)·I)^(-1/2)"""
    values, vectors = np.linalg.eigh(c + ridge * np.trace(c) / len(c) * np.eye(len(c)))
    return vectors / np.sqrt(values) @ vectors.T


def correlations(x, y, center, ridge):
    if center:
        x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    if ridge == 0.0:
        ux = np.linalg.svd(x, full_matrices=False)[0]
        uy = np.linalg.svd(y, full_matrices=False)[0]
        return np.linalg.svd(ux.T @ uy, compute_uv=False)
    whitened = inverse_root(x.T @ x, ridge) @ (x.T @ y) @ inverse_root(y.T @ y, ridge)
    return np.linalg.svd(whitened, compute_uv=False)


def main():
    folder = Path(sys.argv[1])
    x, y = sparse_views(np.random.default_rng(1))
    sp.save_npz(folder / "x.npz", sp.csr_matrix(x), compressed=False)
    sp.save_npz(folder / "y.npz", sp.csc_matrix(y), compressed=True)
    cases = {"": (True, 0.0), "--no-center": (False, 0.0), "--ridge 0.1": (True, 0.1)}
    print(json.dumps({flags: correlations(x, y, *case).tolist() for flags, case in cases.items()}))


main()
