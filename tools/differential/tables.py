"""Random tables: columns of every type that PyArrow has, few rows, awkward values."""

import datetime
import decimal
from typing import Any

import numpy as np
import pyarrow as pa

NAMES = [
    "a", "b", "temp °C", "x y", "Größe", 'quo"te', "com,ma", "semi;colon", "1", "2.5", "NA", "id", "a=b", "π",
    "col*", "line",
]
CATEGORIES = [
    "red", "blue", "green", "NA", "None", "null", "nan", "b", " padded ", "é", "日本", "a,b", 'say "hi"', "1",
    "true", "-", "x" * 40,
]
_INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
_FLOATS = ["float16", "float32", "float64"]


def chance(random: np.random.Generator, probability: float) -> bool:
    """True this often."""
    return bool(random.random() < probability)


def pick(random: np.random.Generator, choices: Any) -> Any:
    """One of the choices."""
    return choices[int(random.integers(len(choices)))]


def integers(random: np.random.Generator, dtype: str, rows: int) -> np.ndarray:
    """Whole numbers, of which some are the smallest and the largest that there are."""
    limits = np.iinfo(dtype)
    values = random.integers(max(limits.min, -9), 10, rows).astype(dtype)
    for extreme in (limits.min, limits.max, limits.max // 2 + 1):
        values[random.random(rows) < 0.05] = extreme
    return values


def floats(random: np.random.Generator, dtype: str, rows: int) -> np.ndarray:
    """Numbers of every size; a few are NaN, and seldom one is infinite."""
    size = 4 if dtype == "float16" else 30 if dtype == "float32" else 250
    values = (
        random.standard_normal(rows) * 10.0 ** random.integers(-size, size, rows)
        if chance(random, 0.3)
        else random.standard_normal(rows)
    )
    values[random.random(rows) < 0.1] = 0.0
    values[random.random(rows) < 0.05] = -0.0
    if chance(random, 0.15):
        values[random.random(rows) < 0.2] = np.nan
    if chance(random, 0.02):
        values[random.integers(rows)] = np.inf
    with np.errstate(over="ignore"):
        narrow = values.astype(dtype)
    narrow[np.isinf(narrow) & ~np.isinf(values)] = 1.0
    return narrow


def texts(random: np.random.Generator, rows: int) -> list[str]:
    """Few different texts, each of which comes more than once."""
    chosen = [pick(random, CATEGORIES) for _ in range(int(random.integers(1, max(2, rows // 4))))]
    cells = [pick(random, chosen) for _ in range(rows)]
    if chance(random, 0.05):
        cells[int(random.integers(rows))] = pick(random, ["", "  "])
    return cells


def gaps(random: np.random.Generator, values: list[Any]) -> list[Any]:
    """The values, of which some are missing, in some columns."""
    if not chance(random, 0.25):
        return values
    return [None if chance(random, 0.2) else value for value in values]


def number_column(random: np.random.Generator, rows: int) -> pa.Array:
    """A column that can be part of a matrix as it is."""
    kind = pick(random, ["integer", "integer", "float", "float", "float", "bool", "decimal", "dictionary"])
    if kind == "integer":
        dtype = pick(random, _INTEGERS)
        return pa.array(gaps(random, integers(random, dtype, rows).tolist()), pa.from_numpy_dtype(dtype))
    if kind == "float":
        dtype = pick(random, _FLOATS)
        return pa.array(gaps(random, list(floats(random, dtype, rows))), pa.from_numpy_dtype(dtype))
    if kind == "bool":
        return pa.array(gaps(random, (random.random(rows) < 0.5).tolist()), pa.bool_())
    if kind == "dictionary":
        return pa.array(gaps(random, random.integers(0, 4, rows).tolist()), pa.int64()).dictionary_encode()
    digits = int(pick(random, [4, 9, 18, 30, 38]))
    scale = int(random.integers(0, digits))
    values = [
        decimal.Decimal((int(chance(random, 0.5)), tuple(map(int, random.integers(0, 10, digits))), -scale))
        for _ in range(rows)
    ]
    return pa.array(gaps(random, values), pa.decimal128(digits, scale))


def text_column(random: np.random.Generator, rows: int) -> pa.Array:
    """A column of categories, in one of the ways that texts are stored."""
    values = gaps(random, texts(random, rows))
    kind = pick(random, ["string", "large_string", "dictionary", "small dictionary"])
    if kind == "dictionary":
        return pa.array(values, pa.string()).dictionary_encode()
    if kind == "small dictionary":
        return pa.array(values, pa.string()).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    return pa.array(values, getattr(pa, kind)())


def other_column(random: np.random.Generator, rows: int) -> pa.Array:
    """A column that cannot be part of a matrix."""
    whole = random.integers(0, 1000, rows).tolist()
    kind = pick(
        random,
        [
            "list", "struct", "map", "binary", "fixed", "date", "time", "timestamp", "duration", "null",
            "nested",
        ],
    )
    if kind == "list":
        return pa.array([[1.0] * (number % 3) for number in whole], pa.list_(pa.float32()))
    if kind == "nested":
        return pa.array([[{"p": [number]}] for number in whole])
    if kind == "struct":
        return pa.array([{"p": number, "q": "x"} for number in whole])
    if kind == "map":
        return pa.array([[("k", number)] for number in whole], pa.map_(pa.string(), pa.int64()))
    if kind == "binary":
        return pa.array([bytes([255 - number % 2]) for number in whole], pa.binary())
    if kind == "fixed":
        return pa.array([b"ab" for _ in whole], pa.binary(2))
    if kind == "null":
        return pa.nulls(rows)
    if kind == "time":
        return pa.array([datetime.time(number % 24) for number in whole], pa.time64("us"))
    types = {"date": pa.date32(), "timestamp": pa.timestamp("us"), "duration": pa.duration("us")}
    storage = pa.int32() if kind == "date" else pa.int64()
    return pa.array(whole, storage).cast(types[kind])


def arrow_table(random: np.random.Generator) -> tuple[pa.Table, dict[str, Any]]:
    """A table and the options to read it with, in which columns that hold nothing of
    use are mostly left out."""
    rows, width = int(random.integers(1, 60)), int(random.integers(1, 9))
    names = [str(name) for name in random.permutation(NAMES)[:width]]
    arrays = [
        number_column(random, rows) if chance(random, 0.7) else text_column(random, rows) for _ in names
    ]
    options: dict[str, Any] = {
        "index": pick(random, [False, None]),
        "missing": pick(random, ["error", "drop", "drop", "mean"]),
    }
    # Texts that stand for a missing value, in columns of any kind;
    # nothing but empty cells does if none are listed.
    options["na"] = pick(random, [None, None, None, ["?"], ["NA"], ["None", "null"], ["-9", "red"]])
    if chance(random, 0.25):
        place = int(random.integers(width))
        arrays[place] = other_column(random, rows)
        if width > 1 and chance(random, 0.8):
            options["columns"] = [name for name in names if name != names[place]]
    elif chance(random, 0.15):
        options["columns"] = sorted(str(name) for name in random.permutation(names)[: max(1, width // 2)])
    if chance(random, 0.04) and width > 2:
        names[1] = names[0]
        options.pop("columns", None)
    if chance(random, 0.2):
        names.append("name of the row")
        values = (
            [f"row {row}" for row in range(rows)]
            if chance(random, 0.5)
            else (10**17 + random.permutation(rows)).tolist()
        )
        arrays.append(pa.array(values))
        options["index"] = "name of the row"
    return pa.table(arrays, names=names), options


def with_pandas_index(random: np.random.Generator, table: pa.Table, nullable: bool = False) -> Any:
    """The same table as a pandas frame whose index has a name, has none, has two levels, or only counts.

    Whole numbers that may be missing become floating-point numbers unless they are `nullable`.
    """
    import pandas as pd

    whole = {
        pa.from_numpy_dtype(name): pd.api.types.pandas_dtype(name.replace("int", "Int").replace("uI", "UI"))
        for name in _INTEGERS
    }
    frame = table.to_pandas(types_mapper=whole.get if nullable else None)
    rows = len(frame)
    kind = pick(random, ["range", "range from 5", "named", "unnamed", "two levels", "numbers"])
    labels = [f"s{row}" for row in random.permutation(rows)]
    if kind == "named":
        frame.index = pd.Index(labels, name="sample")
    elif kind == "unnamed":
        frame.index = pd.Index(labels)
    elif kind == "range from 5":
        frame.index = pd.RangeIndex(5, 5 + 2 * rows, 2)
    elif kind == "numbers":
        frame.index = pd.Index(random.permutation(rows) + 10**16, name="number")
    elif kind == "two levels":
        frame.index = pd.MultiIndex.from_arrays([labels, labels[::-1]], names=["p", "q"])
    return frame
