"""Plots of columns: which of them make the components."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from lcca._cca import CCA
from lcca.plot._shared import COLORS, MARKERS, Array, name_points, names, new_axes, side, strongest, two_components


def correlation_circle(
    model: CCA, X: Any = None, y: Any = None, *, components: Sequence[int] = (0, 1), top: int = 15, ax: Any = None
) -> Any:
    """Plots the columns of both views at their correlations with two components, in a circle of radius 1.

    Columns near the circle are described by the two components. Columns in the same direction go together, columns on opposite
    sides against each other.

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
        variables = [np.asarray(variable) for variable in model.transform(X, y)]
        expected = (model.x_loadings_.shape[0], model.y_loadings_.shape[0])
        loadings = [_correlations(*both) for both in zip((X, y), variables, expected, strict=True)]
    turn = np.linspace(0, 2 * np.pi, 200)
    for radius in (0.5, 1.0):
        ax.plot(radius * np.cos(turn), radius * np.sin(turn), color="0.7", linewidth=0.8)
    ax.axhline(0, color="0.9", linewidth=0.8, zorder=0)
    ax.axvline(0, color="0.9", linewidth=0.8, zorder=0)
    ax.set(xlim=(-1.08, 1.08), ylim=(-1.08, 1.08), aspect="equal", xlabel=f"component {a}", ylabel=f"component {b}")
    named: list[tuple[float, Array, str, str]] = []
    for i, (view, values) in enumerate(zip("xy", loadings, strict=True)):
        places = np.nan_to_num(values[:, [a, b]])
        ax.scatter(*places.T, s=12, color=COLORS[i], marker=MARKERS[i], label=f"columns of {view}")
        texts = names(model, view)
        for column in strongest(places, top):
            named.append((-float(np.hypot(*places[column])), places[column], texts[column], COLORS[i]))
    named.sort(key=lambda entry: entry[0])
    name_points(ax, np.array([entry[1] for entry in named]), [entry[2] for entry in named], [entry[3] for entry in named])
    ax.legend(loc="upper right", fontsize=8)
    return ax


def _correlations(view: Any, variables: Array, expected: int) -> Array:
    """The correlation of each column with each variable."""
    is_sparse = sp.issparse(view)
    rows: Any = view if is_sparse else np.asarray(view, dtype=float)
    if rows.shape[1] != expected:
        raise ValueError(f"{rows.shape[1]} columns, expected the {expected} of the model; texts have to be indicators")
    count = rows.shape[0]
    centered = variables - variables.mean(axis=0)
    mean = np.asarray(rows.mean(axis=0)).ravel()
    square = rows.multiply(rows) if is_sparse else np.square(rows)
    deviation = np.sqrt(np.clip(np.asarray(square.mean(axis=0)).ravel() - mean**2, 0, None))
    products = np.asarray(rows.T @ centered) / count
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = np.nan_to_num(products / np.outer(deviation, centered.std(axis=0)))
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
    ax = new_axes(ax)
    values = side(model.x_loadings_, model.y_loadings_, view)[:, pair]
    named = names(model, view)
    order = np.argsort(-np.abs(values), kind="stable")[:top][::-1]
    labels = [named[i] for i in order]
    ax.barh(np.arange(len(order)), values[order], color=side(COLORS[0], COLORS[1], view))
    ax.axvline(0, color="0.5", linewidth=0.8)
    ax.set_yticks(np.arange(len(order)), labels)
    ax.set(xlabel=f"correlation with canonical variable {pair} of {view}")
    return ax
