"""Arrays that lie on a GPU are taken: stand-ins for those of PyTorch and CuPy, which tests cannot have."""

import numpy as np
import pytest
import scipy.sparse as sp

import lcca
from lcca import CCA, _gpu


class Tensor:
    """As PyTorch has it: NumPy refuses it, because it requires gradients and may lie elsewhere."""

    def __init__(self, array, is_here=False):
        self.array, self.is_here = array, is_here

    def __array__(self, *_, **__):
        raise TypeError("can't convert a device tensor to numpy")

    def detach(self):
        return self

    def cpu(self):
        return Tensor(self.array, is_here=True)

    def numpy(self):
        assert self.is_here
        return self.array


class CudaArray:
    """As CuPy has it: dense with the interface, sparse in a package of its own."""

    __cuda_array_interface__: dict = {}

    def __init__(self, array):
        self.array = array

    def __array__(self, *_, **__):
        raise TypeError("implicit conversion to a NumPy array is not allowed")

    def get(self):
        return self.array


class CudaRows:
    def __init__(self, rows):
        self.rows = rows

    def get(self):
        return self.rows


CudaRows.__module__ = "cupyx.scipy.sparse._csr"


def test_arrays_of_other_libraries_give_the_fit_of_their_copies():
    random = np.random.default_rng(1)
    x, y = random.standard_normal((60, 5)), random.standard_normal((60, 4))
    rows = sp.csr_matrix(np.where(random.random((60, 5)) < 0.4, 1.0, 0.0))
    expected = CCA(2).fit(x, y)
    for wrap in (Tensor, CudaArray):
        model = CCA(2).fit(wrap(x), wrap(y))
        assert np.array_equal(model.correlations_, expected.correlations_)
        assert np.array_equal(model.transform(wrap(x)), expected.transform(x))
    sparse = CCA(2).fit(CudaRows(rows), CudaArray(y))
    assert np.array_equal(sparse.correlations_, CCA(2).fit(rows, y).correlations_)


def described(array, **said):
    """An array of Numba or JAX: it says where it lies, and NumPy copies it."""

    class Described:
        __cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (1 << 20, False), "version": 3
        } | said

        def __array__(self, *_, **__):
            return array

    return Described()


def random_views():
    random = np.random.default_rng(1)
    return random.standard_normal((60, 5)), random.standard_normal((60, 4))


def test_arrays_that_only_numpy_copies_are_taken():
    x, y = random_views()
    expected = CCA(2).fit(x, y)
    model = CCA(2).fit(described(x), described(y))
    assert np.array_equal(model.correlations_, expected.correlations_)
    assert np.array_equal(model.transform(described(x)), expected.transform(x))


def test_a_tensor_that_refuses_its_description_is_copied():
    class Refusing(Tensor):
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad")

    x, y = random_views()
    for device in ("cpu", "auto"):
        model = CCA(2, device=device).fit(Refusing(x), Refusing(y))
        assert np.array_equal(model.correlations_, CCA(2).fit(x, y).correlations_)


def test_an_array_that_nobody_copies_is_one_sentence():
    class Bare:
        __cuda_array_interface__: dict = {}

    with pytest.raises(
        TypeError,
        match=(
            r"^an array on a GPU that cannot be copied to the host: "
            r"Bare has neither get\(\) nor __array__\(\)$"
        ),
    ):
        CCA(2).fit(Bare(), np.ones((3, 2)))


def test_a_description_without_its_parts_is_one_sentence():
    x, y = random_views()
    for said in ({"data": None}, {"shape": None}, {"data": ()}):
        with pytest.raises(
            TypeError, match=r"^the __cuda_array_interface__ of y does not say shape, typestr and data$"
        ):
            CCA(2, device="auto").fit(x, described(y, **said))


def test_what_cannot_be_used_in_place_is_not_asked_for():
    x, _ = random_views()
    fortran = np.asfortranarray(x)
    said = [
        described(x.astype(np.float16)),
        described(x[:, 0]),
        described(x[:0]),
        described(x, mask=x),
        described(fortran, strides=fortran.strides),
        described(x.astype(">f8")),
    ]
    for data in said:
        assert _gpu.in_place(data, "X", "auto", "error") is data
    for device, missing in (("cpu", "error"), ("auto", "mean"), (0, "error")):
        data = described(x)
        assert _gpu.in_place(data, "X", device, missing) is data


@pytest.mark.skipif(bool(lcca.cuda.available()), reason="there is a GPU, at which these addresses are wrong")
def test_without_a_gpu_they_are_copied_or_the_gpu_is_missed():
    x, y = random_views()
    model = CCA(2, device="auto").fit(described(x), described(y))
    assert np.array_equal(model.correlations_, CCA(2).fit(x, y).correlations_)
    assert model.decisions_[-1]["decision"] == "ran-without-gpu"
    with pytest.raises(RuntimeError, match='^device="cuda": '):
        CCA(2, device="cuda").fit(described(x), y)


class CompressedRows:
    """Compressed rows whose arrays lie on a GPU, with the attributes of SciPy's."""

    format = "csr"

    def __init__(self, rows, wrap=described):
        self.shape = rows.shape
        self.indptr, self.indices, self.data = (
            wrap(array) for array in (rows.indptr, rows.indices, rows.data)
        )


class SparseTensor(Tensor):
    """As PyTorch has it. NumPy takes its parts, and the tensor itself does not."""

    def __init__(self, rows, layout, is_here=False):
        super().__init__(rows, is_here)
        self.layout, self.shape, self.ndim = f"torch.{layout}", rows.shape, 2

    def cpu(self):
        return SparseTensor(self.array, self.layout.removeprefix("torch."), is_here=True)

    def numpy(self):
        raise TypeError(f"can't convert {self.layout} layout tensor to numpy")

    def _part(self, array):
        return Tensor(array, self.is_here)

    def values(self):
        return self._part(self.array.data)

    def coalesce(self):
        return self

    def indices(self):
        return self._part(np.array([self.array.row, self.array.col]))

    def crow_indices(self):
        return self._part(self.array.indptr)

    def col_indices(self):
        return self._part(self.array.indices)

    ccol_indices, row_indices = crow_indices, col_indices


def random_rows(columns, seed):
    random = np.random.default_rng(seed)
    return sp.csr_matrix(
        np.where(random.random((60, columns)) < 0.4, random.integers(1, 4, (60, columns)) / 2, 0.0)
    )


def test_sparse_rows_of_other_libraries_give_the_fit_of_their_copies():
    x, y = random_rows(5, 1), random_rows(4, 2)
    expected = CCA(2).fit(x, y)
    layouts = {"sparse_csr": "csr", "sparse_csc": "csc", "sparse_coo": "coo"}
    wraps = [
        lambda rows, layout=layout, kind=kind: SparseTensor(rows.asformat(kind), layout)
        for layout, kind in layouts.items()
    ]
    for wrap in (CompressedRows, *wraps):
        for device in ("cpu", "auto") if not lcca.cuda.available() else ("cpu",):
            model = CCA(2, device=device).fit(wrap(x), wrap(y))
            assert np.array_equal(model.correlations_, expected.correlations_)
            assert np.array_equal(model.transform(wrap(x)), expected.transform(x))


def test_tensors_of_other_layouts_are_one_sentence():
    x, y = random_rows(5, 1), random_rows(4, 2)
    with pytest.raises(
        TypeError,
        match="^a tensor of 2 dimensions and layout sparse_bsr, expected 2, and strided, sparse_csr",
    ):
        CCA(2).fit(SparseTensor(x, "sparse_bsr"), y)


@pytest.mark.skipif(bool(lcca.cuda.available()), reason="there is a GPU, at which these addresses are wrong")
def test_without_a_gpu_sparse_rows_are_copied_and_their_mistakes_are_those_of_scipy():
    x, y = random_rows(5, 1), random_rows(4, 2)
    with pytest.raises(RuntimeError, match='^device="cuda": '):
        CCA(2, device="cuda").fit(CompressedRows(x), y)
    outside, negative, missing = x.copy(), x.copy(), x.copy()
    outside.indices[3], negative.indices[3], missing.data[3] = 5, -1, np.nan
    for wrong in (outside, negative, missing):
        messages = []
        for view in (wrong, CompressedRows(wrong)):
            with pytest.raises(ValueError) as raised:
                CCA(2, device="auto").fit(view, y)
            messages.append(str(raised.value))
        assert messages[0] == messages[1]


def test_what_is_said_about_sparse_rows_on_a_gpu(monkeypatch):
    asked = []

    class Engine:
        @staticmethod
        def sparse_on_gpu(*said):
            asked.append(said)
            return "rows"

        @staticmethod
        def dense_on_gpu(*said):
            raise AssertionError("not dense")

    monkeypatch.setattr(_gpu, "Matrix", Engine)
    x = random_rows(5, 1)
    tensor = SparseTensor(x, "sparse_csr")
    tensor._part = described
    for data in (CompressedRows(x), tensor):
        assert _gpu.in_place(data, "X", "cuda:1", "error", 8) == "rows"
    for name, device, shape, indptr, indices, values, threads in asked:
        assert (name, device, shape, threads) == ("X", "cuda:1", (60, 5), 1)
        said = [
            (part.letter, part.width, part.length, part.address, part.stream)
            for part in (indptr, indices, values)
        ]
        assert said == [("i", 4, 61, 1 << 20, 0), ("i", 4, x.nnz, 1 << 20, 0), ("f", 8, x.nnz, 1 << 20, 0)]
    # The engine knows which types it reads.
    for rows in (sp.csr_matrix(x, dtype=bool), sp.csr_matrix(x, dtype=np.int16)):
        assert _gpu.in_place(CompressedRows(rows), "X", "auto", "error") == "rows"
        assert asked[-1][5].letter == rows.dtype.kind


def test_sparse_rows_that_cannot_be_used_in_place_are_not_asked_for():
    x = random_rows(5, 1)
    on_host = CompressedRows(x, wrap=np.asarray)
    swapped = CompressedRows(x)
    swapped.data = described(x.data.astype(">f8"))
    strided = CompressedRows(x)
    strided.indices = described(x.indices, strides=(8,))
    matrix = CompressedRows(x)
    matrix.indices = described(x.indices.reshape(1, -1))
    columns = CompressedRows(x)
    columns.format = "csc"
    empty = CompressedRows(sp.csr_matrix((60, 5)))
    batch = CompressedRows(x)
    batch.shape = (1, 60, 5)
    partial = CompressedRows(x)
    del partial.indices
    for data in (x, on_host, swapped, strided, matrix, columns, empty, batch, partial):
        assert _gpu.in_place(data, "X", "auto", "error") is data
    for device, missing in (("cpu", "error"), ("auto", "mean")):
        data = CompressedRows(x)
        assert _gpu.in_place(data, "X", device, missing) is data
