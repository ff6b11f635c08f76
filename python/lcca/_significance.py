"""Testing whether correlations on held-out rows could be chance."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from lcca import _inputs, _lcca, _notes, _settings, _views
from lcca._cca import CCA
from lcca._lcca import Matrix
from lcca._pair import RemotePair
from lcca._types import ViewWeights


@dataclass(frozen=True, repr=False)
class Significance:
    """The result of a permutation test, with one number per pair."""

    correlations: NDArray[np.float64]
    """The correlations on the given rows."""
    p_values: NDArray[np.float64]
    """The share of orders, the observed one included, in which the pair correlates at least as much."""
    p_adjusted: NDArray[np.float64]
    """The p-values adjusted so that the chance of any false finding among all pairs is controlled (Westfall
    and Young, step down)."""
    n_permutations: int
    decisions: list[Any] = field(default_factory=list, repr=False)
    """Where the test ran, if a GPU was asked for: `"ran-on-gpu"` or `"ran-without-gpu"` with the reason,
    as in `CCA.decisions_`."""

    def __repr__(self) -> str:
        lines = [
            f"Permutation test by {self.n_permutations:,} random orders",
            "pair  correlation         p  p adjusted",
        ]
        for i, correlation in enumerate(self.correlations):
            p, adjusted = (_lcca.p_value_text(values[i]) for values in (self.p_values, self.p_adjusted))
            lines.append(f"{i + 1:4}  {correlation:11.4f}  {p:>8}  {adjusted:>10}")
        return "\n".join(lines)


def permutation_test(
    model: CCA,
    X_test: Any,
    y_test: Any = None,
    n: int = 999,
    *,
    groups: Any = None,
    within: bool = True,
    whole: bool = False,
    covariates: Any = None,
    device: str = "cpu",
    random_state: Any = 0,
    n_jobs: int | None = -1,
) -> Significance:
    """Tests the correlation of each pair on rows that were not trained on.

    The weights are fixed, so if the views are independent the rows of y's canonical variables can be dealt to
    those of X's in any order; the observed correlations are held against `n` random orders. That is exact for
    any number of rows and any distribution, as long as rows are independent of each other. It is exact for
    held-out rows only. Permuting the scores of the rows a model was trained on is a common shortcut and far
    too generous: the weights were chosen to make just these rows correlate, and no order
    of the scores undoes that.

    The scores of the given rows take 16 bytes of memory per row and pair. From the shell:
    `lcca score --permutations`.

    Parameters
    ----------
    model : CCA
        A fitted model.
    X_test, y_test : as for `CCA.fit`
        Rows that the model was not trained on. Or `X_test` alone: a pair of views on a cluster, whose
        canonical variables are brought to this process.
    n : int
        The number of random orders.
    groups : array of shape (n_rows,), optional
        What rows belong together, such as families. Members of a family are alike in both views, so they
        cannot take any order: orders that ignore it give p-values that are too small.
    within : bool
        With groups, rows change places within their group only. That is the default.
    whole : bool
        With groups, whole groups change places with groups of the same size instead.
    covariates : array or sparse matrix of shape (n_rows, q), optional
        Columns whose linear influence on both views is taken out. Residuals cannot simply be permuted: they
        are turned into n - q rows that are uncorrelated again (Theil's residuals; Winkler et al. 2020). The
        correlations are then partial correlations.
    device : "cpu", "cuda", "cuda:N" or "auto"
        Where rows are dealt to each other, as for `CCA`. The orders and the p-values are the same everywhere.
    random_state : int, RandomState, Generator or None
        The seed of the orders.
    n_jobs : int, optional
        The number of threads, as for `CCA`.

    Returns
    -------
    Significance
        Correlations and p-values, one per pair.

    Examples
    --------
    >>> import numpy as np, lcca
    >>> random = np.random.default_rng(0)
    >>> shared = random.standard_normal((300, 1))
    >>> X, Y = shared + random.standard_normal((300, 4)), shared + random.standard_normal((300, 3))
    >>> model = lcca.CCA(n_components=2).fit(X[:200], Y[:200])
    >>> float(lcca.permutation_test(model, X[200:], Y[200:]).p_adjusted[0])
    0.001
    """
    check_is_fitted(model)
    _settings.number(n, "n", least=1)
    threads = _settings.threads(n_jobs)
    if groups is not None and not within and not whole:
        raise ValueError("groups are given and neither within nor whole is True, expected one of them")
    if groups is None and whole:
        raise ValueError("whole=True needs groups")
    if isinstance(X_test, RemotePair):
        if groups is not None or covariates is not None:
            raise ValueError("groups and covariates need rows in this process, expected two views")
        if y_test is not None:
            raise ValueError("a pair of views brings its own y, expected none as an argument")
        (x_weights, y_weights), (x, y) = _variables(model, X_test, threads)
        codes = None
    else:
        x_weights, y_weights = model._view_weights()
        views, codes = _inputs.grouped_views(
            model, X_test, y_test, None, threads, covariates, groups, is_test=True
        )
        x, y = views.x, views.y
    plan = {
        "count": int(n),
        "seed": _settings.seed(random_state),
        "groups": codes,
        "whole": bool(whole),
        "device": _settings.device(device, None),
    }
    correlations, p_values, p_adjusted, decisions = _lcca.permutation_test(
        x_weights, y_weights, x, y, plan, threads
    )
    if x.shape[0] == model.n_samples_ and np.allclose(correlations, model.correlations_, rtol=0, atol=1e-9):
        message = "these look like the rows the model was trained on; p-values mean nothing there"
        _notes.warn(message, _notes.ResultWarning)
    return Significance(correlations, p_values, p_adjusted, int(n), json.loads(decisions))


def _variables(model: CCA, pair: RemotePair, threads: int) -> tuple[list[ViewWeights], list[Matrix]]:
    """The canonical variables of a pair on a cluster as views of their own,
    with weights that leave them as they are."""
    scores = [np.ascontiguousarray(view, dtype=np.float64) for view in model.transform(pair)]
    same = np.eye(scores[0].shape[1])
    means = [None if mean is None else np.zeros(len(same)) for mean in (model.x_mean_, model.y_mean_)]
    views = [_views.from_arrays(view, name, threads) for view, name in zip(scores, "Xy", strict=True)]
    return [(same, mean) for mean in means], views
