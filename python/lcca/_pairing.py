"""Two views put together: rows in the same order, by name if both have names, and without missing values."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _check_sample_weight

from lcca import _lcca, _missing, _notes, _rows, _views
from lcca._lcca import Matrix

Array = NDArray[np.float64]


class Views(NamedTuple):
    """Both views of the same rows, ready for the engine."""

    x: Matrix
    y: Matrix
    weights: Array | None


@dataclass
class View:
    """One view before it meets the other: an array that scikit-learn has checked, or a file.

    The names of its rows are those of `source`, the table or file that it was made from.
    """

    name: str
    data: Any
    names: list[str] | None
    source: Any
    is_vector: bool = False
    rows: Matrix | None = None  # those of the array, if it was checked by making them

    @property
    def is_file(self) -> bool:
        """Whether it was read from a file."""
        return isinstance(self.data, Matrix)

    @property
    def length(self) -> int:
        """The number of rows, with those that a file left out."""
        return int(self.data.shape[0]) + (self.data.dropped if self.is_file else 0)

    def left_out(self) -> NDArray[np.bool_] | None:
        """Per row, whether the file left it out because of missing values; None if it left out none."""
        kept = self.data.rows_in_file
        if kept is None:
            return None
        missing = np.ones(self.length, dtype=bool)
        missing[kept] = False
        return missing

    def taken(self, rows: NDArray[Any]) -> "View":
        """Some of the rows, or all of them in another order."""
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        return self.with_data(self.data.take(rows.astype(np.int64)) if self.is_file else self.data[rows])

    def with_data(self, data: Any) -> "View":
        """The same view with other data."""
        return replace(self, data=data, rows=None)

    def matrix(self, threads: int) -> Matrix:
        """The rows for the engine."""
        if isinstance(self.data, Matrix):
            return self.data
        return _views.from_arrays(self.data, self.name, threads) if self.rows is None else self.rows


class Means(Protocol):
    """The means of columns, by which missing values are filled in."""

    learn: bool

    def of(self, view: View, weights: Array | None) -> Array:
        """One mean per column of a view."""


@dataclass
class Beside:
    """What belongs to the rows of X besides the views, and follows them when rows are left out or change places."""

    weights: Array | None = None
    covariates: View | None = None
    groups: NDArray[np.int64] | None = None

    def taken(self, rows: NDArray[Any]) -> "Beside":
        """What belongs to some of the rows."""
        weights, groups = (None if numbers is None else numbers[rows] for numbers in (self.weights, self.groups))
        return Beside(weights, None if self.covariates is None else self.covariates.taken(rows), groups)


@dataclass
class Paired:
    """Two views of the same rows, and what belongs to these."""

    x: View
    y: View
    beside: Beside

    def taken(self, rows: NDArray[Any]) -> "Paired":
        """Some of the rows."""
        return Paired(self.x.taken(rows), self.y.taken(rows), self.beside.taken(rows))

    def views(self, threads: int) -> Views:
        """Both views for the engine; X brings the covariates of the rows."""
        weights, covariates = self.beside.weights, self.beside.covariates
        x = self.x.matrix(threads)
        if covariates is not None:
            x = x.with_covariates(covariates.matrix(threads))
        return Views(x, self.y.matrix(threads), None if weights is None else np.ascontiguousarray(weights))


def paired(
    x: View,
    y: View,
    sample_weight: Any,
    missing: str,
    means: Means,
    covariates: View | None = None,
    groups: NDArray[np.int64] | None = None,
) -> Paired:
    """The rows of both views that belong together, without missing values.

    Parameters
    ----------
    x, y : View
        Two views with as many rows each.
    sample_weight : array, optional
        One weight per row of X.
    missing : "error", "drop" or "mean"
        What happens to missing values in arrays; files have settled theirs.
    means : Means
        The means to fill in.
    covariates : View, optional
        One row per row of X.
    groups : array, optional
        One number per row of X.

    Returns
    -------
    Paired
        Rows in the order of X, unless only those of X can be moved.
    """
    are_files = x.is_file and y.is_file and x.data.is_file and y.data.is_file
    if not are_files and not (_rows.have_names(x.source) and _rows.have_names(y.source)):
        check_consistent_length(np.empty(x.length), np.empty(y.length))
    beside = Beside(row_weights(sample_weight, np.empty(x.length)), covariates, groups)
    if are_files:
        return _paired_files(x, y, beside)
    both = _aligned(_without_left_out(x, y, beside))
    if missing == "drop":
        return _complete(both)
    if missing == "mean":
        views = [view if view.is_file else _filled(view, both.beside.weights, means) for view in (both.x, both.y)]
        return replace(both, x=views[0], y=views[1])
    return both


def row_weights(sample_weight: Any, rows: Any) -> Array | None:
    """One weight per row. None may be negative, and at least one must be positive."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("every sample weight is 0, expected a positive one")
    return np.ascontiguousarray(weights)


def _paired_files(x: View, y: View, beside: Beside) -> Paired:
    x_rows, y_rows, rows, remarks = _lcca.pair_files(x.data, y.data)
    for remark in remarks:
        _notes.warn(remark, _notes.DataWarning)
    if rows is not None:
        beside = beside.taken(np.asarray(rows, dtype=np.intp))
    return Paired(x.with_data(x_rows), y.with_data(y_rows), beside)


def _without_left_out(x: View, y: View, beside: Beside) -> Paired:
    """Both views without the rows that the one from a file left out."""
    file, array = (x, y) if x.is_file else (y, x)
    left_out = file.left_out() if file.is_file else None
    if left_out is None:
        return Paired(x, y, beside)
    if _rows.have_names(file.source) and _rows.have_names(array.source):
        raise ValueError(
            "a file that left out rows with missing values cannot be aligned with a table by name: read both views from files"
        )
    array = replace(array.taken(~left_out), source=None)
    return Paired(*((file, array) if x.is_file else (array, file)), beside.taken(~left_out))


def _aligned(both: Paired) -> Paired:
    order = _rows.order(both.x.source, both.y.source)
    return both if order is None else replace(both, y=both.y.taken(order))


def _complete(both: Paired) -> Paired:
    """The rows without missing values."""
    drop = np.zeros(both.x.data.shape[0], dtype=bool)
    for view in (both.x, both.y):
        if not view.is_file:
            drop |= _missing.rows_with(view.data)
    if not drop.any():
        return both
    if drop.all():
        raise ValueError('every row has missing values, so missing="drop" leaves none: use missing="mean"')
    _notes.warn(f"{drop.sum()} of {len(drop)} rows have missing values and were left out", _notes.DataWarning)
    return both.taken(~drop)


def _filled(view: View, weights: Array | None, means: Means) -> View:
    gaps = len(_missing.cells(view.data)[0])
    if not gaps and not means.learn:
        return view
    filled = _missing.filled(view.data, means.of(view, weights))
    if gaps and means.learn:
        cells = view.data.shape[0] * view.data.shape[1]
        message = f"{gaps} of {cells} values of {view.name} are missing and were filled in by the means of their columns"
        _notes.warn(message, _notes.DataWarning)
    return view.with_data(filled)
