"""The classical test of how many pairs correlate, for small dense data."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _lcca, _settings, _views

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Wilks:
    """Wilks' test with Bartlett's approximation, one number per pair: each tests that pair and all after it.

    It assumes independent rows, normal data, many more rows than columns, and no ridge. `permutation_test` on held-out rows assumes
    only the first.
    """

    correlations: Array
    """The canonical correlations."""
    wilks_lambda: Array
    """The product of 1 - r² over the pair and all after it."""
    chi_square: Array
    """Bartlett's statistic."""
    degrees: Array
    """Its degrees of freedom."""
    p_values: Array
    """The share of χ² above it."""


def wilks(X: Any, y: Any, *, n_jobs: int | None = -1) -> Wilks:
    """Tests how many pairs of small dense views correlate, on all rows and without a ridge.

    Assumes independent rows, normal data and many more rows than columns; the result says so. From the shell: `lcca fit --wilks`.

    Parameters
    ----------
    X, y : arrays or sparse matrices of shape (n, p₁) and (n, p₂)
        Two views, with many more rows than columns and columns that do not depend on each other.
    n_jobs : int, optional
        The number of threads, as for `CCA`.

    Returns
    -------
    Wilks
        Statistics and p-values, one per pair.

    Examples
    --------
    >>> import numpy as np, lcca
    >>> random = np.random.default_rng(0)
    >>> shared = random.standard_normal((300, 1))
    >>> X, Y = shared + random.standard_normal((300, 4)), shared + random.standard_normal((300, 3))
    >>> lcca.wilks(X, Y).p_values.round(2)
    array([0.  , 0.94, 0.97])
    """
    threads = _settings.threads(n_jobs)
    x_rows, y_rows = (_views.checked(view, name, threads) for view, name in ((X, "X"), (y, "y")))
    return Wilks(**_lcca.wilks(x_rows, y_rows, threads))

