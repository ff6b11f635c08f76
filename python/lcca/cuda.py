"""NVIDIA GPUs, on which `CCA(device="cuda")` runs."""

from dataclasses import dataclass

from lcca import _lcca

__all__ = ["Availability", "available"]


@dataclass(frozen=True)
class Availability:
    """Which GPUs there are. It is true if there is one that can be used."""

    devices: tuple[str, ...]
    """What the driver calls them; `device="cuda:1"` is the second."""
    reason: str | None
    """Why there is none."""

    def __bool__(self) -> bool:
        return bool(self.devices)


def available() -> Availability:
    """Whether there is a GPU that `device="cuda"` can use, and why not.

    Returns
    -------
    Availability
        True or false in an `if`, with the names of the GPUs or the reason.

    Examples
    --------
    >>> import lcca.cuda
    >>> gpus = lcca.cuda.available()
    >>> bool(gpus) == (gpus.reason is None) == (len(gpus.devices) > 0)
    True
    """
    names, reason = _lcca.cuda_devices()
    return Availability(tuple(names), reason)
