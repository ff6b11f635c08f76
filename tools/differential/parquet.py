"""Parquet, as PyArrow, pandas, polars and fastparquet write it; PyArrow reads it again."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from differential import columns, tables
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


def file(random: np.random.Generator, folder: Path) -> Case:
    """A file by one of the writers."""
    path = folder / "t.parquet"
    table, options = tables.arrow_table(random)
    writer = pick(random, ["pyarrow", "pyarrow", "pyarrow", "pandas", "polars", "fastparquet"])
    try:
        written = _WRITERS[writer](random, table, path, options)
    except Exception:  # noqa: BLE001 -- writers refuse types that they do not have
        written = False
    if not written:
        _by_pyarrow(random, table, path, options)
    return Case(path, lambda: _expected(path, options), options)


def _expected(path: Path, options: dict[str, Any]) -> Expected:
    try:
        table = pq.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as error:
        raise PeerRefuses(str(error)) from error
    return columns.from_arrow(table, options)


def _by_pyarrow(random: np.random.Generator, table: pa.Table, path: Path, options: dict[str, Any]) -> bool:
    pq.write_table(table, path, **_settings(random))
    return True


def _settings(random: np.random.Generator) -> dict[str, Any]:
    return {
        "compression": pick(random, ["none", "snappy", "gzip", "zstd", "lz4", "brotli"] if chance(random, 0.1) else ["snappy", "gzip", "zstd", "lz4"]),
        "version": pick(random, ["1.0", "2.4", "2.6"]),
        "data_page_version": pick(random, ["1.0", "2.0"]),
        "use_dictionary": chance(random, 0.5),
        "row_group_size": int(random.integers(1, 70)),
        "data_page_size": int(random.integers(1, 2000)),
        "write_statistics": chance(random, 0.5),
        "store_schema": chance(random, 0.7),
        "write_page_index": chance(random, 0.3),
        "write_page_checksum": chance(random, 0.3),
        "use_byte_stream_split": False,
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
    frame.write_parquet(path, compression=pick(random, ["snappy", "zstd", "lz4", "uncompressed", "gzip"]), row_group_size=int(random.integers(1, 70)))
    return True


def _by_fastparquet(random: np.random.Generator, table: pa.Table, path: Path, options: dict[str, Any]) -> bool:
    if fastparquet is None:
        return False
    frame = tables.with_pandas_index(random, _without_row_names(table, options))
    options["index"] = False
    fastparquet.write(str(path), frame, compression=pick(random, ["SNAPPY", "GZIP", "ZSTD", None]), write_index=False)
    return True


def _without_row_names(table: pa.Table, options: dict[str, Any]) -> pa.Table:
    named = options["index"]
    return table.drop_columns([named]) if named else table


_WRITERS = {"pyarrow": _by_pyarrow, "pandas": _by_pandas, "polars": _by_polars, "fastparquet": _by_fastparquet}
