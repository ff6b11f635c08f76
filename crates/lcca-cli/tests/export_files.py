"""Reads a file that `lcca export` wrote, as other programs do, and prints its names and numbers as JSON.

    export_files.py FILE
"""

import csv
import json
import re
import sys

import numpy as np
import pyarrow.parquet

ESCAPES = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}


def word2vec(path):
    """As gensim's KeyedVectors.load_word2vec_format does."""
    with open(path, "rb") as file:
        rows, cols = (int(size) for size in file.readline().split())
        names, numbers = [], []
        for _ in range(rows):
            parts = file.readline().decode().rstrip().split(" ")
            assert len(parts) == cols + 1, parts
            names.append(parts[0])
            numbers.append([float(number) for number in parts[1:]])
        assert not file.read()
    return names, numbers


def npy(path):
    with open(f"{path}.names.txt", encoding="utf-8", newline="\n") as file:
        lines = [line.removesuffix("\n") for line in file]
    names = [re.sub(r"\\[\\tnr]", lambda found: ESCAPES[found[0]], line) for line in lines]
    array = np.load(path)
    assert array.dtype == np.float64 and array.flags.c_contiguous
    return names, array.tolist()


def parquet(path):
    table = pyarrow.parquet.read_table(path)
    expected = ["name", *(f"component_{at}" for at in range(1, table.num_columns))]
    assert table.column_names == expected, table.column_names
    assert [str(kind) for kind in table.schema.types] == ["string", *["double"] * (table.num_columns - 1)]
    columns = [column.to_pylist() for column in table.columns]
    return columns[0], [list(row) for row in zip(*columns[1:])]


def delimited(path):
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t" if path.endswith(".tsv") else ",")
    assert header == ["name", *(f"component_{at}" for at in range(1, len(header)))], header
    return [row[0] for row in rows], [[float(number) for number in row[1:]] for row in rows]


if __name__ == "__main__":
    path = sys.argv[1]
    readers = {"vec": word2vec, "npy": npy, "parquet": parquet, "csv": delimited, "tsv": delimited}
    names, numbers = readers[path.rsplit(".", 1)[1]](path)
    json.dump({"names": names, "numbers": numbers}, sys.stdout)
