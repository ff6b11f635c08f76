"""Products without the rows that are zero, where these are most: columns that no shard at hand touches."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WORTHWHILE = 0.5  # share of rows up to which others are left out


@dataclass
class Cut:
    """Some rows of a panel; all others are zero."""

    rows: int
    there: NDArray[np.intp]
    values: NDArray[Any]

    @property
    def nbytes(self) -> int:
        """What travels."""
        return int(self.there.nbytes + self.values.nbytes)


Product = NDArray[Any] | Cut


def cut(product: NDArray[Any], there: NDArray[np.intp], dtype: str) -> Product:
    """Leaves out all rows but those, where that is worthwhile; as numbers of a type to travel as."""
    if len(there) > _WORTHWHILE * len(product):
        return product.astype(dtype, copy=False)
    return Cut(len(product), there, product[there].astype(dtype, copy=False))


def whole(product: Product) -> NDArray[Any]:
    """All rows."""
    if not isinstance(product, Cut):
        return product
    panel = np.zeros((product.rows, product.values.shape[1]), product.values.dtype)
    panel[product.there] = product.values
    return panel


def add(a: Product, b: Product) -> Product:
    """In double precision, whatever they travel as."""
    if isinstance(a, Cut) and isinstance(b, Cut):
        there = np.union1d(a.there, b.there)
        total = np.zeros((len(there), a.values.shape[1]))
        for part in (a, b):
            total[np.searchsorted(there, part.there)] += part.values
        together = Cut(a.rows, there, total.astype(a.values.dtype, copy=False))
        return together if len(there) <= _WORTHWHILE * a.rows else whole(together)
    x, y = whole(a), whole(b)
    panel: NDArray[Any] = np.add(x, y, dtype=np.float64).astype(x.dtype, copy=False)
    return panel


def add_in_place(a: Product, b: Product) -> Product:
    """The sum, in `a`'s place where that can hold it."""
    if isinstance(a, Cut) or isinstance(b, Cut) or a.dtype != np.float64 or not a.flags.writeable:
        return add(a, b)
    a += b
    return a
