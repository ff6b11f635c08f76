"""Rows that belong together: the members of a family, the visits of a subject."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _beside, _frames, _missing
from lcca._pairing import View


def codes(groups: Any, x: View, align: str = "auto") -> NDArray[np.int64] | None:
    """One number per row of X, the same for rows with the same label; None if there are no groups."""
    if groups is None:
        return None
    labels = np.asarray(_missing.unmasked(_beside.values(x, groups, "groups", align)))
    if labels.ndim != 1 or len(labels) != x.length:
        raise ValueError(f"groups has shape {labels.shape}, expected one label per row, ({x.length},)")
    if labels.dtype.kind in "OfM" and any(_frames.is_missing(label) for label in labels):
        raise ValueError("groups has missing labels, expected one label per row")
    if labels.dtype.kind != "O":
        return np.ascontiguousarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)
    # Labels of several types have no order.
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
