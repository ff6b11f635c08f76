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
        __cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "data": (1 << 20, False), "version": 3} | said

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

    with pytest.raises(TypeError, match=r"^an array on a GPU that cannot be copied to the host: Bare has neither get\(\) nor __array__\(\)$"):
        CCA(2).fit(Bare(), np.ones((3, 2)))


def test_a_description_without_its_parts_is_one_sentence():
    x, y = random_views()
    for said in ({"data": None}, {"shape": None}, {"data": ()}):
        with pytest.raises(TypeError, match=r"^the __cuda_array_interface__ of y does not say shape, typestr and data$"):
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
