"""The estimator that chooses its own ridge."""

import inspect
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from lcca import _lcca, _settings
from lcca._cca import CCA
from lcca._folds import FoldsFile
from lcca._pair import RemotePair
from lcca._pairing import Views
from lcca._second_view import also_called_Y
from lcca._types import CrossValidation, FitResult

_OWN_FOLDS = 5


class CCACV(CCA):
    """`CCA` with the ridge chosen by cross-validation.

    Rows are assigned to folds at random, or by a splitter. For each fold, every ridge is fitted to the other
    rows, each fit starting from the last, and scored on the fold by the mean correlation. The model is then
    fitted to all rows with the chosen ridge. From the shell: `lcca fit --ridge-path`.

    Parameters
    ----------
    n_components : int, optional
        Pairs of canonical variables [default: 20, or as many as the data allow].
    ridges : sequence of float
        Relative ridges to choose from, used for both views.
    ridge_y : float, optional
        The ridge of y, if it is not to be chosen: then `ridges` are those of X.
    folds : int
        The number of random folds, those of the program.
    cv : int, splitter or iterable, optional
        In place of `folds`: a number of random folds, as scikit-learn has it, one of its splitters, such as
        `GroupKFold`, or an iterable of (training rows, held-out rows). `fit` takes the `groups` that a
        splitter may need.
    select : "simplest" or "best"
        "best" has the largest mean over folds; "simplest" is the largest ridge within
        one standard error of it.
    resume : str or path, optional
        A file in which the state of the last fit is saved, as for `CCA`. The scores of finished folds are in
        a file of the same name with ".folds" behind it. Both are removed at the end.
    **parameters
        All other parameters of `CCA` but `ridge`.

    Attributes
    ----------
    ridge_ : float
        The chosen ridge.
    ridges_, cv_mean_, cv_error_ : arrays of shape (ridges,)
        The ridges, and the mean correlation on held-out rows with its standard error.
    cv_scores_ : array of shape (folds, ridges)
        The score of each fold and ridge.
    cv_pooled_ : bool
        Whether folds were too small to be scored alone, as in leave-one-out, so that the canonical variables
        of all held-out rows were correlated once; `cv_scores_` are then the jackknife's pseudo-values.

    Examples
    --------
    >>> import numpy as np
    >>> from lcca import CCACV
    >>> random = np.random.default_rng(0)
    >>> shared = random.standard_normal((200, 2))
    >>> X, Y = (shared @ random.standard_normal((2, 60)) + random.standard_normal((200, 60)) for _ in "xy")
    >>> model = CCACV(n_components=2, ridges=[1e-6, 0.1, 1, 10]).fit(X, Y)
    >>> model.ridge_ > 1e-6
    True
    >>> from sklearn.model_selection import GroupKFold
    >>> groups = np.arange(200) // 10
    >>> CCACV(n_components=2, ridges=[0.1, 1], cv=GroupKFold(4)).fit(X, Y, groups=groups).cv_scores_.shape
    (4, 2)
    """

    _fits_sums = False

    def __init__(
        self,
        n_components: int | str | None = None,
        *,
        ridges: Sequence[float] = (1e-4, 1e-3, 1e-2, 1e-1, 1.0),
        folds: int = _OWN_FOLDS,
        cv: Any = None,
        select: str = "simplest",
        **parameters: Any,
    ) -> None:
        # `signature` below is what Python and scikit-learn show and check.
        inspect.signature(CCACV.__init__).bind(self, n_components, **parameters)
        super().__init__(n_components, **parameters)
        self.ridges = ridges
        self.folds = folds
        self.cv = cv
        self.select = select

    @also_called_Y
    def fit(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None, covariates: Any = None
    ) -> "CCACV":
        """Chooses the ridge and fits both views with it.

        Parameters
        ----------
        X, y, sample_weight : as for `CCA.fit`
            Two views in memory; cross-validation does not work on a cluster.
        groups : array of shape (n,), optional
            What rows belong together, such as families. Random folds keep them together,
            and splitters that ask for groups get them.
        covariates : as for `CCA.fit`
            In each fold, coefficients come from the rows that are trained on.

        Returns
        -------
        CCACV
            The estimator itself.

        Examples
        --------
        >>> import numpy as np, lcca
        >>> random = np.random.default_rng(0)
        >>> X, Y = random.standard_normal((60, 3)), random.standard_normal((60, 2))
        >>> lcca.CCACV(1, ridges=[0.1, 1.0]).fit(X, Y).ridge_
        1.0
        """
        try:
            self._fit(X, y, sample_weight, covariates, groups)
        finally:
            self._stage = ""
        return self

    def _parameters(self) -> dict[str, Any]:
        return super()._parameters() | {"ridge": 0.0}

    def _fit_remote(self, pair: RemotePair, y: Any, sample_weight: Any) -> None:
        raise ValueError(
            "cross-validation needs rows in this process, expected two views: "
            "choose the ridge on a sample of the rows, then fit the pair on the cluster with CCA(ridge=...)"
        )

    def _fit_views(self, views: Views, options: dict[str, Any], threads: int, groups: Any) -> FitResult:
        if self.select not in ("simplest", "best"):
            raise ValueError(f'select == {self.select!r}, expected "simplest" or "best"')
        folds = self._folds()
        self.ridges_ = np.asarray(self.ridges, dtype=np.float64).ravel()
        splits = self._splits(views.x.shape[0], groups)
        ridges = [float(ridge) for ridge in self.ridges_]
        plan = {"ridges": ridges, "ridge_y": self.ridge_y, "folds": folds, "splits": splits}
        plan["groups"] = None if splits is not None else groups
        folds_file = FoldsFile(self._state_file(), views, options, plan)
        result = self._cross_validate(views, options, plan, folds_file, threads)
        self.cv_mean_, self.cv_error_ = result["mean"], result["error"]
        self.cv_scores_, self.cv_pooled_ = np.asarray(result["scores"]), result["pooled"]
        chosen = result["best"] if self.select == "best" else result["simplest"]
        self.ridge_ = float(self.ridges_[chosen])
        self._stage = f", all rows, ridge {self.ridge_:g}"
        # What held-out rows say takes the place of a guess at what they would say.
        known = {
            "ridge": self.ridge_,
            "cross_validated": (float(self.cv_mean_[chosen]), len(self.cv_scores_)),
        }
        fitted = super()._fit_views(views, options | known, threads, groups)
        folds_file.remove()
        return fitted

    def _cross_validate(
        self, views: Views, options: dict[str, Any], plan: dict[str, Any], folds_file: FoldsFile, threads: int
    ) -> CrossValidation:
        finished = folds_file.finished()
        count = plan["folds"] if plan["splits"] is None else len(plan["splits"])
        self._stage = f", fold {len(finished) + 1} of {count}"

        def on_fold(scores: list[float], converged: bool) -> None:
            finished.append((scores, converged))
            folds_file.save(finished)
            self._stage = f", fold {min(len(finished) + 1, count)} of {count}"

        result: CrossValidation = self._run(
            _lcca.cross_validate, *views, options, plan | {"finished": list(finished)}, threads, on_fold
        )
        return result

    def _folds(self) -> int:
        """The number of random folds, which `cv` may be as well, as in scikit-learn."""
        name = "cv" if _is_count(self.cv) else "folds"
        return int(_settings.number(getattr(self, name), name, least=2))

    def _splits(self, rows: int, groups: Any) -> list[tuple[Any, Any]] | None:
        """The rows of each fold, if a splitter says so."""
        if self.cv is None or _is_count(self.cv):
            return None
        if not hasattr(self.cv, "split") and not isinstance(self.cv, Iterable):
            raise _settings.invalid(
                "cv", "an int, a splitter, an iterable of pairs of rows, or None", self.cv
            )
        splits = check_cv(self.cv).split(np.empty((rows, 0)), np.zeros(rows), groups)
        return [(_rows(training), _rows(held_out)) for training, held_out in splits]


def _is_count(cv: Any) -> bool:
    return isinstance(cv, Integral) and not isinstance(cv, (bool, np.bool_))


def _rows(chosen: Any) -> Any:
    chosen = np.asarray(chosen)
    return np.ascontiguousarray(np.flatnonzero(chosen) if chosen.dtype == bool else chosen, dtype=np.int64)


def _signature() -> inspect.Signature:
    """The signature of `CCACV`: its own parameters, and those of `CCA` but for the ridge."""
    own = list(inspect.signature(CCACV.__init__).parameters.values())
    inherited = inspect.signature(CCA.__init__).parameters.values()
    named = {parameter.name for parameter in own} | {"ridge"}
    shared = [parameter for parameter in inherited if parameter.name not in named]
    return inspect.Signature([*own[:-1], *shared], return_annotation=None)


# scikit-learn asks the signature for the parameters. Deriving it keeps them in one place.
CCACV.__init__.__signature__ = _signature()  # type: ignore[attr-defined]
