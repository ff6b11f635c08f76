"""True objective values, computed by NumPy and SciPy alone in double precision,
all of them at once for every ridge.

Three ways, by shape. Few columns: QR of [X Y], then singular vectors, so that nothing is squared. Few rows:
singular vectors of each view. Otherwise Gram matrices: a Cholesky factor if there is a ridge, eigenvectors of
the Gram matrix with a unit diagonal if not, and if these leave doubt about a direction, singular vectors of
the rows. A direction counts as dependent if it has less than CUT of its columns' variance. UNSURE is the
range in which a different cut would give a different answer; the data are made so that nothing lies in it,
and `unsure` counts what does.
"""
import numpy as np
import scipy.linalg as sl
import scipy.sparse as sp

RIDGES = (0.0, 1e-4, 1e-3, 0.01, 0.1, 1.0)
CUT = 1e-12
UNSURE = (1e-13, 1e-11)
FEW_COLUMNS = 700
FEW_ROWS = 2_500


def values(x, y):
    """Descending objective values for each of RIDGES (rows of the first array),
    and how many directions are neither significant nor rounding."""
    n, columns = x.shape[0], x.shape[1] + y.shape[1]
    if columns <= FEW_COLUMNS:
        x, y = map(centered, (x, y))
        triangle = (
            sl.qr(np.hstack([x, y]), mode="r", check_finite=False)[0][:columns]
            if n > columns
            else np.hstack([x, y])
        )
        return by_rows(triangle[:, : x.shape[1]], triangle[:, x.shape[1]:])
    return by_rows(*map(centered, (x, y))) if n <= FEW_ROWS else by_grams(x, y)


def centered(view):
    dense = view.toarray().astype(np.float64)
    return dense - dense.mean(axis=0)


def by_rows(x, y):
    found, unsure = [], 0
    for ridge in RIDGES:
        if ridge == 0:
            (left, few), (right, more) = directions(x), directions(y)
            unsure += few + more
        else:
            left, right = (shrunk(view, ridge) for view in (x, y))
        found.append(sl.svdvals(left.T @ right))
    return stacked(found), unsure


def directions(view):
    """An orthonormal basis of what the columns span, and how many directions are neither
    significant nor rounding."""
    length = np.sqrt((view ** 2).sum(axis=0))
    view = view * np.where(length > 1e-9 * length.max(), 1 / np.where(length > 0, length, 1), 0)
    u, s = left_singular(view)
    share = (s / s[0]) ** 2
    return u[:, share > CUT], int(((share > UNSURE[0]) & (share < UNSURE[1])).sum())


def left_singular(view):
    """Left singular vectors and singular values. LAPACK's quick routine fails once in a while."""
    try:
        u, s, _ = sl.svd(view, full_matrices=False, check_finite=False)
    except sl.LinAlgError:
        u, s, _ = sl.svd(view, full_matrices=False, check_finite=False, lapack_driver="gesvd")
    return u, s


def shrunk(view, ridge):
    u, s = left_singular(view)
    return u * (s / np.sqrt(s ** 2 + ridge * (view ** 2).sum() / view.shape[1]))


def by_grams(x, y):
    grams, n = [], x.shape[0]
    x, y = (sp.csr_array(v).astype(np.float64) for v in (x, y))
    means = [np.asarray(v.mean(axis=0)).ravel() for v in (x, y)]
    for left, right, i, j in ((x, x, 0, 0), (y, y, 1, 1), (x, y, 0, 1)):
        grams.append((left.T @ right).toarray() - n * np.outer(means[i], means[j]))
    cx, cy, cross = grams
    found, unsure = [], 0
    for ridge in RIDGES:
        if ridge == 0:
            (hx, few), (hy, more) = whitener(cx), whitener(cy)
            k = hx.T @ cross @ hy
            del hx, hy
            if few + more:
                # Squares have lost the digits that would tell; the rows have them.
                (left, few), (right, more) = (directions(centered(view)) for view in (x, y))
                k = left.T @ right
                unsure += few + more
                del left, right
        else:
            lx, ly = (np.linalg.cholesky(c + np.eye(len(c)) * ridge * np.trace(c) / len(c)) for c in (cx, cy))
            k = sl.solve_triangular(lx, cross, lower=True, check_finite=False)
            k = sl.solve_triangular(ly, k.T, lower=True, check_finite=False)
        squares = sl.eigvalsh(k @ k.T if k.shape[0] <= k.shape[1] else k.T @ k, check_finite=False)[::-1]
        found.append(np.sqrt(np.maximum(squares, 0)))
    return stacked(found), unsure


def whitener(gram):
    length = np.sqrt(np.maximum(np.diag(gram), 0))
    scale = np.where(length > 1e-9 * length.max(), 1 / np.where(length > 0, length, 1), 0)
    e, v = sl.eigh(gram * scale[:, None] * scale, check_finite=False, driver="evd")
    share = e / e[-1]
    unsure = int(((share > UNSURE[0]) & (share < UNSURE[1])).sum())
    kept = share > CUT
    return scale[:, None] * v[:, kept] / np.sqrt(e[kept]), unsure


def stacked(found):
    """Padded with zeros, which are objective values too if the views have different ranks."""
    out = np.zeros((len(found), max(map(len, found)) + 1))
    for row, d in zip(out, found):
        row[: len(d)] = np.minimum(d, 1)
    return out
