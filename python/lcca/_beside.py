"""What belongs to the rows of X besides the views: put in their order by name, if both have names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _notes, _rows
from lcca._pairing import View


def order(x: View, source: Any, what: str) -> NDArray[np.intp] | None:
    """Which row of a table, a series or a file belongs to each row of X, by name; None if they are paired by position.

    Parameters
    ----------
    x : View
        The first view.
    source : Any
        What came with it. If it or X has no names of rows, nothing is compared.
    what : str
        What to call it in messages, a plural.

    Returns
    -------
    array of int or None
        A warning says that rows were not in the same order.
    """
    if not (_rows.have_names(x.source) and _rows.have_names(source)):
        return None
    wanted, own = _texts(x.source), _texts(source)
    kept = x.data.rows_in_file if x.is_file else None
    if kept is not None:
        # The names of rows that X left out are not known anymore.
        if len(own) == x.length and [own[row] for row in kept] == wanted:
            return None
        raise ValueError(f"X left out rows with missing values, so {what} cannot be aligned with it by name: drop their names")
    if wanted == own:
        return None
    places: dict[str, int] = {name: place for place, name in enumerate(own)}
    lacking = [name for name in wanted if name not in places]
    if lacking:
        raise ValueError(f"{what} have no row {lacking[0]!r}, which X has ({len(lacking)} of {len(wanted)} are missing)")
    if len(places) != len(own):
        twice = next(name for place, name in enumerate(own) if places[name] != place)
        raise ValueError(f"two rows of {what} are called {twice!r}, so they cannot be aligned with those of X by name")
    _notes.warn(f"the rows of {what} are not those of X in the same order: they were aligned by name", _notes.DataWarning)
    return np.array([places[name] for name in wanted], dtype=np.intp)


def values(x: View, source: Any, what: str) -> Any:
    """One value per row of X: those of a series with names are put in the order of X."""
    rows = order(x, source, what)
    return source if rows is None else source.iloc[rows]


def _texts(source: Any) -> list[str]:
    """The names of rows as texts: files have texts, also for numbers."""
    names = _rows.names(source)
    return [] if names is None else [str(name) for name in names]
