"""Shards in files, wherever fsspec finds them."""

import os
import posixpath
import tempfile
import zipfile
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import fsspec
from distributed import get_worker

from lcca import _views
from lcca._lcca import Matrix


def is_url(path: Any) -> bool:
    """Whether a name is for fsspec, such as s3://bucket/x.npz, rather than for the operating system."""
    return isinstance(path, str) and ("://" in path or "::" in path)


def read(path: Any) -> tuple[Matrix, bool]:
    """A file that the engine reads, and whether it is mapped. One from elsewhere is fetched to the worker's folder, and gone
    from there once nobody needs it."""
    if not is_url(path):
        return _views.read(path, n_jobs=1), _is_mapped(os.fspath(path))
    files, there = fsspec.core.url_to_fs(path)
    web = str(path).startswith(("http://", "https://"))
    with _room() as here:
        name = urlsplit(there).path if web else there
        copy = os.path.join(here, posixpath.basename(name.rstrip("/")))
        if not web and files.isdir(there):
            files.get(there, copy, recursive=True)
        else:
            files.get_file(there, copy)
        return _views.read(copy, n_jobs=1), False


def _is_mapped(path: str) -> bool:
    """Compressed files are not."""
    if path.endswith(".npz"):
        with zipfile.ZipFile(path) as archive:
            return all(entry.compress_type == zipfile.ZIP_STORED for entry in archive.infolist())
    return path.endswith((".npy", ".safetensors"))


def _room() -> "tempfile.TemporaryDirectory[str]":
    """A folder that is removed, in that of the worker, where there is one: a shard may also be made outside of a task."""
    try:
        within = get_worker().local_directory
    except ValueError:
        within = None
    return tempfile.TemporaryDirectory(dir=within, ignore_cleanup_errors=True)


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
        with _room() as here:
            copy = os.path.join(here, "group.arrow")
            feather.write_feather(table, copy, compression="uncompressed")
            return _views.read(copy, n_jobs=1)


def row_groups(path: str) -> list[RowGroup]:
    """The loaders of a Parquet file's groups; those without rows are left out."""
    with _opened(path) as file:
        metadata = _parquet().ParquetFile(file).metadata
        return [RowGroup(path, i) for i in range(metadata.num_row_groups) if metadata.row_group(i).num_rows]


def _opened(path: str) -> Any:
    return fsspec.open(path, "rb") if is_url(path) else open(path, "rb")


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:  # pragma: no cover
        raise ImportError("groups of rows in Parquet files need PyArrow: pip install pyarrow") from error
    return pyarrow.parquet
