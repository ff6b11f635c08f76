"""Names of rows: if both views have them, they must agree."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _notes

_SHOWN = 3  # names in a message


def names(data: Any) -> NDArray[Any] | None:
    """The names of the rows of a table or a file; None if it has none, or only numbers that count the rows."""
    if hasattr(data, "row_names"):
        found = data.row_names
        return None if found is None else np.asarray(found, dtype=object)
    index = _index(data)
    if index is None:
        return None
    return np.asarray(index.to_numpy(dtype=object) if index.nlevels == 1 else index.to_flat_index(), dtype=object)


def have_names(data: Any) -> bool:
    """Whether the rows have names."""
    return data.row_names is not None if hasattr(data, "row_names") else _index(data) is not None


def _index(data: Any) -> Any:
    """The index of a pandas table that is more than a count of rows."""
    index = getattr(data, "index", None)
    if index is None or callable(index) or not hasattr(data, "iloc") or _counts_rows(index):
        return None
    return index


def _counts_rows(index: Any) -> bool:
    """Whether pandas made the index itself, or it is as if it had."""
    return hasattr(index, "start") and hasattr(index, "step") and index.start == 0 and index.step == 1


def order(x: Any, y: Any) -> NDArray[np.intp] | None:
    """The order of the rows of y that makes them those of X, by name; None if they are paired by position.

    Parameters
    ----------
    x, y : tables, arrays or files
        Two views. If one of them has no names, nothing is compared.

    Returns
    -------
    array of int or None
        Row i of X belongs with row `order[i]` of y. A warning says that they were not in the same order.
    """
    x_index, y_index = _index(x), _index(y)
    if x_index is not None and y_index is not None and x_index.equals(y_index):
        return None
    x_names, y_names = names(x), names(y)
    if x_names is None or y_names is None:
        return None
    if hasattr(x, "row_names") != hasattr(y, "row_names"):
        # Files have texts, also for numbers.
        x_names, y_names = (np.array([str(name) for name in found], dtype=object) for found in (x_names, y_names))
    if len(x_names) == len(y_names) and bool(np.all(x_names == y_names)):
        return None
    places = _places(x_names, "X"), _places(y_names, "y")
    only_x, only_y = ([n for n in a if n not in b] for a, b in (places, places[::-1]))
    if only_x or only_y:
        found = " and ".join(_counted(*side) for side in ((only_x, "X"), (only_y, "y")) if side[0])
        remedy = "pass the same rows in both, as in X.loc[common] and y.loc[common], or drop the names to pair them by position"
        raise ValueError(f"the rows of X and y have different names: {found}; {remedy}")
    text = f"the rows of y are in another order than those of X: they were aligned by name, as {len(x_names)} names are the same"
    _notes.warn(text, _notes.DataWarning)
    return np.array([places[1][name] for name in x_names], dtype=np.intp)


def _places(row_names: NDArray[Any], view: str) -> dict[Any, int]:
    places = {name: i for i, name in enumerate(row_names)}
    if len(places) != len(row_names):
        seen: set[Any] = set()
        twice = next(name for name in row_names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"two rows of {view} are called {twice!r}, so the rows of X and y cannot be aligned by name")
    return places


def _counted(only: list[Any], view: str) -> str:
    shown = ", ".join(repr(name) for name in only[:_SHOWN])
    return f"{len(only)} are in {view} only ({shown}{', …' if len(only) > _SHOWN else ''})"
