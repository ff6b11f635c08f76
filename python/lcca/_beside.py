"""What belongs to the rows of X besides the views: put in their order by name, if both have names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _frames, _lcca, _rows
from lcca._lcca import Matrix, RowLabels
from lcca._pairing import View

Order = NDArray[np.intp] | None


def ordered(x: View, own: View, align: str) -> tuple[View, Order]:
    """What belongs to the rows of X, without a column that names its rows, and its row for each row of X.

    Parameters
    ----------
    x : View
        The first view.
    own : View
        What came with it, called as in messages: a plural. If it or X has no names of rows,
        nothing is compared.
    align : "auto", "common" or "none"
        How rows find each other.

    Returns
    -------
    own : View
        The same without the column that names the rows, if one does.
    order : array of int or None
        One number per row of X, those that it left out included; None if rows are paired by position. A
        warning says that rows were not in the same order, or that some were left out.
    """
    is_same = x.ids is None and own.ids is None and _rows.are_same(x.source, own.source)
    if is_same:
        return own, None
    id, order = _match(x, own.labels(may_have_more=True), align)
    return own if id is None else own.named_by(id), order


def values(x: View, source: Any, what: str, align: str) -> Any:
    """One value per row of X: those of a series with names, or of a table of names and values,
    are put in the order of X."""
    if source is None or (x.ids is None and _rows.are_same(x.source, source)):
        return source
    named = _two_columns(source)
    if named is not None:
        names, column = named
        rows = _match(x, RowLabels(what, len(names), names, False, [], True), align)[1]
        return column if rows is None else column[rows]
    if _rows.index_of(source) is None:
        return source
    rows = _match(x, _rows.labels(source, what, len(source), may_have_more=True), align)[1]
    return source if rows is None else source.iloc[rows]


def _match(x: View, own: RowLabels, align: str) -> tuple[int | None, Order]:
    """The column that names the rows of a table that came with X, and its row for each row of X."""
    wanted = x.labels()
    if any(labels.is_absent and not labels.has_ids for labels in (own, wanted)):
        return None, None
    ids, rows = _rows.match(wanted, own, align)
    return ids[1], None if rows is None else rows[1].astype(np.intp)


def _two_columns(source: Any) -> tuple[list[str], NDArray[Any]] | None:
    """The names of rows and their values, if a table consists of these."""
    columns = _frames.column_names(source)
    if columns is None or len(columns) != 2 or isinstance(source, Matrix):
        return None
    ids = [name for name in columns if _lcca.is_called_like_id(name)]
    if len(ids) != 1:
        return None
    other = columns[1 - columns.index(ids[0])]
    return _rows.texts_of(source[ids[0]].to_numpy()), np.asarray(source[other].to_numpy())
