"""Whitening by dense factorizations of the Gram matrices, then an SVD:
the textbook answer, as long as p × p fits.

Up to 2,000 columns it takes a rank-revealing eigendecomposition and a full SVD. Above that it takes Cholesky
factors (in place) and ARPACK on the whitened cross-product. That is applied through triangular solves, so the
cross-product stays sparse; forming the whitened matrix would cost another p³.
"""
import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.sparse.linalg import LinearOperator, svds

from .products import Grams, whiten

DENSE = 2000


def fit(problem, report):
    c = Grams(problem)
    if max(c.x.cols, c.y.cols) <= DENSE:
        return small(c, problem.k)
    lx, ly = factor(c.cxx, c.x), factor(c.cyy, c.y)
    operator = LinearOperator(
        (c.x.cols, c.y.cols), dtype=np.float64,
        matvec=lambda v: solve(lx, c.xy(solve(ly, v, "N")), "T"),
        rmatvec=lambda u: solve(ly, c.yx(solve(lx, u, "N")), "T"),
    )
    u, _, vt = svds(operator, problem.k, ncv=4 * problem.k, tol=1e-6, rng=np.random.default_rng(0))
    return solve(lx, u, "N"), solve(ly, vt.T, "N")


def small(c, k):
    gram = [centered(g, v) for g, v in ((c.cxx, c.x), (c.cyy, c.y))]
    tx, ty = (whiten(g) for g in gram)
    u, _, vt = np.linalg.svd(tx.T @ c.xy(ty), full_matrices=False)
    return tx @ u[:, :k], ty @ vt[:k].T


def centered(gram, view):
    dense = gram.toarray(order="F") if hasattr(gram, "toarray") else gram
    for first in range(0, view.cols, 1000):  # the whole rank-one term would take as much memory again
        dense[:, first : first + 1000] -= view.rows * np.multiply.outer(
            view.mean, view.mean[first : first + 1000]
        )
    dense[np.diag_indices(view.cols)] += view.ridge
    return dense


def factor(gram, view):
    return cholesky(centered(gram, view), lower=False, overwrite_a=True, check_finite=False)


def solve(upper, b, trans):
    return solve_triangular(upper, b, trans=trans, check_finite=False)
