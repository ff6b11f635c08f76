"""Fits to sums over rows: batches that are added up one after the other,
and matrices that were computed elsewhere."""

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.utils.metaestimators import available_if

from lcca import _frames, _inputs, _lcca, _moments, _notes, _report, _settings
from lcca._fitted import Fitted
from lcca._pair import RemotePair
from lcca._types import FitResult

# What is known of the columns as soon as there is a first batch;
# everything else that ends in "_" comes from a fit.
_COLUMNS = ("n_features_in_", "feature_names_in_", "y_feature_names_in_", "covariate_names_in_")
_OF_A_FIT = (
    "_settings_json", "_provenance", "_x_regression", "_y_regression", "_y_on_x_regression", "_x_effects",
    "_y_effects",
)

# `typing.Self` came with Python 3.11.
Model = TypeVar("Model", bound="FromSums")


def _takes_batches(model: Any) -> bool:
    """Whether a model can be made of sums over rows; otherwise an error that says why not."""
    if not model._fits_sums:
        raise AttributeError(
            f"{type(model).__name__} holds rows out in turn, so it needs the rows: use CCA.partial_fit"
        )
    if model.missing == "mean":
        raise AttributeError(
            'the means that missing="mean" fills in are known after the last batch only: use missing="drop"'
        )
    return True


class FromSums(Fitted):
    """The ways to fit `CCA` without all rows at hand."""

    _sums: _lcca.Sums | None
    _fits_sums = True  # False if a fit needs the rows themselves
    n_components: int | str | None
    hold_out: float | None
    resume: Any
    center: bool
    normalize_rows: Any
    _parameters: Callable[[], dict[str, Any]]
    _run: Callable[..., Any]

    @available_if(_takes_batches)  # type: ignore[untyped-decorator]
    def partial_fit(self: Model, X: Any, y: Any = None, sample_weight: Any = None) -> Model:
        """Adds a batch of rows. The model is the same as one `fit` to the rows of all batches, in any order.

        Sums over the rows are kept, and nothing else of them: a Gram matrix of both views, which is dense if
        views are narrow (up to 4,400 columns together) or both dense, and sparse otherwise. It is about the
        means of the rows so far, if it is dense. The model is computed when it is first used, by `transform`
        or by reading an attribute, and again after the next batch. Its warnings come then too.

        Methods that need the rows themselves ("exact", "sketch") are refused. So are `hold_out` and `resume`,
        and columns of text, whose values are known only at the end. With `missing="mean"` there is no
        `partial_fit`, because the means are known only then.

        Parameters
        ----------
        X, y, sample_weight : as for `fit`
            Two views of some rows. All batches have the same columns.

        Returns
        -------
        CCA
            The estimator itself.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> X, Y = random.standard_normal((100, 3)), random.standard_normal((100, 2))
        >>> model = lcca.CCA(n_components=2)
        >>> for rows in (slice(0, 30), slice(30, 100)):
        ...     _ = model.partial_fit(X[rows], Y[rows])
        >>> whole = lcca.CCA(n_components=2).fit(X, Y)
        >>> bool(np.allclose(model.x_weights_, whole.x_weights_, rtol=1e-9, atol=0))
        True
        """
        self._refuse_batches(X, y)
        before = self.__dict__.get("_sums")
        if before is None and "x_weights_" in self.__dict__:
            _notes.warn(
                "fit keeps no sums that a batch could be added to: partial_fit begins anew",
                _notes.DataWarning,
            )
        threads = _settings.threads(self.n_jobs)
        memory = _settings.memory(self.memory)
        if before is None:
            self._fill = {}
            self._batch_normalization = _settings.normalization(self.normalize_rows)
        self._check_normalization()
        views, target = _inputs.batch_views(self, X, y, sample_weight, threads, first=before is None)
        sums = _lcca.Sums.add(before, *views, memory, threads)
        self._forget_fit()
        if before is None:
            self._batch_target = target
            self._set_target(target)
        self._sums, self._is_pending = sums, True
        return self

    def fit_moments(
        self: Model,
        Sxx: Any,
        Syy: Any,
        Sxy: Any,
        n: float,
        mean_x: Any = None,
        mean_y: Any = None,
        *,
        centered: bool = True,
        divisor: float = 1.0,
    ) -> Model:
        """Fits matrices that were computed elsewhere: Gram matrices or covariances of
        the columns of both views.

        For data that are in torch, in Spark or with somebody else, who shares sums and not rows. The model is
        that of `fit` to the rows behind the matrices. Matrices of which no rows can
        be the source are refused.

        Parameters
        ----------
        Sxx, Syy, Sxy : arrays, sparse matrices or tensors of shape (p₁, p₁), (p₂, p₂), (p₁, p₂)
            XᵀX, YᵀY and XᵀY, divided by `divisor`. If one of them is sparse, all are taken as sparse.
        n : float
            The number of rows, or the sum of their weights.
        mean_x, mean_y : arrays of shape (p,) or numbers, optional
            The means of the columns. `transform` subtracts them from new rows; 0 says that new rows come
            centered. Without them the model has weights and correlations, but `transform`, `predict`, `score`
            and `save` are refused.
        centered : bool
            Whether the matrices are about the means already, as covariances are. Otherwise they are of the
            rows as they are, and `mean_x` and `mean_y` are needed, or `center=False`.
        divisor : float
            1 for sums over rows, n − 1 for what `numpy.cov` returns, n for means over rows. It sets the
            length of canonical variables only, if the matrices are centered.

        Returns
        -------
        CCA
            The estimator itself.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> X, Y = random.standard_normal((100, 3)), random.standard_normal((100, 2))
        >>> S = np.cov(X, Y, rowvar=False)
        >>> model = lcca.CCA(n_components=2)
        >>> model.fit_moments(
        ...     S[:3, :3], S[3:, 3:], S[:3, 3:], 100, X.mean(axis=0), Y.mean(axis=0), divisor=99
        ... )
        CCA(n_components=2)
        >>> bool(np.allclose(model.transform(X), lcca.CCA(n_components=2).fit(X, Y).transform(X), rtol=1e-9))
        True
        """
        self._refuse_extras("fit_moments")
        if self._parameters().get("normalize_rows") is not None:
            raise ValueError(
                "fit_moments takes matrices as they are, and normalize_rows needs rows: "
                "normalize them beforehand"
            )
        if centered and not self.center:
            raise ValueError(
                "center=False fits rows as they are, and these matrices are about means: "
                "expected centered=False"
            )
        memory = _settings.memory(self.memory)
        moments = _moments.checked(
            (Sxx, Syy, Sxy), n, (mean_x, mean_y), divisor, centered=centered, center=self.center,
            memory=memory,
        )
        self._drop_sums()
        self._fill = {}
        _inputs.note_columns(self, moments.sums.shape[1], moments.names[0])
        self._fit_sums(moments.sums, _inputs.Target(moments.names[1], False))
        if self.center:
            self.x_mean_, self.y_mean_ = moments.means
            self._has_means = all(mean is not None for mean in moments.means)
        return self

    def _fit_sums(self, sums: _lcca.Sums, target: _inputs.Target) -> None:
        """Computes the model of known sums."""
        threads = _settings.threads(self.n_jobs)
        rows, x_cols, y_cols = sums.shape
        pairs = _settings.components(self.n_components, rows, x_cols, y_cols)
        options = _settings.options(self._parameters(), pairs)
        self._keep(self._run(_lcca.fit_sums, sums, options, threads), target, threads)

    def _keep(self, result: FitResult, target: _inputs.Target, threads: int) -> None:
        """Takes over what the engine found, and warns of what it noted."""
        self._set_model(result)
        self._set_fit(result)
        self._provenance["threads"] = threads
        self._set_target(target)
        self._name_columns_in_notes()
        _report.warn(self)

    def _refuse_extras(self, what: str) -> None:
        if not self._fits_sums:
            raise ValueError(
                f"{type(self).__name__} holds rows out in turn, so it needs the rows: use CCA.{what}"
            )
        if self.hold_out is not None:
            raise ValueError(
                f"{what} knows sums over rows, and hold_out needs rows: pass other rows to `score` instead"
            )
        if self.resume is not None:
            raise ValueError(f"{what} cannot be combined with resume")

    def _refuse_batches(self, X: Any, y: Any) -> None:
        self._refuse_extras("partial_fit")
        if isinstance(X, RemotePair):
            raise ValueError("a pair of views on a cluster is fitted as a whole: call `fit`")
        for data, name in ((X, "X"), (_frames.as_table(y), "y")):
            if _frames.has_text(data):
                raise ValueError(
                    f"{name} has columns of text, whose values are known after the last batch only: "
                    "encode them first"
                )

    def _check_normalization(self) -> None:
        if _settings.normalization(self.normalize_rows) != self._batch_normalization:
            raise ValueError(
                "normalize_rows has changed since the first batch, "
                "expected all rows to be normalized in the same way"
            )

    def _forget_fit(self) -> None:
        for name in list(self.__dict__):
            if _comes_from_a_fit(name):
                del self.__dict__[name]
        self._has_means = True

    def __getattr__(self, name: str) -> Any:
        """Computes the model if it is asked for and batches have come since the last time."""
        if self.__dict__.get("_is_pending") and _comes_from_a_fit(name):
            self._is_pending = False
            try:
                self._check_normalization()
                self._fit_sums(self.__dict__["_sums"], self._batch_target)
            except BaseException:
                self._is_pending = True
                raise
            if name in self.__dict__:
                return self.__dict__[name]
        if name == "partial_fit":
            _takes_batches(self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def _y_width(self) -> int:
        sums: _lcca.Sums | None = self.__dict__.get("_sums")
        return super()._y_width if sums is None else sums.shape[2]

    def _drop_sums(self) -> None:
        """Forgets all batches, because a fit begins anew."""
        self._forget_fit()
        self._sums, self._is_pending = None, False

    def __sklearn_is_fitted__(self) -> bool:
        return bool(self.__dict__.get("_is_pending")) or "x_weights_" in self.__dict__


def _comes_from_a_fit(name: str) -> bool:
    return name in _OF_A_FIT or (name.endswith("_") and not name.startswith("_") and name not in _COLUMNS)
