"""The estimator that chooses its own ridge."""

import inspect
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from lcca import _lcca
from lcca._cca import CCA, Array
from lcca._lcca import Matrix
from lcca._pair import RemotePair
from lcca._types import CrossValidation, FitResult


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
    **parameters
        All parameters of `CCA` but `ridge`, `ridge_y` and `resume`.

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
        **parameters: Any,
    ) -> None:
        # `signature` below is what Python and scikit-learn show and check.
        inspect.signature(CCACV.__init__).bind(self, n_components, **parameters)
        super().__init__(n_components, **parameters)
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


def _signature() -> inspect.Signature:
    """The signature of `CCACV`: its own parameters, and those of `CCA` but for the ridges and `resume`."""
    own = list(inspect.signature(CCACV.__init__).parameters.values())
    inherited = inspect.signature(CCA.__init__).parameters.values()
    named = {parameter.name for parameter in own} | {"ridge", "ridge_y", "resume"}
    shared = [parameter for parameter in inherited if parameter.name not in named]
    return inspect.Signature([*own[:-1], *shared], return_annotation=None)


# scikit-learn asks the signature for the parameters. Deriving it keeps them in one place.
CCACV.__init__.__signature__ = _signature()  # type: ignore[attr-defined]
