"""The inputs of an estimator, validated as scikit-learn does and converted for the engine."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import _check_sample_weight, validate_data

from lcca import _views
from lcca._lcca import Matrix

_CHECKS: dict[str, Any] = {"accept_sparse": _views.SPARSE, "dtype": "numeric"}


class Target(NamedTuple):
    """The second view."""

    matrix: Matrix
    names: list[str] | None
    is_vector: bool


def x_matrix(estimator: Any, X: Any, threads: int, *, reset: bool) -> Matrix:
    """The first view. With `reset` its columns are recorded, as in a fit; otherwise they must be those of the fit."""
    if _views.is_file(X):
        X = _read(X, None if reset else estimator.n_features_in_, threads)
    if isinstance(X, Matrix):
        _note_columns(estimator, X) if reset else _check_width(X, estimator.n_features_in_)
        return X
    X = validate_data(estimator, X, reset=reset, ensure_min_samples=2 if reset else 1, **_CHECKS)
    return _views.from_arrays(X, "X", threads)


def target(y: Any, threads: int, width: int | None = None) -> Target:
    """The second view; it must have `width` columns if that is given."""
    if y is None:
        raise ValueError("CCA requires y to be passed, but the target y is None")
    if _views.is_file(y):
        y = _read(y, width, threads)
    view = Target(y, y.names, False) if isinstance(y, Matrix) else _from_array(y, threads)
    if width is not None and view.matrix.shape[1] != width:
        raise ValueError(f"y has {view.matrix.shape[1]} columns, but CCA is expecting {width} columns as input.")
    return view


def row_weights(sample_weight: Any, view: Matrix) -> NDArray[np.float64] | None:
    """One weight per row. None may be negative, and at least one must be positive."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, view, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("every sample weight is 0, expected a positive one")
    return np.ascontiguousarray(weights)


def _from_array(y: Any, threads: int) -> Target:
    array = check_array(y, input_name="y", ensure_2d=False, **_CHECKS)
    is_vector = array.ndim == 1
    matrix = _views.from_arrays(array.reshape(-1, 1) if is_vector else array, "y", threads)
    return Target(matrix, _views.column_names(y), is_vector)


def _read(path: Any, cols: int | None, threads: int) -> Matrix:
    matrix = Matrix.read(path, cols, False, threads)
    for note in matrix.notes:
        warnings.warn(f"{path}: {note}", UserWarning, stacklevel=4)
    return matrix


def _note_columns(estimator: Any, view: Matrix) -> None:
    estimator.n_features_in_ = view.shape[1]
    if view.names is not None:
        estimator.feature_names_in_ = np.asarray(view.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _check_width(view: Matrix, expected: int) -> None:
    if view.shape[1] != expected:
        raise ValueError(f"X has {view.shape[1]} features, but CCA is expecting {expected} features as input.")
