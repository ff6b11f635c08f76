"""svmlight: as scikit-learn writes it, and with comments, query numbers,
labels and spaces as other programs do."""

import gzip
import io
from pathlib import Path

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from differential import refusals, sparse
from differential.case import Case, Expected, PeerRefuses
from differential.tables import chance, pick


def file(random: np.random.Generator, folder: Path) -> Case:
    """A file by scikit-learn or by hand."""
    zero_based = chance(random, 0.3)
    matrix = sparse.entries(random).astype("f8")
    matrix.sum_duplicates()
    matrix.data = np.nan_to_num(matrix.data)
    cols = matrix.shape[1]
    text = (_by_sklearn if chance(random, 0.5) else _by_hand)(random, matrix.tocsr(), zero_based)
    if chance(random, 0.2):
        text = text.replace("\n", "\r\n")
    packed = chance(random, 0.1)
    path = folder / ("t.svm.gz" if packed else pick(random, ["t.svm", "t.svmlight", "t.libsvm"]))
    path.write_bytes(gzip.compress(text.encode(), 1) if packed else text.encode())
    width = cols if chance(random, 0.6) else None
    options = {"cols": width, "zero_based": zero_based}
    return Case(path, lambda: _expected(text, width, zero_based), options)


def _by_sklearn(random: np.random.Generator, matrix: object, zero_based: bool) -> str:
    written = io.BytesIO()
    rows = matrix.shape[0]  # type: ignore[attr-defined]
    labels = random.integers(-1, 3, rows).astype(float)
    dump_svmlight_file(
        matrix,
        labels,
        written,
        zero_based=zero_based,
        comment=pick(random, [None, "by scikit-learn", "two\nlines"]),
        query_id=np.sort(random.integers(0, 5, rows)) if chance(random, 0.3) else None,
    )
    return written.getvalue().decode()


def _by_hand(random: np.random.Generator, matrix: object, zero_based: bool) -> str:
    lines = []
    for row in range(matrix.shape[0]):  # type: ignore[attr-defined]
        part = matrix[[row]].tocoo()  # type: ignore[index]
        space = pick(random, [" ", "  ", "\t"])
        order = np.argsort(part.col)
        values = [
            f"{int(part.col[place]) + (not zero_based)}:{_number(random, part.data[place])}"
            for place in order
        ]
        label = pick(random, ["1", "-1", "+1", "0", "2.5", "-1e3"])
        query = ["qid:3"] if chance(random, 0.05) else []
        line = space.join([label, *query, *values])
        lines.append(line + (pick(random, ["", " # comment", " #1:2", " "]) if chance(random, 0.3) else ""))
        if chance(random, 0.05):
            lines.append(pick(random, ["", "# a line of its own"]))
    return "\n".join(lines) + ("" if chance(random, 0.2) else "\n")


def _number(random: np.random.Generator, number: object) -> str:
    number = float(number)  # type: ignore[arg-type]
    return pick(
        random,
        [f"{number!r}", f"{number:.3e}", f"{number:g}", f"{int(number) % 100}", f"{int(number) % 100}."],
    )


def _expected(text: str, width: int | None, zero_based: bool) -> Expected:
    try:
        matrix, _ = load_svmlight_file(io.BytesIO(text.encode()), n_features=width, zero_based=zero_based)
    except ValueError as error:
        raise PeerRefuses(str(error)) from error
    # Without any entry the number of columns is unknown; scikit-learn makes it one.
    unknown = {refusals.NOTHING} if width is None and not len(matrix.indices) else set()
    return Expected(np.asarray(matrix.toarray(), dtype=float), refusals=unknown)
