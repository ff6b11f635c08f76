"""Products with centered, ridged Gram matrices: the building blocks of the NumPy and SciPy peers.

There are two ways with one interface: through the rows (XᵀX·W as Xᵀ(XW), nothing is formed), or through Gram
matrices that are formed once, which is faster if they have fewer entries than the data. Centering is a
rank-one term and never makes a matrix dense. SciPy's sparse products use one core but release the
interpreter's lock, so matrices are cut into one block of rows per core. Xᵀ is SciPy's CSC view of a CSR
matrix, three to four times faster with a panel than a converted transpose.
"""
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits


CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
THREADS = ThreadPoolExecutor(CORES)


class Blocks:
    """A matrix as blocks of rows, one per core. A dense matrix stays whole,
    since NumPy's products already use all cores."""

    def __init__(self, matrix):
        parts = CORES if sp.issparse(matrix) else 1
        edges = np.linspace(0, matrix.shape[0], parts + 1).astype(int)
        self.rows = [slice(*ends) for ends in zip(edges, edges[1:])]
        self.blocks = [matrix[rows] for rows in self.rows] if parts > 1 else [matrix]

    def times(self, w):
        return np.concatenate(list(THREADS.map(lambda block: block @ w, self.blocks)))

    def transposed(self, z):
        return sum(THREADS.map(lambda block, rows: block.T @ z[rows], self.blocks, self.rows))


class View:
    def __init__(self, matrix, center, ridge):
        self.matrix, self.blocks = matrix, Blocks(matrix)
        self.rows, self.cols = matrix.shape
        self.center = center
        self.mean = np.asarray(matrix.mean(axis=0)).ravel() * center
        squares = matrix.multiply(matrix) if sp.issparse(matrix) else np.square(matrix)
        diagonal = np.asarray(squares.sum(axis=0)).ravel() - self.rows * self.mean**2
        self.ridge = ridge * diagonal.sum() / self.cols
        self.diagonal = diagonal + self.ridge
        # Columns without variance get weight zero instead of a division by zero.
        empty = self.diagonal <= 1e-12 * self.diagonal.max()
        self.inverse_diagonal = np.where(empty, 0.0, 1 / np.where(empty, 1.0, self.diagonal))[:, None]

    def times(self, w):
        out = self.blocks.times(w)
        return out - self.mean @ w if self.center else out

    def transposed(self, z):
        out = self.blocks.transposed(z)
        return out - np.multiply.outer(self.mean, z.sum(axis=0)) if self.center else out


class Rows:
    """Through the rows. A pass is one product each with X, Xᵀ, Y and Yᵀ, with a panel of any width."""

    def __init__(self, problem):
        self.x, self.y = (View(v, problem.center, problem.ridge) for v in problem.views)
        self.products = 0

    @property
    def passes(self):
        return self.products / 4

    def _product(self, left, right, w):
        self.products += 2
        out = left.transposed(right.times(w))
        return out + left.ridge * w if left is right else out

    def xx(self, w):
        return self._product(self.x, self.x, w)

    def yy(self, w):
        return self._product(self.y, self.y, w)

    def xy(self, w):
        return self._product(self.x, self.y, w)

    def yx(self, w):
        return self._product(self.y, self.x, w)


class Grams:
    """Through Gram matrices, sparse if the data are. The rows are read once, so passes are not counted."""

    passes = None

    def __init__(self, problem):
        self.x, self.y = x, y = [View(v, problem.center, problem.ridge) for v in problem.views]
        together = THREADS.map if sp.issparse(x.matrix) else map
        grams = together(lambda pair: pair[0].matrix.T @ pair[1].matrix, ((x, x), (y, y), (x, y)))
        self.cxx, self.cyy, self.cxy = (sp.csr_matrix(g) if sp.issparse(g) else g for g in grams)
        self.blocks = [Blocks(gram) for gram in (self.cxx, self.cyy, self.cxy)]

    def xx(self, w):
        return self.blocks[0].times(w) + rank_one(self.x, self.x, w) + self.x.ridge * w

    def yy(self, w):
        return self.blocks[1].times(w) + rank_one(self.y, self.y, w) + self.y.ridge * w

    def xy(self, w):
        return self.blocks[2].times(w) + rank_one(self.x, self.y, w)

    def yx(self, w):
        return self.blocks[2].transposed(w) + rank_one(self.y, self.x, w)


def rank_one(left, right, w):
    return -left.rows * np.multiply.outer(left.mean, right.mean @ w) if left.center else 0


def products(problem, way):
    return {"rows": Rows, "gram": Grams}[way](problem)


def panels(problem):
    """Around iterations on panels of sparse data: one core for dense products. They are so short that a
    second core makes lobpcg take half as long again, and several times as long on a busy machine. Sparse
    products keep all cores."""
    return threadpool_limits(1 if is_sparse(problem) else None)


def extra_columns(problem):
    """Columns beyond k, so that pair k + 1 does not slow down pair k. On sparse data they cost more than
    the iterations that they save up to 99.9% (0, 5, 10 and 20 were tried); on dense data they pay."""
    return 0 if is_sparse(problem) else 10


def is_sparse(problem):
    return all(map(sp.issparse, problem.views))


def whiten(gram, cut=1e-12):
    """T with TᵀGT = I on the directions in which G is not singular."""
    length = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    values, vectors = np.linalg.eigh(gram / np.outer(length, length))
    keep = values > cut * values[-1]
    return vectors[:, keep] / np.sqrt(values[keep]) / length[:, None]


def between(c, sx, sy, k):
    """The best k pairs of weights within the spans of the panels sx and sy."""
    tx, ty = whiten(sx.T @ c.xx(sx)), whiten(sy.T @ c.yy(sy))
    u, _, vt = np.linalg.svd(tx.T @ (sx.T @ c.xy(sy)) @ ty, full_matrices=False)
    return sx @ (tx @ u[:, :k]), sy @ (ty @ vt[:k].T)


def widths(requested, problem):
    """The requested widths, each cut to the number of columns of the narrower view."""
    most = min(v.shape[1] for v in problem.views)
    return sorted({min(width, most) for width in requested})
