"""What is done with a fitted model: canonical variables, correlations, predictions, files."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    MultiOutputMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from lcca import (
    _certify, _covariates, _inputs, _lcca, _model, _notes, _pairing, _regression, _report, _settings,
)
from lcca._attributes import Attributes
from lcca._certificate import Certificate
from lcca._pair import RemotePair
from lcca._second_view import also_called_Y
from lcca._types import ViewWeights

Array = NDArray[np.float64]


class Fitted(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, RegressorMixin,  # type: ignore[misc]
    MultiOutputMixin, BaseEstimator, Attributes,  # type: ignore[misc]
):
    """The methods of `CCA` that need a fit first."""

    n_jobs: int | None
    memory: int | str | None
    missing: str

    @also_called_Y
    def transform(self, X: Any, y: Any = None, copy: bool = True, *, covariates: Any = None) -> Any:
        """The canonical variables of rows.

        Parameters
        ----------
        X, y : as for `fit`
            Rows of X and, optionally, of y; or a pair of views on a cluster. If y has more or fewer rows than
            X, they are rows of their own, as in scikit-learn.
        copy : bool
            Accepted because scikit-learn has it. Arrays are never overwritten.
        covariates : as for `fit`
            The covariates of the rows, if the model was fitted with covariates.

        Returns
        -------
        array, or a pair of arrays if y is given
            One row per row of X, one column per pair. For a pair of views on a cluster, two lazy Dask arrays.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> X, Y = random.standard_normal((50, 3)), random.standard_normal((50, 2))
        >>> model = lcca.CCA(n_components=2).fit(X, Y)
        >>> model.transform(X[:5]).shape
        (5, 2)
        """
        check_is_fitted(self)
        _settings.flag(copy, "copy")
        if isinstance(X, RemotePair):
            self._check_remote(X)
            return X.scores(self._view_weights())
        threads = _settings.threads(self.n_jobs)
        x = _inputs.x_view(self, X, threads, reset=False)
        z = _covariates.of_rows(self, covariates, x, threads)
        if y is None:
            return self._scores(x, threads, z)
        target, order = _inputs.partner(self, x, y, threads)
        # Row i of X, and of the covariates, belongs with row order[i] of y.
        z_of_y = z if order is None or z is None else z.taken(np.argsort(order))
        y_scores = self._scores(target, threads, z_of_y)
        return self._scores(x, threads, z), y_scores if order is None else y_scores[order]

    def transform_y(self, y: Any, covariates: Any = None) -> Array:
        """The canonical variables of rows of y alone.

        Parameters
        ----------
        y, covariates : as for `fit`
            Rows of y, and their covariates if the model was fitted with covariates.

        Returns
        -------
        array of shape (n, k)
            One row per row of y.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> X, Y = random.standard_normal((50, 3)), random.standard_normal((50, 2))
        >>> model = lcca.CCA(n_components=2).fit(X, Y)
        >>> bool((model.transform_y(Y) == model.transform(X, Y)[1]).all())
        True
        """
        check_is_fitted(self)
        threads = _settings.threads(self.n_jobs)
        view = _inputs.y_view(self, y, threads, reset=False)
        return self._scores(view, threads, _covariates.of_rows(self, covariates, view, threads))

    @also_called_Y
    def inverse_transform(self, X: Any, y: Any = None, covariates: Any = None) -> Any:
        """Estimates rows from canonical variables.

        Parameters
        ----------
        X, y : arrays of shape (n, k)
            Canonical variables of X and, optionally, of y.
        covariates : as for `fit`
            The covariates of the rows, if the model was fitted with covariates.

        Returns
        -------
        array, or a pair of arrays if y is given
            The least-squares estimate of each column, learned on the training rows.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> X, Y = random.standard_normal((50, 3)), random.standard_normal((50, 3))
        >>> model = lcca.CCA(n_components=3).fit(X, Y)
        >>> bool(np.allclose(model.inverse_transform(model.transform(X)), X))       # all pairs lose nothing
        True
        """
        check_is_fitted(self)
        self._require_means()
        memory = _settings.memory(self.memory)
        x_rows = _regression.estimate(self._x_regression, self.x_mean_, X, "X", memory)
        z = self._known_covariates(covariates, len(x_rows))
        x_rows = x_rows if z is None else x_rows + self._explained(self._x_effects, z)
        if y is None:
            return x_rows
        y_rows = _regression.estimate(self._y_regression, self.y_mean_, y, "y", memory)
        return x_rows, y_rows if z is None else y_rows + self._explained(self._y_effects, z)

    def predict(self, X: Any, copy: bool = True, *, columns: Any = None, covariates: Any = None) -> Any:
        """Estimates y from X: least squares of the columns of y on the canonical variables of X,
        learned on the training rows.

        Parameters
        ----------
        X : as for `fit`
            Rows of X, or a pair of views on a cluster, whose y is not looked at.
        copy : bool
            Accepted because scikit-learn has it. Arrays are never overwritten.
        columns : str, int or list of either, optional
            The columns of y to estimate, by name or position [default: all of them].
        covariates : as for `fit`
            The covariates of the rows, if the model was fitted with covariates.
            What they explain of y is part of the estimate.

        Returns
        -------
        array of shape (n, p₂), or (n,) if the model was fitted to a vector
            One row per row of X. For a pair of views on a cluster, a lazy Dask array. If it would take more
            than `memory`, a MemoryError says so.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> X = random.standard_normal((100, 3))
        >>> model = lcca.CCA().fit(X, X @ random.standard_normal((3, 2)))
        >>> model.predict(X).shape, model.predict(X, columns=[1]).shape
        ((100, 2), (100, 1))
        """
        check_is_fitted(self)
        _settings.flag(copy, "copy")
        regression, mean, effects = _regression.known(self._y_on_x_regression), self.y_mean_, self._y_effects
        if columns is not None:
            chosen = _regression.chosen(columns, getattr(self, "y_feature_names_in_", None), len(regression))
            regression, mean = regression[chosen], None if mean is None else mean[chosen]
            effects = None if effects is None else (effects[0], effects[1][chosen])
        if isinstance(X, RemotePair):
            self._check_remote(X)
            rows = X.scores(self._view_weights())[0] @ regression.T
            return rows if mean is None else rows + mean
        threads = _settings.threads(self.n_jobs)
        x = _inputs.x_view(self, X, threads, reset=False)
        z = _covariates.of_rows(self, covariates, x, threads)
        scores = self._scores(x, threads, z)
        rows = _regression.estimate(regression, mean, scores, "X", _settings.memory(self.memory))
        if z is not None:
            rows = rows + self._explained(effects, _covariates.numbers(z))
        return rows[:, 0] if self._predicts_vector else rows

    @property
    def _y_width(self) -> int:
        """The number of columns of y."""
        return len(self.y_weights_)

    def _require_means(self) -> None:
        """Refuses to center rows by means that nobody has told."""
        if not self._has_means:
            remedy = "pass mean_x and mean_y to fit_moments, or 0 if rows come centered"
            raise ValueError(
                f"this model was fitted to moments without means, so rows cannot be centered: {remedy}"
            )

    def _view_weights(self, *, centers: bool = True) -> list[ViewWeights]:
        """The weights and means of both views. Whoever centers rows by their own means needs no others."""
        if centers:
            self._require_means()
        elif not self._has_means:
            return [(weights, np.zeros(len(weights))) for weights in (self.x_weights_, self.y_weights_)]
        if self._x_effects is not None:
            return [
                (self.x_weights_, self.x_mean_, self._x_effects),
                (self.y_weights_, self.y_mean_, self._y_effects),
            ]
        return [(self.x_weights_, self.x_mean_), (self.y_weights_, self.y_mean_)]

    def _known_covariates(self, covariates: Any, rows: int) -> Any:
        """The covariates of rows that are not at hand, as numbers; None if the model has none."""
        stand_in = _pairing.View("X", np.empty((rows, 0)), None, None)
        z = _covariates.of_rows(self, covariates, stand_in, _settings.threads(self.n_jobs))
        return None if z is None else _covariates.numbers(z)

    def _explained(self, effects: Any, z: Any) -> Array:
        """What covariates explain of a view: (Z − 1ζᵀ)·coefficientsᵀ."""
        mean, coefficients = effects
        return np.asarray(z @ coefficients.T - mean @ coefficients.T)

    def _check_remote(self, pair: RemotePair) -> None:
        if self._x_effects is not None:
            raise ValueError(
                "this model takes covariates out of rows, which needs rows in this process, "
                "not a pair on a cluster"
            )
        _inputs.refuse_normalized(self)
        (_, *widths), expected = pair.shape, [len(self.x_weights_), len(self.y_weights_)]
        if widths != expected:
            raise ValueError(
                f"the pair has {widths[0]} + {widths[1]} columns, "
                f"but CCA is expecting {expected[0]} + {expected[1]}"
            )

    def _scores(self, view: _pairing.View, threads: int, covariates: "_pairing.View | None" = None) -> Array:
        """The canonical variables of one view as a NumPy array, whatever `set_output` says."""
        rows, unknown = _inputs.rows_of(self, view, threads)
        gaps = None
        if covariates is not None:
            covariates, gaps = _covariates.without_gaps(covariates)
            # A file has no rows for those that it left out.
            is_shorter = unknown is not None and rows.shape[0] < len(unknown)
            kept = covariates.taken(~unknown) if is_shorter else covariates  # type: ignore[operator]
            rows = rows.with_covariates(kept.matrix(threads))
        scores = _lcca.transform(self._view_weights()[view.name == "y"], rows, threads)
        if unknown is not None:
            known = np.full((len(unknown), scores.shape[1]), np.nan)
            known[~unknown] = scores if len(scores) < len(unknown) else scores[~unknown]
            scores = known
        if gaps is not None:
            scores[gaps] = np.nan
        return scores

    @also_called_Y
    def correlations(self, X: Any, y: Any = None, sample_weight: Any = None, covariates: Any = None) -> Array:
        """The correlation of each pair of canonical variables on given rows, about the means of these rows.

        Parameters
        ----------
        X, y, sample_weight, covariates : as for `fit`
            The rows, with their covariates if the model was fitted with covariates. What is taken out follows
            from the coefficients of the fit.

        Returns
        -------
        array of shape (k,)
            One correlation per pair; nan, with a warning, for fewer than two rows.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> shared = random.standard_normal((200, 1))
        >>> X, Y = (shared + random.standard_normal((200, 3)) for _ in "xy")
        >>> model = lcca.CCA(n_components=2).fit(X[:150], Y[:150])
        >>> model.correlations(X[150:], Y[150:]).shape
        (2,)
        """
        check_is_fitted(self)
        threads = _settings.threads(self.n_jobs)
        # Correlations are about the means of the given rows.
        x_weights, y_weights = self._view_weights(centers=False)
        if isinstance(X, RemotePair):
            self._check_remote(X)
            try:
                return _lcca.score_remote(x_weights, y_weights, X, threads)[0]
            finally:
                X.finish()
        views = _inputs.known_views(self, X, y, sample_weight, threads, covariates)
        if _count(views) < 2:
            _notes.warn("a correlation needs two rows or more, and it is nan for fewer", _notes.ResultWarning)
            return np.full(self._n_features_out, np.nan)
        return _lcca.score(x_weights, y_weights, *views, threads)[0]

    @also_called_Y
    def score(self, X: Any, y: Any = None, sample_weight: Any = None, covariates: Any = None) -> float:
        """The mean of `correlations`: between -1 and 1, and larger is better.

        scikit-learn's CCA returns R² of `predict` here, the share of y's variance that is explained. CCA
        maximizes correlation, so `score` measures correlation; for R², call
        `sklearn.metrics.r2_score(y, model.predict(X))`.

        Parameters
        ----------
        X, y, sample_weight, covariates : as for `fit`
            The rows, with their covariates if the model was fitted with covariates. What is taken out follows
            from the coefficients of the fit.

        Returns
        -------
        float
            The mean correlation; nan, with a warning, for fewer than two rows, as scikit-learn's R² is.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> shared = random.standard_normal((200, 1))
        >>> X, Y = (shared + random.standard_normal((200, 3)) for _ in "xy")
        >>> model = lcca.CCA(n_components=1).fit(X[:150], Y[:150])
        >>> model.score(X[150:], Y[150:]) > 0.5
        True
        """
        correlations = self.correlations(X, y, sample_weight, covariates)
        return float(correlations.mean()) if len(correlations) else 0.0

    def certify(
        self, X: Any, y: Any = None, sample_weight: Any = None, covariates: Any = None
    ) -> Certificate:
        """Checks the fit's claim on the rows that it was fitted to: `lcca fit --certify`.

        Bounds how far each objective value is from a true one, and looks for larger pairs that the fit may
        have missed: views of up to about 3,000 columns are solved exactly as well, wider ones are searched
        from random directions, which takes up to about 1,200 passes of 8 columns. A fit that is shown to miss
        more than `tol` allows no longer counts as converged.

        Sets `certificate_`, and if the claim was wrong `converged_`, `missing_` and `notes_`, with a
        ConvergenceWarning. The model itself stays as it is; `save` keeps the certificate.

        Parameters
        ----------
        X, y, sample_weight, covariates : as for `fit`
            The rows that were fitted, or a pair of views on a cluster.

        Returns
        -------
        Certificate
            Bounds, their kind, and what is missing at least.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> shared = random.standard_normal((200, 1))
        >>> X, Y = (shared + random.standard_normal((200, 3)) for _ in "xy")
        >>> model = lcca.CCA(n_components=2, ridge=0.01).fit(X, Y)
        >>> certificate = model.certify(X, Y)
        >>> certificate.kind, certificate.search, bool(certificate.bounds.max() < 1e-6), model.converged_
        ('rigorous', 'exact', True, True)
        """
        check_is_fitted(self)
        return _certify.certify(self, X, y, sample_weight, covariates)

    def report(self) -> str:
        """The result as text: the pairs, whether the fit converged, its notes, and its cost.

        Returns
        -------
        str
            Several lines.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> model = lcca.CCA(n_components=2).fit(random.random((40, 3)), random.random((40, 2)))
        >>> print(model.report().splitlines()[0])
        gram: 2 pairs from 40 rows × (3 + 2 columns)
        """
        check_is_fitted(self)
        return _report.text(self)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes a model file, for the program or for `load`.

        Parameters
        ----------
        path : str or path
            The file to write. It appears whole or not at all.

        Examples
        --------
        >>> import numpy as np, lcca, tempfile, os
        >>> random = np.random.default_rng(0)
        >>> model = lcca.CCA(n_components=1).fit(random.random((40, 3)), random.random((40, 2)))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(os.path.join(folder, "model"))
        ...     os.listdir(folder)
        ['model']
        """
        check_is_fitted(self)
        _model.save(self, path)

    @property
    def n_iter_(self) -> NDArray[np.intp]:
        """The number of iterations, one entry per pair as scikit-learn has it,
        although all pairs are iterated on together.

        It is 1 if the views were solved without iterations, or if a model file does not tell.
        """
        return np.full(self.x_weights_.shape[1], max(len(self.trace_ or ()), 1), dtype=np.intp)

    @property
    def coef_(self) -> Array:
        """The coefficients of `predict`, (columns of y) × (columns of X), computed on access.

        If they would take more than `memory`, a MemoryError says so;
        `coef_operator_` takes no more than the model itself.
        """
        return _regression.dense_coefficients(
            self._y_on_x_regression, self.x_weights_, _settings.memory(self.memory)
        )

    @property
    def coef_operator_(self) -> Any:
        """The coefficients of `predict` as a SciPy LinearOperator of rank k,
        for views too wide for `coef_`."""
        return _regression.operator(self._y_on_x_regression, self.x_weights_)

    @property
    def intercept_(self) -> Array:
        """The vector that `predict` adds to (X - x_mean_) @ coef_.T:
        the means of y, as in scikit-learn's CCA."""
        self._require_means()
        return np.zeros(len(self.y_weights_)) if self.y_mean_ is None else self.y_mean_

    # scikit-learn

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "x_weights_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.regressor_tags.poor_score = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.x_weights_.shape[1])


def _count(views: _pairing.Views) -> int:
    """The rows that count: those of weight 0 do not."""
    return views.x.shape[0] if views.weights is None else int(np.count_nonzero(views.weights))
