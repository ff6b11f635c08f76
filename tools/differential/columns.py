"""What the columns of a table become: numbers stay, texts become indicators.
This is docs/files.md in a few lines of Python."""

import decimal
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from differential import refusals
from differential.case import Expected

_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?\.\d\d?\.\d{4}")
_SEPARATED = re.compile(r"[-+$€]?[\d.,' ]*\d[\d.,' ]*%?")


class Column:
    """A column of numbers (NaN is missing) or of texts (None is missing), or of something else."""

    def __init__(
        self,
        name: str,
        numbers: Sequence[float] | None = None,
        texts: Sequence[str | None] | None = None,
        refusal: str = "",
    ) -> None:
        self.name, self.numbers, self.texts = name, numbers, texts
        # Why the column cannot be part of a matrix.
        self.refusals = {refusal} if refusal else set()

    def encoded(self, rows: int, missing: "Missing") -> tuple[list[str], np.ndarray]:
        """The columns of the matrix and their names."""
        if self.numbers is not None:
            return [self.name], np.array([missing.number(number) for number in self.numbers], float).reshape(
                rows, 1
            )
        texts = [missing.text(text) for text in self.texts or [None] * rows]
        present = [text for text in texts if text is not None]
        categories = sorted(set(present))
        if len(categories) > 1 and 2 * len(categories) > len(present):
            self.refusals.add(refusals.CROWDED)
        if not categories and not self.refusals:
            self.refusals.add(refusals.MISSING)
        indicators = np.array(
            [[np.nan if text is None else float(text == other) for other in categories] for text in texts]
        )
        return [f"{self.name}={category}" for category in categories], indicators.reshape(
            rows, len(categories)
        )


class Missing:
    """What stands for a missing value besides nothing: what the caller lists,
    in columns of numbers and of texts."""

    def __init__(self, listed: Sequence[str] | None) -> None:
        self.listed = set(listed or ())
        self.numbers = {float(text) for text in self.listed if re.fullmatch(r"-?[\d.]+", text)}

    def text(self, text: str | None) -> str | None:
        """The text, or None if it stands for a missing value."""
        return None if text is None or not text.strip() or text.strip() in self.listed else text

    def number(self, number: float) -> float:
        """The number, or NaN if it stands for a missing value."""
        return math.nan if number in self.numbers else number


def looks_formatted(text: str) -> bool:
    """Whether a text is a date, or a number with separators."""
    return bool(_DATE.fullmatch(text.strip()) or _SEPARATED.fullmatch(text.strip()))


def name_rows(texts: Sequence[str | None]) -> bool:
    """Whether a first column of texts is taken as row names: all are there and different,
    and none is a date or the like."""
    return (
        all(text is not None and not looks_formatted(text) for text in texts)
        and len(set(texts)) == len(texts)
    )


def matrix(
    columns: Sequence[Column], rows: int, row_names: list[str] | None, na: Sequence[str] | None
) -> Expected:
    """Columns side by side."""
    missing = Missing(na)
    encoded = [column.encoded(rows, missing) for column in columns]
    names = [name for part, _ in encoded for name in part]
    reasons = set().union(*(column.refusals for column in columns))
    if len({column.name for column in columns}) < len(columns) or len(set(names)) < len(names):
        reasons.add(refusals.ALIKE)
    return Expected(
        np.hstack([part for _, part in encoded] or [np.zeros((rows, 0))]), names, row_names, reasons
    )


def from_arrow(table: pa.Table, options: dict[str, Any]) -> Expected:
    """The matrix in a table of PyArrow, with the columns and the row names that the options ask for."""
    described = (table.schema.pandas_metadata or {}).get("index_columns", [])
    stored = [name for name in described if isinstance(name, str)]
    if not table.schema.pandas_metadata:
        stored = [name for name in table.column_names if name.startswith("__index_level_")]
    wanted = options.get("columns")
    levels = _levels(table, options.get("index"), stored, wanted)
    guessed = options.get("index") is None and not stored
    places = [
        place
        for place, name in enumerate(table.column_names)
        if (name in wanted if wanted is not None else name not in levels and name not in stored)
    ]
    names = None
    if levels:
        texts = [
            ["" if value is None else str(value) for value in table.column(level).to_pylist()]
            for level in levels
        ]
        names = [", ".join(row) for row in zip(*texts, strict=True)]
    elif options.get("index") is None:
        names = _range([level for level in described if isinstance(level, dict)], table.num_rows)
    read = [_column(table.column_names[place], table.column(place)) for place in places]
    made = matrix(read, table.num_rows, names, options.get("na"))
    if guessed and levels and names is not None and len(set(names)) < len(names):
        made.refusals.add(refusals.REPEATED)
    return made


def _levels(
    table: pa.Table, index: str | bool | None, stored: list[str], wanted: list[str] | None
) -> list[str]:
    """The columns that name the rows: the one that is asked for, those of pandas,
    or a first one of different texts."""
    if index is not None:
        return [str(index)] if index else []
    if stored:
        return stored
    first = table.column_names[0]
    if table.num_columns < 2 or first in (wanted or []):
        return []
    unnamed = not first.strip() or first == "Unnamed: 0"
    texts = _column(first, table.column(0)).texts
    return [first] if unnamed or (texts and name_rows(texts[:100])) else []


def _range(described: list[dict[str, Any]], rows: int) -> list[str] | None:
    """Row names that pandas describes and does not store; those that count from 0 are none."""
    for level in described:
        numbers = range(level["start"], level["stop"], level["step"])
        if len(numbers) == rows and (numbers.start, numbers.step) != (0, 1):
            return [str(number) for number in numbers]
    return None


def _column(name: str, values: pa.ChunkedArray) -> Column:
    kind = values.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return Column(name, texts=values.to_pylist())
    is_number = (
        pa.types.is_boolean(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
    )
    if not is_number:
        return Column(name, refusal=refusals.NO_NUMBERS)
    return Column(
        name, numbers=[math.nan if value is None else _float(value) for value in values.to_pylist()]
    )


def _float(value: Any) -> float:
    return float(value) if not isinstance(value, decimal.Decimal) else float(str(value))
