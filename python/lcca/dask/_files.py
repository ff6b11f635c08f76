"""Shards in files, local or anywhere that fsspec can open."""

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
    """Whether fsspec has to open a path, as for s3://bucket/x.npz, rather than the operating system."""
    return isinstance(path, str) and ("://" in path or "::" in path)


def read(path: Any) -> tuple[Matrix, bool]:
    """Opens a file that the engine reads.

    Parameters
    ----------
    path : str or path
        A local file, or a URL. The file of a URL is copied to the worker's folder and
        removed after it has been read.

    Returns
    -------
    matrix, mapped : Matrix, bool
        The view, and whether it is mapped rather than in memory.
    """
    if not is_url(path):
        return _views.read(path, n_jobs=1), _is_mapped(os.fspath(path))
    files, remote_path = fsspec.core.url_to_fs(path)
    web = str(path).startswith(("http://", "https://"))
    with _temporary_folder() as folder:
        name = urlsplit(remote_path).path if web else remote_path
        copy = os.path.join(folder, posixpath.basename(name.rstrip("/")))
        if not web and files.isdir(remote_path):
            files.get(remote_path, copy, recursive=True)
        else:
            files.get_file(remote_path, copy)
        return _views.read(copy, n_jobs=1), False


def _is_mapped(path: str) -> bool:
    """Whether the engine maps a file of this kind; compressed ones have to be read."""
    if path.endswith(".npz"):
        with zipfile.ZipFile(path) as archive:
            return all(entry.compress_type == zipfile.ZIP_STORED for entry in archive.infolist())
    return path.endswith((".npy", ".safetensors"))


def _temporary_folder() -> "tempfile.TemporaryDirectory[str]":
    """A temporary folder within the worker's own. The system's default outside of a task:
    the client may unpickle a shard."""
    try:
        parent = get_worker().local_directory
    except ValueError:
        parent = None
    return tempfile.TemporaryDirectory(dir=parent, ignore_cleanup_errors=True)


@dataclass(frozen=True)
class RowGroup:
    """A loader that reads one row group of a Parquet file and nothing else."""

    path: str
    group: int

    def __call__(self) -> Matrix:
        parquet = _parquet()
        from pyarrow import feather

        with _open(self.path) as file:
            table = parquet.ParquetFile(file).read_row_group(self.group)
        with _temporary_folder() as folder:
            copy = os.path.join(folder, "group.arrow")
            feather.write_feather(table, copy, compression="uncompressed")
            return _views.read(copy, n_jobs=1)


def row_groups(path: str) -> list[RowGroup]:
    """Loaders of the row groups of a Parquet file; groups without rows are left out."""
    with _open(path) as file:
        metadata = _parquet().ParquetFile(file).metadata
        return [RowGroup(path, i) for i in range(metadata.num_row_groups) if metadata.row_group(i).num_rows]


def _open(path: str) -> Any:
    return fsspec.open(path, "rb") if is_url(path) else open(path, "rb")


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:  # pragma: no cover
        raise ImportError("row groups of Parquet files need PyArrow: pip install pyarrow") from error
    return pyarrow.parquet
