"""Two views put together: rows that belong together, in the same order, and without missing values."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _check_sample_weight

from lcca import _lcca, _missing, _notes, _rows, _views
from lcca._lcca import Matrix, RowLabels

Array = NDArray[np.float64]


class Views(NamedTuple):
    """Both views of the same rows, ready for the engine."""

    x: Matrix
    y: Matrix
    weights: Array | None


@dataclass
class View:
    """One view before it meets the other: an array that scikit-learn has checked, or a file.

    The names of its rows are those of `source`, the table or file that it was made from, unless `ids` name
    them: columns that a model does not have.
    """

    name: str
    data: Any
    names: list[str] | None
    source: Any
    is_vector: bool = False
    rows: Matrix | None = None  # those of the array, if it was checked by making them
    ids: list[str] | None = None

    @property
    def is_file(self) -> bool:
        """Whether it was read from a file."""
        return isinstance(self.data, Matrix)

    @property
    def length(self) -> int:
        """The number of rows, with those that a file left out."""
        return int(self.data.shape[0]) + (self.data.dropped if self.is_file else 0)

    def labels(self, *, may_have_more: bool = False) -> RowLabels:
        """What all rows are called, those that a file left out included."""
        if self.ids is not None:
            return RowLabels(self.name, self.length, self.ids, False, [], may_have_more)
        ids = [] if self.is_file else [(name, _rows.numbers(own)) for name, own in _ids(self)]
        return _rows.labels(self.source, self.name, self.length, ids, may_have_more=may_have_more)

    def named_by(self, id: int) -> "View":
        """The same rows, named by a column that is then no data."""
        if self.is_file:
            data = self.data.named_by(id)
            return replace(self, data=data, names=data.names, source=data)
        name, numbers = _ids(self)[id]
        names = list(self.names or [])
        kept = [i for i, own in enumerate(names) if own != name]
        rows, is_sparse = self.data, sp.issparse(self.data)
        data = rows.tocsc()[:, kept].tocsr() if is_sparse else rows[:, kept]
        return replace(self, data=data, names=[names[i] for i in kept], rows=None, ids=_rows.numbers(numbers))

    def left_out(self) -> NDArray[np.bool_] | None:
        """Per row, whether the file left it out because of missing values; None if it left out none."""
        kept = self.data.rows_in_file if self.is_file else None
        if kept is None:
            return None
        missing = np.ones(self.length, dtype=bool)
        missing[kept] = False
        return missing

    def at(self, rows: NDArray[Any]) -> "View":
        """Some of the rows, numbered as in the file, none of which it left out."""
        left_out = self.left_out()
        if left_out is not None:
            rows = (np.cumsum(~left_out) - 1)[rows]
        is_all = len(rows) == self.data.shape[0] and bool((rows == np.arange(len(rows))).all())
        return self if is_all else self.taken(rows)

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


def _ids(view: View) -> list[tuple[str, NDArray[Any]]]:
    """Columns of a table that are called like one that names the rows,
    and hold a different whole number in each."""
    called = [i for i, name in enumerate(view.names or []) if _lcca.is_called_like_id(name)]
    found = []
    data, is_sparse = view.data, sp.issparse(view.data)
    for i in called:
        numbers = data[:, [i]].toarray()[:, 0] if is_sparse else np.asarray(data[:, i])
        is_whole = numbers.dtype.kind in "iuf" and bool((numbers == np.floor(numbers)).all())
        if is_whole and len(numbers) > 1 and len(np.unique(numbers)) == len(numbers):
            found.append(((view.names or [])[i], numbers))
    return found


class Means(Protocol):
    """The means of columns, by which missing values are filled in."""

    learn: bool

    def of(self, view: View, weights: Array | None) -> Array:
        """One mean per column of a view."""


class _OwnMeans:
    """The means of the given rows, which nobody needs to remember."""

    learn = True

    def of(self, view: View, weights: Array | None) -> Array:
        """One mean per column of a view."""
        return _missing.means(view.data, weights, view.name)


@dataclass
class Beside:
    """What belongs to the rows of X besides the views, and follows them when rows are
    left out or change places."""

    weights: Array | None = None
    covariates: View | None = None
    groups: NDArray[np.int64] | None = None

    def taken(self, rows: NDArray[Any]) -> "Beside":
        """What belongs to some of the rows."""
        weights, groups = (
            None if numbers is None else numbers[rows] for numbers in (self.weights, self.groups)
        )
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
    beside: Callable[[View], Beside],
    missing: str,
    means: Means,
    align: str,
) -> Paired:
    """The rows of both views that belong together, without missing values.

    Parameters
    ----------
    x, y : View
        Two views.
    beside : callable
        What belongs to the rows of X, given X as its rows are named.
    missing : "error", "drop" or "mean"
        What happens to missing values in arrays; files have settled theirs.
    means : Means
        The means to fill in.
    align : "auto", "common" or "none"
        How rows find each other.

    Returns
    -------
    Paired
        Rows in the order of X.
    """
    both = matched(x, y, beside, align)
    if missing == "drop":
        return _complete(both)
    if missing == "mean":
        weights, z = both.beside.weights, both.beside.covariates
        views = [view if view.is_file else _filled(view, weights, means) for view in (both.x, both.y)]
        # Those of a model have been filled in by its means.
        filled = z if z is None or z.is_file else _filled(z, weights, _OwnMeans())
        return replace(both, x=views[0], y=views[1], beside=replace(both.beside, covariates=filled))
    return both


def row_weights(sample_weight: Any, rows: Any) -> Array | None:
    """One weight per row. None may be negative, and at least one must be positive."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("every sample weight is 0, expected a positive one")
    return np.ascontiguousarray(weights)


def _named_and_matched(x: View, y: View, align: str) -> tuple[View, View, _rows.Rows | None]:
    if align not in _rows.ALIGN:
        raise ValueError(f'align == {align!r}, expected "auto", "common" or "none"')
    if _rows.are_same(x.source, y.source) and not _ids(x) and not _ids(y):
        return x, y, None
    if any(not view.is_file and _rows.index_of(view.source) is None for view in (x, y)):
        check_consistent_length(np.empty(x.length), np.empty(y.length))
    ids, rows = _rows.match(x.labels(), y.labels(), align)
    views = [view if id is None else view.named_by(id) for view, id in zip((x, y), ids, strict=True)]
    return views[0], views[1], rows


def matched(x: View, y: View, belonging: Callable[[View], Beside], align: str) -> Paired:
    """The rows that belong together, without those that a file left out because they miss values."""
    x, y, rows = _named_and_matched(x, y, align)
    beside = belonging(x)
    left_out = x.left_out(), y.left_out()
    if rows is None and left_out[0] is None and left_out[1] is None:
        return Paired(x, y, beside)
    x_rows, y_rows = (np.arange(x.length), np.arange(x.length)) if rows is None else rows
    kept = np.ones(len(x_rows), dtype=bool)
    for view_rows, missing in ((x_rows, left_out[0]), (y_rows, left_out[1])):
        if missing is not None:
            kept &= ~missing[view_rows]
    if not kept.any():
        raise ValueError("no row has all values in both views")
    if not kept.all():
        count = int((~kept).sum())
        what = (
            f"{count} row{'' if count == 1 else 's'} with missing values left out of both "
            f"views, {int(kept.sum())} left"
        )
        _notes.warn(what, _notes.DataWarning)
    x_rows, y_rows = x_rows[kept], y_rows[kept]
    is_all = len(x_rows) == x.length and bool((x_rows == np.arange(x.length)).all())
    return Paired(x.at(x_rows), y.at(y_rows), beside if is_all else beside.taken(x_rows))


def _complete(both: Paired) -> Paired:
    """The rows without missing values."""
    drop = np.zeros(both.x.data.shape[0], dtype=bool)
    for view in (both.x, both.y, both.beside.covariates):
        if view is not None and not view.is_file:
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
        message = (
            f"{gaps} of {cells} values of {view.name} are missing and were filled in by "
            "the means of their columns"
        )
        _notes.warn(message, _notes.DataWarning)
    return view.with_data(filled)
