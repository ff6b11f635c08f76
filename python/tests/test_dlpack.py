"""Arrays that are lent by DLPack: made-up producers, whose tensors count how often they are deleted."""

import ctypes
import gc

import numpy as np
import pytest

import lcca
from lcca import CCA, _gpu
from lcca._lcca import DlpackTensor

CPU, CUDA, MANAGED, FLOAT, BFLOAT, INT, UNSIGNED, BOOL = 1, 2, 13, 2, 4, 0, 1, 6


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Unversioned(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER))
    name = b"dltensor"


class Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )
    name = b"dltensor_versioned"


API = ctypes.PyDLL(None, handle=ctypes.pythonapi._handle)
API.PyCapsule_New.restype = ctypes.py_object
API.PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
API.PyCapsule_IsValid.argtypes = (ctypes.c_void_p, ctypes.c_char_p)
API.PyCapsule_GetName.restype = ctypes.c_char_p
API.PyCapsule_GetName.argtypes = (ctypes.py_object,)


class Lent:
    """A tensor in a capsule, as producers make it: the capsule deletes the tensor unless
    somebody has taken it out."""

    alive: list["Lent"] = []  # the interpreter may destroy capsules after their tests

    def __init__(self, array, layout=Versioned, device=CUDA, major=1, has_deleter=True, **changed):
        self.array, self.deleted, self.managed = array, 0, layout()
        kind = {"f": FLOAT, "i": INT, "u": UNSIGNED, "b": BOOL}[array.dtype.kind]
        numbers = ctypes.c_int64 * max(array.ndim, 1)
        strides = numbers(*(stride // array.itemsize for stride in array.strides))
        said = {
            "data": 1 << 20, "device_type": device, "ndim": array.ndim, "code": kind,
            "bits": 8 * array.itemsize, "lanes": 1,
        }
        for name, value in (said | {"shape": numbers(*array.shape), "strides": strides} | changed).items():
            setattr(self.managed.tensor, name, value)
        if layout is Versioned:
            self.managed.major = major
        self.deleter = DELETER(self.delete)
        if has_deleter:
            self.managed.deleter = self.deleter
        self.destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(self.destroy)
        address = ctypes.addressof(self.managed)
        self.capsule = API.PyCapsule_New(address, layout.name, ctypes.cast(self.destructor, ctypes.c_void_p))
        Lent.alive.append(self)

    def delete(self, managed):
        assert managed == ctypes.addressof(self.managed)
        self.deleted += 1

    def destroy(self, capsule):
        if API.PyCapsule_IsValid(capsule, self.managed.name):
            self.delete(ctypes.addressof(self.managed))

    def drop(self):
        """Forgets the capsule."""
        self.capsule = None
        gc.collect()
        return self.deleted


@pytest.fixture(autouse=True)
def capsules_go_with_their_tests():
    """A capsule that is left when the interpreter ends would call a function that is gone."""
    yield
    for lent in Lent.alive:
        lent.capsule = None
    gc.collect()


class OnGpu:
    """An array on a GPU that nothing but DLPack describes; its library copies it to
    the host if it is asked to."""

    def __init__(self, array, **said):
        self.array, self.said, self.asked, self.lent = array, said, [], []

    def __dlpack_device__(self):
        return (self.said.get("device", CUDA), 0)

    def __dlpack__(self, **asked):
        self.asked.append(asked)
        if asked.get("dl_device") == (CPU, 0):
            return self.array.__dlpack__()
        lent = Lent(self.array, **self.said)
        self.lent.append(lent)
        capsule, lent.capsule = lent.capsule, None
        return capsule

    @property
    def deleted(self):
        gc.collect()
        return [lent.deleted for lent in self.lent]


def views():
    random = np.random.default_rng(1)
    return random.standard_normal((60, 5)), random.standard_normal((60, 4))


@pytest.mark.parametrize("layout", [Unversioned, Versioned])
def test_a_tensor_is_deleted_once_by_whoever_took_it(layout):
    lent = Lent(views()[0], layout, byte_offset=64)
    tensor = DlpackTensor(lent.capsule)
    assert API.PyCapsule_GetName(lent.capsule) == b"used_" + layout.name
    said = tensor.__cuda_array_interface__
    assert said == {
        "shape": (60, 5), "strides": (40, 8), "typestr": "<f8", "data": ((1 << 20) + 64, True), "version": 3,
        "stream": 1,
    }
    with pytest.raises(ValueError, match="^not a capsule with a tensor that nobody has taken$"):
        DlpackTensor(lent.capsule)
    assert lent.drop() == 0
    del tensor
    gc.collect()
    assert lent.deleted == 1


@pytest.mark.parametrize("layout", [Unversioned, Versioned])
def test_a_tensor_may_have_neither_strides_nor_a_deleter(layout):
    lent = Lent(views()[0].astype(np.float32), layout, has_deleter=False, strides=None)
    said = DlpackTensor(lent.capsule).__cuda_array_interface__
    assert (said["strides"], said["typestr"], lent.drop()) == (None, "<f4", 0)


def test_types_have_the_names_that_numpy_gives_them():
    for name in ("i1", "u1", "b1", "i2", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8"):
        array = np.ones(3, dtype=name)
        assert DlpackTensor(Lent(array).capsule).__cuda_array_interface__["typestr"] == array.dtype.str
    half = np.ones(3, dtype=np.float16)
    for changed in ({"code": BFLOAT}, {"lanes": 2}, {"code": 9}):
        assert DlpackTensor(Lent(half, **changed).capsule).__cuda_array_interface__["typestr"] == "|V2"


@pytest.mark.parametrize("layout", [Unversioned, Versioned])
@pytest.mark.parametrize(
    "said",
    [
        {"device": CPU}, {"device": MANAGED}, {"ndim": 0}, {"ndim": -1}, {"ndim": 65}, {"shape": None},
        {"data": 2**64 - 8, "byte_offset": 8},
    ],
)
def test_a_tensor_that_is_refused_is_left_to_its_capsule(layout, said):
    lent = Lent(views()[0], layout, **said)
    with pytest.raises(ValueError, match="^not a tensor in the memory of a CUDA device$"):
        DlpackTensor(lent.capsule)
    assert lent.deleted == 0
    assert lent.drop() == 1


def test_a_layout_of_a_version_to_come_is_not_read():
    lent = Lent(views()[0], major=2)
    with pytest.raises(ValueError, match="CUDA device"):
        DlpackTensor(lent.capsule)
    assert lent.drop() == 1


def test_only_capsules_of_dlpack_are_taken():
    memory = ctypes.create_string_buffer(64)
    for other in (None, 1, views()[0], API.PyCapsule_New(ctypes.addressof(memory), b"another", None)):
        with pytest.raises(ValueError, match="^not a capsule"):
            DlpackTensor(other)


def test_producers_are_asked_for_the_version_and_for_the_stream_that_is_waited_for():
    data = OnGpu(views()[0])
    assert _gpu._lent(data).__cuda_array_interface__["stream"] == 1
    assert data.asked == [{"stream": 1, "max_version": (1, 1)}]
    assert data.deleted == [1]

    class Older(OnGpu):
        def __dlpack__(self, stream=None):
            return super().__dlpack__(stream=stream)

    data = Older(views()[0], layout=Unversioned)
    assert _gpu._lent(data).__cuda_array_interface__["shape"] == (60, 5)
    assert (data.asked, data.deleted) == ([{"stream": 1}], [1])


def test_what_cannot_be_used_in_place_is_given_back():
    x, _ = views()
    half, fortran = x.astype(np.float16), np.asfortranarray(x)
    said = [
        OnGpu(half),
        OnGpu(x.astype(np.int64)),
        OnGpu(half, code=BFLOAT),
        OnGpu(x, lanes=2),
        OnGpu(x[:, 0]),
        OnGpu(x[:0]),
        OnGpu(x, shape=(ctypes.c_int64 * 2)(-60, 5)),
        OnGpu(fortran),
        OnGpu(x[:, ::2]),
    ]
    for data in said:
        assert _gpu.in_place(data, "X", "auto", "error") is data
        assert data.deleted == [1]
    for device, missing in (("cpu", "error"), ("auto", "mean"), (0, "error")):
        data = OnGpu(x)
        assert _gpu.in_place(data, "X", device, missing) is data
        assert data.asked == []
    managed = OnGpu(x, device=MANAGED)
    assert _gpu.in_place(managed, "X", "auto", "error") is managed
    assert managed.asked == []


@pytest.mark.skipif(bool(lcca.cuda.available()), reason="there is a GPU, at which these addresses are wrong")
def test_without_a_gpu_they_are_copied():
    x, y = views()
    expected = CCA(2).fit(x, y)
    for device in ("cpu", "auto"):
        for kind in (CUDA, MANAGED):
            x_there, y_there = OnGpu(x, device=kind), OnGpu(y, device=kind)
            model = CCA(2, device=device).fit(x_there, y_there)
            assert np.array_equal(model.correlations_, expected.correlations_)
            assert np.array_equal(model.transform(x_there), expected.transform(x))
            is_lent = device == "auto" and kind == CUDA
            assert x_there.deleted == y_there.deleted == [1] * is_lent
    with pytest.raises(RuntimeError, match='^device="cuda": '):
        CCA(2, device="cuda").fit(OnGpu(x), y)


def test_an_array_that_refuses_is_copied_in_another_way_or_refused_in_one_sentence():
    x, y = views()

    class Refusing(OnGpu):
        def __dlpack__(self, **_):
            raise BufferError("not today")

    class Copied(Refusing):
        def __array__(self, *_, **__):
            return self.array

    expected = CCA(2).fit(x, y).correlations_
    for device in ("cpu", "auto"):
        assert np.array_equal(CCA(2, device=device).fit(Copied(x), y).correlations_, expected)
        with pytest.raises(
            TypeError,
            match=(
                r"^an array on a GPU that cannot .* Refusing has neither .*, "
                r"and __dlpack__ says: not today$"
            ),
        ):
            CCA(2, device=device).fit(Refusing(x), y)


def test_a_device_that_is_not_said_is_no_device():
    class Silent:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **_):
            raise AssertionError("not asked")

        def __array__(self, *_, **__):
            return self.array

    class Wrong(Silent):
        def __dlpack_device__(self):
            return ()

    x, y = views()
    for wrap in (Silent, Wrong):
        model = CCA(2, device="auto").fit(wrap(x), wrap(y))
        assert np.array_equal(model.correlations_, CCA(2).fit(x, y).correlations_)


def test_arrays_of_the_host_are_shared_if_numpy_knows_no_other_way():
    class OnHost:
        def __init__(self, array):
            self.array, self.asked = array, 0

        def __dlpack_device__(self):
            return (CPU, 0)

        def __dlpack__(self, **asked):
            self.asked += 1
            return self.array.__dlpack__(**asked)

    class Known(OnHost):
        def __array__(self, *_, **__):
            return self.array

    x, y = views()
    expected = CCA(2).fit(x, y).correlations_
    for device in ("cpu", "auto"):
        for wrap, is_asked in ((OnHost, True), (Known, False)):
            data = wrap(x)
            assert np.array_equal(CCA(2, device=device).fit(data, y).correlations_, expected)
            assert (data.asked > 0) == is_asked
    assert np.shares_memory(_gpu.on_host(OnHost(x)), x)
    buffer = memoryview(x)
    assert _gpu.on_host(buffer) is buffer
