"""Covariates: columns whose part is taken out of both views. Texts of tables become indicators, by name."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from lcca import _beside, _frames, _missing, _views
from lcca._lcca import Matrix
from lcca._pairing import View

_NAME = "covariates"
_CALLED = "the covariates"


def of_fit(estimator: Any, covariates: Any, x: View, threads: int) -> View | None:
    """The covariates of a fit, which remembers their names."""
    if hasattr(estimator, "covariate_names_in_"):
        del estimator.covariate_names_in_
    if covariates is None:
        return None
    view = _aligned(_view(estimator, covariates, None, None, threads), x, estimator.align)
    if view.names is not None:
        estimator.covariate_names_in_ = np.asarray(view.names, dtype=object)
    return view


def of_rows(estimator: Any, covariates: Any, x: View, threads: int) -> View | None:
    """The covariates of rows for a fitted model, in the columns of the fit."""
    effects = estimator._x_effects
    if covariates is None:
        if effects is not None:
            raise ValueError(
                f"this model was fitted with {len(effects[0])} columns of covariates, "
                "and those of these rows are missing: pass covariates="
            )
        return None
    if effects is None:
        raise ValueError(
            "this model was fitted without covariates, and these rows come with some: leave them out"
        )
    names = getattr(estimator, "covariate_names_in_", None)
    names = None if names is None else [str(name) for name in names]
    view = _view(estimator, covariates, names, np.asarray(effects[0]), threads)
    if view.data.shape[1] != len(effects[0]):
        raise ValueError(
            f"the covariates have {view.data.shape[1]} columns, expected the {len(effects[0])} of the fit"
        )
    if estimator.missing == "mean" and not view.is_file:
        view = view.with_data(_missing.filled(view.data, np.asarray(effects[0])))
    return _aligned(view, x, estimator.align)


def of_test(estimator: Any, covariates: Any, x: View, threads: int) -> View | None:
    """The covariates of a test: in the columns of the fit if the model has covariates,
    and any others if it has none."""
    if covariates is None or estimator._x_effects is not None:
        return of_rows(estimator, covariates, x, threads)
    return _aligned(_view(estimator, covariates, None, None, threads), x, estimator.align)


def _view(estimator: Any, covariates: Any, names: list[str] | None, means: Any, threads: int) -> View:
    """Covariates as numbers, NaN where they are missing and may be;
    those of a model, which has `means`, in its columns."""
    data, ids = _frames.without_ids(_frames.as_table(_views.in_memory(covariates, _NAME)), names)
    if _views.is_file(data):
        table = _views.table_options(estimator.missing, estimator.categorical)
        data = _views.noted(Matrix.read_covariates(data, names, means, table, threads), covariates)
    if isinstance(data, Matrix):
        if names is not None and data.names is not None and data.names != names:
            raise ValueError("the names of the covariates should match those that were passed during fit")
        return View(_CALLED, data, data.names, data)
    own = _frames.column_names(data)
    if _frames.has_text(data) or (own is not None and names is not None and own != names):
        if names is not None:
            _refuse_unseen(data, names)
        encoded = (
            _frames.encode(data, _NAME, estimator.categorical)
            if names is None
            else _frames.encode_like(data, _NAME, names)
        )
        own, data = encoded.names, encoded.data
    checks: dict[str, Any] = {
        "accept_sparse": _views.SPARSE, "dtype": "numeric", "ensure_all_finite": "allow-nan"
    }
    array = check_array(data, input_name=_NAME, ensure_2d=False, **checks)
    if estimator.missing == "error":
        _missing.refuse(array, own, _NAME)
    return View(_CALLED, array.reshape(-1, 1) if array.ndim == 1 else array, own, covariates, ids=ids)


def _refuse_unseen(data: Any, names: list[str]) -> None:
    """A category without an indicator would be a group that nobody has measured."""
    for column in _frames.column_names(data) or []:
        known = {name[len(column) + 1 :] for name in names if name.startswith(f"{column}=")}
        if column in names or not known:
            continue
        found = {
            str(value) for value in np.asarray(data[column], dtype=object) if not _frames.is_missing(value)
        }
        unseen = sorted(found - known)
        if unseen:
            raise ValueError(
                f"the covariate {column!r} has the category {unseen[0]!r}, "
                "which the rows that were fitted do not have: its effect is not known"
            )


def _aligned(view: View, x: View, align: str) -> View:
    """The covariates of the rows of X: by name if both have names."""
    view, order = _beside.ordered(x, view, align)
    left_out = view.left_out()
    if left_out is not None:
        # X has these rows, and is to leave them out as well.
        data = np.full((view.length, view.data.shape[1]), np.nan)
        data[~left_out] = view.data.toarray()
        view = view.with_data(data)
    if order is not None:
        return view.at(order)
    if view.length != x.length:
        raise ValueError(f"the covariates have {view.length} rows, expected the {x.length} rows of the views")
    return view


def without_gaps(view: View) -> tuple[View, NDArray[np.bool_] | None]:
    """Covariates with zeros in place of missing ones, and which rows miss any; None if none does."""
    gaps = None if view.is_file else _missing.rows_with(view.data)
    if gaps is None or not gaps.any():
        return view, None
    return view.with_data(_missing.filled(view.data, np.zeros(view.data.shape[1]))), gaps


def numbers(view: View) -> Any:
    """Covariates as an array or a SciPy matrix."""
    if view.is_file:
        raise ValueError(
            "covariates from a file cannot be added to estimates of rows: pass them as an array or a table"
        )
    return view.data
