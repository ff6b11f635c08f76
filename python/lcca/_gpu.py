"""Arrays in the memory of a GPU: fits that run there use them where they lie, and everything else copies them to the host."""

from typing import Any

import numpy as np

from lcca._lcca import DlpackTensor, Matrix

_NUMBERS = {"<f4": 4, "<f8": 8}  # what the engine reads in place, and the bytes of each
_CPU, _CUDA, _PINNED = 1, 2, 3  # kinds of memory in DLPack: of the host, of a CUDA device, of the host for CUDA
_VERSION = (1, 1)  # the newest version of DLPack that the engine reads
_LEGACY = 1  # the default stream of the process, for which producers have their arrays written
_REFUSALS = (AttributeError, BufferError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError)


def in_place(data: Any, name: str, device: Any, missing: str) -> Any:
    """A dense array where it lies, if a fit on `device` can use it there; otherwise the data as they are.

    Parameters
    ----------
    data : Any
        A view. Those of CuPy, PyTorch, Numba and JAX on a GPU say by `__cuda_array_interface__` where they are, others by `__dlpack__`.
    name : str
        The name of the view, for messages.
    device : str
        Where the fit runs.
    missing : str
        What happens to missing values. Means that they are filled in by are formed on the host.

    Returns
    -------
    Matrix or Any
        The rows, which keep the array alive; or the data, to be copied.
    """
    if device == "cpu" or not isinstance(device, str) or missing == "mean":
        return data
    keeper, interface = data, _interface(data)
    if interface is None:
        keeper = _lent(data)
        interface = _interface(keeper)
    if interface is None:
        return data
    try:
        shape, typestr, address = tuple(interface["shape"]), interface["typestr"], int(interface["data"][0])
    except (KeyError, TypeError, ValueError, IndexError):
        raise TypeError(f"the __cuda_array_interface__ of {name} does not say shape, typestr and data") from None
    if len(shape) != 2 or min(shape) <= 0 or typestr not in _NUMBERS or interface.get("mask") is not None:
        return data
    strides = interface.get("strides")
    if strides is not None and tuple(strides) != (shape[1] * _NUMBERS[typestr], _NUMBERS[typestr]):
        return data
    # Before version 3 of the interface nobody says which stream writes the array.
    stream = interface.get("stream", 0)
    rows = Matrix.on_gpu(name, device, shape, typestr == "<f4", address, stream, keeper)
    return data if rows is None else rows


def on_host(data: Any) -> Any:
    """The data, or a copy in NumPy or SciPy of what lies on a GPU: tensors of PyTorch, arrays of CuPy, Numba and JAX, and whatever DLPack
    copies. Arrays of the host that only DLPack describes are shared with NumPy."""
    if _is_tensor(data):
        return data.detach().cpu().numpy()
    if type(data).__module__.startswith("cupyx."):
        return data.get()
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


def _is_tensor(data: Any) -> bool:
    return hasattr(data, "detach") and hasattr(data, "cpu")


def _interface(data: Any) -> Any:
    """The description of an array on a GPU; None if it lies elsewhere, or if the library does not describe it."""
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
