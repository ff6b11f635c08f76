"""Missing values: NaN in arrays, masked entries, empty cells of tables."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

CHOICES = ("error", "drop", "mean")

Vector = NDArray[np.float64]


def unmasked(data: Any) -> Any:
    """A masked array as a plain one, with NaN in place of masked entries."""
    if not isinstance(data, np.ma.MaskedArray):
        return data
    if not np.ma.is_masked(data):
        return data.data
    kept = data.dtype if data.dtype.kind == "f" else np.float64
    return np.ma.filled(data.astype(kept), np.nan)


def refuse(data: Any, names: Any, view: str) -> None:
    """Raises if there are missing values, with their number, the first of them, and the remedy."""
    rows, columns = cells(data)
    if not len(rows):
        return
    where = f"column {columns[0]}" if names is None else f"column {str(names[columns[0]])!r}"
    count = f"{len(rows)} missing value{'s' if len(rows) > 1 else ''} (NaN)"
    raise ValueError(
        f"Input {view} contains {count}, the first in row {rows[0]}, {where}: "
        'missing="drop" leaves such rows out of both views, missing="mean" fills in the means of the columns'
    )


def cells(data: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows and columns of all missing values, row by row."""
    if _is_sparse(data):
        entries: Any = data.tocoo()
        empty = np.flatnonzero(_nan(entries.data))
        rows, columns = entries.row[empty].astype(np.intp), entries.col[empty].astype(np.intp)
        by_row = np.lexsort((columns, rows))
        return rows[by_row], columns[by_row]
    found = np.nonzero(_nan(np.asarray(data)))
    return found[0], found[1] if len(found) > 1 else np.zeros_like(found[0])


def _is_sparse(data: Any) -> bool:
    return bool(sp.issparse(data))


def _nan(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isnan(values) if values.dtype.kind in "fc" else np.zeros(values.shape, dtype=bool)


def rows_with(data: Any) -> NDArray[np.bool_]:
    """Per row, whether any of its values is missing."""
    found = np.zeros(data.shape[0], dtype=bool)
    found[cells(data)[0]] = True
    return found


def means(data: Any, weights: Vector | None, view: str) -> Vector:
    """The mean of each column over the rows in which it is not missing."""
    rows = np.ones(data.shape[0]) if weights is None else weights
    row, column = cells(data)
    present = np.full(data.shape[1], rows.sum())
    np.subtract.at(present, column, rows[row])
    if not present.all():
        empty = int(np.flatnonzero(present == 0)[0])
        raise ValueError(
            f"column {empty} of {view} has missing values (NaN) only, so it has no mean: leave it out"
        )
    total = filled(data, np.zeros(data.shape[1])).T @ rows
    return np.asarray(total / present, dtype=np.float64)


def filled(data: Any, values: Vector) -> Any:
    """A copy with the given value of each column in place of missing ones;
    the data themselves if nothing is missing."""
    row, column = cells(data)
    if not len(row):
        return data
    if not _is_sparse(data):
        data = data.copy()
        data[row, column] = values[column]
        return data
    entries: Any = data.tocoo(copy=True)
    empty = _nan(entries.data)
    entries.data[empty] = values[entries.col[empty]]
    return entries.tocsr()
