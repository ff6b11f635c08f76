"""Samples of rows, as arrays: per view the offsets, columns and values of sparse rows,
then the row weights or None."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def stack(above: Any, below: Any) -> Any:
    """The rows of two samples, one after the other."""
    views = [_stack_views(a, b) for a, b in zip(above[:2], below[:2], strict=True)]
    if above[2] is None and below[2] is None:
        return (*views, None)
    return (*views, np.concatenate([_weights(above), _weights(below)]))


def _stack_views(above: Any, below: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    offsets = np.concatenate([above[0], below[0][1:] + above[0][-1]])
    return offsets, np.concatenate([above[1], below[1]]), np.concatenate([above[2], below[2]])


def _weights(sample: Any) -> NDArray[Any]:
    return np.ones(len(sample[0][0]) - 1) if sample[2] is None else sample[2]
