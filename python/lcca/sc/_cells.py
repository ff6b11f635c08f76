"""The cells of one data set, wherever they are: in memory, in a file, or in a Dask array.
They are read in chunks of rows."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lcca import _frames, _views
from lcca._foreign import is_anndata
from lcca._lcca import Matrix
from lcca.sc import _hdf5

_SPARSE_ROWS = 1 << 16  # rows of a chunk
_DENSE_NUMBERS = 1 << 23  # numbers of a chunk of dense rows: 64 MB

Columns = NDArray[np.intp]


class Cells:
    """One row per cell, one column per gene.

    Attributes
    ----------
    shape : (int, int)
        Cells and genes.
    genes : list of str or None
        The names of the columns.
    """

    def __init__(self, rows: Any, genes: Sequence[str] | None, name: str) -> None:
        self._rows, self.name = rows, name
        self.shape = int(rows.shape[0]), int(rows.shape[1])
        self.genes = None if genes is None else [str(gene) for gene in genes]

    @property
    def has_fixed_columns(self) -> bool:
        """Whether columns cannot be chosen, as those of a view that `lcca.read` opened."""
        return isinstance(self._rows, Matrix)

    def chunks(self, columns: Columns | None, threads: int) -> Iterator[Matrix]:
        """All rows, part by part, with some of the columns or all."""
        if isinstance(self._rows, Matrix):
            if columns is not None:
                raise ValueError(
                    f"{self.name}: the columns of a view that `lcca.read` opened cannot be chosen: "
                    "pass AnnData instead"
                )
            yield self._rows
            return
        for start, stop in self._spans():
            part: Any = self._rows[start:stop]
            part = part.compute() if hasattr(part, "compute") else part
            is_sparse = bool(sp.issparse(part))
            part = part if is_sparse else np.asarray(part)
            part = part if columns is None else part[:, columns]
            part = part.tocsr() if is_sparse else part
            numbers = part.data if is_sparse else part
            if numbers.dtype.kind not in "biuf":
                raise ValueError(f"{self.name}: values are of type {numbers.dtype}, expected numbers")
            yield _views.from_arrays(part, self.name, threads)

    def _spans(self) -> Iterator[tuple[int, int]]:
        rows, cols = self.shape
        chunks = getattr(self._rows, "chunks", None)
        if hasattr(self._rows, "dask") and chunks is not None:
            ends = np.cumsum([0, *chunks[0]])
            yield from ((int(a), int(b)) for a, b in zip(ends[:-1], ends[1:], strict=True) if b > a)
            return
        is_dense = isinstance(self._rows, np.ndarray) or not _is_sparse(self._rows)
        step = max(1, _DENSE_NUMBERS // max(cols, 1)) if is_dense else _SPARSE_ROWS
        yield from ((start, min(start + step, rows)) for start in range(0, rows, step))


def _is_sparse(rows: Any) -> bool:
    return sp.issparse(rows) or hasattr(rows, "indptr") or getattr(rows, "format", None) in ("csr", "csc")


def cells(data: Any, name: str, *, layer: str | None = None, use_raw: bool = False) -> Cells:
    """The cells of AnnData, of an array, of a file, or of a view that `lcca.read` opened."""
    if isinstance(data, (str, os.PathLike)):
        path = os.fspath(data)
        if _hdf5.is_hdf5_name(path):
            part = _hdf5.open_part(path, layer=layer, use_raw=use_raw)
            return Cells(part, part.genes, name)
        _refuse_choices(layer, use_raw, name)
        data = _views.read(path)
    if isinstance(data, Matrix):
        _refuse_choices(layer, use_raw, name)
        return Cells(data, data.names, name)
    if is_anndata(data):
        rows, genes = values(data, layer=layer, use_raw=use_raw)
        return Cells(by_rows(rows), genes, name)
    _refuse_choices(layer, use_raw, name)
    if hasattr(data, "divisions"):
        raise TypeError(
            f"{name} is a Dask frame, whose rows are not counted: pass its Dask array, "
            "or call compute() first"
        )
    rows = data if _is_sparse(data) or hasattr(data, "dask") else np.asarray(data)
    if getattr(rows, "ndim", 2) != 2:
        raise ValueError(f"{name} has {rows.ndim} dimensions, expected 2: cells and genes")
    return Cells(by_rows(rows), _frames.column_names(data), name)


def values(adata: Any, *, layer: str | None, use_raw: bool) -> tuple[Any, list[str]]:
    """The values of AnnData and the names of their columns."""
    if use_raw:
        if layer is not None:
            raise ValueError(f"layer={layer!r} and use_raw=True exclude each other: `raw` has no layers")
        if adata.raw is None:
            raise ValueError("use_raw=True, but the AnnData has no `raw`")
        return adata.raw.X, [str(gene) for gene in adata.raw.var_names]
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"there is no layer {layer!r}, expected one of {sorted(adata.layers.keys())}")
    rows = adata.X if layer is None else adata.layers[layer]
    if rows is None:
        raise ValueError("the AnnData has no X: name a layer")
    return rows, [str(gene) for gene in adata.var_names]


def by_rows(rows: Any) -> Any:
    """The same numbers in a layout whose rows can be read in order;
    compressed columns are brought into rows, in memory."""
    if getattr(rows, "format", None) == "csc" and hasattr(rows, "to_memory"):
        rows = rows.to_memory()
    is_sparse = bool(sp.issparse(rows))
    return rows.tocsr() if is_sparse else rows


def _refuse_choices(layer: str | None, use_raw: bool, name: str) -> None:
    if layer is not None or use_raw:
        raise ValueError(f"{name}: layer and use_raw choose parts of AnnData, and this is none")
