"""MNIST's halves: small, dense, rank deficient. Beside it NumPy's Gram matrices, Cholesky factors and SVD in this process.

NumPy gets float64 arrays that are already in memory, and both cores. Columns that never change are dropped before the
Cholesky factorisation, which pivots, because some pixels are lit in one picture only and then depend on each other;
finding them is part of the time, as it is of lcca's. Three runs each, the fastest counts; lcca's seconds are those of
the fit, which ends with a pass that measures the answer.
"""
import time

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from . import row
from .program import files, fit

TRUTH = 16.97992
K = 20
CUT = 1e-12  # of a column's variance: what is left of it beside the others


def mnist(data, quick):
    run = fit(data, "", timed=True)
    yield row.near(run, TRUTH, absolute=1e-5)
    views = [np.load(path).astype(np.float64) for path in files(data)]
    total, best = fastest(views)
    ours = run["seconds"]["fit"]
    if abs(total - TRUTH) > 1e-5:
        raise ArithmeticError(f"NumPy finds {total} on {data}, not {TRUTH}")
    yield row.judged(run, f"as fast as NumPy: {best:.2f} s", f"{ours:.2f} s ({ours / best:.2g}×)", ours <= best)


def fastest(views, repeats=3):
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        d = cca(*views)[1]
        times.append(time.perf_counter() - begun)
    return float(d.sum()), min(times)


def cca(x, y):
    """Weights and correlations: T = R⁻¹ of each view's Gram matrix RᵀR, then the SVD of TxᵀCxyTy."""
    x, y = View(x), View(y)
    cross = (x.rows.T @ y.rows)[np.ix_(x.kept, y.kept)] - len(x.rows) * np.multiply.outer(x.mean, y.mean)
    left = solve_triangular(x.factor, cross, trans="T", check_finite=False)
    whitened = solve_triangular(y.factor, left.T, trans="T", check_finite=False).T
    u, d, vt = np.linalg.svd(whitened, full_matrices=False)
    return (x.weights(u[:, :K]), y.weights(vt[:K].T)), d[:K]


class View:
    """The columns kept, their means, and the triangular factor of their centred Gram matrix."""

    def __init__(self, rows):
        self.rows = rows
        # A product of an array with its own transpose is one symmetric update; a copy without some columns costs more.
        gram, mean = rows.T @ rows, rows.mean(axis=0)
        gram -= len(rows) * np.multiply.outer(mean, mean)
        varies = np.flatnonzero(np.diag(gram) > CUT * np.diag(gram).max())
        length = np.sqrt(np.diag(gram)[varies])
        factor, pivots, rank, _ = dpstrf(gram[np.ix_(varies, varies)] / np.outer(length, length), tol=CUT)
        order = pivots[:rank] - 1
        self.kept, self.factor = varies[order], np.triu(factor[:rank, :rank]) * length[order]
        self.mean = mean[self.kept]

    def weights(self, basis):
        out = np.zeros((self.rows.shape[1], K))
        out[self.kept] = solve_triangular(self.factor, basis, check_finite=False)
        return out
