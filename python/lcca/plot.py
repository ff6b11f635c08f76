"""Plots of a fitted model with matplotlib: `pip install lcca[plot]`.

Every function draws on the given axes, or makes its own, and returns them.
"""

from typing import Any

import numpy as np

from lcca._cca import CCA
from lcca._cv import CCACV


def correlations(model: CCA, X: Any = None, y: Any = None, *, ax: Any = None) -> Any:
    """Plots the correlation of each pair on the training rows, on held-out rows if there are any, and on given rows.

    Parameters
    ----------
    model : CCA
        A fitted model.
    X, y : as for `CCA.fit`, optional
        Other rows.
    ax : matplotlib axes, optional
        Where to draw [default: new axes].

    Returns
    -------
    matplotlib axes
        The axes that were drawn on.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import numpy as np, lcca, lcca.plot
    >>> random = np.random.default_rng(0)
    >>> model = lcca.CCA(n_components=2).fit(random.random((400, 3)), random.random((400, 2)))
    >>> lcca.plot.correlations(model).get_ylabel()
    'correlation'
    """
    ax = _axes(ax)
    pairs = np.arange(1, len(model.correlations_) + 1)
    ax.plot(pairs, model.correlations_, "o-", label="training rows")
    held_out = model.held_out_correlations_
    if held_out is not None:
        ax.plot(pairs[: len(held_out)], held_out, "^:", label="held-out rows")
    if X is not None:
        ax.plot(pairs, model.correlations(X, y), "s--", label="given rows")
    if X is not None or held_out is not None:
        ax.legend()
    ax.set(xlabel="pair", ylabel="correlation", ylim=(min(0.0, ax.get_ylim()[0]), 1.02))
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax


def trace(model: CCA, *, by: str = "passes", ax: Any = None) -> Any:
    """Plots the captured correlation during the fit.

    Parameters
    ----------
    model : CCA
        A fitted model that has a trace.
    by : "passes", "work", "seconds" or "iteration"
        What it is plotted against.
    ax : matplotlib axes, optional
        Where to draw [default: new axes].

    Returns
    -------
    matplotlib axes
        The axes that were drawn on.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import numpy as np, lcca, lcca.plot
    >>> random = np.random.default_rng(0)
    >>> model = lcca.CCA(1, method="lobpcg").fit(random.random((400, 3)), random.random((400, 2)))
    >>> lcca.plot.trace(model, by="iteration").get_xlabel()
    'iteration'
    """
    if not model.trace_:
        raise ValueError("the model has no trace: it was loaded from a file that holds none")
    if by not in model.trace_[0]:
        columns = ", ".join(f'"{name}"' for name in model.trace_[0])
        raise ValueError(f"by == {by!r}, expected a column of the trace: {columns}")
    ax = _axes(ax)
    grams = "gram_passes" if by == "passes" else None
    across = [row[by] + (row[grams] if grams else 0.0) for row in model.trace_]  # type: ignore[literal-required]
    ax.plot(across, [row["total"] for row in model.trace_], ".-")
    ax.set(xlabel=by, ylabel="captured correlation")
    return ax


def loadings(model: CCA, pair: int = 0, *, view: str = "x", top: int = 20, ax: Any = None) -> Any:
    """Plots the columns that correlate most with one canonical variable, by name if they have names.

    Parameters
    ----------
    model : CCA
        A fitted model.
    pair : int
        The pair of canonical variables, from 0.
    view : "x" or "y"
        The view.
    top : int
        The number of columns.
    ax : matplotlib axes, optional
        Where to draw [default: new axes].

    Returns
    -------
    matplotlib axes
        The axes that were drawn on.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import numpy as np, lcca, lcca.plot
    >>> random = np.random.default_rng(0)
    >>> model = lcca.CCA(n_components=2).fit(random.random((400, 3)), random.random((400, 2)))
    >>> lcca.plot.loadings(model, 1, view="y").get_xlabel()
    'correlation with canonical variable 1 of y'
    """
    ax = _axes(ax)
    values = _side(model.x_loadings_, model.y_loadings_, view)[:, pair]
    named = _side(getattr(model, "feature_names_in_", None), getattr(model, "y_feature_names_in_", None), view)
    order = np.argsort(-np.abs(values), kind="stable")[:top][::-1]
    labels = [str(i) if named is None else str(named[i]) for i in order]
    ax.barh(np.arange(len(order)), values[order])
    ax.set_yticks(np.arange(len(order)), labels)
    ax.set(xlabel=f"correlation with canonical variable {pair} of {view}")
    return ax


def scores(model: CCA, X: Any, y: Any, pair: int = 0, *, ax: Any = None, **points: Any) -> Any:
    """Plots rows as points: a canonical variable of X against its partner of y.

    Parameters
    ----------
    model : CCA
        A fitted model.
    X, y : as for `CCA.fit`
        The rows.
    pair : int
        The pair of canonical variables, from 0.
    **points
        Passed on to `scatter`.
    ax : matplotlib axes, optional
        Where to draw [default: new axes].

    Returns
    -------
    matplotlib axes
        The axes that were drawn on.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import numpy as np, lcca, lcca.plot
    >>> random = np.random.default_rng(0)
    >>> views = random.random((400, 3)), random.random((400, 2))
    >>> lcca.plot.scores(lcca.CCA(n_components=1).fit(*views), *views).get_xlabel()
    'x, variable 0'
    """
    ax = _axes(ax)
    x_scores, y_scores = (np.asarray(variables) for variables in model.transform(X, y))
    ax.scatter(x_scores[:, pair], y_scores[:, pair], **({"s": 8, "alpha": 0.6} | points))
    correlation = model.correlations(X, y)[pair]
    ax.set(xlabel=f"x, variable {pair}", ylabel=f"y, variable {pair}", title=f"correlation {correlation:.4f}")
    return ax


def ridge_path(model: CCACV, *, ax: Any = None) -> Any:
    """Plots the mean correlation on held-out rows with its standard error against the ridge, and marks the chosen ridge.

    Parameters
    ----------
    model : CCACV
        A fitted model.
    ax : matplotlib axes, optional
        Where to draw [default: new axes].

    Returns
    -------
    matplotlib axes
        The axes that were drawn on.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import numpy as np, lcca, lcca.plot
    >>> random = np.random.default_rng(0)
    >>> model = lcca.CCACV(1, ridges=[0.1, 1.0]).fit(random.random((400, 3)), random.random((400, 2)))
    >>> lcca.plot.ridge_path(model).get_xlabel()
    'ridge'
    """
    ax = _axes(ax)
    order = np.argsort(model.ridges_)
    ax.errorbar(model.ridges_[order], model.cv_mean_[order], yerr=model.cv_error_[order], fmt="o-", capsize=3)
    ax.axvline(model.ridge_, linestyle="--", color="0.4", label=f"chosen: {model.ridge_:g}")
    ax.set(xscale="log" if model.ridges_.min() > 0 else "symlog", xlabel="ridge", ylabel="mean correlation, held out")
    ax.legend()
    return ax


def _side(x: Any, y: Any, view: str) -> Any:
    if view not in ("x", "y"):
        raise ValueError(f'view == {view!r}, expected "x" or "y"')
    return x if view == "x" else y


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install lcca[plot]") from error
    return plt.subplots(layout="constrained")[1]
