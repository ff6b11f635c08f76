"""CSV and TSV: quotes, line ends, headers, row names, missing cells. pandas splits the cells, Python reads the numbers."""

import csv
import gzip
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from differential import columns, tables
from differential.case import Case, Expected
from differential.tables import chance, pick

_MISSING = ["", ".", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "NULL", "null", "None"]
_BOOLEANS = {"TRUE": 1.0, "True": 1.0, "true": 1.0, "FALSE": 0.0, "False": 0.0, "false": 0.0}
_TEXTS = ["red", "blue", "green", "é", "日本", "a b", "x-y", 'say "hi"', "it's", "long " * 9]


def csv_file(random: np.random.Generator, folder: Path) -> Case:
    """A table between commas."""
    return _file(random, folder, ",", "csv")


def tsv_file(random: np.random.Generator, folder: Path) -> Case:
    """A table between tabs."""
    return _file(random, folder, "\t", "tsv")


def _file(random: np.random.Generator, folder: Path, separator: str, extension: str) -> Case:
    rows, width = int(random.integers(4, 40)), int(random.integers(1, 7))
    numeric = [chance(random, 0.7) for _ in range(width)]
    numeric[0] = True
    cells = [_numbers(random, rows) if is_number else _categories(random, rows, separator) for is_number in numeric]
    names = _names(random, width, separator)
    named_rows, header = chance(random, 0.4), chance(random, 0.75)
    if named_rows:
        cells.insert(0, [f"row {row}" for row in random.permutation(rows)])
        names.insert(0, pick(random, ["id", "sample", ""]))
    lines = [list(line) for line in zip(*cells, strict=True)]
    text = _written(random, [names, *lines] if header else lines, separator)
    packed = chance(random, 0.1)
    path = folder / (f"t.{extension}.gz" if packed else f"t.{extension}")
    content = (b"\xef\xbb\xbf" if chance(random, 0.1) else b"") + text.encode()
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    options: dict[str, Any] = {"missing": pick(random, ["error", "drop", "drop", "mean"])}
    # What is not said is guessed, and a wrong guess is a difference; a column of numbers and texts above it leave no doubt.
    options["header"] = pick(random, [None, header])
    options["index"] = (pick(random, [None, "1"])) if named_rows else pick(random, [None, False])
    return Case(path, lambda: _expected(text, header, named_rows, separator), options)


def _names(random: np.random.Generator, width: int, separator: str) -> list[str]:
    usable = [name for name in tables.NAMES if name not in ("1", "2.5", "NA") and separator not in name]
    return [str(name) for name in random.permutation(usable)[:width]]


def _numbers(random: np.random.Generator, rows: int) -> list[str]:
    kind = pick(random, ["real", "real", "whole", "boolean", "exponent"])
    style = {
        "real": lambda number: f"{number:.4f}",
        "whole": lambda number: str(round(100 * number) if abs(number) < 1e9 else 7),
        "boolean": lambda number: "TRUE" if number > 0 else "FALSE",
        "exponent": lambda number: f"{number:.17g}",
    }[kind]
    values = [style(number) for number in random.standard_normal(rows) * 10.0 ** random.integers(-3, 4)]
    if chance(random, 0.3):
        gap = pick(random, _MISSING)
        values = [gap if chance(random, 0.1) else value for value in values]
    pad = pick(random, ["", "", "", " "])
    return [pad + value for value in values]


def _categories(random: np.random.Generator, rows: int, separator: str) -> list[str]:
    chosen = [pick(random, _TEXTS) for _ in range(int(random.integers(1, max(2, rows // 4))))]
    if chance(random, 0.2):
        chosen[0] = f"a{separator}b"
    if chance(random, 0.1):
        chosen[0] = "two\nlines"
    values = [pick(random, chosen) for _ in range(rows)]
    return [("" if chance(random, 0.1) else value) for value in values] if chance(random, 0.2) else values


def _written(random: np.random.Generator, lines: list[list[str]], separator: str) -> str:
    written = io.StringIO()
    quoting = pick(random, [csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    csv.writer(written, delimiter=separator, quoting=quoting, lineterminator=pick(random, ["\n", "\n", "\r\n"])).writerows(lines)
    text = written.getvalue()
    return text.rstrip("\r\n") if chance(random, 0.2) and lines[-1][-1] else text


def _expected(text: str, header: bool, named_rows: bool, separator: str) -> Expected:
    frame = pd.read_csv(
        io.StringIO(text, newline=""), sep=separator, header=None, dtype=str, keep_default_na=False, na_filter=False, skip_blank_lines=False
    )
    names = frame.iloc[0].tolist() if header else [str(place + 1) for place in range(frame.shape[1])]
    cells = frame.iloc[1:] if header else frame
    row_names = cells[0].tolist() if named_rows else None
    made = [_column(names[place], cells[place].tolist()) for place in range(int(named_rows), frame.shape[1])]
    expected = columns.matrix(made, row_names)
    if not header and all(column.numbers is not None for column in made):
        expected.names = None
    return expected


def _column(name: str, cells: list[str]) -> columns.Column:
    """Numbers if every cell is one or is missing, otherwise texts."""
    numbers = [_number(cell.strip()) for cell in cells]
    if None in numbers:
        return columns.Column(name, texts=[cell.strip() for cell in cells])
    return columns.Column(name, numbers=[number for number in numbers if number is not None])


def _number(cell: str) -> float | None:
    if cell in _MISSING:
        return math.nan
    try:
        return _BOOLEANS[cell] if cell in _BOOLEANS else float(cell)
    except ValueError:
        return None
