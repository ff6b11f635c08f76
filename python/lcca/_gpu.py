"""Arrays in the memory of a GPU: fits that run there use them where they lie,
and everything else copies them to the host."""

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lcca import _settings
from lcca._lcca import DlpackTensor, Matrix

_DENSE = ("<f4", "<f8")  # what the engine reads in place in dense rows
# Kinds of memory in DLPack: of the host, of a CUDA device, of the host for CUDA.
_CPU, _CUDA, _PINNED = 1, 2, 3
_VERSION = (1, 1)  # the newest version of DLPack that the engine reads
_LEGACY = 1  # the default stream of the process, for which producers have their arrays written
_REFUSALS = (AttributeError, BufferError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError)


class _Numbers(NamedTuple):
    """A run of numbers without gaps in the memory of a GPU, as the engine takes it."""

    letter: str
    width: int
    length: int
    address: int
    stream: int | None
    keeper: Any


class _Array(NamedTuple):
    """An array without gaps in the memory of a GPU."""

    shape: tuple[int, ...]
    typestr: str
    numbers: _Numbers


def in_place(data: Any, name: str, device: Any, missing: str, threads: int = 1) -> Any:
    """A dense array, or compressed sparse rows, where they lie, if a fit on `device` can use them there;
    otherwise the data as they are.

    Parameters
    ----------
    data : Any
        A view. Arrays of CuPy, PyTorch, Numba and JAX on a GPU say by `__cuda_array_interface__` where they
        are, others by `__dlpack__`. Sparse rows are those of CuPy, PyTorch, and whatever has
        the attributes of SciPy's.
    name : str
        The name of the view, for messages.
    device : str
        Where the fit runs.
    missing : str
        What happens to missing values. Means that they are filled in by are formed on the host.
    threads : int
        How many threads may check sparse rows, which the host does.

    Returns
    -------
    Matrix or Any
        The rows, which keep the arrays alive; or the data, to be copied.
    """
    if device == "cpu" or not isinstance(device, str) or missing == "mean":
        return data
    parts = _parts_of_rows(data)
    rows = _dense(data, name, device) if parts is None else _sparse(data.shape, parts, name, device, threads)
    return data if rows is None else rows


def _dense(data: Any, name: str, device: str) -> Matrix | None:
    array = _described(data, name)
    if array is None or len(array.shape) != 2 or array.typestr not in _DENSE:
        return None
    return Matrix.dense_on_gpu(name, device, (array.shape[0], array.shape[1]), array.numbers)


def _sparse(shape: Any, parts: tuple[Any, Any, Any], name: str, device: str, threads: int) -> Matrix | None:
    arrays = [_described(part, name) for part in parts]
    numbers = [array.numbers for array in arrays if array is not None and len(array.shape) == 1]
    if len(numbers) < len(parts) or len(shape) != 2:
        return None
    indptr, indices, values = numbers
    threads = _settings.worthwhile(threads, values.length)
    return Matrix.sparse_on_gpu(
        name, device, (int(shape[0]), int(shape[1])), indptr, indices, values, threads
    )


def _parts_of_rows(data: Any) -> tuple[Any, Any, Any] | None:
    """Offsets, columns and values of compressed sparse rows of PyTorch, of CuPy, or of a library like it;
    None if the data are something else."""
    if _is_tensor(data):
        return _parts_of_tensor(data.detach()) if _layout(data) == "sparse_csr" else None
    kind = getattr(data, "format", None)
    if sp.issparse(data) or not isinstance(kind, str) or kind != "csr" or not hasattr(data, "shape"):
        return None
    try:
        return data.indptr, data.indices, data.data
    except AttributeError:
        return None


def on_host(data: Any) -> Any:
    """The data, or a copy in NumPy or SciPy of what lies on a GPU: tensors of PyTorch, arrays of CuPy, Numba
    and JAX, and whatever DLPack copies. Arrays of the host that only DLPack
    describes are shared with NumPy."""
    if _is_tensor(data):
        return _tensor_on_host(data.detach().cpu())
    if type(data).__module__.startswith("cupyx."):
        return data.get()
    parts = _parts_of_rows(data)
    if parts is not None and any(_lies_on_gpu(part) for part in parts):
        indptr, indices, values = (on_host(part) for part in parts)
        return sp.csr_matrix((values, indices, indptr), shape=tuple(data.shape))
    kind = _kind(data)
    if _interface(data) is None and kind in (None, _CPU, _PINNED):
        return data if kind is None or _is_known_to_numpy(data) else np.from_dlpack(data)
    if hasattr(data, "get"):
        return data.get()
    if hasattr(data, "__array__"):
        return np.asarray(data)
    reason = "has neither get() nor __array__()"
    if kind is not None:
        try:
            return np.from_dlpack(data, device="cpu")
        except _REFUSALS as error:
            reason += f", and __dlpack__ says: {error}"
    raise TypeError(f"an array on a GPU that cannot be copied to the host: {type(data).__name__} {reason}")


def _tensor_on_host(tensor: Any) -> Any:
    """A tensor that lies on the host and needs no gradients, as NumPy or SciPy have it."""
    layout = _layout(tensor)
    if layout == "strided":
        return tensor.numpy()
    if tensor.ndim != 2 or layout not in ("sparse_csr", "sparse_csc", "sparse_coo"):
        raise TypeError(
            f"a tensor of {tensor.ndim} dimensions and layout {layout}, expected 2, and strided, sparse_csr, "
            "sparse_csc or sparse_coo"
        )
    shape = tuple(tensor.shape)
    if layout == "sparse_coo":
        tensor = tensor.coalesce()
        row, col = tensor.indices().numpy()
        return sp.coo_matrix((tensor.values().numpy(), (row, col)), shape=shape)
    offsets, indices, values = (part.numpy() for part in _parts_of_tensor(tensor))
    compressed = sp.csr_matrix if layout == "sparse_csr" else sp.csc_matrix
    return compressed((values, indices, offsets), shape=shape)


def _parts_of_tensor(tensor: Any) -> tuple[Any, Any, Any]:
    """Offsets, indices and values of a tensor of compressed rows or columns."""
    if _layout(tensor) == "sparse_csr":
        return tensor.crow_indices(), tensor.col_indices(), tensor.values()
    return tensor.ccol_indices(), tensor.row_indices(), tensor.values()


def _layout(tensor: Any) -> str:
    """How PyTorch stores a tensor, such as "sparse_csr"; "strided" is dense."""
    return str(getattr(tensor, "layout", "strided")).removeprefix("torch.")


def _is_tensor(data: Any) -> bool:
    return hasattr(data, "detach") and hasattr(data, "cpu")


def _described(data: Any, name: str) -> _Array | None:
    """An array without gaps on a GPU; None if it lies elsewhere, has no numbers, is masked,
    or has another layout."""
    keeper, interface = data, _interface(data)
    if interface is None:
        keeper = _lent(data)
        interface = _interface(keeper)
    if interface is None:
        return None
    try:
        shape, typestr, address = (
            tuple(interface["shape"]), str(interface["typestr"]), int(interface["data"][0])
        )
    except (KeyError, TypeError, ValueError, IndexError):
        raise TypeError(
            f"the __cuda_array_interface__ of {name} does not say shape, typestr and data"
        ) from None
    order, letter, digits = typestr[:1], typestr[1:2], typestr[2:]
    if (
        not shape
        or min(shape) <= 0
        or order == ">"
        or not digits.isdecimal()
        or interface.get("mask") is not None
    ):
        return None
    width = int(digits)
    steps = [width]
    for length in shape[:0:-1]:
        steps.insert(0, steps[0] * length)
    strides = interface.get("strides")
    if strides is not None and list(strides) != steps:
        return None
    # Before version 3 of the interface nobody says which stream writes the array.
    stream = interface.get("stream", 0)
    return _Array(shape, typestr, _Numbers(letter, width, math.prod(shape), address, stream, keeper))


def _lies_on_gpu(data: Any) -> bool:
    return _interface(data) is not None or _kind(data) not in (None, _CPU, _PINNED)


def _interface(data: Any) -> Any:
    """The description of an array on a GPU; None if it lies elsewhere,
    or if the library does not describe it."""
    if isinstance(data, np.ndarray):
        return None
    try:
        # Tensors that require gradients refuse it.
        return (data.detach() if _is_tensor(data) else data).__cuda_array_interface__
    except (AttributeError, KeyError, RuntimeError, TypeError):
        return None


def _kind(data: Any) -> int | None:
    """The kind of memory that an array lies in, as DLPack numbers them; None if the library does not say."""
    if isinstance(data, np.ndarray) or not hasattr(data, "__dlpack__"):
        return None
    try:
        return int(data.__dlpack_device__()[0])
    except (*_REFUSALS, IndexError):
        return None


def _lent(data: Any) -> DlpackTensor | None:
    """An array on a GPU that its library lends by DLPack; None if it lies elsewhere or is not lent."""
    if _kind(data) != _CUDA:
        return None
    try:
        try:
            capsule = data.__dlpack__(stream=_LEGACY, max_version=_VERSION)
        except TypeError:
            # The first versions of the protocol have no versions.
            capsule = data.__dlpack__(stream=_LEGACY)
        return DlpackTensor(capsule)
    except _REFUSALS:
        return None


def _is_known_to_numpy(data: Any) -> bool:
    """Whether NumPy takes an array of the host without DLPack."""
    if any(hasattr(data, name) for name in ("__array__", "__array_interface__", "__array_struct__")):
        return True
    try:
        memoryview(data)
    except TypeError:
        return False
    return True
