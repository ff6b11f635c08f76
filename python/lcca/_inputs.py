"""The inputs of an estimator, validated as scikit-learn does and converted for the engine."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from lcca import _beside, _covariates, _frames, _gpu, _groups, _missing, _pairing, _rows, _settings, _views
from lcca._lcca import Matrix
from lcca._pairing import Beside, Paired, View, Views

_CHECKS: dict[str, Any] = {"accept_sparse": _views.SPARSE, "dtype": "numeric"}

Array = NDArray[np.float64]


class Target(NamedTuple):
    """What a fit remembers of the second view."""

    names: list[str] | None
    is_vector: bool


class Fitting(NamedTuple):
    """What is fitted, and what the fit remembers."""

    views: Views
    target: Target
    groups: NDArray[np.int64] | None


def fit_views(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    threads: int,
    covariates: Any = None,
    groups: Any = None,
) -> Fitting:
    """Both views of a fit, which remembers their columns, and one number per group of rows."""
    if y is None:
        raise ValueError("CCA requires y to be passed, but the target y is None")
    device = getattr(estimator, "device", "cpu")
    X, y = (
        _gpu.in_place(data, name, device, estimator.missing, threads) for data, name in ((X, "X"), (y, "y"))
    )
    x, target = x_view(estimator, X, threads, reset=True), y_view(estimator, y, threads, reset=True)

    def beside(x: View) -> Beside:
        z = _covariates.of_fit(estimator, covariates, x, threads)
        return Beside(_weights(estimator, sample_weight, x), z, _groups.codes(groups, x, estimator.align))

    paired = _paired(estimator, x, target, beside, learn=True)
    if paired.x.names != x.names:
        note_columns(estimator, paired.x.data.shape[1], paired.x.names)
    views = _normalized(paired.views(threads), _normalization(estimator), threads)
    return Fitting(views, Target(paired.y.names, target.is_vector), paired.beside.groups)


def _paired(estimator: Any, x: View, y: View, beside: Callable[[View], Beside], *, learn: bool) -> Paired:
    return _pairing.paired(x, y, beside, estimator.missing, _Means(estimator, learn=learn), estimator.align)


def batch_views(
    estimator: Any, X: Any, y: Any, sample_weight: Any, threads: int, *, first: bool
) -> tuple[Views, Target]:
    """Both views of a batch of rows. The first batch says which columns all others must have."""
    if y is None:
        raise ValueError("CCA requires y to be passed, but the target y is None")
    X, y = (
        _read(estimator, data, 0, threads, reset=True) if _views.is_file(data) else data for data in (X, y)
    )
    x = x_view(estimator, X, threads, reset=first, least=1)
    target = y_view(estimator, y, threads, reset=first)
    paired = _paired(
        estimator, x, target, lambda x: Beside(_weights(estimator, sample_weight, x)), learn=True
    )
    if first and paired.x.names != x.names:
        note_columns(estimator, paired.x.data.shape[1], paired.x.names)
    return _normalized(paired.views(threads), _normalization(estimator), threads), Target(
        paired.y.names, target.is_vector
    )


def known_views(
    estimator: Any, X: Any, y: Any, sample_weight: Any, threads: int, covariates: Any = None
) -> Views:
    """Both views of rows for a fitted model."""
    return grouped_views(estimator, X, y, sample_weight, threads, covariates, None)[0]


def grouped_views(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    threads: int,
    covariates: Any,
    groups: Any,
    *,
    is_test: bool = False,
) -> tuple[Views, NDArray[np.int64] | None]:
    """Both views of rows for a fitted model, and one number per group of rows.
    A test takes covariates that the model need not know."""
    paired = known_pair(estimator, X, y, sample_weight, threads, covariates, groups, is_test=is_test)
    return _normalized(paired.views(threads), fitted_normalization(estimator), threads), paired.beside.groups


def known_pair(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    threads: int,
    covariates: Any,
    groups: Any,
    *,
    is_test: bool = False,
) -> Paired:
    """The rows of both views that belong together, as they are: not normalized."""
    if y is None:
        raise ValueError("CCA requires y to be passed, but the target y is None")
    x, target = x_view(estimator, X, threads, reset=False), y_view(estimator, y, threads, reset=False)

    def beside(x: View) -> Beside:
        z = (_covariates.of_test if is_test else _covariates.of_rows)(estimator, covariates, x, threads)
        return Beside(_weights(estimator, sample_weight, x), z, _groups.codes(groups, x, estimator.align))

    return _paired(estimator, x, target, beside, learn=False)


def _weights(estimator: Any, sample_weight: Any, x: View) -> Array | None:
    weights = _beside.values(x, sample_weight, "the sample weights", estimator.align)
    return _pairing.row_weights(weights, np.empty(x.length))


def partner(estimator: Any, x: View, y: Any, threads: int) -> tuple[View, NDArray[np.intp] | None]:
    """The second view of rows for a fitted model, and the order that makes them the rows of the first.

    If there are more or fewer of them, they are rows of their own.
    scikit-learn allows that, and matching of data sets uses it.
    """
    target = y_view(estimator, y, threads, reset=False)
    if x.length != target.length or _rows.are_same(x.source, target.source):
        return target, None
    rows = _rows.match(x.labels(), target.labels(), estimator.align)[1]
    return target, None if rows is None or len(rows[0]) < x.length else rows[1]


def _normalized(views: Views, how: list[str], threads: int) -> Views:
    """Both views with their rows normalized."""
    x, y = (
        rows if one == "no" else rows.normalized(name, one, threads)
        for rows, one, name in zip(views[:2], how, "Xy", strict=True)
    )
    return views._replace(x=x, y=y)


def _normalization(estimator: Any) -> list[str]:
    """How the rows of a fit are to be normalized."""
    how = _settings.normalization(estimator.normalize_rows)
    if estimator.missing == "mean" and how != ["no", "no"]:
        raise ValueError(
            'missing="mean" fills in values that rows are then normalized with; with normalize_rows, '
            'use missing="drop"'
        )
    return how


def fitted_normalization(estimator: Any) -> list[str]:
    """How the rows of the fit were normalized, whatever the parameter says by now."""
    settings = json.loads(estimator._settings_json)
    return [settings.get("normalize_x", "no"), settings.get("normalize_y", "no")]


def refuse_normalized(estimator: Any) -> None:
    """Raises if the rows of the fit were normalized: those on a cluster are not."""
    if fitted_normalization(estimator) != ["no", "no"]:
        raise ValueError(
            "this model normalizes rows, which needs rows in this process: "
            "those of a pair on a cluster are taken as they are"
        )


def rows_of(estimator: Any, view: View, threads: int) -> tuple[Matrix, NDArray[np.bool_] | None]:
    """The rows of one view for a fitted model, normalized like those of the fit, and which rows of the view
    are unknown because of missing values.

    The matrix of a file has no row for those; that of an array has one without meaning.
    """
    rows, unknown = _complete_rows(estimator, view, threads)
    how = fitted_normalization(estimator)["Xy".index(view.name)]
    return rows if how == "no" else rows.normalized(view.name, how, threads), unknown


def _complete_rows(estimator: Any, view: View, threads: int) -> tuple[Matrix, NDArray[np.bool_] | None]:
    if isinstance(view.data, Matrix):
        return view.data, view.left_out()
    if estimator.missing == "error":
        return view.matrix(threads), None
    unknown = _missing.rows_with(view.data)
    if not unknown.any():
        return view.matrix(threads), None
    is_mean = estimator.missing == "mean"
    means = _Means(estimator, learn=False).of(view, None) if is_mean else np.zeros(view.data.shape[1])
    return view.with_data(_missing.filled(view.data, means)).matrix(threads), None if is_mean else unknown


class _Means:
    """The means that missing values are filled in by: learned in a fit, and remembered by it."""

    def __init__(self, estimator: Any, *, learn: bool) -> None:
        self._estimator, self.learn = estimator, learn

    def of(self, view: View, weights: Array | None) -> Array:
        """One mean per column of a view."""
        if self.learn:
            # Remembered even if nothing is missing now: rows of later calls may have gaps.
            means = _missing.means(view.data, weights, view.name)
            self._estimator._fill[view.name] = means
            return means
        known = self._estimator._fill.get(view.name)
        if known is None:
            known = self._estimator.x_mean_ if view.name == "X" else self._estimator.y_mean_
        if known is None:
            raise ValueError(
                f"{view.name} has missing values (NaN), and this model holds no means, as it was not centered"
            )
        return np.asarray(known)


def x_view(estimator: Any, X: Any, threads: int, *, reset: bool, least: int = 2) -> View:
    """The first view. With `reset` its columns are recorded, as in a fit of at least `least` rows; otherwise
    they must be those of the fit."""
    expected = None if reset else getattr(estimator, "feature_names_in_", None)
    X, ids = _frames.without_ids(_views.in_memory(X, "X"), expected)
    if _views.is_file(X):
        X = _read(estimator, X, 0, threads, reset=reset)
    if isinstance(X, Matrix):
        if not reset:
            _check_width(X.shape[1], estimator.n_features_in_)
            _check_names(X.names, expected, "X")
        else:
            note_columns(estimator, X.shape[1], X.names)
        return View("X", X, X.names, X)
    encoded = _encoded(X, "X", estimator.categorical, expected)
    if encoded is not None:
        if reset:
            note_columns(estimator, len(encoded.names), encoded.names)
        else:
            _check_width(len(encoded.names), estimator.n_features_in_)
            _check_names(encoded.names, expected, "X")
        return View(
            "X",
            _checked(encoded.data, encoded.names, "X", estimator.missing, None),
            encoded.names,
            X,
            ids=ids,
        )
    source, X = X, X.data if isinstance(X, _frames.Named) else X
    rows = _finite_rows(X, estimator.missing, threads)
    checks = _CHECKS | _finite(rows, estimator.missing)
    try:
        data = validate_data(estimator, X, reset=reset, ensure_min_samples=least if reset else 1, **checks)
    except ValueError as error:
        raise _explained(error, X, "X") from None
    return View("X", data, _frames.column_names(X), source, rows=rows if data is X else None, ids=ids)


def y_view(estimator: Any, y: Any, threads: int, *, reset: bool) -> View:
    """The second view. Without `reset` its columns must be those of the fit."""
    width = None if reset else estimator._y_width
    expected = None if reset else getattr(estimator, "y_feature_names_in_", None)
    y, ids = _frames.without_ids(_views.in_memory(y, "y"), expected)
    if _views.is_file(y):
        y = _read(estimator, y, 1, threads, reset=reset)
    if isinstance(y, Matrix):
        view = View("y", y, y.names, y)
    else:
        encoded = _encoded(_frames.as_table(y), "y", estimator.categorical, expected)
        plain = y.data if isinstance(y, _frames.Named) else y
        data, names = (
            (plain, _frames.column_names(plain)) if encoded is None else (encoded.data, encoded.names)
        )
        rows = _finite_rows(data, estimator.missing, threads)
        array = _checked(data, names, "y", estimator.missing, rows)
        is_vector = array.ndim == 1
        view = View(
            "y", array.reshape(-1, 1) if is_vector else array, names, y, is_vector,
            rows if array is data else None, ids,
        )
    if width is not None and view.data.shape[1] != width:
        raise ValueError(
            f"y has {view.data.shape[1]} columns, but CCA is expecting {width} columns as input."
        )
    _check_names(view.names, expected, "y")
    return view


def _encoded(data: Any, view: str, categorical: str, expected: Any) -> _frames.Encoded | None:
    """A table with columns of text as numbers; None if it has none."""
    if categorical not in ("auto", "error"):
        raise ValueError(f'categorical == {categorical!r}, expected "auto" or "error"')
    if isinstance(data, _frames.Named):
        return None if data.names is None else _frames.Encoded(data.data, data.names)
    if not _frames.has_text(data):
        return None
    if expected is not None:
        return _frames.encode_like(data, view, [str(name) for name in expected])
    return _frames.encode(data, view, categorical)


def _checked(data: Any, names: Any, view: str, missing: str, rows: Matrix | None) -> Any:
    try:
        return check_array(data, input_name=view, ensure_2d=False, **(_CHECKS | _finite(rows, missing)))
    except ValueError as error:
        raise _explained(error, data, view, names) from None


def _finite_rows(data: Any, missing: str, threads: int) -> Matrix | None:
    """The rows of an array without NaN and infinity, if these are errors and somebody has looked."""
    return _views.finite_rows(data, threads) if missing == "error" else None


def _finite(rows: Matrix | None, missing: str) -> dict[str, Any]:
    """What scikit-learn is to look for. If it is to look for NaN, it also words the error;
    it need not look if there is none."""
    if missing not in _missing.CHOICES:
        raise ValueError(f'missing == {missing!r}, expected "error", "drop" or "mean"')
    return {"ensure_all_finite": rows is None if missing == "error" else "allow-nan"}


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


def _read(estimator: Any, path: Any, side: int, threads: int, *, reset: bool) -> Matrix:
    """The file of a view. For a fitted model the columns of a table are picked by name."""
    table = _views.table_options(estimator.missing, estimator.categorical)
    if reset:
        return _views.noted(Matrix.read(path, None, False, table, threads), path)
    weights, mean = estimator._view_weights()[side][:2]
    names = getattr(estimator, ("feature_names_in_", "y_feature_names_in_")[side], None)
    names = None if names is None else [str(name) for name in names]
    fill = estimator._fill.get("Xy"[side], mean)
    return _views.noted(Matrix.read_for_model(path, side, len(weights), names, fill, table, threads), path)


def note_columns(estimator: Any, width: int, names: list[str] | None) -> None:
    """Records the columns of X, as a fit does."""
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
                f"The feature names of {view} should match those that were passed during fit: "
                f"column {i} is {name!r}, expected {known!r}."
            )
