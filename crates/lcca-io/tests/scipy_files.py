"""Files as SciPy and NumPy write them, and SciPy's reading of the files written here.

    scipy_files.py make DIR     writes matrices in every variation; beside each FILE its numbers as FILE.txt
    scipy_files.py check DIR    reads the matrices under DIR and compares each FILE with its FILE.txt
"""

import datetime
import gzip
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import scipy.io
import scipy.sparse as sp

rng = np.random.default_rng(0)


def expect(path, dense):
    """A line of sizes, then one line per row; as many digits as it takes to read the same number back."""
    dense = np.asarray(dense)
    dense = dense.reshape(dense.shape[0], -1)
    lines = [" ".join(repr(float(value)) for value in row) for row in dense]
    Path(f"{path}.txt").write_text("\n".join([f"{dense.shape[0]} {dense.shape[1]}", *lines, ""]))


def numbers(kind, shape=(7, 5)):
    """Sparse numbers of a type, with an empty row and an empty column."""
    dense = rng.integers(1, 9, shape) * (rng.random(shape) < 0.4)
    dense = dense.astype(kind)
    if np.issubdtype(kind, np.floating):
        dense = (dense * 0.7).astype(kind)
    dense[2] = 0
    dense[:, 3] = 0
    return dense


def make_sparse(folder):
    for kind in ["f4", "f8", "i1", "i4", "i8", "u2", "u8", "?"]:
        dense = numbers(np.dtype(kind))
        for layout in ["csr", "csc", "coo"]:
            for compressed in [False, True]:
                matrix = sp.coo_matrix(dense).asformat(layout)
                path = folder / f"{layout}-{np.dtype(kind).name}-{compressed}.npz"
                sp.save_npz(path, matrix, compressed=compressed)
                expect(path, dense)
    make_odd_sparse(folder)


def make_odd_sparse(folder):
    dense = numbers(np.float64)
    wide = sp.csr_matrix(dense)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    repeated = sp.coo_matrix(([1.0, 2.0, 4.0], ([0, 1, 0], [1, 0, 1])), shape=(3, 2))
    unsorted = sp.csr_matrix((np.array([1.0, 2.0]), np.array([3, 1]), np.array([0, 2])), shape=(1, 4))
    one_hot = sp.csr_matrix(np.eye(6, 4)[[3, 1, 5, 0]])
    cases = {
        "wide-indices": wide,
        "array": sp.csr_array(dense),
        "repeated": repeated,
        "unsorted": unsorted,
        "one-hot": one_hot,
        "one-row": sp.csr_matrix(dense[:1]),
        "one-column": sp.csc_matrix(dense[:, :1]),
        "empty": sp.csr_matrix((3, 4)),
        "long": sp.random(300, 200, 0.05, format="csc", random_state=0),
    }
    for name, matrix in cases.items():
        path = folder / f"{name}.npz"
        sp.save_npz(path, matrix, compressed=False)
        expect(path, matrix.toarray())
    # As NumPy users write them by hand: the layout as a string, the shape in 32 bits.
    path = folder / "by-hand.npz"
    shape = np.array(wide.shape, dtype=np.int32)
    np.savez(path, format="csr", shape=shape, data=wide.data, indices=wide.indices, indptr=wide.indptr)
    expect(path, dense)


def make_dense(folder):
    for kind in [
        "<f2", "<f4", "<f8", "<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4", "<u8", "?", ">f2", ">f4", ">f8",
        ">i4",
    ]:
        dense = numbers(np.dtype(kind))
        for order in "CF":
            path = folder / f"dense-{order}-{kind.strip('<>?')}-{ord(kind[0])}.npy"
            np.save(path, np.asarray(dense, dtype=kind, order=order))
            expect(path, dense)
    vector = folder / "vector.npy"
    np.save(vector, np.arange(4.0))
    expect(vector, np.arange(4.0))
    large = folder / "large-F.npy"
    np.save(large, np.asfortranarray(rng.random((333, 77))))
    expect(large, np.load(large))
    for version in [(1, 0), (2, 0), (3, 0)]:
        path = folder / f"version-{version[0]}.npy"
        with open(path, "wb") as file:
            np.lib.format.write_array(file, vector_of(version), version=version)
        expect(path, vector_of(version))


def vector_of(version):
    return np.full((2, 3), float(version[0]))


def make_text(folder):
    symmetric = np.array([[2.0, 1.5, 0.0], [1.5, 0.0, 0.25], [0.0, 0.25, 4.0]])
    skew = np.array([[0.0, -3.0], [3.0, 0.0]])
    cases = {"real": numbers(np.float64), "integer": numbers(np.int64), "symmetric": symmetric, "skew": skew}
    for name, dense in cases.items():
        for storage, matrix in [("coordinate", sp.coo_matrix(dense)), ("array", dense)]:
            path = folder / f"{storage}-{name}.mtx"
            scipy.io.mmwrite(path, matrix, precision=17)
            expect(path, dense)
    pattern = (numbers(np.float64) != 0).astype(float)
    path = folder / "pattern.mtx"
    scipy.io.mmwrite(path, sp.coo_matrix(pattern), field="pattern")
    expect(path, pattern)
    packed = folder / "pattern.mtx.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    expect(packed, pattern)


def make_arrow(folder):
    types = [
        pa.bool_(), pa.int8(), pa.int64(), pa.uint32(), pa.uint64(), pa.float16(), pa.float32(), pa.float64()
    ]
    columns = {f"c {i}": pa.array([i % 2, 0, 1, 0, 1], pa.int8()).cast(kind) for i, kind in enumerate(types)}
    table = pa.table(columns)
    dense = np.column_stack(
        [column.to_numpy(zero_copy_only=False).astype(float) for column in columns.values()]
    )
    for packing in ["uncompressed", "lz4", "zstd"]:
        path = folder / f"{packing}.feather"
        feather.write_feather(table, path, compression=packing, chunksize=2)
        expect(path, dense)
    feather.write_feather(pa.table({"a": [1.0, 2.0, None]}), folder / "missing.arrow")
    dates = pa.array([datetime.date(2020, 1, 31)])
    feather.write_feather(pa.table({"a": [1.0], "b": dates}), folder / "dates.arrow")
    (folder / "cut.arrow").write_bytes((folder / "lz4.feather").read_bytes()[:-40])


def make(folder):
    make_arrow(folder)
    make_sparse(folder)
    make_dense(folder)
    make_text(folder)


def load(path):
    if path.suffix == ".npz":
        return sp.load_npz(path).toarray()
    if path.suffix == ".npy":
        return np.load(path)
    matrix = scipy.io.mmread(path)
    return matrix.toarray() if sp.issparse(matrix) else matrix


def check(folder):
    for text in sorted(folder.glob("*.txt")):
        path = text.with_suffix("")
        expected = np.loadtxt(text, skiprows=1, ndmin=2)
        found = np.asarray(load(path), dtype=float)
        assert found.shape == expected.shape, (path, found.shape, expected.shape)
        assert np.array_equal(found, expected), path
        print("same", path.name)


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](Path(sys.argv[2]))
