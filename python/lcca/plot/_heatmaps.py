"""Heatmaps: columns against components, and columns of X against columns of y."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca._cca import CCA
from lcca.plot._shared import (
    COLORS, Array, bisector_loadings, first_components, names, new_axes, strongest, taking_turns,
)


def heatmap(model: CCA, *, components: int | None = None, top: int = 15, ax: Any = None) -> Any:
    """Plots the correlations of the strongest columns of both views with the components, X above y.

    Components take turns, so that each has its own strongest columns here as far as there is room.

    Parameters
    ----------
    model : CCA
        A fitted model.
    components : int, optional
        How many components, the first ones [default: all].
    top : int
        How many columns of each view.
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
    >>> lcca.plot.heatmap(model).images[0].get_array().shape
    (5, 2)
    """
    shown = first_components(model, components)
    blocks, texts, counts = [], [], []
    for view, loadings in (("x", model.x_loadings_), ("y", model.y_loadings_)):
        values = np.asarray(loadings)[:, :shown]
        chosen = taking_turns(values, top)
        lead = np.abs(values[chosen]).argmax(axis=1)
        # Columns that are strongest in the same component stand together.
        chosen = chosen[np.lexsort((-values[chosen, lead], lead))]
        named = names(model, view)
        blocks.append(values[chosen])
        texts += [named[column] for column in chosen]
        counts.append(len(chosen))
    ax = _draw(new_axes(ax, (2.5 + 0.4 * shown, 1.2 + 0.2 * sum(counts))), np.vstack(blocks), "correlation")
    ax.set_yticks(np.arange(sum(counts)), texts, fontsize=8)
    for i, label in enumerate(ax.get_yticklabels()):
        label.set_color(COLORS[0] if i < counts[0] else COLORS[1])
    ax.axhline(counts[0] - 0.5, color="0.3", linewidth=0.8)
    ax.set_xticks(np.arange(shown), [str(j) for j in range(shown)])
    ax.set(xlabel="component")
    return ax


def cim(model: CCA, *, components: int | None = None, top: int = 30, ax: Any = None) -> Any:
    """Plots how columns of X and columns of y go together through the components: a clustered image map.

    The similarity of two columns is the inner product of their correlations with the sums of the canonical
    variables of both views, as in mixOmics' `cim`. It follows from the loadings and correlations of the
    model; with a ridge it is an approximation. Rows and columns are ordered by hierarchical
    clustering with average linkage.

    Parameters
    ----------
    model : CCA
        A fitted model.
    components : int, optional
        How many components, the first ones [default: all].
    top : int
        How many columns of each view: the strongest.
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
    >>> lcca.plot.cim(model, top=10).images[0].get_array().shape
    (3, 2)
    """
    shown = first_components(model, components)
    x, y = (bisector_loadings(model, view, shown) for view in "xy")
    rows, columns = strongest(x, top), strongest(y, top)
    similarity = x[rows] @ y[columns].T
    row_order, column_order = _order(similarity), _order(similarity.T)
    size = (2.5 + 0.22 * len(columns), 2.0 + 0.2 * len(rows))
    ax = _draw(new_axes(ax, size), similarity[np.ix_(row_order, column_order)], "similarity")
    for ticks, order, chosen, view, color in (
        (ax.set_yticks, row_order, rows, "x", COLORS[0]),
        (ax.set_xticks, column_order, columns, "y", COLORS[1]),
    ):
        named = names(model, view)
        turn = {"rotation": 90} if view == "y" else {}
        ticks(np.arange(len(order)), [named[chosen[i]] for i in order], fontsize=8, color=color, **turn)
    return ax


def _draw(ax: Any, values: Array, what: str) -> Any:
    """Green above 0, purple below; at least 0.05 has the full color, so that noise stays faint."""
    full = max(0.05, float(np.nanmax(np.abs(values), initial=0.0)))
    image = ax.imshow(values, cmap="PRGn", vmin=-full, vmax=full, aspect="auto")
    ax.figure.colorbar(image, ax=ax, label=what, shrink=0.6)
    return ax


def _order(rows: Array) -> NDArray[np.intp]:
    """An order in which similar rows are neighbors."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(rows) < 3:
        return np.arange(len(rows))
    return np.asarray(
        leaves_list(linkage(np.nan_to_num(rows), "average", optimal_ordering=True)), dtype=np.intp
    )
