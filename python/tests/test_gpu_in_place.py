"""Arrays in the memory of a GPU are fitted where they lie. Needs a GPU, and neither pytest nor a library with
arrays on it: memory comes from the driver. Arrays of CuPy, PyTorch and JAX are tried as well if these are
installed, also by DLPack alone."""

import ctypes
import importlib
import os
import sys
import unittest
from unittest import mock

import numpy as np
import scipy.sparse as sp

import lcca
from lcca import CCA, CCACV

GPU = lcca.cuda.available()
if os.environ.get("LCCA_GPU"):
    assert GPU, GPU.reason


class OnGpu:
    """An array that says where it lies, as `__cuda_array_interface__` does, and counts its copies."""

    driver = None

    def __init__(self, array, **interface):
        if OnGpu.driver is None:
            OnGpu.driver = ctypes.CDLL("libcuda.so.1")
            self.call("cuInit", 0)
        context, device = ctypes.c_void_p(), ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.array, self.copies = array, 0
        self.address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(array.nbytes))
        self.write(array)
        said = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (self.address.value, False),
            "version": 3, "stream": None,
        }
        self.__cuda_array_interface__ = said | interface

    def call(self, name, *arguments):
        status = getattr(self.driver, name)(*arguments)
        assert status == 0, f"{name}: {status}"

    def write(self, array):
        self.call(
            "cuMemcpyHtoD_v2", self.address, array.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_size_t(array.nbytes),
        )

    def get(self):
        self.copies += 1
        return self.array

    def __del__(self):
        self.driver.cuMemFree_v2(self.address)


class ByDlpack:
    """An array of a library of which nothing but DLPack is known, of the first version or of a later one."""

    def __init__(self, array, knows_versions=True):
        self.array, self.knows_versions, self.asked = array, knows_versions, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **asked):
        if not self.knows_versions and "max_version" in asked:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        self.asked.append(asked)
        return self.array.__dlpack__(**asked)


class SparseOnGpu:
    """Compressed rows whose arrays lie on a GPU, with the attributes of SciPy's.
    It counts copies of the largest."""

    format = "csr"

    def __init__(self, rows):
        self.shape = rows.shape
        self.indptr, self.indices, self.data = (
            OnGpu(array) for array in (rows.indptr, rows.indices, rows.data)
        )

    @property
    def copies(self):
        return self.indices.copies + self.data.copies


def sparse_views(rows=4000, kind=np.float32, ones=False):
    random = np.random.default_rng(1)
    topics = random.integers(0, 12, rows)

    def view(columns):
        places = np.concatenate([topics, random.integers(0, columns, 5 * rows)])
        values = np.ones(6 * rows) if ones else random.random(6 * rows) + 0.5
        rows_of = np.concatenate([np.arange(rows), np.repeat(np.arange(rows), 5)])
        view = sp.coo_matrix((values, (rows_of, places)), shape=(rows, columns)).tocsr()
        view.sum_duplicates()
        view.data = np.ones(view.nnz, dtype=kind) if ones else view.data.astype(kind)
        return view

    return view(300), view(200)


def views(rows=3000, single=True):
    random = np.random.default_rng(1)
    shared = random.standard_normal((rows, 3))
    x = np.hstack([shared + random.standard_normal((rows, 3)), random.standard_normal((rows, 30)) + 2])
    y = np.hstack([shared + random.standard_normal((rows, 3)), random.standard_normal((rows, 20)) - 1])
    return x.astype(np.float32 if single else np.float64), y


@unittest.skipUnless(
    GPU and sys.platform == "linux", f"there is no GPU, or its driver is not libcuda.so.1: {GPU.reason}"
)
class ArraysOnAGpu(unittest.TestCase):
    def same(self, model, expected):
        self.assertEqual(model.decisions_[-1]["decision"], "ran-on-gpu")
        np.testing.assert_allclose(model.objective_, expected.objective_, rtol=1e-12)
        np.testing.assert_allclose(model.x_weights_, expected.x_weights_, rtol=1e-6, atol=1e-9)

    def test_they_are_used_where_they_lie(self):
        x, y = views()
        expected = CCA(3, device="cuda").fit(x, y)
        x_there, y_there = OnGpu(x), OnGpu(y)
        for device in ("cuda", "cuda:0", "auto"):
            for pair in ((x_there, y_there), (x_there, y), (x, y_there)):
                self.same(CCA(3, device=device).fit(*pair), expected)
        self.same(CCA(3, device="cuda").fit(x_there, y_there, sample_weight=np.ones(len(x))), expected)
        self.assertEqual((x_there.copies, y_there.copies), (0, 0))
        model = CCA(3, device="cuda").fit(x_there, y_there)
        np.testing.assert_allclose(model.transform(x_there), expected.transform(x), rtol=1e-6, atol=1e-9)
        self.assertAlmostEqual(model.score(x_there, y_there), expected.score(x, y), places=9)
        self.assertGreater(x_there.copies, 0)

    def test_what_the_engine_does_not_read_there_is_copied(self):
        x, y = views()
        expected = CCA(2, device="cuda").fit(x, y)
        strided = OnGpu(np.asfortranarray(x), strides=np.asfortranarray(x).strides)
        half = OnGpu(x.astype(np.float16))
        for there in (strided, OnGpu(x, mask=OnGpu(x))):
            there.array = x
            self.same(CCA(2, device="cuda").fit(there, y), expected)
            self.assertEqual(there.copies, 1)
        self.assertTrue(np.isfinite(CCA(2, device="cuda").fit(half, y).objective_).all())
        with_cpu = OnGpu(x)
        np.testing.assert_allclose(
            CCA(2, device="cpu").fit(with_cpu, y).objective_, expected.objective_, rtol=1e-9
        )
        self.assertEqual(with_cpu.copies, 1)

    def test_other_ways_to_fit_take_them(self):
        x, y = views(single=False)
        for parameters in (
            {"method": "lobpcg", "tol": 1e-10}, {"hold_out": 0.2}, {"scale": True},
            {"normalize_rows": "length"},
        ):
            there, here = (
                CCA(2, device="cuda", **parameters).fit(wrap(x), wrap(y)) for wrap in (OnGpu, np.asarray)
            )
            np.testing.assert_allclose(there.objective_, here.objective_, rtol=1e-9, err_msg=str(parameters))
        scores = [
            CCACV(2, ridges=[0.01, 1.0], folds=3, device="cuda").fit(wrap(x), wrap(y)).cv_mean_
            for wrap in (OnGpu, np.asarray)
        ]
        np.testing.assert_allclose(*scores, rtol=1e-9)

    def test_bad_numbers_and_addresses_are_refused(self):
        x, y = views()
        x[17, 4] = np.nan
        for device in ("cuda", "cpu"):
            with self.assertRaisesRegex(ValueError, "row 17, column 4"):
                CCA(2, device=device).fit(OnGpu(x), y)
        x[17, 4] = np.inf
        with self.assertRaisesRegex(ValueError, "infinity"):
            CCA(2, device="cuda").fit(OnGpu(x), y)
        x, y = views()
        wrong = OnGpu(x, data=(x.ctypes.data, False))
        with self.assertRaisesRegex(ValueError, "X: there is no memory of a GPU at the address 0x"):
            CCA(2, device="cuda").fit(wrong, y)

    def test_sparse_rows_are_used_where_they_lie(self):
        for kind, ones in ((np.float32, False), (np.float64, False), (np.float32, True), (np.bool_, True)):
            x, y = sparse_views(kind=kind, ones=ones)
            expected = CCA(3, ridge=0.01, tol=1e-8, method="lobpcg", device="cuda").fit(x, y)
            x_there, y_there = SparseOnGpu(x), SparseOnGpu(y)
            for device in ("cuda", "cuda:0", "auto"):
                for pair in ((x_there, y_there), (x_there, y), (x, y_there)):
                    self.same(
                        CCA(3, ridge=0.01, tol=1e-8, method="lobpcg", device=device).fit(*pair), expected
                    )
            # The copy that the host reads was made by the engine.
            self.assertEqual((x_there.copies, y_there.copies), (0, 0))
            np.testing.assert_allclose(expected.transform(x_there), expected.transform(x), rtol=1e-12)
            self.assertGreater(x_there.copies, 0)

    def test_sparse_rows_stay_where_they_lie_unless_they_are_converted(self):
        x, y = sparse_views()
        expected = CCA(3, ridge=0.01, tol=1e-8, method="lobpcg", device="cuda").fit(x, y)
        wide, disordered = x.copy(), x.copy()
        wide.indptr, wide.indices = x.indptr.astype(np.int64), x.indices.astype(np.int64)
        for row in range(x.shape[0]):
            entries = slice(x.indptr[row], x.indptr[row + 1])
            disordered.indices[entries], disordered.data[entries] = (
                x.indices[entries][::-1],
                x.data[entries][::-1],
            )
        for view in (wide, disordered):
            there = SparseOnGpu(view)
            self.same(CCA(3, ridge=0.01, tol=1e-8, method="lobpcg", device="cuda").fit(there, y), expected)
            self.assertEqual(there.copies, 0)

    def test_other_ways_to_fit_take_sparse_rows(self):
        x, y = sparse_views(rows=1500)
        one_hot = sp.csr_matrix(
            (np.ones(1500, dtype=np.float32), (np.arange(1500), np.arange(1500) % 40)), shape=(1500, 40)
        )
        common = {"method": "lobpcg", "ridge": 0.01, "tol": 1e-10, "device": "cuda"}
        for parameters in (
            {"hold_out": 0.2}, {"scale": True}, {"normalize_rows": "length"}, {"missing": "drop"}
        ):
            there, here = (
                CCA(2, **common, **parameters).fit(wrap(x), wrap(y)) for wrap in (SparseOnGpu, sp.csr_matrix)
            )
            np.testing.assert_allclose(there.objective_, here.objective_, rtol=1e-9, err_msg=str(parameters))
        there, here = (CCA(2, **common).fit(wrap(x), wrap(one_hot)) for wrap in (SparseOnGpu, sp.csr_matrix))
        np.testing.assert_allclose(there.objective_, here.objective_, rtol=1e-9)
        scores = [
            CCACV(2, ridges=[0.01, 1.0], folds=3, device="cuda").fit(wrap(x), wrap(y)).cv_mean_
            for wrap in (SparseOnGpu, sp.csr_matrix)
        ]
        np.testing.assert_allclose(*scores, rtol=1e-6)

    def test_mistakes_in_sparse_rows_are_those_of_scipy(self):
        x, y = sparse_views()
        outside, negative, missing, ends = x.copy(), x.copy(), x.copy(), x.copy()
        outside.indices[3], negative.indices[3], missing.data[3] = 300, -1, np.nan
        ends.indptr[-2] = ends.indptr[-1] + 7
        for wrong in (outside, negative, missing, ends):
            messages = []
            for view in (wrong, SparseOnGpu(wrong)):
                with self.assertRaises(ValueError) as raised:
                    CCA(2, device="cuda").fit(view, y)
                messages.append(str(raised.exception))
            self.assertEqual(*messages)
        nowhere = SparseOnGpu(x)
        nowhere.indices = OnGpu(x.indices, data=(x.indices.ctypes.data, False))
        with self.assertRaisesRegex(ValueError, "X: there is no memory of a GPU at the address 0x"):
            CCA(2, device="cuda").fit(nowhere, y)

    def test_sparse_rows_of_libraries(self):
        def torch_rows(library, rows, kind):
            parts = (library.from_numpy(part.astype(kind)) for part in (rows.indptr, rows.indices))
            return library.sparse_csr_tensor(*parts, library.from_numpy(rows.data), size=rows.shape).cuda()

        x, y = sparse_views()
        parameters = {"ridge": 0.01, "tol": 1e-8, "method": "lobpcg"}
        expected = CCA(3, device="cuda", **parameters).fit(x, y)
        puts = {
            "cupyx.scipy.sparse": [lambda library, rows: library.csr_matrix(rows)],
            "torch": [
                lambda library, rows: torch_rows(library, rows, np.int32),
                lambda library, rows: torch_rows(library, rows, np.int64),
            ],
        }
        for name, kinds in puts.items():
            for index, put in enumerate(kinds):
                with self.subTest(name, index=index):
                    try:
                        library = importlib.import_module(name)
                    except ImportError:
                        continue
                    there = put(library, x)
                    owner, copy = (library.Tensor, "cpu") if name == "torch" else (type(there), "get")
                    with mock.patch.object(owner, copy, side_effect=AssertionError("a copy")):
                        self.same(CCA(3, device="cuda", **parameters).fit(there, put(library, y)), expected)
                        self.same(CCA(3, device="auto", **parameters).fit(there, y), expected)
                    model = CCA(3, **parameters).fit(there, y)
                    np.testing.assert_allclose(model.objective_, expected.objective_, rtol=1e-6)
                    np.testing.assert_allclose(model.transform(there), model.transform(x), rtol=1e-12)
                    if name == "torch":
                        for other in (there.to_sparse_coo(), there.to_sparse_csc()):
                            self.same(CCA(3, device="cuda", **parameters).fit(other, y), expected)
                        continue
                    for other in (there.tocsc(), there.tocoo()):
                        self.same(CCA(3, device="cuda", **parameters).fit(other, y), expected)

    def test_streams_are_waited_for(self):
        x, y = views()
        expected = CCA(2, device="cuda").fit(x, y)
        there = OnGpu(x)
        for stream in (1, 2, None):
            there.__cuda_array_interface__["stream"] = stream
            self.same(CCA(2, device="cuda").fit(there, y), expected)
        del there.__cuda_array_interface__["stream"]
        self.same(CCA(2, device="cuda").fit(there, y), expected)
        handle = ctypes.c_void_p()
        there.call("cuStreamCreate", ctypes.byref(handle), 1)
        there.__cuda_array_interface__["stream"] = handle.value
        self.same(CCA(2, device="cuda").fit(there, y), expected)

    def test_numbers_that_change_between_fits_are_read_again(self):
        x, y = views()
        there = OnGpu(x)
        CCA(2, device="cuda").fit(there, y)
        there.write(x[::-1].copy())
        self.same(CCA(2, device="cuda").fit(there, y), CCA(2, device="cuda").fit(x[::-1].copy(), y))

    def test_arrays_of_libraries(self):
        x, y = views()
        expected = CCA(3, device="cuda").fit(x, y)
        puts = {
            "cupy": lambda library, array: library.asarray(array),
            "torch": lambda library, array: library.from_numpy(array.copy()).cuda().requires_grad_(),
            "jax": lambda library, array: library.device_put(array.astype(np.float32)),
        }
        for name, put in puts.items():
            with self.subTest(name):
                os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
                try:
                    library = importlib.import_module(name)
                except ImportError:
                    continue
                model = CCA(3, device="cuda").fit(put(library, x), y)
                self.same(model, expected)
                np.testing.assert_allclose(
                    model.transform(put(library, x)), expected.transform(x), rtol=1e-4, atol=1e-6
                )
                if name == "torch":
                    with mock.patch.object(library.Tensor, "cpu", side_effect=AssertionError("a copy")):
                        self.same(CCA(3, device="cuda").fit(put(library, x), put(library, y)), expected)

    def test_arrays_that_only_dlpack_describes(self):
        x, y = (view.astype(np.float32) for view in views())
        expected = CCA(3, device="cuda").fit(x, y)
        puts = {
            "torch": lambda library, array: library.from_numpy(array.copy()).cuda(),
            "cupy": lambda library, array: library.asarray(array),
            "jax": lambda library, array: library.device_put(array),
        }
        for name, put in puts.items():
            with self.subTest(name):
                os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
                try:
                    library = importlib.import_module(name)
                except ImportError:
                    continue
                for knows_versions in (True, False):
                    there = [ByDlpack(put(library, array), knows_versions) for array in (x, y)]
                    self.same(CCA(3, device="cuda").fit(*there), expected)
                    self.same(CCA(3, device="auto").fit(there[0], y), expected)
                    # Nobody asked for a copy on the host.
                    wanted = {"stream": 1, "max_version": (1, 1)} if knows_versions else {"stream": 1}
                    self.assertEqual([there[0].asked, there[1].asked], [[wanted] * 2, [wanted]])
                with self.assertRaisesRegex(ValueError, "row 17, column 4"):
                    bad = x.copy()
                    bad[17, 4] = np.nan
                    CCA(3, device="cuda").fit(ByDlpack(put(library, bad)), y)

    def test_what_dlpack_lends_is_given_back_and_waited_for(self):
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not there")
        x, y = (view.astype(np.float32) for view in views())
        expected = CCA(3, device="cuda").fit(x, y)
        before = torch.cuda.memory_allocated()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            there = torch.zeros(x.shape, device="cuda")
            work = torch.ones(1 << 26, device="cuda")
            for _ in range(200):
                work *= 0.5
            there += torch.from_numpy(x).cuda() + work.min()
            self.same(CCA(3, device="cuda").fit(ByDlpack(there), y), expected)
            transposed = ByDlpack(there.T.contiguous().T)
            self.same(CCA(3, device="cuda").fit(transposed, y), expected)
        self.assertEqual(transposed.asked[-1]["dl_device"], (1, 0))
        del there, work, transposed
        self.assertEqual(torch.cuda.memory_allocated(), before)


if __name__ == "__main__":
    unittest.main()
