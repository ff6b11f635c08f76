"""Plots of columns: which of them make the components."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from lcca import _inputs, _settings
from lcca._cca import CCA
from lcca.plot._shared import (
    COLORS,
    MARKERS,
    Array,
    name_points,
    names,
    new_axes,
    one_component,
    side,
    strongest,
    two_components,
)


def correlation_circle(
    model: CCA,
    X: Any = None,
    y: Any = None,
    *,
    components: Sequence[int] = (0, 1),
    top: int = 15,
    ax: Any = None,
) -> Any:
    """Plots the columns of both views at their correlations with two components, in a circle of radius 1.

    Columns near the circle are described by the two components. Columns in the same direction go together,
    columns on opposite sides against each other.

    Parameters
    ----------
    model : CCA
        A fitted model.
    X, y : arrays, sparse matrices or tables of numbers, optional
        Rows to correlate [default: the training rows, whose correlations the model has].
    components : two ints
        The components, from 0.
    top : int
        How many columns of each view have names: the strongest, as far as names do not cover each other.
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
    >>> lcca.plot.correlation_circle(model, *views, components=(0, 1)).get_xlabel()
    'component 0'
    """
    a, b = two_components(model, components)
    if (X is None) != (y is None):
        raise ValueError("X and y are both needed, or neither")
    ax = new_axes(ax, (6, 6))
    if X is None:
        loadings = [np.asarray(model.x_loadings_), np.asarray(model.y_loadings_)]
    else:
        loadings = _on_rows(model, X, y)
    turn = np.linspace(0, 2 * np.pi, 200)
    for radius in (0.5, 1.0):
        ax.plot(radius * np.cos(turn), radius * np.sin(turn), color="0.7", linewidth=0.8)
    ax.axhline(0, color="0.9", linewidth=0.8, zorder=0)
    ax.axvline(0, color="0.9", linewidth=0.8, zorder=0)
    ax.set(
        xlim=(-1.08, 1.08), ylim=(-1.08, 1.08), aspect="equal", xlabel=f"component {a}",
        ylabel=f"component {b}",
    )
    named: list[tuple[float, Array, str, str]] = []
    for i, (view, values) in enumerate(zip("xy", loadings, strict=True)):
        places = np.nan_to_num(values[:, [a, b]])
        ax.scatter(*places.T, s=12, color=COLORS[i], marker=MARKERS[i], label=f"columns of {view}")
        texts = names(model, view)
        for column in strongest(places, top, least=0):
            named.append((-float(np.hypot(*places[column])), places[column], texts[column], COLORS[i]))
    named.sort(key=lambda entry: entry[0])
    name_points(
        ax, np.array([entry[1] for entry in named]), [entry[2] for entry in named],
        [entry[3] for entry in named],
    )
    ax.legend(loc="upper right", fontsize=8)
    return ax


def _on_rows(model: CCA, X: Any, y: Any) -> list[Array]:
    """The correlations of columns with components on given rows,
    which are paired and completed as for `CCA.correlations`."""
    if _inputs.fitted_normalization(model) != ["no", "no"]:
        raise ValueError(
            "this model normalizes rows, so the columns of other rows are not those of the model: "
            "expected no X and y"
        )
    threads = _settings.threads(model.n_jobs)
    both = _inputs.known_pair(model, X, y, None, threads, None, None)
    if both.x.is_file or both.y.is_file:
        raise TypeError(
            "X and y have to be in memory to correlate their columns, expected arrays, "
            "sparse matrices or tables"
        )
    return [_correlations(view.data, model._scores(view, threads)) for view in (both.x, both.y)]


def _correlations(rows: Any, variables: Array) -> Array:
    """The correlation of each column with each variable; 0 if one of them does not vary."""
    centered = variables - variables.mean(axis=0)
    is_sparse: bool = sp.issparse(rows)
    if is_sparse:
        mean, square = (np.asarray(moment.mean(axis=0)).ravel() for moment in (rows, rows.multiply(rows)))
        variance = square - mean**2
        # What is left of equal numbers is rounding.
        deviation = np.sqrt(np.where(variance > 1e-13 * square, variance, 0))
    else:
        rows = np.asarray(rows, dtype=float) - np.mean(rows, axis=0, dtype=float)
        deviation = np.sqrt(np.square(rows).mean(axis=0))
    products: Array = np.asarray(rows.T @ centered) / rows.shape[0]
    scale = np.outer(deviation, centered.std(axis=0))
    found: Array = np.divide(products, scale, out=np.zeros_like(products), where=scale > 0)
    return found


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
    pair = one_component(model, pair)
    ax = new_axes(ax)
    values = side(model.x_loadings_, model.y_loadings_, view)[:, [pair]]
    named = names(model, view)
    order, values = strongest(values, top)[::-1], values[:, 0]
    labels = [named[i] for i in order]
    ax.barh(np.arange(len(order)), values[order], color=side(COLORS[0], COLORS[1], view))
    ax.axvline(0, color="0.5", linewidth=0.8)
    ax.set_yticks(np.arange(len(order)), labels)
    ax.set(xlabel=f"correlation with canonical variable {pair} of {view}")
    return ax
