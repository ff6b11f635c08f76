"""The classical test of how many pairs correlate, for small dense data."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _inputs, _lcca, _settings
from lcca._cca import CCA

Array = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Wilks:
    """Wilks' test with Bartlett's approximation, one number per pair: each tests that pair and all after it.

    It assumes independent rows, normal data, many more rows than columns, and no ridge. `permutation_test` on
    held-out rows assumes only the first.
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
    ranks: tuple[int, int]
    """Columns of X and of y that do not depend on the others, which degrees of freedom are counted from."""
    n_covariates: int
    """Covariates that are neither constant nor depend on others,
    each of which takes a dimension from the rows."""

    def __repr__(self) -> str:
        lines = ["Wilks' test that a pair and all after it correlate by chance only"]
        lines.append("pair  correlation    lambda  chi-square  degrees         p")
        for i, p in enumerate(self.p_values):
            numbers = (
                f"{self.correlations[i]:11.4f}  {self.wilks_lambda[i]:8.4f}  {self.chi_square[i]:10.2f} "
                f" {self.degrees[i]:7,.0f}"
            )
            lines.append(f"{i + 1:4}  {numbers}  {_lcca.p_value_text(p):>8}")
        return "\n".join(lines)


def wilks(
    X: Any,
    y: Any,
    *,
    covariates: Any = None,
    missing: str = "error",
    categorical: str = "auto",
    align: str = "auto",
    n_jobs: int | None = -1,
) -> Wilks:
    """Tests how many pairs of small views correlate, on all rows and without a ridge.

    Assumes independent rows, normal data and many more rows than columns; the result says so. From the shell:
    `lcca fit --wilks`.

    Parameters
    ----------
    X, y : as for `CCA.fit`
        Two views, with many more rows than columns. Columns that depend on others, such as the last indicator
        of a category, change nothing: degrees of freedom count the rank.
    covariates : as for `CCA.fit`, optional
        Columns whose linear influence is taken out of both views first.
        The correlations are then partial correlations.
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
    # The views are read, checked and paired as those of a fit.
    rules = CCA(missing=missing, categorical=categorical, align=align, n_jobs=n_jobs)
    rules._fill = {}
    views = _inputs.fit_views(rules, X, y, None, threads, covariates).views
    return Wilks(**_lcca.wilks(views.x, views.y, threads))
