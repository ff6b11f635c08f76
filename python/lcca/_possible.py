"""Whether rows can have given Gram or covariance matrices: names, symmetry, no negative eigenvalue."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from lcca import _frames, _rows

Array = NDArray[np.float64]

_ROUNDING = 1e-6  # of a matrix with a unit diagonal: room for sums in single precision
_STEPS = 300  # of the search for a negative eigenvalue of a sparse matrix


def check_names(
    matrices: tuple[Any, Any, Any], means: tuple[Any, Any], names: list[list[str] | None]
) -> None:
    """Refuses frames and series whose names are those of the columns in another order."""
    xx, yy, xy = matrices
    x, y = names
    labels = [
        (xx, "Sxx", x, None), (yy, "Syy", y, None), (xy, "Sxy", x, y), (means[0], "mean_x", x, None),
        (means[1], "mean_y", y, None),
    ]
    for data, name, rows, columns in labels:
        own = (_rows.names(data), _frames.column_names(data) if columns is not None else None)
        for found, expected in zip(own, (rows, columns), strict=True):
            if found is None or expected is None or list(found) == expected:
                continue
            raise ValueError(
                f"{name} names its columns otherwise than Sxx and Syy do: put them in the same order, "
                "or pass arrays"
            )


def check_symmetric(matrix: Any, name: str) -> None:
    """Refuses a matrix that is not square and symmetric, with variances on the diagonal."""
    rows, columns = matrix.shape
    if rows != columns:
        raise ValueError(f"{name} has {rows} rows and {columns} columns, expected a symmetric matrix")
    variances = matrix.diagonal()
    if (variances < 0).any():
        worst = int(np.argmin(variances))
        raise ValueError(
            f"{name} cannot be a Gram matrix: the variance of column {worst} is {variances[worst]:.6g}"
        )
    size = variances.max(initial=0)
    apart = abs(matrix - matrix.T).max() if rows else 0
    if apart > _ROUNDING * size:
        raise ValueError(
            f"{name} is not symmetric: entries differ from those across the diagonal by up to {apart:.3g}"
        )


def check_definite(blocks: list[Any], rows: float, means: list[Array]) -> None:
    """Refuses a joint matrix with a negative eigenvalue: no rows have it, whatever they are.

    With a unit diagonal the matrix of real rows has no eigenvalue below 0, except for rounding. A dense
    matrix is factorized. A sparse one is searched by Lanczos steps, whose values are never below the smallest
    eigenvalue: what they find is a proof.
    """
    xx, yy, xy = blocks
    squares = [block.diagonal() - rows * mean**2 for block, mean in ((xx, means[0]), (yy, means[1]))]
    raw = np.concatenate([xx.diagonal(), yy.diagonal()])
    variance = np.concatenate(squares)
    if (variance < -_ROUNDING * raw).any():
        raise ValueError(
            "the matrices and the means do not belong together: "
            "n times a squared mean is more than its sum of squares"
        )
    is_constant = variance <= 1e-13 * raw
    scale = np.where(is_constant, 0, 1 / np.sqrt(np.where(is_constant, 1, variance)))
    mean = np.concatenate(means)
    slack = _ROUNDING * len(variance) ** 0.5
    joint: Any
    if any(sp.issparse(block) for block in blocks):
        joint = sp.block_array([[xx, xy], [xy.T, yy]], format="csr")
        _check_constant(joint, is_constant, raw, scale, mean, rows)
        smallest = _smallest(joint, scale, mean, rows)
    else:
        joint = np.block([[xx, xy], [xy.T, yy]])
        _check_constant(joint, is_constant, raw, scale, mean, rows)
        joint = np.outer(scale, scale) * (joint - rows * np.outer(mean, mean))
        smallest = _smallest_if_below(-slack, joint)
    if smallest < -slack:
        remedy = (
            "check the divisor, which columns belong to which matrix, and that all come from the same rows"
        )
        raise ValueError(
            "no rows have these matrices: with a unit diagonal, the joint matrix [Sxx Sxy; "
            f"Sxyᵀ Syy] has an eigenvalue of {smallest:.3g}, expected none below 0; {remedy}"
        )


def _check_constant(joint: Any, is_constant: Any, raw: Array, scale: Array, mean: Array, rows: float) -> None:
    """A column that does not vary has no covariance with any other."""
    places = np.flatnonzero(is_constant)
    if not len(places):
        return
    own: Any = joint[places]
    if not isinstance(own, np.ndarray):
        # Columns without any entry are the usual case, and all that is looked at here.
        is_wrong = abs(own[raw[places] == 0]).sum() > 0
    else:
        correlations = abs(own - rows * np.outer(mean[places], mean)) * scale
        is_wrong = (
            correlations > _ROUNDING * np.sqrt(raw[places])[:, None] + 1e-10 * np.sqrt(raw.max(initial=0))
        ).any()
    if is_wrong:
        raise ValueError(
            "no rows have these matrices: a column has covariances with others and a variance of 0"
        )


def _smallest_if_below(limit: float, matrix: Array) -> float:
    """0 if no eigenvalue is below `limit`, by Cholesky's factorization, otherwise the smallest one."""
    try:
        np.linalg.cholesky(matrix - limit * np.eye(len(matrix)))
    except np.linalg.LinAlgError:
        return float(np.linalg.eigvalsh(matrix)[0])
    return 0.0


def _smallest(joint: Any, scale: Array, mean: Array, rows: float) -> float:
    """A value between the smallest eigenvalue and 0."""

    def product(v: Array) -> Array:
        scaled = scale * v.ravel()
        return np.asarray(scale * (joint @ scaled - rows * mean * (mean @ scaled)))

    size = len(scale)
    if size < 3:
        return float(np.linalg.eigvalsh(np.column_stack([product(unit) for unit in np.eye(size)]))[0])
    operator = LinearOperator((size, size), matvec=product, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(size)
    try:
        return float(
            eigsh(operator, k=1, which="SA", v0=start, maxiter=_STEPS, tol=1e-3, return_eigenvectors=False)[0]
        )
    except ArpackError as error:
        found = getattr(error, "eigenvalues", [])
        return float(min(found, default=0.0))
