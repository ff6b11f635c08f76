"""The store of the program `lcca`, written chunk by chunk: a safetensors file with checksums,
described in docs/files.md."""

import json
import os
import secrets
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 18  # bytes with one checksum
_EXACT = 1 << 24  # integers up to here are exact in single precision
_LETTERS = {"<u8": "U64", "<u4": "U32", "<f4": "F32", "<f8": "F64", "|u1": "U8"}


class TooWide(Exception):
    """An integer that single precision does not hold."""


def write(
    path: str,
    shape: tuple[int, int],
    entries: int | None,
    chunks: Callable[[], Iterator[Any]],
    single: bool,
    genes: list[str] | None,
    cells: list[str] | None,
) -> None:
    """Writes the store of a matrix. It appears whole or not at all.

    Parameters
    ----------
    path : str
        The file.
    shape : (int, int)
        Rows and columns.
    entries : int or None
        The number of entries of sparse rows; None if rows are dense.
    chunks : callable
        Yields the rows, part by part: SciPy matrices of compressed rows, or arrays. It is called again if
        single precision does not do.
    single : bool
        Whether values fit single precision; integers that do not are written in double precision.
    genes, cells : list of str or None
        The names of columns and rows.
    """
    try:
        _write(path, shape, entries, chunks(), "<f4" if single else "<f8", genes, cells)
    except TooWide:
        _write(path, shape, entries, chunks(), "<f8", genes, cells)


def _write(
    path: str,
    shape: tuple[int, int],
    entries: int | None,
    chunks: Iterator[Any],
    value: str,
    genes: list[str] | None,
    cells: list[str] | None,
) -> None:
    names = {"name": genes, "row_name": cells}
    packed = {key: _packed(texts) for key, texts in names.items() if texts is not None}
    numbers: dict[str, tuple[str, tuple[int, ...]]] = {
        f"{key}_ends": ("<u8", (len(ends),)) for key, (_, ends) in packed.items()
    }
    if entries is None:
        numbers["values"] = value, shape
    else:
        numbers |= {
            "indptr": ("<u8", (shape[0] + 1,)), "data": (value, (entries,)), "indices": ("<u4", (entries,))
        }
    numbers |= {f"{key}s": ("|u1", (len(text),)) for key, (text, _) in packed.items()}
    temporary = os.path.join(os.path.dirname(os.path.abspath(path)), f".lcca-{secrets.token_hex(8)}")
    # Readable by whom other files of this user are readable.
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
    try:
        tensors = _begin(temporary, numbers, "dense" if entries is None else "sparse", shape)
        for key, (text, ends) in packed.items():
            tensors[f"{key}s"][:], tensors[f"{key}_ends"][:] = text, ends
        _fill(tensors, shape, entries, chunks, path)
        for tensor in tensors.values():
            if isinstance(tensor, np.memmap):
                tensor.flush()
        del tensors
        _finish(temporary)
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def _packed(texts: list[str]) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """Names as one run of bytes, and where each ends."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.uint64)
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), ends


def _begin(
    path: str, numbers: dict[str, tuple[str, tuple[int, ...]]], kind: str, shape: tuple[int, int]
) -> dict[str, Any]:
    """Writes the header and makes room for the numbers, which are returned to be filled in."""
    sizes = {name: int(np.prod(count)) * np.dtype(dtype).itemsize for name, (dtype, count) in numbers.items()}
    sums = 1 + sum(-(-size // _BLOCK) for size in sizes.values())
    header: dict[str, Any] = {
        "__metadata__": {
            "checksums": f"crc32/{_BLOCK}",
            "cols": str(shape[1]),
            "format": "lcca-matrix",
            "kind": kind,
            "rows": str(shape[0]),
            "version": "1",
        }
    }
    end, places = 0, {}
    for name, (dtype, count) in numbers.items():
        header[name] = {
            "dtype": _LETTERS[dtype], "shape": list(count), "data_offsets": [end, end + sizes[name]]
        }
        places[name], end = end, end + sizes[name]
    header["checksums"] = {"dtype": "U32", "shape": [sums], "data_offsets": [end, end + 4 * sums]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text = text.ljust(-(-(8 + len(text)) // 64) * 64 - 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + end + 4 * sums)
    start = 8 + len(text)
    return {
        name: np.memmap(path, dtype=dtype, mode="r+", offset=start + places[name], shape=count)
        if sizes[name]
        else np.empty(count, dtype=dtype)
        for name, (dtype, count) in numbers.items()
    }


def _fill(
    tensors: dict[str, Any], shape: tuple[int, int], entries: int | None, chunks: Iterator[Any], path: str
) -> None:
    row, entry = 0, 0
    for chunk in chunks:
        count = chunk.shape[0]
        numbers = chunk.data if entries is not None else chunk
        target = tensors["values"] if entries is None else tensors["data"]
        if numbers.dtype.kind not in "biuf":
            raise ValueError(f"{path}: values are of type {numbers.dtype}, expected numbers")
        if numbers.dtype.kind in "iu" and target.dtype.itemsize == 4 and numbers.size:
            if max(int(numbers.max()), -int(numbers.min())) > _EXACT:
                raise TooWide
        if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
            raise ValueError(
                f"{path}: values are NaN or infinite between rows {row} and {row + count - 1}, "
                "expected numbers"
            )
        if entries is None:
            target[row : row + count] = chunk
        else:
            _sort(chunk, row, path)
            span = slice(entry, entry + chunk.nnz)
            target[span], tensors["indices"][span] = chunk.data, chunk.indices
            tensors["indptr"][row + 1 : row + count + 1] = entry + chunk.indptr[1:].astype(np.uint64)
            entry += chunk.nnz
        row += count
    if entries is not None:
        tensors["indptr"][0] = 0
    if row != shape[0] or entry != (entries or 0):
        raise ValueError(
            f"{path}: {row} rows and {entry} entries were read, expected {shape[0]} and {entries or 0}"
        )


def _sort(chunk: Any, row: int, path: str) -> None:
    if not chunk.has_sorted_indices:
        chunk.sort_indices()
    if chunk.nnz and (chunk.indices.min() < 0 or chunk.indices.max() >= chunk.shape[1]):
        raise ValueError(f"{path}: an entry after row {row} is in a column beyond the {chunk.shape[1]}")
    if not chunk.has_canonical_format:
        raise ValueError(f"{path}: a row after row {row} has two entries in one column, expected one")


def _finish(path: str) -> None:
    """Forms the checksums of everything that was written, and writes them to the end."""
    with open(path, "r+b") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        places = [
            info["data_offsets"] for name, info in header.items() if name not in ("__metadata__", "checksums")
        ]
        file.seek(0)
        sums = [zlib.crc32(file.read(8 + length))]
        for start, end in places:
            sums += [zlib.crc32(file.read(min(_BLOCK, end - at))) for at in range(start, end, _BLOCK)]
        file.write(np.array(sums, dtype="<u4").tobytes())
        file.flush()
        os.fsync(file.fileno())
