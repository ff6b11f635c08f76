"""Files of single cells as stores that the program `lcca` opens."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lcca.sc import _hdf5, _store
from lcca.sc._hdf5 import Part

_ENTRIES = 1 << 23  # entries of a chunk: 64 MB
_UNSAFE = '/\\:*?"<>| '


def convert(
    path: "str | os.PathLike[str]",
    output: "str | os.PathLike[str]",
    *,
    modality: str | Sequence[str] | None = None,
    layer: str | None = None,
    use_raw: bool = False,
) -> list[str]:
    """Writes the matrices of an `.h5ad`, `.h5mu` or 10x `.h5` file as stores,
    with the names of cells and genes, chunk by chunk.

    The same as `python -m lcca.sc convert` in a shell.

    Parameters
    ----------
    path : str or path
        An AnnData, MuData or 10x file.
    output : str or path
        A `.safetensors` file if there is one matrix to write; otherwise a folder, which gets one store per
        modality or type of feature, such as `rna.safetensors` or `Gene_Expression.safetensors`.
    modality : str or list of str, optional
        Which modalities of MuData to write, or which types of features (`feature_types`) of AnnData and 10x
        files [default: all].
    layer : str, optional
        A layer to write in place of `X`.
    use_raw : bool
        Whether to write `raw` in place of `X`.

    Returns
    -------
    list of str
        The files that were written.

    Examples
    --------
    >>> import os, tempfile, anndata, numpy as np, lcca.sc, scipy.sparse as sp
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "cells.h5ad")
    >>> anndata.AnnData(sp.csr_matrix(np.eye(3, dtype=np.float32))).write_h5ad(path)
    >>> [store] = lcca.sc.convert(path, os.path.join(folder.name, "cells.safetensors"))
    >>> lcca.read(store)
    <lcca.Matrix of 3 rows and 3 columns, sparse f32>
    """
    path, output = os.fspath(path), os.fspath(output)
    wanted = None if modality is None else [modality] if isinstance(modality, str) else list(modality)
    named = _hdf5.modalities(path)
    if named:
        chosen = named if wanted is None else wanted
        jobs = [
            (name, _hdf5.open_part(path, modality=name, layer=layer, use_raw=use_raw), None)
            for name in chosen
        ]
    else:
        part = _hdf5.open_part(path, layer=layer, use_raw=use_raw)
        jobs = _by_kind(part, wanted)
    if output.endswith((".safetensors", ".lcca")):
        if len(jobs) != 1:
            raise ValueError(
                f"{path}: has {len(jobs)} matrices ({', '.join(name for name, *_ in jobs)}): "
                "write them to a folder, or choose one"
            )
        return [_write(part, columns, output) for _, part, columns in jobs]
    files = [os.path.join(output, f"{_file_name(name)}.safetensors") for name, *_ in jobs]
    if len(set(files)) != len(files):
        raise ValueError(
            f"{path}: two of {', '.join(name for name, *_ in jobs)} would be written to the same "
            "file: choose one at a time"
        )
    os.makedirs(output, exist_ok=True)
    return [_write(part, columns, file) for (_, part, columns), file in zip(jobs, files, strict=True)]


def _by_kind(part: Part, wanted: list[str] | None) -> list[tuple[str, Part, Any]]:
    """One matrix for each type of features, if the file has several."""
    kinds = list(dict.fromkeys(part.kinds or []))
    if wanted is None and len(kinds) < 2:
        return [("cells", part, None)]
    missing = [name for name in wanted or [] if name not in kinds]
    if missing:
        found = f"expected one of {', '.join(kinds)}" if kinds else "the file names no types of features"
        raise ValueError(f"{part.path}: has no features of the type {missing[0]!r}; {found}")
    types = np.array(part.kinds, dtype=object)
    return [(kind, part, np.flatnonzero(types == kind)) for kind in wanted or kinds]


def _file_name(name: str) -> str:
    return "".join("_" if letter in _UNSAFE else letter for letter in name) or "unnamed"


def _write(part: Part, columns: Any, path: str) -> str:
    genes = part.genes
    if columns is not None and genes is not None:
        genes = [genes[column] for column in columns]
    cols = part.shape[1] if columns is None else len(columns)
    is_dense = part.format == "dense"
    entries = None if is_dense else part.entries
    if columns is not None and not is_dense:
        entries = sum(int(chunk.nnz) for chunk in _chunks(part, columns))
    single = part.dtype.kind in "iub" or part.dtype.itemsize <= 4
    _store.write(
        path, (part.shape[0], cols), entries, lambda: _chunks(part, columns), single, genes, part.cells
    )
    return path


def _chunks(part: Part, columns: Any) -> Iterator[Any]:
    rows, cols = part.shape
    per_row = cols if part.format == "dense" else max(1, part.entries // max(rows, 1))
    step = max(1, _ENTRIES // max(per_row, 1))
    for start in range(0, rows, step):
        chunk = part[start : start + step]
        yield chunk if columns is None else chunk[:, columns]
