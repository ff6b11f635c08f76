"""The estimator that chooses its own ridge."""

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from lcca import _lcca
from lcca._cca import CCA, Array
from lcca._lcca import Matrix
from lcca._pair import RemotePair
from lcca._types import CrossValidation, FitResult, TraceRow


class CCACV(CCA):
    """`CCA` with the ridge chosen by cross-validation.

    Rows are assigned to folds at random. For each fold, every ridge is fitted to the other rows, each fit starting from the
    last, and scored on the fold by the mean correlation. The model is then fitted to all rows with the chosen ridge.
    From the shell: `lcca fit --ridge-path`.

    Parameters
    ----------
    n_components : int, optional
        Pairs of canonical variables [default: 20, or as many as the data allow].
    ridges : sequence of float
        Relative ridges to choose from, used for both views.
    folds : int
        The number of folds.
    select : "simplest" or "best"
        "best" has the largest mean over folds; "simplest" is the largest ridge within one standard error of it.
    method, center, tol, max_passes, structure, t1, t2, inner, k_pc, k_rpcca, oversample, power, memory, random_state, \
n_jobs, verbose, callback
        As for `CCA`.

    Attributes
    ----------
    ridge_ : float
        The chosen ridge.
    ridges_, cv_mean_, cv_error_ : arrays of shape (ridges,)
        The ridges, and the mean correlation on held-out rows with its standard error.
    cv_scores_ : array of shape (folds, ridges)
        The score of each fold and ridge.

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
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        ridges: Sequence[float] = (1e-4, 1e-3, 1e-2, 1e-1, 1.0),
        folds: int = 5,
        select: str = "simplest",
        method: str = "auto",
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
    ) -> None:
        super().__init__(
            n_components,
            method=method,
            center=center,
            tol=tol,
            max_passes=max_passes,
            structure=structure,
            t1=t1,
            t2=t2,
            inner=inner,
            k_pc=k_pc,
            k_rpcca=k_rpcca,
            oversample=oversample,
            power=power,
            memory=memory,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
            callback=callback,
        )
        self.ridges = ridges
        self.folds = folds
        self.select = select

    def _parameters(self) -> dict[str, Any]:
        return super()._parameters() | {"ridge": 0.0, "ridge_y": None}

    def _fit_remote(self, pair: RemotePair, y: Any, sample_weight: Any) -> None:
        raise ValueError("cross-validation needs rows in memory, expected two views; lcca.CCA takes pairs on a cluster")

    def _fit_views(
        self, x: Matrix, y: Matrix, weights: Array | None, options: dict[str, Any], threads: int
    ) -> FitResult:
        if self.select not in ("simplest", "best"):
            raise ValueError(f'select == {self.select!r}, expected "simplest" or "best"')
        check_scalar(self.folds, "folds", Integral, min_val=2)
        self.ridges_ = np.asarray(self.ridges, dtype=np.float64).ravel()
        ridges = [float(ridge) for ridge in self.ridges_]
        folds = int(self.folds)
        result: CrossValidation = self._run(_lcca.cross_validate, x, y, weights, options, ridges, folds, threads)
        self.cv_mean_, self.cv_error_ = result["mean"], result["error"]
        self.cv_scores_ = np.asarray(result["scores"])
        self.ridge_ = ridges[result["best"] if self.select == "best" else result["simplest"]]
        return super()._fit_views(x, y, weights, options | {"ridge": self.ridge_}, threads)
