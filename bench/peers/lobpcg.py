"""SciPy's lobpcg on the generalized eigenproblem [0 Cxy; Cyx 0] w = d·[Cxx 0; 0 Cyy] w,
diagonal preconditioner.

It reports nothing on the way, so it runs again with more and more iterations, and each run has its own clock.
The numbers of iterations grow by a factor of √2, so its time to an answer is too long by that at most.
"""
import warnings

import numpy as np
from scipy.sparse.linalg import LinearOperator, lobpcg

from .products import extra_columns, panels, products

ITERATIONS = (5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640)


def fit(problem, report, way):
    for iterations in ITERATIONS:
        report.restart()
        with panels(problem):
            c = products(problem, way)
            vectors = run(c, problem.k, extra_columns(problem), iterations)
        report.setting = f"{iterations} iterations"
        report(c.passes, vectors[: c.x.cols], vectors[c.x.cols :], always=True)
    return None


def run(c, k, extra, iterations):
    p = c.x.cols
    stacked = lambda x, y: np.concatenate([x, y])  # noqa: E731
    inverse = stacked(c.x.inverse_diagonal, c.y.inverse_diagonal)
    a = operator(len(inverse), lambda w: stacked(c.xy(w[p:]), c.yx(w[:p])))
    b = operator(len(inverse), lambda w: stacked(c.xx(w[:p]), c.yy(w[p:])))
    m = operator(len(inverse), lambda w: inverse * w)
    start = np.random.default_rng(0).standard_normal((len(inverse), min(k + extra, p, c.y.cols)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns that it did not converge, which is intended here
        _, vectors = lobpcg(a, np.sqrt(inverse) * start, B=b, M=m, largest=True, maxiter=iterations, tol=1e-9)
    return vectors[:, :k]


def operator(size, product):
    return LinearOperator((size, size), matvec=product, matmat=product, dtype=np.float64)
