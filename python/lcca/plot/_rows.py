"""Plots of rows: where they are, and what the columns have to do with it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lcca._cca import CCA
from lcca.plot._shared import (
    COLORS,
    bisector_loadings,
    labels_of,
    name_points,
    names,
    new_axes,
    one_component,
    scatter_by_label,
    strongest,
    two_components,
)


def scores(
    model: CCA, X: Any, y: Any, pair: int = 0, *, labels: Any = None, ax: Any = None, **points: Any
) -> Any:
    """Plots rows as points: a canonical variable of X against its partner of y.

    Parameters
    ----------
    model : CCA
        A fitted model.
    X, y : as for `CCA.fit`
        The rows.
    pair : int
        The pair of canonical variables, from 0.
    labels : array of shape (n_rows,), optional
        What rows are colored by: the most frequent labels have a color each, the others share one. A series
        whose rows have names is put in the order of X.
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
    pair = one_component(model, pair)
    x_scores, y_scores = (np.asarray(variables) for variables in model.transform(X, y))
    labels, ax = labels_of(X, labels), new_axes(ax)
    scatter_by_label(ax, x_scores[:, pair], y_scores[:, pair], labels, **({"s": 8, "alpha": 0.6} | points))
    correlation = model.correlations(X, y)[pair]
    ax.set(xlabel=f"x, variable {pair}", ylabel=f"y, variable {pair}", title=f"correlation {correlation:.4f}")
    return ax


def biplot(
    model: CCA,
    X: Any,
    y: Any,
    *,
    components: Sequence[int] = (0, 1),
    labels: Any = None,
    top: int = 8,
    ax: Any = None,
    **points: Any,
) -> Any:
    """Plots rows and columns together: rows at the means of both views' variables,
    the strongest columns as lines.

    Lines are blue for X and orange for y. Rows lie farther in the direction of a column the more they have of
    it. All lines are stretched by one factor.

    Parameters
    ----------
    model : CCA
        A fitted model.
    X, y : as for `CCA.fit`
        The rows.
    components : two ints
        The components, from 0.
    labels : array of shape (n_rows,), optional
        What rows are colored by, as for `scores`.
    top : int
        How many columns of each view are drawn.
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
    >>> model = lcca.CCA(n_components=2).fit(*views)
    >>> ax = lcca.plot.biplot(model, *views, labels=np.where(views[0][:, 0] > 0.5, "high", "low"))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['high', 'low']
    """
    a, b = two_components(model, components)
    x_scores, y_scores = (np.asarray(variables) for variables in model.transform(X, y))
    labels, ax = labels_of(X, labels), new_axes(ax, (6, 6))
    means = (x_scores + y_scores)[:, [a, b]] / 2
    look = {} if labels is not None else {"color": "0.6"}
    # The first two colors are those of the columns of X and of y.
    scatter_by_label(ax, means[:, 0], means[:, 1], labels, first=2, **(look | points))
    reach = 1.05 * (np.nanmax(np.abs(means), initial=0.0) or 1.0)
    arrows = [bisector_loadings(model, view, len(model.correlations_))[:, [a, b]] for view in "xy"]
    chosen = [strongest(arrow, top, least=0) for arrow in arrows]
    longest = max(
        (
            float(np.hypot(*arrow[kept].T).max(initial=0.0))
            for arrow, kept in zip(arrows, chosen, strict=True)
        ),
        default=0.0,
    )
    stretch = 0.85 * reach / (longest or 1.0)
    ends, texts, colors = [], [], []
    for i, view in enumerate("xy"):
        named = names(model, view)
        for column in chosen[i]:
            end = stretch * arrows[i][column]
            ax.plot([0, end[0]], [0, end[1]], color=COLORS[i], linewidth=1.2)
            ends.append(end)
            texts.append(named[column])
            colors.append(COLORS[i])
    ax.set(
        xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel=f"component {a}",
        ylabel=f"component {b}",
    )
    name_points(ax, np.array(ends), texts, colors)
    return ax
