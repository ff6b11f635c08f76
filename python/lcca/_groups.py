"""Rows that belong together: the members of a family, the visits of a subject."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _inputs


def codes(groups: Any, rows: int) -> NDArray[np.int64]:
    """One number per row, the same for rows with the same label."""
    labels = np.asarray(groups)
    if labels.ndim != 1 or len(labels) != rows:
        raise ValueError(f"groups has shape {labels.shape}, expected one label per row, ({rows},)")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError("groups has missing labels (NaN), expected one label per row")
    return np.ascontiguousarray(np.unique(labels.astype(str) if labels.dtype == object else labels, return_inverse=True)[1], dtype=np.int64)


def aligned(model: Any, X: Any, y: Any, groups: Any, threads: int) -> NDArray[np.int64] | None:
    """The codes of the rows that are left when the views of a fitted model are paired."""
    if groups is None:
        return None
    numbers = codes(groups, len(np.asarray(groups)))
    # Weights follow their rows through pairing by name and leaving out rows, and so do labels that are passed off as weights.
    views = _inputs.known_views(model, X, y, numbers + 1.0, threads, _inputs.NOT_NEEDED)
    assert views.weights is not None
    return np.ascontiguousarray(views.weights - 1.0, dtype=np.int64)
