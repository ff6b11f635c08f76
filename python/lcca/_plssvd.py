"""Singular vectors of the cross-covariance of two views, as scikit-learn's PLSSVD has them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from lcca import _inputs, _lcca, _settings
from lcca._cca import CCA
from lcca._pairing import Views
from lcca._second_view import also_called_Y
from lcca._types import FitResult

Array = NDArray[np.float64]


class _Measured(CCA):
    """`CCA` that notes the deviations of the columns it fits."""

    def _fit_views(self, views: Views, options: dict[str, Any], threads: int, groups: Any) -> FitResult:
        rows = _lcca.Pieces([_lcca.Rows(*views)], _lcca.Pool(threads))
        self._deviations = [_deviations(rows.moments(side), views.x.shape[0]) for side in (0, 1)]
        return super()._fit_views(views, options, threads, groups)


class PLSSVD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Partial least squares by SVD: the pairs of directions of largest covariance, orthogonal to each other.

    Used like `sklearn.cross_decomposition.PLSSVD`, with the same numbers, and on the engine of `CCA` with
    `metric="pls"`: sparse data stay sparse, and the p₁ × p₂ cross-covariance is not formed if it is large.

    Parameters
    ----------
    n_components : int
        The number of pairs.
    scale : bool
        Divide columns by their standard deviations, implicitly.
    copy : bool
        Accepted because scikit-learn has it. Arrays are never overwritten, so nothing needs to be copied.
    tol : float
        The fit has converged if at most this share of the sum of the covariances may be missing.
    memory, random_state, n_jobs
        As for `CCA`.

    Attributes
    ----------
    x_weights_, y_weights_ : arrays of shape (p, k)
        Left and right singular vectors of the cross-covariance of the (scaled) columns.
    model_ : CCA
        The fitted model, with correlations, loadings, `converged_`, `report`, `predict`, `save` and all else.
        Its weights are in the units of the data.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : array of str
        Names of the columns of X, if they have names.

    Examples
    --------
    >>> import numpy as np
    >>> from lcca import PLSSVD
    >>> X = np.array([[0., 0., 1.], [1., 0., 0.], [2., 2., 2.], [2., 5., 4.]])
    >>> Y = np.array([[0.1, -0.2], [0.9, 1.1], [6.2, 5.9], [11.9, 12.3]])
    >>> pls = PLSSVD(n_components=2).fit(X, Y)
    >>> X_c, Y_c = pls.transform(X, Y)
    >>> X_c.shape, Y_c.shape
    ((4, 2), (4, 2))
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: bool = True,
        copy: bool = True,
        tol: float = 1e-4,
        memory: int | str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = -1,
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.copy = copy
        self.tol = tol
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs

    @also_called_Y
    def fit(self, X: Any, y: Any = None) -> "PLSSVD":
        """Fits both views.

        Parameters
        ----------
        X, y : as for `CCA.fit`
            Two views in memory or in files.

        Returns
        -------
        PLSSVD
            The estimator itself.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> X, Y = random.standard_normal((50, 3)), random.standard_normal((50, 2))
        >>> U = lcca.PLSSVD().fit(X, Y).x_weights_
        >>> bool(np.allclose(U.T @ U, np.eye(2)))
        True
        """
        _settings.flag(self.copy, "copy")
        if not isinstance(self.scale, (bool, np.bool_)):
            raise _settings.invalid("scale", "True or False", self.scale)
        if self.n_components is None or isinstance(self.n_components, str):
            raise _settings.invalid("n_components", "an int in the range [1, inf)", self.n_components)
        model = _Measured(self.n_components, metric="pls", scale=self.scale, tol=self.tol, memory=self.memory)
        self.model_ = model.set_params(random_state=self.random_state, n_jobs=self.n_jobs).fit(X, y)
        _inputs.note_columns(self, model.n_features_in_, getattr(model, "feature_names_in_", None))
        weights = [model.x_weights_, model.y_weights_]
        if self.scale:
            weights = [
                own * deviations[:, None] for own, deviations in zip(weights, model._deviations, strict=True)
            ]
        lengths = [np.linalg.norm(own, axis=0) for own in weights]
        # Signs as scikit-learn has them: the largest entry of each left vector is positive.
        signs = np.sign(weights[0][abs(weights[0]).argmax(axis=0), np.arange(weights[0].shape[1])])
        self._factors = [signs / length for length in lengths]
        self.x_weights_, self.y_weights_ = (
            own * factor for own, factor in zip(weights, self._factors, strict=True)
        )
        return self

    @also_called_Y
    def transform(self, X: Any, y: Any = None) -> Any:
        """The scores of rows.

        Parameters
        ----------
        X, y : as for `fit`
            Rows of X and, optionally, of y.

        Returns
        -------
        array, or a pair of arrays if y is given
            One row per row of X, one column per pair.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> X, Y = random.standard_normal((50, 3)), random.standard_normal((50, 2))
        >>> lcca.PLSSVD().fit(X, Y).transform(X[:5]).shape
        (5, 2)
        """
        check_is_fitted(self)
        if y is None:
            return np.asarray(self.model_.transform(X)) * self._factors[0]
        x_scores, y_scores = self.model_.transform(X, y)
        return np.asarray(x_scores) * self._factors[0], np.asarray(y_scores) * self._factors[1]

    @also_called_Y
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fits both views and returns the scores of both.

        Parameters
        ----------
        X, y : as for `fit`
            Two views.

        Returns
        -------
        pair of arrays
            The scores of X and of y.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> x_scores, y_scores = lcca.PLSSVD().fit_transform(random.random((20, 3)), random.random((20, 2)))
        >>> x_scores.shape, y_scores.shape
        ((20, 2), (20, 2))
        """
        return self.fit(X, y).transform(X, y)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.x_weights_.shape[1])


def _deviations(moments: Any, rows: int) -> Array:
    """Standard deviations of columns with the divisor n − 1, and 1 for constant ones."""
    weight, sums, squares = moments[:3]
    centered = squares - sums * (sums / weight)
    # As the engine decides whether a column is constant but for rounding.
    deviations = np.sqrt(np.where(centered > 1e-13 * squares, centered, 0) / (rows - 1))
    return np.where(deviations == 0, 1, deviations)
