"""Products without zero rows, if most rows are zero: those of columns that no shard of a worker touches."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WORTHWHILE = 0.5  # cut if at most this share of the rows is not zero


@dataclass
class Cut:
    """Some rows of a panel; all others are zero."""

    height: int
    rows: NDArray[np.intp]
    values: NDArray[Any]

    @property
    def nbytes(self) -> int:
        """The bytes that travel."""
        return int(self.rows.nbytes + self.values.nbytes)


Product = NDArray[Any] | Cut


def cut(product: NDArray[Any], rows: NDArray[np.intp], dtype: str) -> Product:
    """Leaves out all other rows, which must be zero, if that is worthwhile;
    numbers become the type to travel as."""
    if len(rows) > _WORTHWHILE * len(product):
        return product.astype(dtype, copy=False)
    return Cut(len(product), rows, product[rows].astype(dtype, copy=False))


def whole(product: Product) -> NDArray[Any]:
    """The panel with all its rows."""
    if not isinstance(product, Cut):
        return product
    panel = np.zeros((product.height, product.values.shape[1]), product.values.dtype)
    panel[product.rows] = product.values
    return panel


def add(a: Product, b: Product) -> Product:
    """The sum, computed in double precision whatever type the products travel as."""
    if isinstance(a, Cut) and isinstance(b, Cut):
        rows = np.union1d(a.rows, b.rows)
        total = np.zeros((len(rows), a.values.shape[1]))
        for part in (a, b):
            total[np.searchsorted(rows, part.rows)] += part.values
        together = Cut(a.height, rows, total.astype(a.values.dtype, copy=False))
        return together if len(rows) <= _WORTHWHILE * a.height else whole(together)
    x, y = whole(a), whole(b)
    panel: NDArray[Any] = np.add(x, y, dtype=np.float64).astype(x.dtype, copy=False)
    return panel


def add_in_place(a: Product, b: Product) -> Product:
    """The sum, in the memory of `a` if that can hold it."""
    if isinstance(a, Cut) or isinstance(b, Cut) or a.dtype != np.float64 or not a.flags.writeable:
        return add(a, b)
    a += b
    return a
