"""Estimates of columns from canonical variables, by the regressions that a fit computes.
Nothing here is columns × columns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array

Array = NDArray[np.float64]


def known(regression: Array | None) -> Array:
    """The coefficients, one row per column of the view."""
    if regression is None:
        raise NotFittedError(
            "This model file holds no regressions, as an earlier version wrote it: fit again to predict."
        )
    return regression


def estimate(regression: Array | None, mean: Array | None, scores: Any, name: str, memory: int) -> Array:
    """The least-squares estimate of each column. A row whose variables are unknown has unknown estimates."""
    regression = known(regression)
    scores = check_array(scores, input_name=name, dtype=np.float64, ensure_all_finite="allow-nan")
    if scores.shape[1] != regression.shape[1]:
        raise ValueError(f"{name} has {scores.shape[1]} canonical variables, expected {regression.shape[1]}")
    refuse_large(
        "the estimates", len(scores), len(regression), memory,
        "ask for fewer rows at a time, or for some columns of y",
    )
    rows = np.asarray(scores @ regression.T)
    if mean is not None:
        rows += mean
    return rows


def dense_coefficients(regression: Array | None, weights: Array, memory: int) -> Array:
    """The coefficients of every column of y on every column of X."""
    regression = known(regression)
    refuse_large(
        "coef_",
        len(regression),
        len(weights),
        memory,
        "use coef_operator_, which has the same coefficients as factors",
    )
    return np.asarray(regression @ weights.T)


def operator(regression: Array | None, weights: Array) -> LinearOperator:
    """The same coefficients as a product of two factors, never multiplied out."""
    return aslinearoperator(known(regression)) @ aslinearoperator(weights).T


def refuse_large(what: str, rows: int, columns: int, memory: int, remedy: str) -> None:
    """Raises a MemoryError if a dense array takes more memory than allowed."""
    needed = 8 * rows * columns
    if needed > memory:
        size = (
            f"{rows:,} × {columns:,} numbers, {needed / 1e9:.3g} GB, "
            f"and memory={memory / 1e9:.3g} GB is allowed"
        )
        raise MemoryError(f"{what} would take {size}: {remedy}")


def chosen(columns: Any, names: Any, width: int) -> NDArray[np.intp]:
    """The positions of columns of y that are given by name or position."""
    known_names = {} if names is None else {str(name): i for i, name in enumerate(names)}
    places = []
    for column in [columns] if isinstance(columns, (str, int, np.integer)) else columns:
        if isinstance(column, str):
            if column not in known_names:
                raise ValueError(f"y has no column {column!r}")
            places.append(known_names[column])
        elif not -width <= column < width:
            raise ValueError(f"y has no column {column}, expected a name or a number below {width}")
        else:
            places.append(int(column) % width)
    return np.array(places, dtype=np.intp)
