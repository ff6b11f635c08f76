"""Files of single cells, read in chunks by h5py: AnnData (.h5ad), MuData (.h5mu), 10x Genomics (.h5,
versions 2 and 3)."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

_NAMES = (".h5ad", ".h5mu", ".h5", ".hdf5")


def is_hdf5_name(path: str) -> bool:
    """Whether a file is named like HDF5."""
    return os.path.splitext(path)[1].lower() in _NAMES


def h5py() -> Any:
    """The package that reads HDF5."""
    try:
        import h5py
    except ImportError:
        raise ImportError("reading HDF5 files needs h5py: pip install lcca[sc]") from None
    return h5py


class Part:
    """One matrix of a file: its rows are read when they are asked for, `part[start:stop]`.

    Attributes
    ----------
    shape : (int, int)
        Cells and genes.
    genes, cells : list of str or None
        The names of columns and rows.
    kinds : list of str or None
        The type of each column, such as "Gene Expression", if the file says so.
    """

    def __init__(self, path: str, node: Any, names: tuple[Any, Any, Any]) -> None:
        self.path, self._node = path, node
        self.cells, self.genes, self.kinds = names
        self._by_columns: Any = None
        self.is_ten_x = hasattr(node, "keys") and "barcodes" in node
        if hasattr(node, "keys"):
            self.format, self.shape = self._sparse_format()
            self.entries = int(node["indices"].shape[0])
            self._indptr = np.asarray(node["indptr"][:], dtype=np.int64)
            self._check()
            self.dtype = node["data"].dtype
        else:
            self.format, self.dtype, self.entries = "dense", node.dtype, 0
            if node.ndim != 2:
                raise ValueError(f"{path}: {node.name} has {node.ndim} dimensions, expected 2")
            self.shape = int(node.shape[0]), int(node.shape[1])
        for each, found, expected in (
            ("cells", self.cells, self.shape[0]),
            ("genes", self.genes, self.shape[1]),
        ):
            if found is not None and len(found) != expected:
                raise ValueError(
                    f"{path}: {node.name} has {expected} {each}, and {len(found)} of them have names"
                )

    def _sparse_format(self) -> tuple[str, tuple[int, int]]:
        node, attributes = self._node, self._node.attrs
        missing = [name for name in ("data", "indices", "indptr") if name not in node]
        if missing:
            raise ValueError(
                f"{self.path}: {node.name} has no {missing[0]}, expected a matrix of compressed rows"
            )
        # 10x: genes × cells in compressed columns, which are cells × genes in compressed rows.
        if "shape" in node:
            genes, cells = (int(size) for size in node["shape"][:])
            return "csr", (cells, genes)
        text = attributes.get("encoding-type", attributes.get("h5sparse_format", ""))
        shape = attributes.get("shape", attributes.get("h5sparse_shape"))
        layout = str(text).removesuffix("_matrix")
        if layout not in ("csr", "csc") or shape is None:
            raise ValueError(
                f"{self.path}: {node.name} is stored as {text!r}, expected csr_matrix, csc_matrix or an array"
            )
        return layout, (int(shape[0]), int(shape[1]))

    def _check(self) -> None:
        offsets, outer = self._indptr, self.shape[0] if self.format == "csr" else self.shape[1]
        if (
            len(offsets) != outer + 1
            or offsets[0] != 0
            or offsets[-1] != self.entries
            or (np.diff(offsets) < 0).any()
        ):
            raise ValueError(
                f"{self.path}: {self._node.name}/indptr does not fit the {outer} rows "
                f"and {self.entries} entries"
            )

    def __getitem__(self, rows: slice) -> Any:
        """Some rows: a SciPy matrix of compressed rows, or an array."""
        start, stop, _ = rows.indices(self.shape[0])
        with _understood(self.path):
            if self.format == "dense":
                return self._node[start:stop]
            if self.format == "csc":
                return self._rows()[start:stop]
            offsets = self._indptr[start : stop + 1]
            entries = slice(int(offsets[0]), int(offsets[-1]))
            data, indices = self._node["data"][entries], self._node["indices"][entries]
            self._check_indices(indices, self.shape[1])
            return sp.csr_matrix((data, indices, offsets - offsets[0]), shape=(stop - start, self.shape[1]))

    def _check_indices(self, indices: NDArray[Any], size: int) -> None:
        """SciPy would read and write beyond its arrays."""
        if indices.size and (indices.min() < 0 or indices.max() >= size):
            raise ValueError(
                f"{self.path}: {self._node.name}/indices has {indices.max()}, "
                f"expected numbers from 0 to {size - 1}"
            )

    def _rows(self) -> Any:
        """All rows of a matrix of compressed columns, which are put together in memory, once."""
        if self._by_columns is None:
            arrays = self._node["data"][:], self._node["indices"][:], self._indptr
            self._check_indices(arrays[1], self.shape[0])
            self._by_columns = sp.csc_matrix(arrays, shape=self.shape).tocsr()
        return self._by_columns


def open_file(path: str) -> Any:
    """An HDF5 file; one sentence if it is none."""
    if not os.path.exists(path):
        raise FileNotFoundError(2, "No such file or directory", path)
    try:
        return h5py().File(path, "r")
    except OSError as error:
        raise ValueError(
            f"{path}: is no HDF5 file that can be read: truncated, "
            f"damaged or of another format ({_short(error)})"
        ) from None


def open_part(
    path: str, *, modality: str | None = None, layer: str | None = None, use_raw: bool = False
) -> Part:
    """The matrix of a file, or of one modality of a file that has several."""
    file = open_file(path)
    with _understood(path):
        return _part(path, file, modality, layer, use_raw)


def modalities(path: str) -> list[str]:
    """The names of the modalities of a MuData file; none for other files."""
    file = open_file(path)
    with _understood(path):
        return [str(name) for name in file["mod"]] if "mod" in file else []


@contextlib.contextmanager
def _understood(path: str) -> Iterator[None]:
    """Says in one sentence that a file is damaged, or not what it seems to be.
    h5py raises almost any kind of exception then."""
    try:
        yield
    except (
        ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, UnicodeError
    ) as error:
        raise ValueError(
            f"{path}: is an HDF5 file, but is damaged or cannot be understood ({_short(error)})"
        ) from None


def _part(path: str, file: Any, modality: str | None, layer: str | None, use_raw: bool) -> Part:
    if "mod" in file:
        found = [str(name) for name in file["mod"]]
        if modality is None or modality not in found:
            raise ValueError(f"{path}: has the modalities {', '.join(found)}; choose one of them")
        return _anndata(path, file["mod"][modality], layer, use_raw)
    if "matrix" in file or _genome(file) is not None:
        if layer is not None or use_raw:
            raise ValueError(f"{path}: is a 10x file, which has neither layers nor raw")
        return _ten_x(path, file["matrix"] if "matrix" in file else file[_genome(file)])
    if "obs" in file and "var" in file:
        if modality is not None:
            raise ValueError(f"{path}: has no modalities, so {modality!r} cannot be chosen")
        return _anndata(path, file, layer, use_raw)
    content = ", ".join(sorted(str(name) for name in file)[:5]) or "nothing"
    raise ValueError(f"{path}: is an HDF5 file with {content}, expected AnnData, MuData or a 10x matrix")


def _genome(file: Any) -> str | None:
    """The group of a 10x file of version 2, which is named after a genome."""
    groups = [str(name) for name in file if hasattr(file[name], "keys") and "barcodes" in file[name]]
    return groups[0] if len(groups) == 1 else None


def _ten_x(path: str, group: Any) -> Part:
    features = group["features"] if "features" in group else group
    genes = _texts(features["name"] if "name" in features else features["gene_names"])
    ids = _texts(features["id"] if "id" in features else features["genes"])
    # Gene symbols repeat; identifiers do not.
    names = (
        genes
        if len(set(genes)) == len(genes)
        else [f"{gene} {i}" if gene != i else i for gene, i in zip(genes, ids, strict=True)]
    )
    kinds = _texts(features["feature_type"]) if "feature_type" in features else None
    return Part(path, group, (_texts(group["barcodes"]), names, kinds))


def _anndata(path: str, group: Any, layer: str | None, use_raw: bool) -> Part:
    if use_raw and layer is not None:
        raise ValueError(f"{path}: raw has no layers, choose one or the other")
    if use_raw and "raw" not in group:
        raise ValueError(f"{path}: has no raw")
    home = group["raw"] if use_raw else group
    if layer is not None and (("layers" not in home) or (layer not in home["layers"])):
        found = sorted(str(name) for name in home["layers"]) if "layers" in home else []
        raise ValueError(f"{path}: has no layer {layer!r}, expected one of {found}")
    if layer is None and "X" not in home:
        raise ValueError(f"{path}: has no X, choose a layer")
    node = home["X"] if layer is None else home["layers"][layer]
    kinds = _column(home["var"], "feature_types")
    return Part(path, node, (_index(group["obs"]), _index(home["var"]), kinds))


def _index(frame: Any) -> list[str] | None:
    if not hasattr(frame, "keys"):  # a table of records, as anndata before version 0.7 wrote it
        names = frame.dtype.names or ()
        return _texts(frame[names[0]]) if names else None
    name = frame.attrs.get("_index", "_index")
    return _texts(frame[name]) if name in frame else None


def _column(frame: Any, name: str) -> list[str] | None:
    if not hasattr(frame, "keys") or name not in frame:
        return None
    column = frame[name]
    if hasattr(column, "keys") and "categories" in column:
        categories = _texts(column["categories"])
        return [categories[code] if code >= 0 else "" for code in column["codes"][:]]
    return _texts(column)


def _texts(texts: Any) -> list[str]:
    found: NDArray[Any] = texts["values"][:] if hasattr(texts, "keys") else texts[:]
    return [text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text) for text in found]


def _short(error: BaseException) -> str:
    text = str(error).strip().splitlines() or [type(error).__name__]
    return text[0][:200].strip("'\"")
