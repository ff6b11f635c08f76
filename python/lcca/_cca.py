"""The estimator."""

import json
import os
from collections.abc import Callable
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
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from lcca import _inputs, _lcca, _model, _regression, _report, _settings
from lcca._lcca import Matrix
from lcca._pair import RemotePair
from lcca._progress import Progress
from lcca._types import FitRecord, FitResult, ModelFile, ModelParts, TraceRow, ViewWeights

Array = NDArray[np.float64]


class CCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, RegressorMixin, MultiOutputMixin, BaseEstimator):  # type: ignore[misc]
    """Canonical correlation analysis of two views with the same rows.

    Finds weights Wx and Wy such that the canonical variables X Wx and Y Wy correlate as much as possible, pair by pair. The
    variables of one view are uncorrelated with each other and of unit length (not unit variance). Sparse data stay sparse:
    centering is implicit. The class is used like `sklearn.cross_decomposition.CCA`, but it is exact, and its `score` is the
    mean correlation of the pairs, not R².

    Parameters
    ----------
    n_components : int, optional
        The number of pairs of canonical variables [default: 20, or as many as the data allow].
    method : str
        One of `lcca.METHODS`, the names that the program uses. "auto" finds the exact answer in the way that suits the data.
    ridge, ridge_y : float
        Relative ridge: C + ridge · (tr C/p) · I. `ridge_y` is the ridge of y, if it differs.
    center : bool
        Subtract column means, implicitly.
    tol : float
        The fit has converged if at most this share of the sum of the objective values may be missing.
    max_passes : float, optional
        No iteration begins after this many passes over the rows or their Gram matrices.
    structure : bool
        Whether to look for structure that makes the problem smaller.
    t1, t2, inner, k_pc, k_rpcca : optional
        Parameters of the methods of Lu & Foster 2014; see the program's help. None is the default of the method.
    oversample : int, optional
        Extra columns carried along.
    power : int
        Power iterations of the randomized SVD.
    memory : int or str, optional
        Bytes that factorizations may take, such as "8GiB" [default: half of the machine's memory].
    random_state : int, RandomState, Generator or None
        The seed of all random numbers.
    n_jobs : int, optional
        The number of threads: -1 is all processors; None is 1 unless in a joblib context. The same number gives the same bits.
    verbose : bool
        Whether to show progress.
    callback : callable, optional
        Called after every iteration with a row of the trace, a dictionary. An exception that it raises stops the fit.
    resume : str or path, optional
        A file in which the state of the fit is saved while it runs and when it is stopped. If the file exists, the fit resumes
        from it; once converged, the file is removed. The same as the program's `--resume`. Methods that do not iterate save
        nothing, and `random_state` must be an integer for a fit to be recognized.

    Attributes
    ----------
    x_weights_, y_weights_ : arrays of shape (p, k)
        Wx and Wy; `x_rotations_` and `y_rotations_` are the same.
    x_loadings_, y_loadings_ : arrays of shape (p, k)
        The correlation of each column with each canonical variable of its own view.
    x_mean_, y_mean_ : arrays of shape (p,) or None
        Column means, if the view was centered.
    correlations_ : array of shape (k,)
        The correlation of each pair of canonical variables on the training rows.
    objective_ : array of shape (k,)
        The maximized value of each pair; it equals the correlation only if there is no ridge.
    residuals_ : array of shape (k,)
        How far each pair is from satisfying the equations of CCA.
    total_ : float
        The sum of the correlations between the two fitted subspaces.
    converged_, missing_ : bool, float
        Whether the amount missing from the sum of the objective is within the tolerance, and an estimate of that amount.
    n_passes_, n_gram_passes_, work_, fit_seconds_ : float
        The cost of the fit.
    trace_ : list of dict
        One row per iteration: iteration, passes, gram_passes, work, total, missing, seconds; on a cluster also the bytes
        `moved` and the seconds spent `waiting` so far.
    chosen_, why_, notes_ : str, str, list of str
        The method that ran, why it was chosen, and remarks for the user.
    decisions_ : list of dict
        The decisions behind `why_` as data, in order: "decision" is the kind, the other items are its numbers.
    n_samples_, n_features_in_ : int
        Rows and columns of X.
    feature_names_in_, y_feature_names_in_ : arrays of str
        Names of the columns, if they have names.

    Examples
    --------
    >>> import numpy as np
    >>> from lcca import CCA
    >>> X = np.array([[0., 0., 1.], [1., 0., 0.], [2., 2., 2.], [3., 5., 4.]])
    >>> Y = np.array([[0.1, -0.2], [0.9, 1.1], [6.2, 5.9], [11.9, 12.3]])
    >>> cca = CCA(n_components=1).fit(X, Y)
    >>> X_c, Y_c = cca.transform(X, Y)
    >>> round(cca.score(X, Y), 6)
    1.0
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        method: str = "auto",
        ridge: float = 0.0,
        ridge_y: float | None = None,
        center: bool = True,
        tol: float = 1e-4,
        max_passes: float | None = None,
        structure: bool = True,
        t1: int | None = None,
        t2: int | None = None,
        inner: str | None = None,
        k_pc: int | None = None,
        k_rpcca: int | None = None,
        oversample: int | None = None,
        power: int = 2,
        memory: int | str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        verbose: bool | int = False,
        callback: Callable[[TraceRow], object] | None = None,
        resume: "str | os.PathLike[str] | None" = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.ridge = ridge
        self.ridge_y = ridge_y
        self.center = center
        self.tol = tol
        self.max_passes = max_passes
        self.structure = structure
        self.t1 = t1
        self.t2 = t2
        self.inner = inner
        self.k_pc = k_pc
        self.k_rpcca = k_rpcca
        self.oversample = oversample
        self.power = power
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.resume = resume

    # Fitting

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "CCA":
        """Fits both views.

        Parameters
        ----------
        X, y : of shape (n, p₁), and (n, p₂) or (n,)
            SciPy sparse matrices, NumPy arrays, frames, tables, paths of files that the program reads, or views that `read`
            opened. Or X alone: a pair of views on a cluster, made by `lcca.dask`.
        sample_weight : array of shape (n,), optional
            One factor per row, which multiplies the contribution of the row.

        Returns
        -------
        CCA
            The estimator itself.
        """
        if isinstance(X, RemotePair):
            self._fit_remote(X, y, sample_weight)
            _report.warn(self)
            return self
        threads = _settings.threads(self.n_jobs)
        x = _inputs.x_matrix(self, X, threads, reset=True)
        target = _inputs.target(y, threads)
        check_consistent_length(x, target.matrix)
        weights = _inputs.row_weights(sample_weight, x)
        pairs = _settings.components(self.n_components, *x.shape, target.matrix.shape[1])
        options = _settings.options(self._parameters(), pairs)
        result = self._fit_views(x, target.matrix, weights, options, threads)
        self._set_model(result)
        self._set_fit(result)
        self._provenance["threads"] = threads
        self._set_target(target)
        _report.warn(self)
        return self

    def _fit_remote(self, pair: RemotePair, y: Any, sample_weight: Any) -> None:
        """Fits a pair of views whose rows are not in this process."""
        if y is not None or sample_weight is not None:
            raise ValueError("a pair of views brings its own y and weights, expected neither as an argument")
        pairs = _settings.components(self.n_components, *pair.shape)
        options = _settings.options(self._parameters(), pairs)
        pair.prepare(_settings.columns(options))
        try:
            result = self._run(_lcca.fit_remote, pair, options, self._state_file(), _settings.threads(self.n_jobs))
        finally:
            pair.finish()
        self._set_model(result)
        self._set_fit(result)
        self.n_features_in_ = pair.shape[1]
        for names in ("feature_names_in_", "y_feature_names_in_"):
            if hasattr(self, names):
                delattr(self, names)

    def _parameters(self) -> dict[str, Any]:
        """The parameters that the engine takes."""
        return dict(self.get_params(deep=False))

    def _fit_views(
        self, x: Matrix, y: Matrix, weights: Array | None, options: dict[str, Any], threads: int
    ) -> FitResult:
        """Fits two views in memory."""
        result: FitResult = self._run(_lcca.fit, x, y, weights, options, self._state_file(), threads)
        return result

    def _state_file(self) -> str | None:
        return None if self.resume is None else os.fspath(self.resume)

    def _run(self, engine: Callable[..., Any], *arguments: Any) -> Any:
        """Runs a function of the engine, with progress if the estimator is verbose."""
        if not self.verbose:
            return engine(*arguments, None, self.callback)
        progress = Progress(f"lcca {self.method}")

        def on_iteration(row: TraceRow) -> None:
            progress.on_iteration(row)
            if self.callback is not None:
                self.callback(row)

        try:
            return engine(*arguments, progress.on_pass, on_iteration)
        finally:
            progress.close()

    def _set_model(self, parts: ModelParts) -> None:
        self.x_weights_ = self.x_rotations_ = parts["x_weights"]
        self.y_weights_ = self.y_rotations_ = parts["y_weights"]
        self.x_loadings_, self.y_loadings_ = parts["x_loadings"], parts["y_loadings"]
        self.x_mean_, self.y_mean_ = parts["x_mean"], parts["y_mean"]
        self.correlations_, self.objective_ = parts["correlations"], parts["objective"]
        self.residuals_, self.total_ = parts["residuals"], parts["total"]
        self.n_samples_ = parts["rows"]
        self._settings_json = parts["settings"]
        self._provenance: dict[str, Any] = {}
        self._predicts_vector = False

    def _set_fit(self, result: FitResult) -> None:
        self._set_record(result["record"])
        self._provenance = json.loads(result["provenance"])
        self.trace_: list[TraceRow] | None = result["trace"]
        self._x_regression: Array | None = result["x_regression"]
        self._y_regression: Array | None = result["y_regression"]
        self._y_on_x_regression: Array | None = result["y_on_x_regression"]
        self.work_: float | None = result["work"]
        self.fit_seconds_: float | None = result["seconds"]

    def _set_record(self, record: FitRecord) -> None:
        """Sets the attributes that a fit and a model file have in common."""
        self.converged_: bool | None = record["converged"]
        self.missing_: float | None = record["missing"]
        self.chosen_: str | None = record["chosen"]
        self.why_: str | None = record["why"]
        self.notes_: list[str] | None = record["notes"]
        self.decisions_: list[Any] | None = json.loads(record["decisions"])
        self.n_passes_: float | None = record["passes"]
        self.n_gram_passes_: float | None = record["gram_passes"]
        self.trace_ = record["trace"]

    def _set_file(self, parts: ModelFile) -> None:
        """Sets all attributes from a model file. Those that the file does not hold are None."""
        self._set_model(parts)
        self._x_regression = self._y_regression = self._y_on_x_regression = None
        self.converged_ = self.missing_ = self.chosen_ = self.why_ = self.notes_ = self.decisions_ = None
        self.n_passes_ = self.n_gram_passes_ = self.work_ = self.fit_seconds_ = self.trace_ = None
        if parts["record"] is not None:
            self._set_record(parts["record"])
        self._provenance = json.loads(parts["provenance"])

    def _set_target(self, target: _inputs.Target) -> None:
        self._predicts_vector = target.is_vector
        if target.names is not None:
            self.y_feature_names_in_ = np.asarray(target.names, dtype=object)
        elif hasattr(self, "y_feature_names_in_"):
            del self.y_feature_names_in_

    # Using the fitted model

    def transform(self, X: Any, y: Any = None) -> Any:
        """The canonical variables of rows.

        Parameters
        ----------
        X, y : as for `fit`
            Rows of X and, optionally, of y; or a pair of views on a cluster.

        Returns
        -------
        array, or a pair of arrays if y is given
            One row per row of the view, one column per pair. For a pair of views on a cluster, two lazy Dask arrays.
        """
        check_is_fitted(self)
        if isinstance(X, RemotePair):
            self._check_remote(X)
            return X.scores(self._view_weights())
        x_scores = self._x_scores(X)
        if y is None:
            return x_scores
        threads = _settings.threads(self.n_jobs)
        target = _inputs.target(y, threads, len(self.y_weights_))
        return x_scores, _lcca.transform((self.y_weights_, self.y_mean_), target.matrix, threads)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fits both views and returns the canonical variables of both. The parameters are those of `fit`."""
        return self.fit(X, y, **fit_params).transform(X, y)

    def inverse_transform(self, X: Any, y: Any = None) -> Any:
        """Estimates rows from canonical variables.

        Parameters
        ----------
        X, y : arrays of shape (n, k)
            Canonical variables of X and, optionally, of y.

        Returns
        -------
        array, or a pair of arrays if y is given
            The least-squares estimate of each column, learned on the training rows.
        """
        check_is_fitted(self)
        x_rows = _regression.estimate(self._x_regression, self.x_mean_, X, "X")
        if y is None:
            return x_rows
        return x_rows, _regression.estimate(self._y_regression, self.y_mean_, y, "y")

    def predict(self, X: Any) -> Array:
        """Estimates y from X.

        Parameters
        ----------
        X : as for `fit`
            Rows of X.

        Returns
        -------
        array of shape (n, p₂), or (n,) if the model was fitted to a vector
            Least squares of the columns of y on the canonical variables of X, learned on the training rows.
        """
        check_is_fitted(self)
        rows = _regression.estimate(self._y_on_x_regression, self.y_mean_, self._x_scores(X), "X")
        return rows[:, 0] if self._predicts_vector else rows

    def _view_weights(self) -> list[ViewWeights]:
        return [(self.x_weights_, self.x_mean_), (self.y_weights_, self.y_mean_)]

    def _check_remote(self, pair: RemotePair) -> None:
        (_, *widths), expected = pair.shape, [len(self.x_weights_), len(self.y_weights_)]
        if widths != expected:
            raise ValueError(f"the pair has {widths[0]} + {widths[1]} columns, but CCA is expecting {expected[0]} + {expected[1]}")

    def _x_scores(self, X: Any) -> Array:
        """The canonical variables of X as a NumPy array, whatever `set_output` says."""
        threads = _settings.threads(self.n_jobs)
        view = _inputs.x_matrix(self, X, threads, reset=False)
        return _lcca.transform((self.x_weights_, self.x_mean_), view, threads)

    def correlations(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """The correlation of each pair of canonical variables on given rows, about the means of these rows.

        Parameters
        ----------
        X, y, sample_weight : as for `fit`
            The rows.

        Returns
        -------
        array of shape (k,)
            One correlation per pair.
        """
        check_is_fitted(self)
        threads = _settings.threads(self.n_jobs)
        x_weights, y_weights = self._view_weights()
        if isinstance(X, RemotePair):
            self._check_remote(X)
            try:
                return _lcca.score_remote(x_weights, y_weights, X, threads)[0]
            finally:
                X.finish()
        x = _inputs.x_matrix(self, X, threads, reset=False)
        target = _inputs.target(y, threads, len(self.y_weights_)).matrix
        check_consistent_length(x, target)
        return _lcca.score(x_weights, y_weights, x, target, _inputs.row_weights(sample_weight, x), threads)[0]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The mean of `correlations`: between -1 and 1, and larger is better.

        scikit-learn's CCA returns R² of `predict` here, the share of y's variance that is explained. CCA maximizes correlation,
        so `score` measures correlation; for R², call `sklearn.metrics.r2_score(y, model.predict(X))`.

        Parameters
        ----------
        X, y, sample_weight : as for `fit`
            The rows.

        Returns
        -------
        float
            The mean correlation.
        """
        correlations = self.correlations(X, y, sample_weight)
        return float(correlations.mean()) if len(correlations) else 0.0

    def report(self) -> str:
        """The result as text: the pairs, whether the fit converged, and its cost."""
        check_is_fitted(self)
        return _report.text(self)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes a model file, for the program or for `load`.

        Parameters
        ----------
        path : str or path
            The file to write. It appears whole or not at all.
        """
        check_is_fitted(self)
        _model.save(self, path)

    @property
    def coef_(self) -> Array:
        """The coefficients of `predict`, (columns of y) × (columns of X). They are computed on access, because they may be large."""
        return np.asarray(_regression.known(self._y_on_x_regression) @ self.x_weights_.T)

    @property
    def intercept_(self) -> Array:
        """The vector that `predict` adds to X @ coef_.T."""
        y_mean = np.zeros(len(self.y_weights_)) if self.y_mean_ is None else self.y_mean_
        x_mean = np.zeros(len(self.x_weights_)) if self.x_mean_ is None else self.x_mean_
        return np.asarray(y_mean - _regression.known(self._y_on_x_regression) @ (x_mean @ self.x_weights_))

    # scikit-learn

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "x_weights_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.regressor_tags.poor_score = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.x_weights_.shape[1])
