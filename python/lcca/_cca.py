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
from sklearn.utils.validation import check_is_fitted

from lcca import _inputs, _lcca, _model, _notes, _regression, _report, _settings
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
    missing : "error", "drop" or "mean"
        What happens to missing values: NaN, masked entries, empty cells of tables. "error" refuses them; "drop" leaves their rows
        out of both views; "mean" fills in the mean of the column. Rows that are transformed later are filled in by the
        means of the fit, or have NaN as variables if `missing` is "drop".
    categorical : "auto" or "error"
        Whether columns of text in tables become indicator columns, one per value, named `column=value`, or are refused.
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
        Whether the share missing from the sum of the objective is within the tolerance, and an estimate of that share.
    n_passes_, n_gram_passes_, work_, fit_seconds_ : float
        The cost of the fit.
    trace_ : list of dict
        One row per iteration: iteration, passes, gram_passes, work, total, missing, seconds; on a cluster also the bytes
        `moved` and the seconds spent `waiting` so far.
    chosen_, why_ : str
        The method that ran, and why it was chosen.
    notes_ : list of Note
        Remarks about the result, each with its `kind`, its `numbers` and its `text`, which is also `str(note)`. `fit` has
        warned of each once, as a `ResultWarning`.
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
        missing: str = "error",
        categorical: str = "auto",
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
        self.missing = missing
        self.categorical = categorical
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.resume = resume

    # Fitting

    _stage = ""  # which of several fits is running, for the display of progress

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

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> shared = random.standard_normal((100, 1))
        >>> model = lcca.CCA(n_components=1).fit(shared + random.random((100, 3)), shared + random.random((100, 2)))
        >>> bool(model.correlations_[0] > 0.9)
        True
        """
        if isinstance(X, RemotePair):
            self._fit_remote(X, y, sample_weight)
            _report.warn(self)
            return self
        threads = _settings.threads(self.n_jobs)
        self._fill: dict[str, Array] = {}
        views, target = _inputs.fit_views(self, X, y, sample_weight, threads)
        pairs = _settings.components(self.n_components, *views.x.shape, views.y.shape[1])
        options = _settings.options(self._parameters(), pairs)
        result = self._fit_views(views, options, threads)
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
        self._fill = {}
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

    def _fit_views(self, views: _inputs.Views, options: dict[str, Any], threads: int) -> FitResult:
        """Fits two views in memory."""
        result: FitResult = self._run(_lcca.fit, *views, options, self._state_file(), threads)
        return result

    def _state_file(self) -> str | None:
        return None if self.resume is None else os.fspath(self.resume)

    def _run(self, engine: Callable[..., Any], *arguments: Any) -> Any:
        """Runs a function of the engine, with progress if the estimator is verbose."""
        if not self.verbose:
            return engine(*arguments, None, self.callback)
        progress = Progress(lambda: f"lcca {self.method}{self._stage}")

        def on_iteration(row: TraceRow) -> None:
            progress.on_iteration(row)
            if self.callback is not None:
                self.callback(row)

        try:
            return engine(*arguments, progress.on_pass, on_iteration)
        finally:
            progress.close()

    def _set_regressions(self, parts: "FitResult | ModelFile") -> None:
        self._x_regression: Array | None = parts["x_regression"]
        self._y_regression: Array | None = parts["y_regression"]
        self._y_on_x_regression: Array | None = parts["y_on_x_regression"]

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
        self._set_regressions(result)
        self.work_: float | None = result["work"]
        self.fit_seconds_: float | None = result["seconds"]

    def _set_record(self, record: FitRecord) -> None:
        """Sets the attributes that a fit and a model file have in common."""
        self.converged_: bool | None = record["converged"]
        self.missing_: float | None = record["missing"]
        self.chosen_: str | None = record["chosen"]
        self.why_: str | None = record["why"]
        self.notes_: list[_notes.Note] | None = _notes.from_record(record["notes"], record["note_data"])
        self.decisions_: list[Any] | None = json.loads(record["decisions"])
        self.n_passes_: float | None = record["passes"]
        self.n_gram_passes_: float | None = record["gram_passes"]
        self.trace_ = record["trace"]

    def _set_file(self, parts: ModelFile) -> None:
        """Sets all attributes from a model file. Those that the file does not hold are None."""
        self._set_model(parts)
        self._fill = {}
        self._set_regressions(parts)
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
        if isinstance(X, RemotePair):
            self._check_remote(X)
            return X.scores(self._view_weights())
        threads = _settings.threads(self.n_jobs)
        x = _inputs.x_view(self, X, threads, reset=False)
        if y is None:
            return self._scores(x, threads)
        target, order = _inputs.partner(self, x, X, y, threads)
        y_scores = self._scores(target, threads)
        return self._scores(x, threads), y_scores if order is None else y_scores[order]

    def transform_y(self, y: Any) -> Array:
        """The canonical variables of rows of y alone.

        Parameters
        ----------
        y : as for `fit`
            Rows of y.

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
        return self._scores(_inputs.y_view(self, y, threads, reset=False), threads)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fits both views and returns the canonical variables of both.

        Parameters
        ----------
        X, y : as for `fit`
            Two views, or a pair of views on a cluster.
        **fit_params
            Other parameters of `fit`.

        Returns
        -------
        pair of arrays
            The canonical variables of X and of y, as `transform` returns them.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> X, Y = random.standard_normal((50, 3)), random.standard_normal((50, 2))
        >>> zx, zy = lcca.CCA(n_components=2).fit_transform(X, Y)
        >>> zx.shape, zy.shape
        ((50, 2), (50, 2))
        """
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
        memory = _settings.memory(self.memory)
        x_rows = _regression.estimate(self._x_regression, self.x_mean_, X, "X", memory)
        if y is None:
            return x_rows
        return x_rows, _regression.estimate(self._y_regression, self.y_mean_, y, "y", memory)

    def predict(self, X: Any, columns: Any = None) -> Any:
        """Estimates y from X: least squares of the columns of y on the canonical variables of X, learned on the training rows.

        Parameters
        ----------
        X : as for `fit`
            Rows of X, or a pair of views on a cluster, whose y is not looked at.
        columns : str, int or list of either, optional
            The columns of y to estimate, by name or position [default: all of them].

        Returns
        -------
        array of shape (n, p₂), or (n,) if the model was fitted to a vector
            One row per row of X. For a pair of views on a cluster, a lazy Dask array. If it would take more than `memory`, a
            MemoryError says so.

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
        regression, mean = _regression.known(self._y_on_x_regression), self.y_mean_
        if columns is not None:
            chosen = _regression.chosen(columns, getattr(self, "y_feature_names_in_", None), len(regression))
            regression, mean = regression[chosen], None if mean is None else mean[chosen]
        if isinstance(X, RemotePair):
            self._check_remote(X)
            rows = X.scores(self._view_weights())[0] @ regression.T
            return rows if mean is None else rows + mean
        threads = _settings.threads(self.n_jobs)
        scores = self._scores(_inputs.x_view(self, X, threads, reset=False), threads)
        rows = _regression.estimate(regression, mean, scores, "X", _settings.memory(self.memory))
        return rows[:, 0] if self._predicts_vector else rows

    def _view_weights(self) -> list[ViewWeights]:
        return [(self.x_weights_, self.x_mean_), (self.y_weights_, self.y_mean_)]

    def _check_remote(self, pair: RemotePair) -> None:
        (_, *widths), expected = pair.shape, [len(self.x_weights_), len(self.y_weights_)]
        if widths != expected:
            raise ValueError(f"the pair has {widths[0]} + {widths[1]} columns, but CCA is expecting {expected[0]} + {expected[1]}")

    def _scores(self, view: _inputs.View, threads: int) -> Array:
        """The canonical variables of one view as a NumPy array, whatever `set_output` says."""
        rows, unknown = _inputs.rows_of(self, view, threads)
        scores = _lcca.transform(self._view_weights()[view.name == "y"], rows, threads)
        if unknown is not None:
            scores[unknown] = np.nan
        return scores

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
        x_weights, y_weights = self._view_weights()
        if isinstance(X, RemotePair):
            self._check_remote(X)
            try:
                return _lcca.score_remote(x_weights, y_weights, X, threads)[0]
            finally:
                X.finish()
        views = _inputs.known_views(self, X, y, sample_weight, threads)
        return _lcca.score(x_weights, y_weights, *views, threads)[0]

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
        correlations = self.correlations(X, y, sample_weight)
        return float(correlations.mean()) if len(correlations) else 0.0

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
        exact: 2 pairs from 40 rows × (3 + 2 columns)
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
    def coef_(self) -> Array:
        """The coefficients of `predict`, (columns of y) × (columns of X), computed on access.

        If they would take more than `memory`, a MemoryError says so; `coef_operator_` takes no more than the model itself.
        """
        return _regression.dense_coefficients(self._y_on_x_regression, self.x_weights_, _settings.memory(self.memory))

    @property
    def coef_operator_(self) -> Any:
        """The coefficients of `predict` as a SciPy LinearOperator of rank k, for views too wide for `coef_`."""
        return _regression.operator(self._y_on_x_regression, self.x_weights_)

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
        tags.input_tags.allow_nan = self.missing != "error"
        tags.regressor_tags.poor_score = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.x_weights_.shape[1])
