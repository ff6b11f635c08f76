"""Parquet, as PyArrow, pandas, polars and fastparquet write it; PyArrow reads it again."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from differential import columns, refusals, tables
from differential.case import Case, Expected, PeerRefuses
from differential.tables import chance, pick

try:
    import fastparquet
except ImportError:
    fastparquet = None
try:
    import polars
except ImportError:
    polars = None

_COMPRESSIONS = ["none", "snappy", "gzip", "zstd", "lz4"]
# What each type may be encoded as besides plainly and by a dictionary.
_ENCODINGS = {
    "int": ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
    "float": ["PLAIN", "BYTE_STREAM_SPLIT"],
    "bool": ["PLAIN", "RLE"],
    "string": ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"],
}


def file(random: np.random.Generator, folder: Path) -> Case:
    """A file by one of the writers. What a writer cannot write is written by PyArrow."""
    path = folder / "t.parquet"
    table, options = tables.arrow_table(random)
    writer = pick(random, ["pyarrow", "pyarrow", "pyarrow", "pandas", "polars", "fastparquet", "fastparquet"])
    try:
        written = _WRITERS[writer](random, table, path, options)
    except Exception:  # noqa: BLE001 -- writers refuse types that they do not have
        written = False
    if not written:
        writer = "pyarrow"
        _by_pyarrow(random, table, path, options)
    return Case(path, lambda: _expected(path, options), options, writer)


def _expected(path: Path, options: dict[str, Any]) -> Expected:
    try:
        file = pq.ParquetFile(path)
        table = file.read()
    except (pa.ArrowException, OSError) as error:
        raise PeerRefuses(str(error)) from error
    expected = columns.from_arrow(table, options)
    groups = [file.metadata.row_group(group) for group in range(file.metadata.num_row_groups)]
    if any(
        group.column(place).compression == "BROTLI" for group in groups for place in range(group.num_columns)
    ):
        expected.refusals.add(refusals.BROTLI)
    return expected


def _by_pyarrow(random: np.random.Generator, table: pa.Table, path: Path, options: dict[str, Any]) -> bool:
    settings = {
        "compression": pick(random, [*_COMPRESSIONS, "brotli"] if chance(random, 0.1) else _COMPRESSIONS),
        "version": pick(random, ["1.0", "2.4", "2.6"]),
        "data_page_version": pick(random, ["1.0", "2.0"]),
        "row_group_size": int(random.integers(1, 70)),
        "data_page_size": int(random.integers(1, 2000)),
        "dictionary_pagesize_limit": pick(random, [1, 100, 1 << 20]),
        "write_statistics": chance(random, 0.5),
        "store_schema": chance(random, 0.7),
        "write_page_index": chance(random, 0.3),
        "write_page_checksum": chance(random, 0.3),
        "store_decimal_as_integer": chance(random, 0.3),
    }
    try:
        pq.write_table(table, path, **settings, **_encoded(random, table))
    except (pa.ArrowException, OSError):
        # Some types, such as dictionaries of numbers, have encodings of their own.
        pq.write_table(table, path, **settings, use_dictionary=chance(random, 0.5))
    return True


def _encoded(random: np.random.Generator, table: pa.Table) -> dict[str, Any]:
    """By a dictionary or plainly in all columns, or each column by an encoding of its own."""
    if chance(random, 0.5) or len(set(table.column_names)) < table.num_columns:
        return {"use_dictionary": chance(random, 0.7)}
    kinds = {
        field.name: next((kind for kind in _ENCODINGS if kind in str(field.type)), None)
        for field in table.schema
    }
    return {
        "use_dictionary": False,
        "column_encoding": {
            name: pick(random, _ENCODINGS[kind]) for name, kind in kinds.items() if kind is not None
        },
    }


def _by_pandas(random: np.random.Generator, table: pa.Table, path: Path, options: dict[str, Any]) -> bool:
    frame = tables.with_pandas_index(random, _without_row_names(table, options))
    options["index"] = pick(random, [None, False])
    frame.to_parquet(path, engine="pyarrow", index=pick(random, [None, True]))
    return True


def _by_polars(random: np.random.Generator, table: pa.Table, path: Path, options: dict[str, Any]) -> bool:
    if polars is None:
        return False
    frame = polars.from_arrow(table)
    frame.write_parquet(
        path,
        compression=pick(random, ["snappy", "zstd", "lz4", "uncompressed", "gzip"]),
        row_group_size=int(random.integers(1, 70)),
    )
    return True


def _by_fastparquet(
    random: np.random.Generator, table: pa.Table, path: Path, options: dict[str, Any]
) -> bool:
    """fastparquet says in the older of two fields of a schema that whole numbers have no sign."""
    if fastparquet is None:
        return False
    table = _without_row_names(table, options)
    plain = [
        field.name
        for field in table.schema
        if str(field.type).startswith(("int", "uint", "float", "double", "bool", "string"))
    ]
    wanted = [name for name in options.get("columns", plain) if name in plain]
    if not wanted:
        return False
    frame = tables.with_pandas_index(random, table.select(plain), nullable=chance(random, 0.5))
    options["index"] = False
    if "columns" in options:
        options["columns"] = wanted
    groups = sorted({0, *random.integers(0, len(frame), 2).tolist()})
    fastparquet.write(
        str(path),
        frame,
        compression=pick(random, ["SNAPPY", "GZIP", "ZSTD", "LZ4_RAW", None]),
        write_index=False,
        row_group_offsets=groups,
        # With "infer" it writes a Boolean where the format has a number, which PyArrow passes over.
        has_nulls=chance(random, 0.7),
        stats=chance(random, 0.5),
    )
    return True


def _without_row_names(table: pa.Table, options: dict[str, Any]) -> pa.Table:
    named = options["index"]
    return table.drop_columns([named]) if named else table


_WRITERS = {
    "pyarrow": _by_pyarrow, "pandas": _by_pandas, "polars": _by_polars, "fastparquet": _by_fastparquet
}
