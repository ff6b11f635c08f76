"""What belongs to the rows of X besides the views: put in their order by name, if both have names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _rows
from lcca._lcca import Matrix
from lcca._pairing import View


def order(x: View, source: Any, what: str, align: str) -> NDArray[np.intp] | None:
    """Which row of a table, a series or a file belongs to each row of X, by name; None if they are paired by position.

    Parameters
    ----------
    x : View
        The first view.
    source : Any
        What came with it. If it or X has no names of rows, nothing is compared.
    what : str
        What to call it in messages, a plural.
    align : "auto", "common" or "none"
        How rows find each other.

    Returns
    -------
    array of int or None
        One number per row of X, those that it left out included. A warning says that rows were not in the same order.
    """
    if source is None or (x.ids is None and _rows.are_same(x.source, source)):
        return None
    if not isinstance(source, Matrix) and _rows.index_of(source) is None:
        return None
    own, wanted = _rows.labels(source, what, _length(source), may_have_more=True), x.labels()
    if own.is_absent or wanted.is_absent:
        return None
    rows = _rows.match(wanted, own, align)[1]
    if rows is None:
        return None
    if len(rows[0]) < x.length:
        raise ValueError(f"{x.length - len(rows[0])} of the {x.length} rows of X are not in {what}, expected one for each")
    return rows[1].astype(np.intp)


def values(x: View, source: Any, what: str, align: str) -> Any:
    """One value per row of X: those of a series with names are put in the order of X."""
    rows = order(x, source, what, align)
    return source if rows is None else source.iloc[rows]


def _length(source: Any) -> int:
    if isinstance(source, Matrix):
        return int(source.shape[0]) + source.dropped
    return int(source.shape[0]) if getattr(source, "shape", ()) else len(source)
