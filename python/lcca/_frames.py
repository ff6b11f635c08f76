"""Tables in memory, such as pandas, polars and PyArrow make them:
columns of text become indicator columns, by name.

A column `color` with the values red and blue becomes the columns `color=blue` and `color=red`. Their names
alone say how rows are encoded later, so a model that was loaded from a file encodes
rows as the fitted one does.
"""

import collections
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lcca import _lcca, _notes

_MOST_CATEGORIES = 1000  # of a column that the table does not declare to be categorical
_DENSE_INDICATORS = 64  # up to this many indicator columns a table stays dense


@dataclass(frozen=True)
class Encoded:
    """A table as numbers. `names` are those of its columns, after texts have become indicators."""

    data: Any
    names: list[str]


@dataclass(frozen=True)
class Named:
    """An array or a sparse matrix with names of its columns, and the index of the
    table that it was made from."""

    data: Any
    names: list[str] | None
    index: Any


def column_names(data: Any) -> list[str] | None:
    """The column names of a table, if it has names and all are strings."""
    names = getattr(data, "column_names", None)  # PyArrow
    if names is None:
        names = getattr(data, "columns", None)  # pandas, polars
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return list(names)


def has_text(data: Any) -> bool:
    """Whether a table has columns that are not numbers, or are numbers that NumPy does not have: decimals."""
    if column_names(data) is None:
        return False
    return any(getattr(dtype, "kind", "O") not in "biufc" for dtype in _dtypes(data))


def as_table(data: Any) -> Any:
    """A pandas or polars series of text as a table of one column, so that labels become indicators."""
    dtype = getattr(data, "dtype", None)
    name = str(dtype).lower()
    is_text = (
        dtype is not None
        and getattr(dtype, "kind", _Kind(name).kind) == "O"
        and not name.startswith("decimal")
    )
    if not is_text or not hasattr(data, "to_frame") or getattr(data, "ndim", 1) != 1:
        return data
    return data.to_frame(str(data.name) if data.name else "y")


def encode(data: Any, view: str, categorical: str) -> Encoded:
    """A table with columns of text as numbers, with one indicator column per value of each.

    Parameters
    ----------
    data : table
        It has names of columns.
    view : str
        "X" or "y", for messages.
    categorical : "auto" or "error"
        Whether columns of text become indicators, or are refused.

    Returns
    -------
    Encoded
        Missing values are NaN.
    """
    parts: list[Any] = []
    names: list[str] = []
    for name in column_names(data) or []:
        values = _values(data, name)
        if _is_number(values, name, view):
            parts.append(_numbers(values).reshape(-1, 1))
            names.append(name)
            continue
        if categorical == "error":
            remedy = 'leave it out, or make indicators of it with categorical="auto"'
            raise ValueError(
                f"column {name!r} of {view} has text such as {_example(values)!r}, expected numbers: {remedy}"
            )
        categories = sorted({str(value) for value in values if not is_missing(value)})
        if not _is_categorical(data, name):
            _refuse_prose(values, categories, name, view)
        parts.append(_indicators(values, categories))
        names += [f"{name}={category}" for category in categories]
    _refuse_duplicates(names, view)
    return Encoded(_side_by_side(parts, len(names)), names)


def encode_like(data: Any, view: str, names: Sequence[str]) -> Encoded:
    """The rows of a table in the columns of a model. Values that the model does not know have no
    indicator and are counted."""
    own = set(column_names(data) or [])
    found = {name: _source(name, own) for name in names}
    missing = [name for name, source in found.items() if source is None]
    if missing:
        raise ValueError(
            f"{view} has no column {missing[0]!r}, "
            f"which the model has ({len(missing)} of {len(names)} are missing)"
        )
    sources = [source for source in found.values() if source is not None]
    categories: dict[str, list[str]] = {}
    for column, category in sources:
        if category is not None:
            categories.setdefault(column, []).append(category)
    parts: list[Any] = []
    for column, category in sources:
        if category is None:
            parts.append(_numbers(_values(data, column)).reshape(-1, 1))
        elif category == categories[column][0]:
            values = _values(data, column)
            parts.append(_indicators(values, categories[column]))
            _count_unseen(values, categories[column], column, view)
    return Encoded(_side_by_side(parts, len(names)), list(names))


def without_ids(data: Any, names: Any) -> tuple[Any, list[str] | None]:
    """A table of rows for a model without the column that names them, if the model does not have it;
    and the names in it."""
    own = column_names(data)
    if own is None or names is None:
        return data, None
    known = {str(name) for name in names}
    spare = [
        name for name in own if name not in known and not any(other.startswith(f"{name}=") for other in known)
    ]
    if len(spare) != 1 or not _lcca.is_called_like_id(spare[0]):
        return data, None
    ids = [
        str(int(number) if isinstance(number, float) and number.is_integer() else number)
        for number in data[spare[0]].tolist()
    ]
    if hasattr(data, "drop_columns"):  # PyArrow
        return data.drop_columns(spare), ids
    return data.drop(columns=spare) if hasattr(data, "iloc") else data.drop(spare), ids


def is_missing(value: Any) -> bool:
    """Whether a cell of a table is empty, as in files: None, a text of nothing but space, NaN, or pandas' NA
    and NaT, none of which equals itself."""
    if value is None:
        return True
    if isinstance(value, str):
        return not value or value.isspace()
    try:
        return not bool(value == value)
    except TypeError:  # pandas' NA refuses to be true or false
        return True


def _source(name: str, columns: set[str]) -> tuple[str, str | None] | None:
    """The column of a table, and its value if it is an indicator,
    that a column of the model was made from."""
    if name in columns:
        return name, None
    ends = [i for i, letter in enumerate(name) if letter == "="]
    return next(((name[:i], name[i + 1 :]) for i in ends if name[:i] in columns), None)


def _dtypes(data: Any) -> list[Any]:
    """The types of the columns as pandas has them, or as NumPy would;
    polars' and PyArrow's own are told by their names."""
    dtypes = getattr(data, "dtypes", None)
    if dtypes is None:
        dtypes = getattr(getattr(data, "schema", None), "types", [])
    return [dtype if hasattr(dtype, "kind") else _Kind(str(dtype).lower()) for dtype in dtypes]


class _Kind:
    """The kind of a polars or PyArrow type, in NumPy's letters: decimals are objects there."""

    def __init__(self, name: str) -> None:
        numbers = ("int", "uint", "float", "double", "half", "bool")
        self.kind = "f" if name.startswith(numbers) else "O"


def _is_categorical(data: Any, name: str) -> bool:
    """Whether the table itself says that a column holds categories."""
    return str(getattr(data[name], "dtype", "")).lower().startswith(("category", "categorical", "enum"))


def _values(data: Any, name: str) -> NDArray[Any]:
    """One column as a NumPy array: numbers, dates or objects."""
    column = data[name]
    dtype = getattr(column, "dtype", None)
    if getattr(column, "ndim", 1) != 1:
        raise ValueError(f"column {name!r} appears more than once, expected distinct names")
    if getattr(dtype, "kind", "") in ("M", "m"):
        return np.empty(len(column), f"{dtype.kind}8[ns]")  # type: ignore[union-attr]
    if str(dtype) == "category" or getattr(dtype, "kind", "") == "O":
        return np.asarray(column, dtype=object)
    if getattr(dtype, "na_value", None) is not None and getattr(dtype, "kind", "") in "biuf":
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(column)


def _is_number(values: NDArray[Any], name: str, view: str) -> bool:
    """Whether a column has numbers, and not text. Anything else is refused by name."""
    if values.dtype.kind in "biuf":
        return True
    if values.dtype.kind in "Mm":
        raise ValueError(
            f"column {name!r} of {view} has dates, expected numbers: leave it out or turn it into numbers"
        )
    if values.dtype.kind in "US":
        return False
    cells = [value for value in values if not is_missing(value)]
    kinds = collections.Counter(map(_kind, cells))
    if kinds["other"]:
        example = next(value for value in cells if _kind(value) == "other")
        what = f"values of type {type(example).__name__}"
        raise ValueError(
            f"column {name!r} of {view} has {what}, expected numbers or text: "
            "leave it out or turn it into numbers"
        )
    if kinds["text"] and kinds["number"]:
        raise ValueError(
            f"column {name!r} of {view} has both text and numbers, expected one of them: convert it"
        )
    return not kinds["text"]


def _kind(value: Any) -> str:
    if isinstance(value, (Number, np.bool_)):
        return "number"
    # Intervals, as pandas.cut makes them, are categories; their texts name them.
    return "text" if isinstance(value, str) or type(value).__name__ == "Interval" else "other"


def _numbers(values: NDArray[Any]) -> NDArray[np.float64]:
    if values.dtype.kind != "O":
        return np.asarray(values, dtype=np.float64)
    return np.array([np.nan if is_missing(value) else float(value) for value in values])


def _example(values: NDArray[Any]) -> str:
    return next((str(value) for value in values if not is_missing(value)), "")


def _refuse_prose(values: NDArray[Any], categories: list[str], name: str, view: str) -> None:
    """Texts that hardly ever repeat are names of rows, or prose;
    indicators of them would say nothing. As for files."""
    if len(categories) > _MOST_CATEGORIES or 2 * len(categories) > len(values):
        found = f"{len(categories)} different texts in {len(values)} rows, such as {categories[0]!r}"
        expected = f"expected numbers or categories, at most {_MOST_CATEGORIES} and half as many as rows"
        raise ValueError(
            f"column {name!r} of {view} has {found}, {expected}: make it the index, or leave it out"
        )


def _refuse_duplicates(names: list[str], view: str) -> None:
    twice = [name for name, count in collections.Counter(names).items() if count > 1]
    if twice:
        raise ValueError(
            f"two columns of {view} would be called {twice[0]!r}, expected distinct names: rename one"
        )


def _indicators(values: NDArray[Any], categories: list[str]) -> Any:
    """One column per category. A missing value is missing in all of them;
    one of no category is 0 in all of them."""
    position = {category: i for i, category in enumerate(categories)}
    codes = np.array(
        [-2 if is_missing(value) else position.get(str(value), -1) for value in values], dtype=np.intp
    )
    rows = np.flatnonzero(codes >= 0)
    empty = np.flatnonzero(codes == -2)
    width = len(categories)
    row = np.concatenate([rows, np.repeat(empty, width)])
    column = np.concatenate([codes[rows], np.tile(np.arange(width), len(empty))])
    entries = np.concatenate([np.ones(len(rows)), np.full(len(empty) * width, np.nan)])
    return sp.csr_array((entries, (row, column)), shape=(len(values), width))


def _count_unseen(values: NDArray[Any], categories: list[str], name: str, view: str) -> None:
    known = set(categories)
    unseen = collections.Counter(
        str(value) for value in values if not is_missing(value) and str(value) not in known
    )
    if unseen:
        example = unseen.most_common(1)[0][0]
        rows = sum(unseen.values())
        message = (
            f"{rows} rows of {view} have a value of {name!r} that the model has not seen, such as {example!r}"
        )
        _notes.warn(f"{message}: their indicators are all 0", _notes.DataWarning)


def _side_by_side(parts: list[Any], width: int) -> Any:
    """All columns as one matrix, dense unless there are many indicators."""
    if sum(part.shape[1] for part in parts if hasattr(part, "toarray")) > max(_DENSE_INDICATORS, width // 2):
        return sp.hstack([sp.csr_array(part) for part in parts], format="csr")
    return np.hstack([part.toarray() if hasattr(part, "toarray") else part for part in parts])
