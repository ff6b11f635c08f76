"""Shards in files, wherever fsspec finds them."""

import os
import posixpath
import tempfile
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import fsspec

from lcca import _views
from lcca._lcca import Matrix


def is_url(path: Any) -> bool:
    """Whether a name is for fsspec, such as s3://bucket/x.npz, rather than for the operating system."""
    return isinstance(path, str) and ("://" in path or "::" in path)


def read(path: Any, folder: str | None = None) -> Matrix:
    """A file that the engine reads. One from elsewhere is fetched to `folder`, and gone from there once nobody needs it."""
    if not is_url(path):
        return _views.read(path, n_jobs=1)
    files, there = fsspec.core.url_to_fs(path)
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as here:
        copy = os.path.join(here, posixpath.basename(urlsplit(there).path.rstrip("/")))
        files.get(there, copy, recursive=files.isdir(there))
        return _views.read(copy, n_jobs=1)


@dataclass(frozen=True)
class RowGroup:
    """A loader of one group of rows of a Parquet file; no more of the file is read."""

    path: str
    group: int

    def __call__(self) -> Matrix:
        parquet = _parquet()
        from pyarrow import feather

        with _opened(self.path) as file:
            table = parquet.ParquetFile(file).read_row_group(self.group)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as here:
            copy = os.path.join(here, "group.arrow")
            feather.write_feather(table, copy, compression="uncompressed")
            return _views.read(copy, n_jobs=1)


def row_groups(path: str) -> int:
    """How many groups of rows a Parquet file has."""
    with _opened(path) as file:
        return int(_parquet().ParquetFile(file).num_row_groups)


def _opened(path: str) -> Any:
    return fsspec.open(path, "rb") if is_url(path) else open(path, "rb")


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:  # pragma: no cover
        raise ImportError("groups of rows in Parquet files need PyArrow: pip install pyarrow") from error
    return pyarrow.parquet
