"""SciPy's sparse files: every layout, unsorted and repeated entries, stored zeros, wide indices."""

import io
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from differential import refusals, tables
from differential.case import Case, Expected, PeerRefuses
from differential.tables import chance, pick

_TYPES = ["f4", "f8", "f8", "i1", "i4", "i8", "u1", "u4", "?"]


def file(random: np.random.Generator, folder: Path) -> Case:
    """A file of `scipy.sparse.save_npz`, or one that was put together by hand."""
    path = folder / "t.npz"
    matrix = entries(random)
    layout = pick(
        random,
        ["csr", "csr", "csr", "csc", "csc", "coo", "coo", "bsr", "dia"]
        if chance(random, 0.3)
        else ["csr", "csc", "coo"],
    )
    made = {"csr": _compressed, "csc": _compressed}.get(
        layout, lambda _, matrix, layout: matrix.asformat(layout)
    )(random, matrix, layout)
    sp.save_npz(path, made, compressed=chance(random, 0.5))
    if chance(random, 0.15):
        _by_hand(random, path)
    return Case(path, lambda: _expected(path), {"missing": pick(random, ["error", "drop", "mean"])})


def entries(random: np.random.Generator) -> sp.coo_array:
    """Entries in any order, of which some are repeated and some are zero."""
    rows, cols = (int(side) for side in random.integers(1, 25, 2))
    count = int(random.integers(0, rows * cols // 2 + 2))
    kind = np.dtype(pick(random, _TYPES))
    places = random.integers(0, rows * cols, count)
    if kind.kind == "f" and chance(random, 0.5):
        places = random.permutation(rows * cols)[:count]
        values = (
            np.clip(tables.floats(random, kind.name, len(places)), -1e30, 1e30)
            if len(places)
            else np.zeros(0)
        )
    else:
        # Entries that are repeated are summed, in any order: eighths have the same sum in each.
        values = random.integers(0, 5 if kind.kind != "f" else 999, count) / (8 if kind.kind == "f" else 1)
    return sp.coo_array(
        (values.astype(kind), ((places // cols).astype(np.int32), (places % cols).astype(np.int32))),
        shape=(rows, cols),
    )


def _compressed(random: np.random.Generator, matrix: sp.coo_array, layout: str) -> sp.sparray:
    """Compressed rows or columns whose entries may lie in any order."""
    made = matrix.asformat(layout)
    if made.dtype.kind == "b" and chance(random, 0.5):
        made = made.astype("f8")
    for outer in range(len(made.indptr) - 1):
        span = slice(made.indptr[outer], made.indptr[outer + 1])
        order = random.permutation(span.stop - span.start) if chance(random, 0.3) else slice(None)
        made.indices[span], made.data[span] = made.indices[span][order], made.data[span][order]
    if chance(random, 0.3):
        made.indices, made.indptr = made.indices.astype("i8"), made.indptr.astype("i8")
    made.has_sorted_indices = False
    return made


def _by_hand(random: np.random.Generator, path: Path) -> None:
    """Changes a member of the archive, or writes an archive of something else."""
    with np.load(path) as archive:
        members = dict(archive)
    kind = pick(random, ["text", "flat", "dense", "indices", "big", "more"])
    if kind == "text":
        members["format"] = np.array(members["format"].item().decode())
    elif kind == "flat" and len(members["data"]) % 2 == 0:
        members["data"] = members["data"].reshape(2, -1)
    elif kind == "dense":
        members = {"x": np.ones((3, 2))}
    elif kind == "indices" and "indices" in members:
        members["indices"] = members["indices"].astype(pick(random, ["u1", "u4", "i8", "u8"]))
    elif kind == "big":
        members["data"] = members["data"].astype(members["data"].dtype.newbyteorder(">"))
    elif kind == "more":
        members["comment"] = np.array("by hand")
    np.savez(path, **members)


def _expected(path: Path) -> Expected:
    try:
        stored = sp.load_npz(_native(path))
        matrix = stored.tocoo()
    except (ValueError, KeyError, OSError, TypeError, IndexError) as error:
        raise PeerRefuses(str(error)) from error
    dense = np.zeros(matrix.shape)
    # In double precision: in that of the entries, sums of repeated ones would overflow or round.
    np.add.at(dense, (matrix.row, matrix.col), matrix.data.astype(float))
    return Expected(dense, refusals=set() if stored.format in ("csr", "csc", "coo") else {refusals.LAYOUT})


def _native(path: Path) -> io.BytesIO:
    """The same archive in the byte order of this machine, the only one that SciPy takes."""
    with np.load(path) as archive:
        members = {name: np.asarray(array, array.dtype.newbyteorder("=")) for name, array in archive.items()}
    if (
        members.get("format", np.array(b"")).item() in (b"csr", b"csc", b"coo", "csr", "csc", "coo")
        and members["data"].ndim != 1
    ):
        raise PeerRefuses("the values have several dimensions")
    native = io.BytesIO()
    np.savez(native, **members)
    native.seek(0)
    return native
