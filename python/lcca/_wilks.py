"""The classical test of how many pairs correlate, for small dense data."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _inputs, _lcca, _settings
from lcca._cca import CCA

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


def wilks(
    X: Any, y: Any, *, missing: str = "error", categorical: str = "auto", align: str = "auto", n_jobs: int | None = -1
) -> Wilks:
    """Tests how many pairs of small dense views correlate, on all rows and without a ridge.

    Assumes independent rows, normal data and many more rows than columns; the result says so. From the shell: `lcca fit --wilks`.

    Parameters
    ----------
    X, y : as for `CCA.fit`
        Two views, with many more rows than columns and columns that do not depend on each other.
    missing, categorical, align
        What happens to missing values and columns of text, and how rows find each other, as for `CCA`.
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
    rules = CCA(missing=missing, categorical=categorical, align=align)
    views = _inputs.fit_views(rules, X, y, None, threads).views
    return Wilks(**_lcca.wilks(views.x, views.y, threads))

