"""What the plots share: axes, colors, names and correlations of columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from lcca import _beside, _frames
from lcca._cca import CCA
from lcca._pairing import View

Array = NDArray[np.float64]

# Okabe and Ito's colors, as in the pictures of the program: the first two are those of X and y.
COLORS = ("#0072b2", "#c24e00", "#00734f", "#a8487c", "#8a6500", "#5b4a8a", "#6e5032", "#00767d")
OTHERS = "#8b8880"
MARKERS = ("o", "^", "s", "D", "v", "P", "<", ">")


def new_axes(ax: Any, size: tuple[float, float] | None = None) -> Any:
    """The given axes, or new ones."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install lcca[plot]") from error
    return plt.subplots(figsize=size, layout="constrained")[1]


def side(x: Any, y: Any, view: str) -> Any:
    """What belongs to a view."""
    if view not in ("x", "y"):
        raise ValueError(f'view == {view!r}, expected "x" or "y"')
    return x if view == "x" else y


def names(model: CCA, view: str) -> Any:
    """The names of a view's columns, or their numbers."""
    named = side(getattr(model, "feature_names_in_", None), getattr(model, "y_feature_names_in_", None), view)
    count = side(model.x_loadings_, model.y_loadings_, view).shape[0]
    return [str(i) for i in range(count)] if named is None else [str(name) for name in named]


def component_count(model: CCA) -> int:
    """How many components a fitted model has."""
    check_is_fitted(model)
    return len(model.correlations_)


def one_component(model: CCA, pair: int) -> int:
    """A component that the model has."""
    count = component_count(model)
    if not 0 <= pair < count:
        raise ValueError(f"pair == {pair}, expected one of 0 to {count - 1}")
    return int(pair)


def two_components(model: CCA, components: Sequence[int]) -> tuple[int, int]:
    """Two different components that the model has."""
    found = tuple(int(component) for component in components)
    count = component_count(model)
    if count < 2:
        raise ValueError(
            "the model has one component, and this plot needs two: loadings, heatmap, cim and scores draw one"
        )
    if len(found) != 2 or found[0] == found[1] or not all(0 <= component < count for component in found):
        raise ValueError(f"components == {components!r}, expected two different ones of 0 to {count - 1}")
    return found[0], found[1]


def first_components(model: CCA, components: int | None) -> int:
    """How many components are shown."""
    count = component_count(model)
    if components is None:
        return count
    if not 1 <= components <= count:
        raise ValueError(f"components == {components}, expected 1 to {count}")
    return components


def strongest(loadings: Array, top: int, least: int = 1) -> NDArray[np.intp]:
    """The columns that are farthest from 0, farthest first."""
    if top < least:
        raise ValueError(f"top == {top}, expected at least {least}")
    return np.argsort(-np.square(loadings).sum(axis=1), kind="stable")[:top]


def taking_turns(loadings: Array, top: int) -> NDArray[np.intp]:
    """The strongest columns of each component, which take turns."""
    if top < 1:
        raise ValueError(f"top == {top}, expected at least 1")
    ranked = np.argsort(-np.abs(loadings), axis=0, kind="stable")[:top]
    chosen: dict[int, None] = {}
    remaining = [iter(column) for column in ranked.T.tolist()]
    while len(chosen) < min(top, len(loadings)):
        for column in remaining:
            new = next((row for row in column if row not in chosen), None)
            if new is not None and len(chosen) < top:
                chosen[new] = None
    return np.asarray(list(chosen), dtype=np.intp)


def bisector_loadings(model: CCA, view: str, components: int) -> Array:
    """The correlations of columns with the sums of both views' variables; exact if the model has no ridge."""
    loadings = np.asarray(side(model.x_loadings_, model.y_loadings_, view))[:, :components]
    return loadings * np.sqrt((1 + np.clip(model.correlations_[:components], -1, 1)) / 2)


def name_points(ax: Any, places: Array, texts: Sequence[str], colors: Sequence[str]) -> None:
    """Names beside points, the first ones first; a name that would cover another one is left out."""
    taken: list[Any] = []
    for (x, y), text, color in zip(places, texts, colors, strict=True):
        left = x < 0
        drawn = ax.annotate(
            text, (x, y), xytext=(-4 if left else 4, 0), textcoords="offset points",
            ha="right" if left else "left", va="center", fontsize=8, color=color, annotation_clip=False,
        )  # fmt: skip
        box = drawn.get_window_extent()
        if any(box.overlaps(other) for other in taken):
            drawn.remove()
        else:
            taken.append(box)


def scatter_by_label(ax: Any, x: Array, y: Array, labels: Any, first: int = 0, **points: Any) -> None:
    """One color and marker per label, the most frequent ones first; the others share one."""
    points = {"s": 12, "alpha": 0.7} | points
    if labels is None:
        ax.scatter(x, y, **points)
        return
    taken = [name for name in ("color", "c", "marker", "label") if name in points]
    if taken:
        raise ValueError(f"labels choose colors and markers, expected no {taken[0]} beside them")
    values = np.asarray(labels)
    if values.shape != x.shape:
        raise ValueError(f"labels have shape {values.shape}, expected one per row, {x.shape}")
    texts = np.array([_label_text(value) for value in values.tolist()], dtype=str)
    found, counts = np.unique(texts, return_counts=True)
    room = len(COLORS) - first
    own = sorted(found[np.argsort(-counts, kind="stable")[:room]], key=_label_order)
    others = ~np.isin(texts, own)
    if others.any():
        ax.scatter(
            x[others], y[others], color=OTHERS, label=f"{len(found) - len(own)} other labels", **points
        )
    for i, label in enumerate(own, start=first):
        chosen = texts == label
        ax.scatter(x[chosen], y[chosen], color=COLORS[i], marker=MARKERS[i], label=label, **points)
    ax.legend(fontsize=8)


def labels_of(X: Any, labels: Any) -> Any:
    """One label per row of X: those of a series with names are put in the order of X."""
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    return _beside.values(View("X", np.empty((rows, 0)), None, X), labels, "the labels", "auto")


def _label_text(label: Any) -> str:
    if _frames.is_missing(label) or str(label).strip() == "":
        return "no label"
    return f"{label:g}" if isinstance(label, float) else str(label)


def _label_order(label: str) -> tuple[float, str]:
    """Numbers by their size, and then texts."""
    try:
        return float(label), label
    except ValueError:
        return np.inf, label
