"""Arrays that lie on a GPU are taken: stand-ins for those of PyTorch and CuPy, which tests cannot have."""

import numpy as np
import scipy.sparse as sp
from lcca import CCA


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
