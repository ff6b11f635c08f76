"""Arrow files (Feather), as PyArrow, pandas and polars write them; PyArrow reads them again."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc

from differential import columns, tables
from differential.case import Case, Expected, PeerRefuses
from differential.tables import chance, pick

try:
    import polars
except ImportError:
    polars = None


def file(random: np.random.Generator, folder: Path) -> Case:
    """A file by one of the writers."""
    path = folder / pick(random, ["t.arrow", "t.feather"])
    table, options = tables.arrow_table(random)
    if chance(random, 0.1):
        table = table.cast(pa.schema([field.with_type(_viewed(field.type)) for field in table.schema]))
    writer = pick(random, ["ipc", "ipc", "feather", "pandas", "polars"])
    try:
        written = _WRITERS[writer](random, table, path, options)
    except Exception:  # noqa: BLE001 -- writers refuse types that they do not have
        written = False
    if not written:
        writer = "ipc"
        _by_ipc(random, table, path, options)
    return Case(path, lambda: _expected(path, options), options, writer)


def _viewed(kind: pa.DataType) -> pa.DataType:
    return pa.string_view() if pa.types.is_string(kind) else kind


def _expected(path: Path, options: dict[str, Any]) -> Expected:
    try:
        with pa.ipc.open_file(path) as reader:
            table = reader.read_all()
    except (pa.ArrowException, OSError) as error:
        raise PeerRefuses(str(error)) from error
    return columns.from_arrow(table, options)


def _by_ipc(random: np.random.Generator, table: pa.Table, path: Path, options: dict[str, Any]) -> bool:
    settings = pa.ipc.IpcWriteOptions(
        compression=pick(random, [None, "lz4", "zstd"]), unify_dictionaries=True
    )
    with pa.ipc.new_file(path, table.schema, options=settings) as writer:
        writer.write_table(table, max_chunksize=int(random.integers(1, 70)))
    return True


def _by_feather(random: np.random.Generator, table: pa.Table, path: Path, options: dict[str, Any]) -> bool:
    pa.feather.write_feather(
        table, path, compression=pick(random, ["uncompressed", "lz4", "zstd"]),
        chunksize=int(random.integers(1, 70)), version=2,
    )
    return True


def _by_pandas(random: np.random.Generator, table: pa.Table, path: Path, options: dict[str, Any]) -> bool:
    named = options["index"]
    frame = tables.with_pandas_index(random, table.drop_columns([named]) if named else table)
    options["index"] = pick(random, [None, False])
    made = pa.Table.from_pandas(frame)
    return _by_ipc(random, made, path, options)


def _by_polars(random: np.random.Generator, table: pa.Table, path: Path, options: dict[str, Any]) -> bool:
    if polars is None:
        return False
    polars.from_arrow(table).write_ipc(path, compression=pick(random, ["uncompressed", "lz4", "zstd"]))
    return True


_WRITERS = {"ipc": _by_ipc, "feather": _by_feather, "pandas": _by_pandas, "polars": _by_polars}
