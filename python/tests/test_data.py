"""The same numbers give the same bits, whatever holds the views; errors say what is wrong with the data."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

import lcca
from lcca import CCA, Matrix
from lcca._views import finite_rows, from_arrays


def fitted(x, y):
    return CCA(n_components=3, n_jobs=1).fit(x, y).correlations_


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "lil", "bsr"])
def test_sparse_layouts(words, layout):
    x, y = words
    assert (fitted(x.asformat(layout), sp.csr_matrix(y).asformat(layout)) == fitted(x, y)).all()


@pytest.mark.parametrize(
    "dtype", [bool, "i1", "u2", "i4", "u8", "f2", "f4", "f8", ">f8", ">i4", "longdouble"]
)
@pytest.mark.parametrize("index", ["i4", "i8"])
def test_types_of_values_and_indices(words, dtype, index):
    x, y = words
    other = sp.csr_array(x.shape)
    # Not all of NumPy's types are SciPy's, so the arrays are put in by hand.
    other.data, other.indices, other.indptr = (
        x.data.astype(dtype), x.indices.astype(index), x.indptr.astype(index)
    )
    view = from_arrays(other, "X", 1)
    assert view.kind == "sparse, all ones" and view.nnz == x.nnz
    assert (fitted(view, y) == fitted(x, y)).all()


@pytest.mark.parametrize("dtype", ["i1", "i4", "f4", "f8", "f2"])
@pytest.mark.parametrize("order", ["C", "F", "gaps"])
def test_types_and_orders_of_dense_arrays(factors, dtype, order):
    x, y = (np.round(view) for view in factors)
    other = np.array(x, dtype=dtype, order=order if order != "gaps" else "C")
    if order == "gaps":
        other = np.repeat(other, 2, axis=0)[::2]
        assert not other.flags.contiguous
    assert (fitted(other, y) == fitted(x, y)).all()


def test_mapped_arrays_and_files(words, factors, tmp_path):
    x, y = factors
    for name, view in zip("xy", factors, strict=True):
        np.save(tmp_path / f"{name}.npy", view)
    mapped = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "xy"]
    paths = [tmp_path / f"{name}.npy" for name in "xy"]
    for views in (mapped, paths, [str(path) for path in paths], [lcca.read(path) for path in paths]):
        assert (fitted(*views) == fitted(x, y)).all()
    sp.save_npz(tmp_path / "x.npz", words[0], compressed=False)
    model = CCA(n_components=3).fit(tmp_path / "x.npz", words[1])
    assert (model.transform(tmp_path / "x.npz") == model.transform(words[0])).all()
    assert model.score(tmp_path / "x.npz", words[1]) == model.score(*words)


def test_frames_and_tables(factors):
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    truth = fitted(*factors)
    named = [
        {f"{side}{i}": column for i, column in enumerate(view.T)}
        for side, view in zip("xy", factors, strict=True)
    ]
    for table in (pandas.DataFrame, polars.DataFrame, pyarrow.table):
        model = CCA(n_components=3, n_jobs=1).fit(*map(table, named))
        assert (model.correlations_ == truth).all()
        assert list(model.y_feature_names_in_) == list(named[1])
        # Which tables have names is scikit-learn's decision, and differs from version to version.
        seen = StandardScaler().fit(table(named[0]))
        assert list(getattr(model, "feature_names_in_", [])) == list(getattr(seen, "feature_names_in_", []))
    sparse = [pandas.DataFrame.sparse.from_spmatrix(sp.csr_matrix(np.round(view))) for view in factors]
    assert np.allclose(fitted(*sparse), fitted(*map(np.round, factors)))


def test_rows_in_any_order_of_columns_and_duplicates_are_summed(words):
    x, y = words
    shuffled = x.copy()
    for start, end in zip(x.indptr[:-1], x.indptr[1:], strict=True):
        shuffled.indices[start:end] = x.indices[start:end][::-1]
    shuffled.has_sorted_indices = False
    assert (fitted(shuffled, y) == fitted(x, y)).all()
    twice = sp.csr_array(
        (np.r_[x.data / 2, x.data / 2], np.r_[x.indices, x.indices], x.indptr * 2), shape=x.shape
    )
    for row, (start, end) in enumerate(zip(x.indptr[:-1], x.indptr[1:], strict=True)):
        twice.indices[twice.indptr[row] : twice.indptr[row + 1]] = np.tile(x.indices[start:end], 2)
    assert np.allclose(fitted(twice, y), fitted(x, y))


def test_entries_after_the_last_row_are_ignored(words):
    x, y = words
    longer = x.copy()
    longer.data, longer.indices = np.r_[x.data, 7.0], np.r_[x.indices, 1].astype(x.indices.dtype)
    assert (fitted(longer, y) == fitted(x, y)).all()


def test_arrays_of_the_right_type_are_shared_not_copied(words):
    x = words[0].copy()
    x.data[0] = 2
    wide = [x.indices.astype("i8"), x.indptr.astype("i8"), x.data]
    narrow = [x.indices.astype("i4"), x.indptr.astype("i4"), x.data.astype("f4")]
    before = [[sys.getrefcount(array) for array in arrays] for arrays in (wide, narrow)]
    views = [Matrix.sparse("X", "csr", x.shape, p, i, v, 1) for i, p, v in (wide, narrow)]
    during = [[sys.getrefcount(array) for array in arrays] for arrays in (wide, narrow)]
    # Indices of 32 bits, offsets of 64 bits and floating-point values are shared; anything else is converted.
    assert (np.array(during) - before).tolist() == [[0, 1, 1], [1, 0, 1]]
    del views
    assert before == [[sys.getrefcount(array) for array in arrays] for arrays in (wide, narrow)]


MEMORY = """
import resource, sys, warnings, numpy as np, scipy.sparse as sp, lcca
rows, cols, each = 1_000_000, 5_000, 8
random = np.random.default_rng(0)
indices = np.sort(
    random.integers(0, cols // each, (rows, each), dtype=np.int32)
    + np.arange(each, dtype=np.int32) * (cols // each), axis=1
)
x = sp.csr_array(
    (random.random(rows * each), indices.ravel(), np.arange(rows + 1, dtype=np.int32) * each),
    shape=(rows, cols),
)
y = random.random((rows, 2), dtype=np.float32)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
del indices, random
warnings.simplefilter("ignore")
fit = lambda x, y: lcca.CCA(1, method="d-cca", t1=2, n_jobs=1).fit(x, y)
fit(x[:1000], y[:1000])
now = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
held = np.ones(max(peak() - now, 0) // 8 + 1)
before = peak()
fit(x, y)
print(peak() - before, x.indices.nbytes, x.data.nbytes)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_fit_takes_no_more_than_a_copy_of_the_indices():
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    added, indices, values = map(int, done.stdout.split())
    # The script fills memory up to its former peak, so that everything the fit allocates raises the peak.
    assert 0 < added < indices < values, done.stdout


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(factors, words, bad):
    x, y = factors
    x = x.copy()
    x[3, 2] = bad
    for views in ((x, y), (y, x), (sp.csr_array(x), y), (y, sp.csc_array(x))):
        with pytest.raises(ValueError, match="NaN|infinity"):
            CCA(n_components=1).fit(*views)
    with pytest.raises(ValueError, match="row 3, column 2: the value is (NaN|inf)"):
        from_arrays(x, "X", 1)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (np.ones((4, 2)), np.ones((3, 2)), "inconsistent numbers of samples"),
        (np.ones(4), np.ones((4, 2)), "Expected 2D array, got 1D array"),
        (np.ones((4, 2, 2)), np.ones((4, 2)), "Found array with dim 3"),
        (np.eye(4)[:, :2], np.ones((4, 2)), "Y is all zero once centered: there is nothing to correlate"),
        (np.array([["a"], ["b"]]), np.ones((2, 1)), "dtype='numeric' is not compatible|could not convert"),
        (np.eye(4) * 1j, np.eye(4), "Complex data not supported"),
        (np.empty((0, 3)), np.empty((0, 3)), "0 sample"),
        (np.eye(4) * 1e200, np.eye(4), "X has values so large that their squares overflow"),
    ],
)
def test_shapes_and_types_that_make_no_sense(x, y, words):
    with pytest.raises(ValueError, match=words):
        CCA(n_components=1).fit(x, y)


def test_widths_must_be_those_of_the_training_rows(factors):
    x, y = factors
    model = CCA(n_components=1).fit(x, y)
    with pytest.raises(ValueError, match="X has 7 features, but CCA is expecting 8 features"):
        model.transform(x[:, 1:])
    with pytest.raises(ValueError, match="y has 5 columns, but CCA is expecting 6 columns"):
        model.transform(x, y[:, 1:])
    with pytest.raises(ValueError, match="X has 2 canonical variables, expected 1"):
        model.inverse_transform(np.ones((3, 2)))


def test_broken_arrays_are_named(words):
    x = words[0]
    far = x.indices.copy()
    far[5] = x.shape[1]
    with pytest.raises(ValueError, match=f"X: indices: element 5 is {x.shape[1]}, expected a column"):
        Matrix.sparse("X", "csr", x.shape, x.indptr, far, x.data, 1)
    with pytest.raises(ValueError, match="X: indptr"):
        Matrix.sparse("X", "csr", x.shape, x.indptr[::-1].copy(), x.indices, x.data, 1)
    with pytest.raises(ValueError, match="gaps"):
        Matrix.dense("X", np.ones((4, 4))[:, ::2], 1)


def test_files_that_are_not_there_or_broken(factors, tmp_path):
    with pytest.raises(FileNotFoundError, match="none.npz"):
        CCA().fit(tmp_path / "none.npz", factors[1])
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"PK nonsense")
    with pytest.raises(ValueError, match="broken.npz"):
        CCA().fit(broken, factors[1])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("view", ["X", "y"])
def test_large_arrays_are_checked_by_all_threads_with_the_same_errors(bad, view):
    rng = np.random.default_rng(1)
    views = {"X": rng.normal(size=(70_000, 16)).astype("f4"), "y": rng.normal(size=(70_000, 3)).astype("f4")}
    views["y"] = np.asfortranarray(np.repeat(views["y"], 6, axis=1) + rng.normal(size=(70_000, 18)))
    assert all(finite_rows(array, 2) is not None for array in views.values())
    views[view][69_999, 2] = bad
    assert finite_rows(views[view], 2) is None
    with pytest.raises(ValueError, match="NaN" if np.isnan(bad) else f"Input {view} contains infinity"):
        CCA(2).fit(*views.values())
