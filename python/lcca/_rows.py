"""What rows are called, and which rows belong together. The rule is the engine's,
the same for tables and files."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _lcca, _notes
from lcca._frames import Named
from lcca._lcca import Matrix, RowLabels

ALIGN = ("auto", "common", "none")

Rows = tuple[NDArray[np.int64], NDArray[np.int64]]


def labels(
    data: Any,
    called: str,
    rows: int,
    ids: Sequence[tuple[str, list[str]]] = (),
    *,
    may_have_more: bool = False,
) -> RowLabels:
    """What the rows of a table, an array or a file are called.

    Parameters
    ----------
    data : table, array or file
        As a user passes it.
    called : str
        What to call it in messages.
    rows : int
        The number of its rows.
    ids : list of (name, numbers)
        Columns that may name the rows.
    may_have_more : bool
        Whether these belong to the rows of the other table: all of those must be among them,
        and there may be more.
    """
    if isinstance(data, Matrix):
        return RowLabels.of_file(called, data, may_have_more)
    index = index_of(data)
    if index is None:
        return RowLabels(called, rows, None, False, list(ids), may_have_more)
    counting = _is_default(index)
    return RowLabels(called, rows, None if counting else texts(index), counting, list(ids), may_have_more)


def index_of(data: Any) -> Any:
    """The index of a pandas table, or the names of the cells of an AnnData; None if rows have places only."""
    if isinstance(data, Named):
        return data.index
    cells = getattr(data, "obs_names", None)
    if cells is not None:
        return cells
    index = getattr(data, "index", None)
    return None if index is None or callable(index) or not hasattr(data, "iloc") else index


def texts(index: Any) -> list[str]:
    """The names in an index as the engine writes them: levels with commas between,
    whole numbers without a point."""
    if index.nlevels > 1:
        return [", ".join(_text(level) for level in levels) for levels in index]
    return [_text(name) for name in index]


def numbers(column: NDArray[Any]) -> list[str]:
    """Whole numbers as texts."""
    return [str(int(number)) for number in column]


def texts_of(column: NDArray[Any]) -> list[str]:
    """The names in a column as the engine writes them."""
    return [_text(name) for name in column]


def _text(name: Any) -> str:
    is_whole = isinstance(name, (float, np.floating)) and float(name).is_integer()
    return str(int(name)) if is_whole else str(name)


def names(data: Any) -> list[str] | None:
    """The names of the rows of a table or a file; None if it has none, or pandas made them itself."""
    if isinstance(data, Matrix):
        found = data.row_names
        return None if found is None else [str(name) for name in found]
    index = index_of(data)
    return None if index is None or _is_default(index) else texts(index)


def _is_default(index: Any) -> bool:
    """Whether pandas made the index itself, or it is as if it had."""
    return hasattr(index, "start") and hasattr(index, "step") and index.start == 0 and index.step == 1


def are_same(x: Any, y: Any) -> bool:
    """Whether two tables have the same index in the same order, which need not be written out then."""
    x_index, y_index = index_of(x), index_of(y)
    return (
        x_index is not None
        and y_index is not None
        and bool(x_index.equals(y_index))
        and not _is_default(x_index)
    )


def match(x: RowLabels, y: RowLabels, align: str) -> tuple[list[int | None], Rows | None]:
    """Which rows of two tables belong together. Remarks become warnings.

    Returns
    -------
    ids : list of int or None
        Of each table, which of the columns that may name the rows names them.
    rows : pair of arrays or None
        Rows of the first table, ascending, and the row of the second that belongs to each;
        None if all belong together as they are.
    """
    ids, rows, remarks = _lcca.match_rows(x, y, align)
    for remark in remarks:
        _notes.warn(remark, _notes.DataWarning)
    return ids, rows
