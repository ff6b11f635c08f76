"""What the columns of a table become: numbers stay, texts become indicators. This is docs/files.md in a few lines of Python."""

import decimal
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from differential.case import Expected, PeerRefuses

# What stands for nothing in a column of texts, besides an empty cell.
NO_TEXTS = ("?",)


class Column:
    """A column of numbers (NaN is missing) or of texts (None is missing)."""

    def __init__(self, name: str, numbers: Sequence[float] | None = None, texts: Sequence[str | None] | None = None) -> None:
        self.name, self.numbers, self.texts = name, numbers, texts

    def encoded(self) -> tuple[list[str], np.ndarray]:
        """The columns of the matrix and their names."""
        if self.numbers is not None:
            return [self.name], np.asarray(self.numbers, dtype=float).reshape(-1, 1)
        texts = [None if text is None or not text.strip() or text.strip() in NO_TEXTS else text for text in self.texts or []]
        categories = sorted({text for text in texts if text is not None})
        indicators = np.array([[np.nan if text is None else float(text == other) for other in categories] for text in texts])
        return [f"{self.name}={category}" for category in categories], indicators.reshape(len(texts), len(categories))


def matrix(columns: Sequence[Column], row_names: list[str] | None) -> Expected:
    """Columns side by side."""
    if not columns:
        raise PeerRefuses("there are no columns")
    names, parts = zip(*(column.encoded() for column in columns), strict=True)
    return Expected(np.hstack(parts), [name for part in names for name in part], row_names)


def from_arrow(table: pa.Table, options: dict[str, Any]) -> Expected:
    """The matrix in a table of PyArrow, with the columns and the row names that the options ask for."""
    described = (table.schema.pandas_metadata or {}).get("index_columns", [])
    stored = [name for name in described if isinstance(name, str)]
    if not table.schema.pandas_metadata:
        stored = [name for name in table.column_names if name.startswith("__index_level_")]
    index = options.get("index")
    levels = stored if index is None else [index] if index else []
    wanted = options.get("columns")
    places = [
        place
        for place, name in enumerate(table.column_names)
        if (name in wanted if wanted is not None else name not in levels and name not in stored)
    ]
    names = None
    if levels:
        texts = [["" if value is None else str(value) for value in table.column(level).to_pylist()] for level in levels]
        names = [", ".join(row) for row in zip(*texts, strict=True)]
    return matrix([_column(table.column_names[place], table.column(place)) for place in places], names)


def _column(name: str, values: pa.ChunkedArray) -> Column:
    kind = values.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return Column(name, texts=values.to_pylist())
    is_number = pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if not is_number:
        raise PeerRefuses(f"column {name!r} is of type {values.type}")
    return Column(name, numbers=[math.nan if value is None else _float(value) for value in values.to_pylist()])


def _float(value: Any) -> float:
    return float(value) if not isinstance(value, decimal.Decimal) else float(str(value))
