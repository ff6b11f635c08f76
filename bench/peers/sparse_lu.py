"""Sparse LU of both Gram matrices (SuperLU), then Lanczos (eigsh) on
Cxy·Cyy⁻¹·Cyx w = d²·Cxx w: exact solves.

Centering is a rank-one term of each solve (Sherman & Morrison).
"""
import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from .problems import Refused
from .products import Grams


def fit(problem, report):
    if not all(map(sp.issparse, problem.views)):
        raise Refused("only for sparse data")
    c = Grams(problem)
    solve_x, solve_y = solver(c.cxx, c.x), solver(c.cyy, c.y)
    a = operator(c.x.cols, lambda w: c.xy(solve_y(c.yx(w))))
    b, inverse = operator(c.x.cols, c.xx), operator(c.x.cols, solve_x)
    start = np.random.default_rng(0).standard_normal(c.x.cols)
    _, wx = eigsh(a, problem.k, M=b, Minv=inverse, ncv=4 * problem.k, tol=1e-6, v0=start)
    return wx, solve_y(c.yx(wx))


def solver(gram, view):
    """b ↦ (G + ridge·I − n·μμᵀ)⁻¹b"""
    # A one on the diagonal keeps an empty column from making the matrix singular.
    diagonal = view.ridge + (gram.diagonal() == 0)
    lu = splu((gram + sp.diags(diagonal)).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0,
              options={"SymmetricMode": True})
    solved = lu.solve(view.mean)
    weight = view.rows / (1 - view.rows * view.mean @ solved)

    def solve(b):
        out = lu.solve(b)
        return out + weight * np.multiply.outer(solved, view.mean @ out)

    return solve


def operator(size, product):
    return LinearOperator((size, size), matvec=product, dtype=np.float64)
