"""dlib's cca for sparse vectors, in C++: randomized SVD of each view, then CCA of what it kept.

It does not centre, so dense views are centred for it and sparse ones are not. It computes k + extra_rank singular
vectors; the default 5 extra ones capture 9.8 of 17 on mnist, so it is run with more and more of them. Its
regularisation is another thing than this ridge (the correlations it reports do not change with it) and stays 0. Rows
are handed over as lists of index and value, which is not counted.
"""
import dlib
import numpy as np
import scipy.sparse as sp

from .products import widths

RANKS = (25, 100, 300, 500)


def fit(problem, report, q=2):
    report.version = dlib.__version__
    if problem.center and sp.issparse(problem.X):
        report.remark("not centred")
    if problem.ridge:
        report.remark("ridge left out")
    report.pause()
    views = [vectors(v) for v in problem.views]
    shapes = [v.shape[1] for v in problem.views]
    for rank in widths(RANKS, problem):
        report.restart()
        found = dlib.cca(*views, problem.k, rank - problem.k, q)
        weights = [whole(t, cols) for t, cols in zip((found.Ltrans, found.Rtrans), shapes)]
        report.setting = f"{rank} singular vectors"
        report(None, *weights, always=True)
    return None


def vectors(view):
    matrix = view if sp.issparse(view) else sp.csr_matrix(view - view.mean(axis=0))
    out = dlib.sparse_vectors()
    for row in range(matrix.shape[0]):
        at = slice(*matrix.indptr[row : row + 2])
        vector = dlib.sparse_vector()
        vector.extend([dlib.pair(int(j), float(v)) for j, v in zip(matrix.indices[at], matrix.data[at])])
        out.append(vector)
    return out


def whole(matrix, cols):
    """dlib knows of no columns after the last that has an entry."""
    found = np.array(matrix)
    return np.vstack([found, np.zeros((cols - len(found), found.shape[1]))])
