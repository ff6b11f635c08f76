"""Rows that belong together: the members of a family, the visits of a subject."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def codes(groups: Any, rows: int) -> NDArray[np.int64] | None:
    """One number per row, the same for rows with the same label; None if there are no groups."""
    if groups is None:
        return None
    labels = np.asarray(groups)
    if labels.ndim != 1 or len(labels) != rows:
        raise ValueError(f"groups has shape {labels.shape}, expected one label per row, ({rows},)")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError("groups has missing labels (NaN), expected one label per row")
    return np.ascontiguousarray(np.unique(labels.astype(str) if labels.dtype == object else labels, return_inverse=True)[1], dtype=np.int64)
