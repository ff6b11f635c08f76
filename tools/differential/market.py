"""MatrixMarket: coordinates and arrays, every symmetry and field, comments, spaces and line ends."""

import gzip
import io
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from differential import sparse, tables
from differential.case import Case, Expected, PeerRefuses
from differential.tables import chance, pick


def file(random: np.random.Generator, folder: Path) -> Case:
    """A file as SciPy writes it, or one that is spaced and commented by hand."""
    text = _by_hand(random) if chance(random, 0.4) else _by_scipy(random)
    if chance(random, 0.2):
        text = text.replace("\n", "\r\n")
    packed = chance(random, 0.1)
    path = folder / ("t.mtx.gz" if packed else "t.mtx")
    path.write_bytes(gzip.compress(text.encode(), 1) if packed else text.encode())
    return Case(path, lambda: _expected(text), {"missing": "error"})


def _by_scipy(random: np.random.Generator) -> str:
    written = io.BytesIO()
    matrix = sparse.entries(random)
    matrix.data = np.nan_to_num(matrix.data)
    # SciPy writes numbers of single precision with bytes of zero behind them, and crashes when it reads them.
    matrix = matrix.astype("i8" if matrix.dtype.kind in "bui" else "f8")
    square = matrix.shape[0] == matrix.shape[1]
    scipy.io.mmwrite(
        written,
        matrix if chance(random, 0.7) else matrix.toarray(),
        comment=pick(random, ["", " by hand", " two\n lines", "%%"]),
        precision=pick(random, [None, 6]),
        symmetry="AUTO" if square else "general",
    )
    return written.getvalue().decode()


def _by_hand(random: np.random.Generator) -> str:
    """Any field and symmetry, with numbers, spaces and comments as people write them."""
    layout = pick(random, ["coordinate", "coordinate", "array"])
    kinds = (
        ["real", "integer", "double", "complex"]
        if layout == "array"
        else ["real", "integer", "pattern", "double"]
    )
    kind = pick(random, kinds) if chance(random, 0.3) else kinds[int(random.integers(2))]
    symmetry = pick(random, ["general", "general", "symmetric", "skew-symmetric"])
    rows = int(random.integers(1, 9))
    cols = rows if symmetry != "general" else int(random.integers(1, 9))
    header = f"%%MatrixMarket matrix {layout} {kind} {symmetry}"
    header = header.upper().replace("%%MATRIXMARKET", "%%MatrixMarket") if chance(random, 0.2) else header
    lines = [header, *(["% a comment", "%"] if chance(random, 0.5) else [])]
    strictly = symmetry == "skew-symmetric"
    places = [
        (i, j)
        for j in range(1, cols + 1)
        for i in range(1, rows + 1)
        if symmetry == "general" or i > j or (i == j and not strictly)
    ]
    if layout == "coordinate":
        places = [places[place] for place in random.permutation(len(places))[: len(places) // 2 + 1]]
        places += places[:1] if chance(random, 0.2) and symmetry == "general" else []
        lines.append(f"{rows} {cols} {len(places)}")
        lines += [
            f"{i}{_space(random)}{j}{'' if kind == 'pattern' else _space(random) + _number(random, kind)}"
            for i, j in places
        ]
    else:
        lines.append(f"{rows} {cols}")
        lines += [_number(random, kind) for _ in places]
    end = "" if chance(random, 0.2) else "\n" + ("\n" if chance(random, 0.2) else "")
    return "\n".join(lines) + end


def _space(random: np.random.Generator) -> str:
    return pick(random, [" ", " ", "  ", "\t"])


def _number(random: np.random.Generator, kind: str) -> str:
    if kind == "integer":
        return str(int(random.integers(-50, 50)))
    number = float(tables.floats(random, "float64", 3)[0])
    number = number if np.isfinite(number) else 1.5
    text = pick(
        random,
        [
            f"{number!r}", f"{number:.3e}", f"{number:.17g}", f"{number:E}", f"{int(number) % 100}.",
            f".{abs(int(number)) % 10}",
        ],
    )
    return f"{text} 0" if kind == "complex" else text


def _expected(text: str) -> Expected:
    try:
        matrix = scipy.io.mmread(io.BytesIO(text.encode()), spmatrix=False)
    except (ValueError, OSError, OverflowError) as error:
        raise PeerRefuses(str(error)) from error
    if matrix.dtype.kind == "c":
        raise PeerRefuses("complex numbers")
    if sp.issparse(matrix):
        dense = np.zeros(matrix.shape)
        np.add.at(dense, (matrix.row, matrix.col), matrix.data.astype(float))
        matrix = dense
    return Expected(np.asarray(matrix, dtype=float))
