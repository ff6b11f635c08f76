"""The estimator."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _inputs, _lcca, _pairing, _report, _settings
from lcca._from_sums import FromSums
from lcca._pair import RemotePair
from lcca._progress import Progress
from lcca._second_view import also_called_Y
from lcca._types import FitResult, TraceRow

Array = NDArray[np.float64]


class CCA(FromSums):
    """Canonical correlation analysis of two views with the same rows.

    Finds weights Wx and Wy such that the canonical variables X Wx and Y Wy correlate as much as possible,
    pair by pair. The variables of one view are uncorrelated with each other and, without a ridge, have
    variance 1 (see `variables`). Sparse data stay sparse: centering is implicit. The class is used like
    `sklearn.cross_decomposition.CCA`, but it is exact, and its `score` is the mean
    correlation of the pairs, not R².

    Parameters
    ----------
    n_components : int or "auto", optional
        The number of pairs of canonical variables [default: 20, or as many as the data allow].
        "auto" tries up to 50, tests each on rows that are held out, and keeps those before the first that
        does not correlate beyond chance.
    method : str
        One of `lcca.METHODS`, the names that the program uses. "auto" finds the exact answer in the
        way that suits the data.
    ridge, ridge_y : float
        Relative ridge: C + ridge · (tr C/p) · I. `ridge_y` is the ridge of y, if it differs.
    metric : "cca", "pls", "diagonal" or a pair of these, one per view
        How the length of weights is measured, wᵀBw = 1. "cca" has B = C + λI and maximizes correlations.
        "pls" has B = I and maximizes covariances: the singular value decomposition of XᵀY (PLS-SVD).
        "diagonal" has B = diag C: the same of columns that were divided by their standard deviations
        (diagonal CCA). A ridge belongs to "cca".
    normalize_rows : "length", "sum", "log1p", or a pair of these or None, one per view, optional
        How each row is normalized first: divided by its length or its sum, or log(1 + 10,000·x/sum), which is
        usual for counts of single cells. Zeros stay zeros; the values of sparse rows are copied once, 4 bytes
        per entry, or 8 if they are doubles. "sum" and "log1p" refuse negative values. `transform`, `score`
        and others do the same to their rows.
    center : bool
        Subtract column means, implicitly.
    scale : "auto", True or False
        Divide columns by their standard deviations, implicitly; weights come back in the units of the data.
        It makes a difference with a ridge only, or with the approximate methods. "auto" scales views of
        measurements then, and leaves counts and columns of zeros and ones as they are;
        `decisions_` says what was done.
    variables : "unit-variance" or "unit-length"
        What canonical variables are scaled to over the training rows, which is a common unit and changes
        nothing else. "unit-variance" divides by n: their standard deviation is 1 whatever the number of rows,
        as what learns from them expects. "unit-length" divides by nothing: the sum of their squares is 1, as
        the program `lcca` has it. A ridge counts as variance, so with a ridge they have less. The metrics
        "pls" and "diagonal" fix the lengths of weights, so their variables are the same either way.
    hold_out : float, optional
        A share of the rows, such as 0.2, to be held out at random from a first fit, which is then measured on
        them: `held_out_correlations_` has the result. The model itself is fitted to all
        rows, from a warm start.
    tol : float
        The fit has converged if at most this share of the sum of the objective values may be missing.
    max_passes : float, optional
        No iteration begins after this many passes over the rows or their Gram matrices.
    max_iter : int, optional
        scikit-learn's name for such a limit: the same as `max_passes`, as an iteration takes a pass or two.
        Narrow views are solved without iterations, whatever it is.
    copy : bool
        Accepted because scikit-learn has it. Arrays are never overwritten, so nothing needs to be copied.
    structure : bool
        Whether to look for structure that makes the problem smaller.
    t1, t2, inner, k_pc, k_rpcca : optional
        Parameters of the methods of Lu & Foster 2014; see the program's help.
        None is the default of the method.
    sketch_rows : optional
        Random sums of rows that `method="sketch"` solves instead of all rows.
        None is 50 for each column of both views.
    oversample : int, optional
        Extra columns carried along.
    power : int
        Power iterations of the randomized SVD.
    missing : "error", "drop" or "mean"
        What happens to missing values: NaN, masked entries, empty cells of tables. "error" refuses them;
        "drop" leaves their rows out of both views; "mean" fills in the mean of the column. Rows that are
        transformed later are filled in by the means of the fit, or have NaN as
        variables if `missing` is "drop".
    categorical : "auto" or "error"
        Whether columns of text in tables become indicator columns, one per value,
        named `column=value`, or are refused.
    align : "auto", "common" or "none"
        How rows of X and y find each other, and those of weights, covariates and groups. "auto" pairs them by
        name if both have names that are the same, in any order, and by position if one has none or both only
        count their rows; what could be either is refused. "common" pairs by name and leaves out rows that
        only one has. "none" pairs by position. Names are the index of a frame or the row names of a file.
    memory : int or str, optional
        Bytes that factorizations may take, such as "8GiB" [default: half of the machine's memory].
    device : "cpu", "cuda", "cuda:N" or "auto"
        Where fits run, those to folds and held-out rows included. "cuda" is the first NVIDIA GPU, "cuda:1"
        the second; without one it is a RuntimeError. "auto" uses the first if the fit is large enough, and
        goes on without it if it fails; `decisions_` says what was done. LOBPCG runs there, which is how
        `method="auto"` fits wide data, and the Gram matrix of narrow dense views is formed there. Dense
        arrays and compressed sparse rows that lie on that GPU, as those of CuPy, PyTorch and JAX, are used
        where they lie, and "auto" then uses it for any fit that it can.
        `lcca.cuda.available()` tells whether there is a GPU.
    device_memory : int or str, optional
        Bytes of the GPU's memory that may be taken, such as "8GiB" [default: what is free].
    random_state : int, RandomState, Generator or None
        The seed of all random numbers.
    n_jobs : int, optional
        The number of threads: -1 is all processors; None is 1 unless in a joblib context.
        The same number gives the same bits.
    verbose : bool
        Whether to show progress.
    callback : callable, optional
        Called after every iteration with a row of the trace, a dictionary.
        An exception that it raises stops the fit.
    resume : str or path, optional
        A file in which the state of the fit is saved while it runs and when it is stopped. If the file
        exists, the fit resumes from it; once converged, the file is removed. The same as the program's
        `--resume`. Methods that do not iterate save nothing, and `random_state` must be an integer
        for a fit to be recognized.

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
    held_out_correlations_, held_out_training_correlations_ : arrays of shape (k,) or None
        With `hold_out`: the correlations of a fit to the other rows, on the held-out rows and on its own.
    objective_ : array of shape (k,)
        The maximized value of each pair; it equals the correlation only if there is no ridge.
    residuals_ : array of shape (k,)
        How far each pair is from satisfying the equations of CCA.
    total_ : float
        The sum of the correlations between the two fitted subspaces.
    converged_, missing_ : bool, float
        Whether the share missing from the sum of the objective is within the tolerance,
        and an estimate of that share.
    certificate_ : Certificate or None
        After `certify`: bounds on the objective values, and what is missing at least.
    n_iter_ : array of shape (k,)
        The number of iterations, the same for every pair; 1 if the views were solved without.
    n_passes_, n_gram_passes_, work_, fit_seconds_ : float
        The cost of the fit.
    trace_ : list of dict
        One row per iteration: iteration, passes, gram_passes, work, total, missing, seconds; on a cluster
        also the bytes `moved` and the seconds spent `waiting` so far.
    chosen_, why_ : str
        The method that ran, and why it was chosen.
    notes_ : list of Note
        Remarks about the result, each with its `kind`, its `numbers` and its `text`, which is also
        `str(note)`. `fit` has warned of each once, as a `ResultWarning`.
    decisions_ : list of dict
        The decisions behind `why_` as data, in order: "decision" is the kind,
        the other items are its numbers.
    n_samples_, n_features_in_ : int
        Rows and columns of X.
    feature_names_in_, y_feature_names_in_, covariate_names_in_ : arrays of str
        Names of the columns, if they have names.
    x_covariate_coef_, y_covariate_coef_ : arrays of shape (p, q) or None
        The coefficients of each column on the covariates, if there were any.

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
        n_components: int | str | None = None,
        *,
        method: str = "auto",
        ridge: float = 0.0,
        ridge_y: float | None = None,
        metric: str | tuple[str, str] = "cca",
        normalize_rows: str | tuple[str | None, str | None] | None = None,
        center: bool = True,
        scale: bool | str = "auto",
        variables: str = "unit-variance",
        hold_out: float | None = None,
        tol: float = 1e-4,
        max_passes: float | None = None,
        max_iter: int | None = None,
        copy: bool = True,
        structure: bool = True,
        t1: int | None = None,
        t2: int | None = None,
        inner: str | None = None,
        k_pc: int | None = None,
        k_rpcca: int | None = None,
        sketch_rows: int | None = None,
        oversample: int | None = None,
        power: int = 2,
        missing: str = "error",
        categorical: str = "auto",
        align: str = "auto",
        memory: int | str | None = None,
        device: str = "cpu",
        device_memory: int | str | None = None,
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
        self.metric = metric
        self.normalize_rows = normalize_rows
        self.center = center
        self.scale = scale
        self.variables = variables
        self.hold_out = hold_out
        self.tol = tol
        self.max_passes = max_passes
        self.max_iter = max_iter
        self.copy = copy
        self.structure = structure
        self.t1 = t1
        self.t2 = t2
        self.inner = inner
        self.k_pc = k_pc
        self.k_rpcca = k_rpcca
        self.sketch_rows = sketch_rows
        self.oversample = oversample
        self.power = power
        self.missing = missing
        self.categorical = categorical
        self.align = align
        self.memory = memory
        self.device = device
        self.device_memory = device_memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.resume = resume

    # Fitting

    _stage = ""  # which of several fits is running, for the display of progress

    @also_called_Y
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, covariates: Any = None, groups: Any = None
    ) -> "CCA":
        """Fits both views.

        Parameters
        ----------
        X, y : of shape (n, p₁), and (n, p₂) or (n,)
            SciPy sparse matrices, NumPy arrays, arrays of CuPy or tensors of PyTorch, dense or sparse,
            frames, tables, paths of files that the program reads, or views that `read` opened. Or X alone: a
            pair of views on a cluster, made by `lcca.dask`.
        sample_weight : array of shape (n,), optional
            One factor per row, which multiplies the contribution of the row. Or a table of two columns, the
            names of rows and their weights, the first of which is called `id` or the like.
        covariates : of shape (n, q) or (n,), optional
            Columns whose part is taken out of both views, without forming residuals: partial CCA. As X, up to
            some hundred columns; columns of text become indicators, by name. There may be more rows than in X
            if an index, or a column such as `id`, names them. Rows that are transformed or scored later come
            with their covariates.
        groups : array of shape (n,), optional
            What rows belong together, such as families: `hold_out` and `n_components="auto"` hold them out
            together. Refused without either.

        Returns
        -------
        CCA
            The estimator itself.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> shared = random.standard_normal((100, 1))
        >>> model = lcca.CCA(n_components=1).fit(
        ...     shared + random.random((100, 3)), shared + random.random((100, 2))
        ... )
        >>> bool(model.correlations_[0] > 0.9)
        True

        What both views share through a covariate is taken out:

        >>> X, Y = shared + random.random((100, 3)), shared + random.random((100, 2))
        >>> adjusted = lcca.CCA(n_components=1).fit(X, Y, covariates=shared)
        >>> bool(adjusted.correlations_[0] < 0.5), adjusted.transform(X, covariates=shared).shape
        (True, (100, 1))
        """
        if groups is not None and self.hold_out is None and self.n_components != "auto":
            raise ValueError(
                'groups are for rows that are held out, expected hold_out or n_components="auto": '
                "the fit itself uses none"
            )
        return self._fit(X, y, sample_weight, covariates, groups)

    def _fit(self, X: Any, y: Any, sample_weight: Any, covariates: Any, groups: Any) -> "CCA":
        """`fit`, with groups of rows for what holds rows out."""
        if isinstance(X, RemotePair):
            if covariates is not None or groups is not None:
                raise ValueError(
                    "covariates and groups need rows in this process: "
                    "a pair of views on a cluster is fitted without them"
                )
            self._fit_remote(X, y, sample_weight)
            _report.warn(self)
            return self
        threads = _settings.threads(self.n_jobs)
        self._fill = {}
        if covariates is not None and self.resume is not None:
            raise ValueError("covariates cannot be combined with resume: the state of such a fit is not kept")
        views, target, codes = _inputs.fit_views(self, X, y, sample_weight, threads, covariates, groups)
        pairs = _settings.components(self.n_components, *views.x.shape, views.y.shape[1], auto=True)
        options = _settings.options(self._parameters(), pairs)
        if self.hold_out is not None and self.resume is not None:
            raise ValueError(
                "hold_out cannot be combined with resume: "
                "the fit starts from the one without the held-out rows"
            )
        self._drop_sums()
        self._keep(self._fit_views(views, options, threads, codes), target, threads)
        return self

    def _fit_remote(self, pair: RemotePair, y: Any, sample_weight: Any) -> None:
        """Fits a pair of views whose rows are not in this process."""
        if y is not None or sample_weight is not None:
            raise ValueError("a pair of views brings its own y and weights, expected neither as an argument")
        if self.hold_out is not None:
            raise ValueError(
                "hold_out needs rows in this process: keep some shards aside and pass them to `score` instead"
            )
        if self.device != "cpu":
            raise ValueError(
                f"device={self.device!r} needs rows in this process: "
                "a pair on a cluster is fitted on the CPUs of its workers"
            )
        if self.normalize_rows is not None:
            raise ValueError(
                "normalize_rows needs rows in this process: "
                "normalize them where the shards are loaded instead"
            )
        pairs = _settings.components(self.n_components, *pair.shape)
        options = _settings.options(self._parameters(), pairs)
        self._fill = {}
        self._drop_sums()
        pair.prepare(_settings.columns(options))
        try:
            result = self._run(
                _lcca.fit_remote, pair, options, self._state_file(), _settings.threads(self.n_jobs)
            )
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
        self, views: _pairing.Views, options: dict[str, Any], threads: int, groups: Any
    ) -> FitResult:
        """Fits two views in memory. `groups` has one number per row, if there are groups."""
        if self.n_components == "auto":
            if self.hold_out is not None or self.resume is not None:
                raise ValueError(
                    'n_components="auto" holds rows out by itself and fits twice, '
                    "expected neither hold_out nor resume"
                )
            found: FitResult = self._run(_lcca.fit_auto, *views, groups, options, threads)
            return found
        result: FitResult = self._run(_lcca.fit, *views, groups, options, self._state_file(), threads)
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

    @also_called_Y
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
        return self.fit(X, y, **fit_params).transform(X, y, covariates=fit_params.get("covariates"))
