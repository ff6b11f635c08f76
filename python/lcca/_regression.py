"""Estimates of columns from canonical variables, by the regressions that a fit computes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array

Array = NDArray[np.float64]


def known(regression: Array | None) -> Array:
    """The coefficients, one row per column of the view. A model that was loaded from a file has none."""
    if regression is None:
        raise NotFittedError("A model file holds no regressions: fit in Python, or unpickle, to predict or to transform back.")
    return regression


def estimate(regression: Array | None, mean: Array | None, scores: Any, name: str) -> Array:
    """The least-squares estimate of each column."""
    regression = known(regression)
    scores = check_array(scores, input_name=name, dtype=np.float64)
    if scores.shape[1] != regression.shape[1]:
        raise ValueError(f"{name} has {scores.shape[1]} canonical variables, expected {regression.shape[1]}")
    rows = scores @ regression.T
    return np.asarray(rows if mean is None else rows + mean)
