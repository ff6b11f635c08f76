"""All Debian paths as two views: `python full_paths.py PATHS.TSV FOLDER`.

Each line of PATHS.TSV holds the directory components of a path and the tokens of its base name, separated by
a tab. Writes x.npz and y.npz in FOLDER, with one row per path and one column per component or token that
occurs at least twice, the most frequent first. Also writes every 4th row to x_4.npz and y_4.npz and every
16th to x_16.npz and y_16.npz, to see how time grows.
"""
import array
import collections
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp

LEAST = 2


def read(path, side):
    """Token numbers in order of appearance, the start of each row, and the count of each token."""
    number = collections.defaultdict(lambda: len(number))
    tokens, starts = array.array("i"), array.array("q", [0])
    with open(path, encoding="utf8") as lines:
        for line in lines:
            tokens.extend(number[token] for token in line.rstrip("\n").split("\t")[side].split(" ") if token)
            starts.append(len(tokens))
    tokens, starts = np.frombuffer(tokens, np.int32), np.frombuffer(starts, np.int64)
    return tokens, starts, np.bincount(tokens, minlength=len(number))


def view(path, side):
    tokens, starts, count = read(path, side)
    order = np.argsort(-count, kind="stable")
    order = order[count[order] >= LEAST]
    column = np.full(len(count), -1, np.int32)
    column[order] = np.arange(len(order))
    columns = column[tokens]
    kept = columns >= 0
    offsets = np.concatenate([[0], np.cumsum(kept)])[starts]
    matrix = sp.csr_matrix(
        (np.ones(kept.sum(), np.float32), columns[kept], offsets), (len(starts) - 1, len(order))
    )
    matrix.sort_indices()
    return matrix


def main(path, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for side, name in enumerate("xy"):
        matrix = view(path, side)
        print(name, matrix.shape, matrix.nnz, flush=True)
        for step in (1, 4, 16):
            sp.save_npz(
                folder / (f"{name}.npz" if step == 1 else f"{name}_{step}.npz"),
                matrix[::step],
                compressed=False,
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
