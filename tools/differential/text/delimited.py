"""CSV and TSV: separators, quotes, line ends, encodings, headers, row names,
missing cells, decimal commas."""

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np

from differential import tables
from differential.text import split
from differential.case import Case
from differential.tables import chance, pick

_TEXTS = [
    "red", "blue", "green", "NA", "None", "null", "é", "日本", "a b", "x-y", 'say "hi"', "it's", "long " * 9
]


def csv_file(random: np.random.Generator, folder: Path) -> Case:
    """A table between commas, or semicolons or tabs."""
    return _file(random, folder, ",", "csv")


def tsv_file(random: np.random.Generator, folder: Path) -> Case:
    """A table between tabs, or semicolons."""
    return _file(random, folder, "\t", "tsv")


def _file(random: np.random.Generator, folder: Path, usual: str, extension: str) -> Case:
    separator = pick(random, [";", ";", "\t"]) if chance(random, 0.25) else usual
    decimal = "," if separator != "," and chance(random, 0.5) else "."
    lines, style = _lines(random, separator, decimal)
    text, quotes = _written(random, lines, separator)
    encoding = pick(random, ["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16"])
    packed = chance(random, 0.1)
    path = folder / (f"t.{extension}.gz" if packed else f"t.{extension}")
    content = text.encode(encoding) if encoding != "utf-16" else _utf16(random, text)
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    options = _options(random, style, lines)
    options["delimiter"] = (
        pick(random, [None, separator]) if _shows(lines, separator, usual, decimal) else separator
    )
    options["decimal"] = pick(random, [None, decimal])
    widths = [len(line) for line in lines]
    layout = split.Layout(encoding, separator, usual, widths, quotes)
    return Case(path, lambda: split.expected(path, layout, options), options)


def _shows(lines: list[list[str]], separator: str, usual: str, decimal: str) -> bool:
    """Whether the first lines show what is between fields: several fields in each,
    or nothing that could be."""
    head = lines[:10]
    if separator == usual:
        below_one_name = len(lines[0]) == 1 and all(len(line) == 2 for line in head[1:])
        return (
            len(lines[0]) > 1
            or below_one_name
            or not any(other in lines[0][0] for other in ",;\t")
            or split.is_decimal(lines[0][0])
        )
    named = len(lines[0]) in (len(lines[1]), len(lines[1]) - 1)
    equal = len(lines[0]) > 1 and named and all(len(line) == len(lines[1]) for line in head[1:])
    decimals = usual == "," == decimal and all(
        split.is_decimal(cell) for line in head for cell in line if "," in cell
    )
    return equal and (decimals or not any(usual in cell for cell in lines[0]))


def _lines(random: np.random.Generator, separator: str, decimal: str) -> tuple[list[list[str]], str]:
    """The cells, and which kind of table they are: the first line holds names of columns, or data."""
    rows, width = int(random.integers(4, 40)), int(random.integers(1, 7))
    rows += 100 if chance(random, 0.05) else 0
    numeric = [chance(random, 0.7) for _ in range(width)]
    numeric[0] = True
    cells = [
        _numbers(random, rows, decimal) if is_number else _categories(random, rows, separator)
        for is_number in numeric
    ]
    names = _names(random, width)
    style = pick(random, ["header", "header", "header", "data"])
    index = pick(random, ["none", "none", "texts", "texts", "counts", "R"])
    if index != "none":
        numbers = random.permutation(rows) if index != "counts" else range(rows)
        cells.insert(0, [str(number) if index == "counts" else f"row {number}" for number in numbers])
        names[:0] = (
            [] if index == "R" else [""] if index == "counts" else [pick(random, ["id", "sample", ""])]
        )
    lines = [list(line) for line in zip(*cells, strict=True)]
    lines = [names, *lines] if style == "header" else lines
    if chance(random, 0.03):
        place = int(random.integers(len(lines)))
        lines[place] = lines[place][:-1] or lines[place]
    return lines, style if index == "none" else f"{style} and row names"


def _options(random: np.random.Generator, style: str, lines: list[list[str]]) -> dict[str, Any]:
    """What is not said is guessed, by rules that `split` has as well."""
    header = style.startswith("header")
    options: dict[str, Any] = {
        "missing": pick(random, ["error", "drop", "drop", "mean"]),
        "header": pick(random, [None, header]),
    }
    options["na"] = pick(random, [None] * 9 + [["?"], ["NA"], ["None", "-7"]])
    options["index"] = (
        pick(random, [None, "1"]) if style.endswith("row names") else pick(random, [None, False])
    )
    named = [name for name in lines[0] if name and name not in ("id", "sample")]
    if header and named and chance(random, 0.1):
        options["header"] = True
        options["columns"] = [str(name) for name in random.permutation(named)[: len(named) // 2 + 1]]
    return options


def _names(random: np.random.Generator, width: int) -> list[str]:
    """Names of columns: mostly texts, sometimes numbers, seldom the same one twice."""
    kind = pick(random, ["texts"] * 12 + ["some numbers", "counts", "years", "wavelengths", "any"])
    if kind == "texts" or kind == "some numbers":
        usable = [name for name in tables.NAMES if kind != "texts" or name not in ("1", "2.5", "NA")]
        names = [str(name) for name in random.permutation(usable)[:width]]
        if chance(random, 0.05) and width > 1:
            names[1] = names[0]
        return names
    numbers = {
        "counts": range(width), "years": range(1990, 1990 + width),
        "wavelengths": 400 + 2.5 * np.arange(width),
    }
    return [str(number) for number in numbers.get(kind, random.permutation(30)[:width])]


def _numbers(random: np.random.Generator, rows: int, decimal: str) -> list[str]:
    kind = pick(random, ["real", "real", "whole", "boolean", "exponent", "thousandths"])
    style = {
        "real": lambda number: f"{number:.4f}",
        "thousandths": lambda number: f"{number:.3f}",
        "whole": lambda number: str(round(100 * number) if abs(number) < 1e9 else 7),
        "boolean": lambda number: "TRUE" if number > 0 else "FALSE",
        "exponent": lambda number: f"{number:.17g}",
    }[kind]
    values = [
        style(number).replace(".", decimal)
        for number in random.standard_normal(rows) * 10.0 ** random.integers(-3, 4)
    ]
    if chance(random, 0.3):
        gap = pick(random, ["", *split.WORDS])
        values = [gap if chance(random, 0.1) else value for value in values]
    if chance(random, 0.02):
        values[int(random.integers(rows))] = pick(random, ["Inf", "-inf", "1e999"])
    if chance(random, 0.01):
        values[int(random.integers(rows))] = pick(random, ["?", "red", "12%"])
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


def _written(random: np.random.Generator, lines: list[list[str]], separator: str) -> tuple[str, bool]:
    """The text, and whether all of its cells are between quotes."""
    written = io.StringIO()
    quoting = pick(random, [csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    plain = not any("\n" in cell for line in lines for cell in line)
    end = pick(random, ["\n", "\n", "\n", "\r\n", "\r\n", "\r" if plain else "\n"])
    writer = csv.writer(written, delimiter=separator, quoting=quoting, lineterminator=end)
    blank = len(lines[0]) > 1 and chance(random, 0.05)
    for line in lines:
        writer.writerow(line)
        written.write(end if blank and chance(random, 0.2) else "")
    text = written.getvalue()
    return text.removesuffix(end) if chance(random, 0.2) else text, quoting == csv.QUOTE_ALL


def _utf16(random: np.random.Generator, text: str) -> bytes:
    order = pick(random, ["utf-16-le", "utf-16-be"])
    return ("\ufeff" + text).encode(order)
