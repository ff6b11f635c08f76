"""What a text between separators holds: pandas splits it into cells, Python reads the numbers,
docs/files.md says the rest."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from differential import columns, refusals
from differential.case import Expected
from differential.text.headers import first_line

# What is missing in a column of numbers if nothing is listed, and a text like any other in a column of texts.
WORDS = [".", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "NULL", "null", "None"]
_BOOLEANS = {"TRUE": 1.0, "True": 1.0, "true": 1.0, "FALSE": 0.0, "False": 0.0, "false": 0.0}
_SAMPLED = 100


@dataclass
class Layout:
    """How a text was written."""

    encoding: str
    separator: str
    # The separator that the extension says.
    usual: str
    # How many fields each line has.
    widths: Sequence[int]
    # Whether all cells are between quotes.
    quotes: bool


def expected(path: Path, layout: Layout, options: dict[str, Any]) -> Expected:
    """The matrix in a text, with the columns and the row names that the options ask for."""
    lines = _cells(path, layout)
    width = len(lines[1])
    if len(lines[0]) not in (width, width - 1):
        return Expected(np.ones((1, 1)), refusals={refusals.RAGGED, refusals.FIRST_LINE})
    whole = [lines[0], *(line for line in lines[1:] if len(line) == width)]
    found = _of_lines(whole, layout, options)
    if len(whole) < len(lines):
        # Whatever else is wrong may come before the line that lacks a field.
        found.refusals |= {refusals.RAGGED, refusals.FIRST_LINE}
    return found


def _of_lines(lines: list[list[str]], layout: Layout, options: dict[str, Any]) -> Expected:
    width = len(lines[1])
    if width == 1 and _could_be_two([line[0] for line in lines[:10]], layout, options):
        return Expected(np.ones((1, 1)), refusals={refusals.AMBIGUOUS_COMMA})
    reading = _Reading(lines, layout.separator, options)
    header = options["header"]
    if header is None:
        found = first_line(lines, reading.number)
        if found == "unclear":
            return Expected(np.ones((1, 1)), refusals={refusals.FIRST_LINE})
        header = found == "names"
    if not header:
        if len(lines[0]) < width:
            return Expected(np.ones((1, 1)), refusals={refusals.RAGGED})
        return _matrix(None, lines, reading, options)
    # R gives the column of row names no name.
    return _matrix(["", *lines[0]] if len(lines[0]) < width else lines[0], lines[1:], reading, options)


def _could_be_two(head: Sequence[str], layout: Layout, options: dict[str, Any]) -> bool:
    """Whether one column may as well be two between commas. What is between fields settles it,
    unless the name has a comma, too."""
    head = [cell for cell in head if not _is_blank(cell)]
    if (
        layout.quotes
        or options["decimal"] is not None
        or not all("," in cell and is_decimal(cell) for cell in head[1:])
    ):
        return False
    if options["delimiter"] is None:
        return layout.usual == "\t" and "," in head[0] and is_decimal(head[0])
    return options["delimiter"] != "," and head[0].count(",") == 1 and not is_decimal(head[0])


def _cells(path: Path, layout: Layout) -> list[list[str]]:
    """The fields of each line as pandas splits them. It fills short lines up,
    so that their widths have to be known."""
    widths = layout.widths
    settings: dict[str, Any] = {
        "sep": layout.separator, "encoding": layout.encoding, "header": None, "names": range(max(widths))
    }
    # A blank line between the rows of a single column is a missing value for lcca,
    # and is skipped by pandas unless it is told not to.
    single = set(widths) == {1}
    settings |= {"dtype": str, "keep_default_na": False, "skip_blank_lines": not single}
    try:
        frame = pd.read_csv(path, **settings)
    except pd.errors.ParserError:
        # The parser in C stumbles over some files whose lines end with carriage returns alone.
        frame = pd.read_csv(path, engine="python", **settings)
    lines = [line[:width] for line, width in zip(frame.to_numpy(object).tolist(), widths, strict=True)]
    while single and not layout.quotes and _is_blank(lines[-1][0]):
        lines.pop()
    while single and not layout.quotes and _is_blank(lines[0][0]):
        lines.pop(0)
    return lines


def _is_blank(cell: str) -> bool:
    """Whether a single cell leaves its line blank. Nothing at all is written as two quotes,
    which are something."""
    return cell != "" and not cell.strip()


class _Reading:
    """How the cells of a text become numbers."""

    def __init__(self, lines: list[list[str]], separator: str, options: dict[str, Any]) -> None:
        self.listed = options["na"]
        self.missing = columns.Missing(self.listed)
        self.decimal = options["decimal"] or (
            "," if separator != "," and _has_decimal_commas(lines[: 1 + _SAMPLED]) else "."
        )

    def number(self, cell: str) -> float | None:
        """The number in a cell: NaN if it is missing, or a word that stands for that;
        None if it is a text."""
        cell = cell.strip()
        if (
            self.missing.text(cell) is None
            or cell in (WORDS if self.listed is None else [])
            or cell.lower().lstrip("+-") == "nan"
        ):
            return math.nan
        if cell in _BOOLEANS:
            return _BOOLEANS[cell]
        try:
            return self.missing.number(
                float(cell if self.decimal == "." else cell.replace(".", "x").replace(",", "."))
            )
        except ValueError:
            return None

    def column(self, name: str, cells: list[str]) -> columns.Column:
        """Numbers if every cell is one or is missing, texts if none is a number, judged by the first rows."""
        numbers = [self.number(cell) for cell in cells]
        sample = numbers[:_SAMPLED]
        texts = [cell for cell, number in zip(cells[:_SAMPLED], sample, strict=True) if number is None]
        if not texts:
            if None in numbers:
                return columns.Column(name, refusal=refusals.MIXED)
            infinite = any(math.isinf(number) for number in numbers if number is not None)
            return columns.Column(name, numbers=numbers, refusal=refusals.INFINITE if infinite else "")
        if any(number is not None and math.isfinite(number) for number in sample):
            return columns.Column(name, refusal=refusals.MIXED)
        if all(columns.looks_formatted(text) for text in texts):
            return columns.Column(name, refusal=refusals.SEPARATORS)
        return columns.Column(name, texts=[cell.strip() for cell in cells])


def is_decimal(cell: str) -> bool:
    """Whether a cell is a number with decimals, or without, after a comma."""
    return re.fullmatch(r"[-+]?(\d+(,\d*)?|,\d+)([eE][-+]?\d+)?", cell.strip()) is not None


def _has_decimal_commas(lines: Sequence[Sequence[str]]) -> bool:
    """Whether some number has a comma that cannot separate thousands, and none has a point."""
    cells = [cell.strip() for line in lines for cell in line]
    number = r"[-+]?(\d+{0}\d*|{0}\d+)([eE][-+]?\d+)?"
    comma, point = re.compile(number.format(",")), re.compile(number.format(r"\."))
    thousands = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
    return (
        any(comma.fullmatch(cell) and not thousands.fullmatch(cell) for cell in cells)
        and not any(point.fullmatch(cell) for cell in cells)
    )


def _matrix(
    names: list[str] | None, lines: list[list[str]], reading: _Reading, options: dict[str, Any]
) -> Expected:
    cells = [list(column) for column in zip(*lines, strict=True)]
    labels = names or [str(place + 1) for place in range(len(cells))]
    wanted = options.get("columns")
    index, guessed = _index(names, cells, reading, options["index"], wanted)
    places = [
        place
        for place in range(len(cells))
        if (labels[place] in wanted if wanted is not None else place != index)
    ]
    row_names = None if index is None else [cell.strip() for cell in cells[index]]
    made = [reading.column(labels[place], cells[place]) for place in places]
    matrix = columns.matrix(made, len(lines), row_names, options["na"])
    if names is None and all(column.numbers is not None for column in made):
        matrix.names = None
    if names and isinstance(options["index"], str) and names.count(options["index"]) > 1:
        matrix.refusals.add(refusals.ALIKE)
    if guessed and row_names is not None and len(set(row_names)) < len(row_names):
        matrix.refusals.add(refusals.REPEATED)
    return matrix


def _index(
    names: list[str] | None,
    cells: list[list[str]],
    reading: _Reading,
    index: str | bool | None,
    wanted: list[str] | None,
) -> tuple[int | None, bool]:
    """The column that names the rows, if there is one, and whether that is a guess."""
    if isinstance(index, str):
        return (names.index(index) if names and index in names else int(index) - 1), False
    if index is False or len(cells) < 2 or (names and names[0] in (wanted or [])):
        return None, True
    sample = cells[0][:_SAMPLED]
    unnamed = names is not None and names[0].strip() in ("", "Unnamed: 0")
    texts = [cell for cell in sample if reading.number(cell) is None]
    words = [cell for cell in sample if cell.strip() and math.isnan(reading.number(cell) or 0.0)]
    different = columns.name_rows(sample) and len(texts) + len(words) == len(sample) and bool(texts)
    return (0 if unnamed or different else None), True
