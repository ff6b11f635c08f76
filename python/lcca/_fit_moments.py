"""One call from matrices to a model."""

from typing import Any

from lcca._cca import CCA


def fit_moments(
    Sxx: Any,
    Syy: Any,
    Sxy: Any,
    n: float,
    mean_x: Any = None,
    mean_y: Any = None,
    *,
    centered: bool = True,
    divisor: float = 1.0,
    **parameters: Any,
) -> CCA:
    """Fits `CCA` to Gram matrices or covariances that were computed elsewhere:
    in torch, in Spark, by somebody who shares no rows.

    Parameters
    ----------
    Sxx, Syy, Sxy : arrays, sparse matrices or tensors of shape (p₁, p₁), (p₂, p₂), (p₁, p₂)
        XᵀX, YᵀY and XᵀY, divided by `divisor`.
    n : float
        The number of rows, or the sum of their weights.
    mean_x, mean_y : arrays of shape (p,) or numbers, optional
        The means of the columns, which `transform` subtracts from new rows; 0 if these come centered.
    centered : bool
        Whether the matrices are about the means already, as covariances are.
    divisor : float
        1 for sums over rows, n − 1 for what `numpy.cov` returns, n for means over rows.
    **parameters
        The parameters of `CCA`.

    Returns
    -------
    CCA
        Fitted, as by `CCA(**parameters).fit_moments`, which says more.

    Examples
    --------
    >>> import numpy as np, lcca
    >>> random = np.random.default_rng(0)
    >>> shared = random.standard_normal((500, 1))
    >>> X, Y = (shared + random.standard_normal((500, 3)) for _ in "xy")
    >>> model = lcca.fit_moments(
    ...     X.T @ X, Y.T @ Y, X.T @ Y, 500, X.mean(axis=0), Y.mean(axis=0), centered=False, n_components=1
    ... )
    >>> bool(np.allclose(model.correlations_, lcca.CCA(n_components=1).fit(X, Y).correlations_, rtol=1e-9))
    True
    """
    model = CCA(**parameters)
    return model.fit_moments(Sxx, Syy, Sxy, n, mean_x, mean_y, centered=centered, divisor=divisor)
