"""Least squares and singular vectors of large sparse matrices, centered without making them dense."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from lcca import _inputs, _lcca, _settings, _views
from lcca._cca import CCA

_CHECKS: dict[str, Any] = {"accept_sparse": _views.SPARSE, "dtype": "numeric"}


class LeastSquares(NamedTuple):
    """The result of `least_squares`."""

    coef: NDArray[np.float64]
    """Coefficients, with one row per column of X and one column per target."""
    intercept: NDArray[np.float64]
    """The vector to add to X @ coef; 0 if nothing was centered."""
    explained: NDArray[np.float64]
    """1 - |T - X coef|² / |T|² per target, about its mean if it was centered."""


def least_squares(
    X: Any,
    T: Any,
    *,
    method: str = "cg",
    ridge: float = 0.0,
    center: bool = True,
    steps: int | None = None,
    k_pc: int | None = None,
    tol: float = 1e-10,
    missing: str = "error",
    categorical: str = "auto",
    align: str = "auto",
    memory: int | str | None = None,
    random_state: Any = 0,
    n_jobs: int | None = -1,
) -> LeastSquares:
    """Regresses the columns of T on those of X: minimizes |X w - t|² + λ|w|², λ = ridge · tr(XᵀX)/p.

    Parameters
    ----------
    X : array, sparse matrix, frame or path, of shape (n, p)
    T : the same, of shape (n, q) or (n,)
        The targets.
    method : {"cg", "cholesky", "ling", "gradient", "diagonal"}
        Conjugate gradients; a Cholesky factorization of XᵀX; LING of Lu & Foster 2014, exact on `k_pc`
        leading singular directions and `steps` of gradient descent on the rest; gradient
        descent; the diagonal of XᵀX.
    ridge : float
        Relative to the mean diagonal entry of XᵀX.
    center : bool
        Subtract column means, implicitly.
    steps, k_pc : int, optional
        Steps of the iterative methods [default: at most 500 for cg, 38 for ling, 51 for gradient];
        LING's directions [100].
    tol : float
        Relative residual at which conjugate gradients stop.
    missing, categorical, align
        What happens to missing values and columns of text, and how rows of X and T find
        each other, as for `CCA`.
    memory, random_state, n_jobs
        As for `CCA`.

    Returns
    -------
    LeastSquares
        `coef`, `intercept`, `explained`.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, lcca
    >>> X = sp.random(1000, 30, density=0.1, random_state=0, format="csr")
    >>> fit = lcca.least_squares(X, X @ np.arange(30.0) + 5)
    >>> bool(np.allclose(fit.coef[:, 0], np.arange(30)) and np.allclose(fit.intercept, 5))
    True
    """
    threads = _settings.threads(n_jobs)
    views = _inputs.fit_views(
        CCA(missing=missing, categorical=categorical, align=align), X, T, None, threads
    ).views
    x, targets = views.x, views.y
    options = _options(method, ridge, center, 10, 2, memory, random_state) | {
        "steps": steps, "k_pc": k_pc, "tol": tol
    }
    coef, explained, x_mean, t_mean = _lcca.least_squares(x, targets, options, threads)
    return LeastSquares(coef, t_mean - x_mean @ coef, explained)


def randomized_svd(
    X: Any,
    n_components: int,
    *,
    center: bool = False,
    n_oversamples: int = 10,
    n_iter: int = 2,
    random_state: Any = 0,
    n_jobs: int | None = -1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Leading singular vectors by subspace iteration on XᵀX; with `center`, those of X less its column means.

    Parameters
    ----------
    X : array, sparse matrix, frame or path, of shape (n, p)
    n_components : int
        The number of singular vectors; fewer are returned if the rank is lower.
    center : bool
        Subtract column means, implicitly: principal components of sparse data.
    n_oversamples, n_iter : int
        Extra columns carried along, and power iterations.
    random_state, n_jobs
        As for `CCA`.

    Returns
    -------
    U, s, Vt : arrays of shape (n, k), (k,), (k, p)
        As scikit-learn's `randomized_svd` returns them.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, lcca
    >>> X = sp.random(500, 40, density=0.2, random_state=0, format="csr")
    >>> U, s, Vt = lcca.randomized_svd(X, 3, center=True, n_iter=20)
    >>> dense = X.toarray() - X.toarray().mean(axis=0)
    >>> bool(np.allclose(s, np.linalg.svd(dense, compute_uv=False)[:3], rtol=1e-4))
    True
    """
    threads = _settings.threads(n_jobs)
    x = _matrix(X, "X", threads)
    options = _options("", 0.0, center, n_oversamples, n_iter, 0, random_state) | {
        "steps": None, "k_pc": None, "tol": 0.0
    }
    s, v, mean = _lcca.singular_vectors(x, n_components, options, threads)
    return _lcca.transform((v / s, mean), x, threads), s, v.T


def _options(
    method: str,
    ridge: float,
    center: bool,
    oversample: int,
    power: int,
    memory: int | str | None,
    random_state: Any,
) -> dict[str, Any]:
    options = {"method": method, "ridge": ridge, "center": center, "oversample": oversample, "power": power}
    return options | {"memory": _settings.memory(memory), "seed": _settings.seed(random_state)}


def _matrix(data: Any, name: str, threads: int) -> _lcca.Matrix:
    if isinstance(data, _lcca.Matrix):
        return data
    if _views.is_file(data):
        return _views.noted(
            _lcca.Matrix.read(data, None, False, _views.table_options("error", "auto"), threads), data
        )
    data = _views.in_memory(data, name)
    array = check_array(data, input_name=name, ensure_2d=name == "X", **_CHECKS)
    return _views.from_arrays(array.reshape(-1, 1) if array.ndim == 1 else array, name, threads)
