"""How sure a model is: the bootstrap."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from lcca import _inputs, _lcca, _model, _settings
from lcca._cca import CCA
from lcca._pair import RemotePair

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Bootstrap:
    """How sure a model is, from fits to resamples of its rows. Intervals are 95% intervals,
    with the lower end first."""

    correlations: Array
    """The correlations of the model, which fitting has made too large."""
    correlations_corrected: Array
    """What is left of them without what fitting adds."""
    correlations_interval: Array
    """Their intervals, of shape (k, 2); 0 is the lower end of what is not told from noise."""
    stability: Array
    """The mean squared correlation of each pair's variables with those matched to them, from 0 to 1."""
    stability_alone: Array
    """The same before pairs are turned into each other. If it is much less,
    the pair is stable only together with others."""
    resampled: Array = field(repr=False)
    """The correlations of each resample, of shape (n, k)."""
    x_weights_error: Array = field(repr=False)
    """Standard errors of the weights of X, of shape (p₁, k)."""
    y_weights_error: Array = field(repr=False)
    """Standard errors of the weights of y, of shape (p₂, k)."""
    x_loadings_error: Array = field(repr=False)
    """Standard errors of the loadings of X."""
    y_loadings_error: Array = field(repr=False)
    """Standard errors of the loadings of y."""
    x_weights_interval: Array = field(repr=False)
    """Intervals of the weights of X, of shape (p₁, k, 2)."""
    y_weights_interval: Array = field(repr=False)
    """Intervals of the weights of y, of shape (p₂, k, 2)."""
    x_loadings_interval: Array = field(repr=False)
    """Intervals of the loadings of X."""
    y_loadings_interval: Array = field(repr=False)
    """Intervals of the loadings of y."""
    missing: float
    """The largest share of the total that a resample's fit was estimated to miss."""
    n_resamples: int

    def __repr__(self) -> str:
        lines = [
            f"Bootstrap of {self.n_resamples} resamples",
            "pair  correlation  corrected  95% interval      stability",
        ]
        for i, (low, high) in enumerate(self.correlations_interval):
            numbers = (
                f"{self.correlations[i]:11.4f}  {self.correlations_corrected[i]:9.4f} "
                f" {low:.4f} to {high:.4f}"
            )
            lines.append(f"{i + 1:4}  {numbers}  {self.stability[i]:9.3f}")
        return "\n".join(lines)


def bootstrap(
    model: CCA,
    X: Any,
    y: Any = None,
    n: int = 200,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    covariates: Any = None,
    tol: float | None = None,
    device: str = "cpu",
    random_state: Any = 0,
    n_jobs: int | None = -1,
) -> Bootstrap:
    """Repeats a fit on resamples of the rows that the model was trained on.

    Rows are drawn with replacement, as many as there are; a resample is a set of row weights, so nothing is
    copied. The pairs of each resample are matched with those of the model by an orthogonal rotation of its
    canonical variables. Correlations of resamples are too large twice over, so their intervals are corrected
    and not percentiles: docs/inference.md has the construction and how often it holds the truth. Views of
    some thousand columns or more are fitted from the model's own weights, with two iterations unless `tol` is
    given. From the shell: `lcca bootstrap`.

    Parameters
    ----------
    model : CCA
        A fitted model.
    X, y : as for `CCA.fit`
        The rows that the model was trained on.
    n : int
        The number of resamples.
    groups : array of shape (n_rows,), optional
        What rows belong together, such as families: whole groups are drawn. If rows depend on each other and
        are drawn one by one, intervals are too narrow.
    sample_weight : array of shape (n_rows,), optional
        The weights of the fit.
    covariates : as for `CCA.fit`
        The covariates of the fit, if it had any.
    tol : float, optional
        The tolerance of fits that iterate.
    device : "cpu", "cuda", "cuda:N" or "auto"
        Where the fits run, as for `CCA`.
    random_state : int, RandomState, Generator or None
        The seed of the draws.
    n_jobs : int, optional
        The number of threads, as for `CCA`.

    Returns
    -------
    Bootstrap
        Intervals, standard errors and stability.

    Examples
    --------
    >>> import numpy as np, lcca
    >>> random = np.random.default_rng(0)
    >>> shared = random.standard_normal((300, 1))
    >>> X, Y = shared + random.standard_normal((300, 4)), shared + random.standard_normal((300, 3))
    >>> model = lcca.CCA(n_components=1).fit(X, Y)
    >>> result = lcca.bootstrap(model, X, Y, n=100)
    >>> low, high = result.correlations_interval[0]
    >>> bool(low < result.correlations_corrected[0] < high), bool(result.stability[0] > 0.9)
    (True, True)
    >>> result.x_loadings_interval.shape
    (4, 1, 2)
    """
    check_is_fitted(model)
    _settings.number(n, "n", least=2)
    if isinstance(X, RemotePair):
        raise ValueError(
            "a bootstrap needs rows in this process, expected two views: resample a sample of the rows"
        )
    threads = _settings.threads(n_jobs)
    views, codes = _inputs.grouped_views(model, X, y, sample_weight, threads, covariates, groups)
    if views.x.shape[0] != model.n_samples_:
        raise ValueError(
            f"{views.x.shape[0]} rows, expected the {model.n_samples_} that the model was trained on"
        )
    plan = {
        "count": int(n),
        "seed": _settings.seed(random_state),
        "tol": None if tol is None else float(tol),
        "groups": codes,
        "device": _settings.device(device, None),
    }
    result = _lcca.bootstrap(_model.parts(model), *views, plan, threads)
    errors = {
        f"{name}_error": result[name] for name in ("x_weights", "y_weights", "x_loadings", "y_loadings")
    }
    intervals = {}
    for name in ("x_weights", "y_weights", "x_loadings", "y_loadings"):
        estimate, error = getattr(model, f"{name}_"), _lcca.QUANTILE * result[name]
        ends = np.stack([estimate - error, estimate + error], axis=-1)
        intervals[f"{name}_interval"] = np.clip(ends, -1, 1) if name.endswith("loadings") else ends
    return Bootstrap(
        correlations=np.array(model.correlations_),
        correlations_corrected=result["corrected"],
        correlations_interval=np.stack([result["low"], result["high"]], axis=-1),
        stability=result["stability"],
        stability_alone=result["alone"],
        resampled=np.asarray(result["resampled"]),
        missing=result["missing"],
        n_resamples=int(n),
        **errors,
        **intervals,
    )
