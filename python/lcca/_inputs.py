"""The inputs of an estimator, validated as scikit-learn does and converted for the engine."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import _check_sample_weight, validate_data

from lcca import _frames, _missing, _notes, _rows, _views
from lcca._lcca import Matrix

_CHECKS: dict[str, Any] = {"accept_sparse": _views.SPARSE, "dtype": "numeric"}

Array = NDArray[np.float64]


class Views(NamedTuple):
    """Both views of the same rows, ready for the engine."""

    x: Matrix
    y: Matrix
    weights: Array | None


@dataclass
class View:
    """One view before it meets the other: an array that scikit-learn has checked, or a file."""

    name: str
    data: Any
    names: list[str] | None
    is_vector: bool = False

    def taken(self, rows: NDArray[Any]) -> "View":
        """Some of the rows, or all of them in another order."""
        return View(self.name, self.data[rows], self.names, self.is_vector)

    def matrix(self, threads: int) -> Matrix:
        """The rows for the engine."""
        return self.data if isinstance(self.data, Matrix) else _views.from_arrays(self.data, self.name, threads)


class Target(NamedTuple):
    """What a fit remembers of the second view."""

    names: list[str] | None
    is_vector: bool


def fit_views(estimator: Any, X: Any, y: Any, sample_weight: Any, threads: int) -> tuple[Views, Target]:
    """Both views of a fit, which remembers their columns."""
    if y is None:
        raise ValueError("CCA requires y to be passed, but the target y is None")
    x, target = x_view(estimator, X, threads, reset=True), y_view(estimator, y, threads, reset=True)
    x, target, weights = _paired(estimator, x, target, sample_weight, _rows.order(X, y), None)
    return Views(x.matrix(threads), target.matrix(threads), weights), Target(target.names, target.is_vector)


def known_views(estimator: Any, X: Any, y: Any, sample_weight: Any, threads: int) -> Views:
    """Both views of rows for a fitted model."""
    if y is None:
        raise ValueError("CCA requires y to be passed, but the target y is None")
    x, target = x_view(estimator, X, threads, reset=False), y_view(estimator, y, threads, reset=False)
    x, target, weights = _paired(estimator, x, target, sample_weight, _rows.order(X, y), estimator._fill)
    return Views(x.matrix(threads), target.matrix(threads), weights)


def partner(estimator: Any, x: View, X: Any, y: Any, threads: int) -> tuple[View, NDArray[np.intp] | None]:
    """The second view of rows for a fitted model, with as many rows as the first, and the order that makes them its rows."""
    target = y_view(estimator, y, threads, reset=False)
    check_consistent_length(x.data, target.data)
    return target, _rows.order(X, y)


def rows_of(estimator: Any, view: View, threads: int) -> tuple[Matrix, NDArray[np.bool_] | None]:
    """The rows of one view for a fitted model, and which of them are unknown because of missing values."""
    if isinstance(view.data, Matrix) or estimator.missing == "error":
        return view.matrix(threads), None
    unknown = _missing.rows_with(view.data)
    if not unknown.any():
        return view.matrix(threads), None
    if estimator.missing == "mean":
        view.data = _missing.filled(view.data, _known_means(estimator, view.name))
        return view.matrix(threads), None
    view.data = _missing.filled(view.data, np.zeros(view.data.shape[1]))
    return view.matrix(threads), unknown


def x_view(estimator: Any, X: Any, threads: int, *, reset: bool) -> View:
    """The first view. With `reset` its columns are recorded, as in a fit; otherwise they must be those of the fit."""
    X = _views.in_memory(X, "X")
    expected = None if reset else getattr(estimator, "feature_names_in_", None)
    if _views.is_file(X):
        X = _read(estimator, X, None if reset else estimator.n_features_in_, threads)
    if isinstance(X, Matrix):
        if not reset:
            _check_width(X.shape[1], estimator.n_features_in_)
            _check_names(X.names, expected, "X")
        else:
            _note_columns(estimator, X.shape[1], X.names)
        return View("X", X, X.names)
    encoded = _encoded(X, "X", estimator.categorical, expected)
    if encoded is not None:
        if reset:
            _note_columns(estimator, len(encoded.names), encoded.names)
        return View("X", _checked(encoded.data, encoded.names, "X", estimator.missing), encoded.names)
    checks = _CHECKS | _finite(estimator.missing)
    try:
        data = validate_data(estimator, X, reset=reset, ensure_min_samples=2 if reset else 1, **checks)
    except ValueError as error:
        raise _explained(error, X, "X") from None
    return View("X", data, _frames.column_names(X))


def y_view(estimator: Any, y: Any, threads: int, *, reset: bool) -> View:
    """The second view. Without `reset` its columns must be those of the fit."""
    y = _views.in_memory(y, "y")
    width = None if reset else len(estimator.y_weights_)
    expected = None if reset else getattr(estimator, "y_feature_names_in_", None)
    if _views.is_file(y):
        y = _read(estimator, y, width, threads)
    if isinstance(y, Matrix):
        view = View("y", y, y.names)
    else:
        encoded = _encoded(y, "y", estimator.categorical, expected)
        data, names = (y, _frames.column_names(y)) if encoded is None else (encoded.data, encoded.names)
        array = _checked(data, names, "y", estimator.missing)
        is_vector = array.ndim == 1
        view = View("y", array.reshape(-1, 1) if is_vector else array, names, is_vector)
    if width is not None and view.data.shape[1] != width:
        raise ValueError(f"y has {view.data.shape[1]} columns, but CCA is expecting {width} columns as input.")
    _check_names(view.names, expected, "y")
    return view


def row_weights(sample_weight: Any, view: Any) -> Array | None:
    """One weight per row. None may be negative, and at least one must be positive."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, view, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("every sample weight is 0, expected a positive one")
    return np.ascontiguousarray(weights)


def _paired(
    estimator: Any, x: View, y: View, sample_weight: Any, order: NDArray[np.intp] | None, fill: Any
) -> tuple[View, View, Array | None]:
    """The rows of both views that belong together, without missing values. `fill` has the means of a fitted model."""
    check_consistent_length(x.data, y.data)
    weights = row_weights(sample_weight, x.data)
    x, y, back = _aligned(x, y, order)
    if back is not None and weights is not None:
        weights = weights[back]
    if estimator.missing == "drop":
        return _complete(x, y, weights)
    if estimator.missing == "mean":
        for view in (x, y):
            if not isinstance(view.data, Matrix):
                _fill_in(estimator, view, weights, fill)
    return x, y, weights


def _aligned(x: View, y: View, order: NDArray[np.intp] | None) -> tuple[View, View, NDArray[np.intp] | None]:
    """The views with their rows in the same order, and the order in which those of X were taken, if not in their own."""
    if order is None:
        return x, y, None
    if not isinstance(y.data, Matrix):
        return x, y.taken(order), None
    if isinstance(x.data, Matrix):
        raise ValueError("the rows of the two files are in another order: align them when they are read")
    back = np.argsort(order)
    return x.taken(back), y, back


def _complete(x: View, y: View, weights: Array | None) -> tuple[View, View, Array | None]:
    """The rows without missing values."""
    views = [view for view in (x, y) if not isinstance(view.data, Matrix)]
    drop = np.zeros(x.data.shape[0], dtype=bool)
    for view in views:
        drop |= _missing.rows_with(view.data)
    if not drop.any():
        return x, y, weights
    if len(views) < 2:
        raise ValueError('a file is paired with an array that has missing values: missing="drop" needs two arrays; use "mean"')
    if drop.all():
        raise ValueError('every row has missing values, so missing="drop" leaves none: use missing="mean"')
    _notes.warn(f"{drop.sum()} of {len(drop)} rows have missing values and were left out", _notes.DataWarning)
    return x.taken(~drop), y.taken(~drop), None if weights is None else weights[~drop]


def _fill_in(estimator: Any, view: View, weights: Array | None, fill: Any) -> None:
    rows, _ = _missing.cells(view.data)
    if fill is None:
        # Remembered even if nothing is missing now: rows of later calls may have gaps.
        means = _missing.means(view.data, weights, view.name)
        estimator._fill = {**getattr(estimator, "_fill", {}), view.name: means}
    if len(rows):
        view.data = _missing.filled(view.data, means if fill is None else _known_means(estimator, view.name))
        if fill is None:
            cells = view.data.shape[0] * view.data.shape[1]
            message = f"{len(rows)} of {cells} values of {view.name} are missing and were filled in by the means of their columns"
            _notes.warn(message, _notes.DataWarning)


def _known_means(estimator: Any, view: str) -> Array:
    """The means of the training rows."""
    known = estimator._fill.get(view)
    if known is None:
        known = estimator.x_mean_ if view == "X" else estimator.y_mean_
    if known is None:
        raise ValueError(f"{view} has missing values (NaN), and this model was not centered, so it holds no means to fill in")
    return np.asarray(known)


def _encoded(data: Any, view: str, categorical: str, expected: Any) -> _frames.Encoded | None:
    """A table with columns of text as numbers; None if it has none."""
    if categorical not in ("auto", "error"):
        raise ValueError(f'categorical == {categorical!r}, expected "auto" or "error"')
    if not _frames.has_text(data):
        return None
    if expected is not None:
        return _frames.encode_like(data, view, [str(name) for name in expected])
    return _frames.encode(data, view, categorical)


def _checked(data: Any, names: Any, view: str, missing: str) -> Any:
    try:
        return check_array(data, input_name=view, ensure_2d=False, **(_CHECKS | _finite(missing)))
    except ValueError as error:
        raise _explained(error, data, view, names) from None


def _finite(missing: str) -> dict[str, Any]:
    if missing not in _missing.CHOICES:
        raise ValueError(f'missing == {missing!r}, expected "error", "drop" or "mean"')
    return {"ensure_all_finite": True if missing == "error" else "allow-nan"}


def _explained(error: ValueError, data: Any, view: str, names: Any = None) -> ValueError:
    """scikit-learn's error, or a better one if it is about missing values."""
    if "contains NaN" not in str(error):
        return error
    try:
        array = check_array(data, ensure_2d=False, ensure_all_finite="allow-nan", **_CHECKS)
        _missing.refuse(array, names or _frames.column_names(data), view)
    except ValueError as better:
        return better
    return error


def _read(estimator: Any, path: Any, cols: int | None, threads: int) -> Matrix:
    matrix = Matrix.read(path, cols, False, threads)
    for note in matrix.notes:
        _notes.warn(f"{path}: {note}", _notes.DataWarning)
    return matrix


def _note_columns(estimator: Any, width: int, names: list[str] | None) -> None:
    estimator.n_features_in_ = width
    if names is not None:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _check_width(width: int, expected: int) -> None:
    if width != expected:
        raise ValueError(f"X has {width} features, but CCA is expecting {expected} features as input.")


def _check_names(names: list[str] | None, expected: Any, view: str) -> None:
    """Columns that have names must be those of the fit, in the same order."""
    if names is None or expected is None:
        return
    for i, (name, known) in enumerate(zip(names, expected, strict=True)):
        if name != known:
            raise ValueError(
                f"The feature names of {view} should match those that were passed during fit: column {i} is {name!r}, "
                f"expected {known!r}."
            )
