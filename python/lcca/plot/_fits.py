"""Plots of a fit: how strong its pairs are, how it got there, and which ridge was chosen."""

from typing import Any

import numpy as np

from lcca import _lcca
from lcca._bootstrap import Bootstrap
from lcca._cca import CCA
from lcca._cv import CCACV
from lcca._significance import Significance
from lcca.plot._shared import COLORS, component_count, new_axes


def scree(
    model: CCA,
    X: Any = None,
    y: Any = None,
    *,
    bootstrap: Bootstrap | None = None,
    significance: Significance | None = None,
    ax: Any = None,
) -> Any:
    """Plots the correlation of each pair with all that is known about it.

    Pairs count from 0, as in the other plots. The vertical axis runs from 0 to 1,
    so that rounding errors are not drawn as differences.

    Parameters
    ----------
    model : CCA
        A fitted model. Its training correlations are drawn, and those on held-out rows if there are any.
    X, y : as for `CCA.fit`, optional
        Other rows.
    bootstrap : Bootstrap, optional
        The result of `lcca.bootstrap`: corrected correlations with 95% intervals.
    significance : Significance, optional
        The result of `lcca.permutation_test`: points with an adjusted p-value above 0.05 are hollow, and
        p-values are written below.
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
    >>> model = lcca.CCA(n_components=2).fit(*views)
    >>> ax = lcca.plot.scree(model, bootstrap=lcca.bootstrap(model, *views, n=20))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['training rows', 'corrected, with 95% interval']
    """
    pairs = np.arange(component_count(model))
    if X is None and y is not None:
        raise ValueError("y is given and X is not: both are needed, or neither")
    for name, result in (("bootstrap", bootstrap), ("significance", significance)):
        if result is not None and len(result.correlations) != len(pairs):
            raise ValueError(
                f"{name} has {len(result.correlations)} pairs, expected the {len(pairs)} of the model"
            )
    ax = new_axes(ax)
    ax.plot(pairs, model.correlations_, "o-", color=COLORS[0], markerfacecolor="none", label="training rows")
    held_out = model.held_out_correlations_
    if held_out is not None:
        ax.plot(pairs[: len(held_out)], held_out, "^:", color=COLORS[1], label="held-out rows")
    if X is not None:
        ax.plot(pairs, model.correlations(X, y), "s--", color=COLORS[2], label="given rows")
    if bootstrap is not None:
        middle, ends = bootstrap.correlations_corrected, bootstrap.correlations_interval
        below, above = np.clip(middle - ends[:, 0], 0, None), np.clip(ends[:, 1] - middle, 0, None)
        look = {"fmt": "D", "color": COLORS[3], "capsize": 3, "label": "corrected, with 95% interval"}
        ax.errorbar(pairs + 0.1, middle, yerr=[below, above], **look)
    if significance is not None:
        _tested(ax, pairs, significance)
    if len(ax.get_legend_handles_labels()[0]) > 1:
        ax.legend()
    ax.set(xlabel="pair", ylabel="correlation", ylim=(min(0.0, ax.get_ylim()[0]), 1.02))
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax


def _tested(ax: Any, pairs: Any, significance: Significance) -> None:
    """Correlations of tested rows, hollow if they may be chance, with their p-values below."""
    sure = significance.p_adjusted <= 0.05
    color = COLORS[5]
    ax.plot(pairs, significance.correlations, "-", color=color, linewidth=1)
    for chosen, fill, label in (
        (sure, color, "tested rows, p ≤ 0.05"),
        (~sure, "none", "tested rows, p > 0.05"),
    ):
        if chosen.any():
            look = {"color": color, "markerfacecolor": fill, "label": label}
            ax.plot(pairs[chosen], significance.correlations[chosen], "P", **look)
    if len(pairs) <= 12:
        for pair, p in zip(pairs, significance.p_adjusted, strict=True):
            below = {"xytext": (0, 3), "textcoords": "offset points", "xycoords": ax.get_xaxis_transform()}
            ax.annotate(
                f"p {_lcca.p_value_text(p)}", (pair, 0), ha="center", fontsize=7, color="0.4", **below
            )


def correlations(model: CCA, X: Any = None, y: Any = None, *, ax: Any = None) -> Any:
    """As `scree`, without intervals and p-values.

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
    return scree(model, X, y, ax=ax)


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
    component_count(model)
    if not model.trace_:
        raise ValueError("the model has no trace: it was loaded from a file that holds none")
    if by not in model.trace_[0]:
        columns = ", ".join(f'"{name}"' for name in model.trace_[0])
        raise ValueError(f"by == {by!r}, expected a column of the trace: {columns}")
    ax = new_axes(ax)
    grams = "gram_passes" if by == "passes" else None
    across = [
        row[by] + (row[grams] if grams else 0.0)  # type: ignore[literal-required]
        for row in model.trace_
    ]
    ax.plot(across, [row["total"] for row in model.trace_], ".-")
    ax.set(xlabel=by, ylabel="captured correlation")
    return ax


def ridge_path(model: CCACV, *, ax: Any = None) -> Any:
    """Plots the mean correlation on held-out rows with its standard error against the ridge,
    and marks the chosen ridge.

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
    component_count(model)
    ax = new_axes(ax)
    order = np.argsort(model.ridges_)
    ax.errorbar(model.ridges_[order], model.cv_mean_[order], yerr=model.cv_error_[order], fmt="o-", capsize=3)
    ax.axvline(model.ridge_, linestyle="--", color="0.4", label=f"chosen: {model.ridge_:g}")
    ax.set(
        xscale="log" if model.ridges_.min() > 0 else "symlog", xlabel="ridge",
        ylabel="mean correlation, held out",
    )
    ax.legend()
    return ax
