"""Plots of a fitted model with matplotlib: `pip install lcca[plot]`.

Every function draws on the given axes, or makes its own, and returns them.
The program draws the same pictures: `lcca plot`.

- how strong the pairs are: `scree` with intervals and p-values, `correlations`, `trace`, `ridge_path`
- columns: `correlation_circle`, `loadings`, `heatmap`, `cim`
- rows: `scores`, `biplot`
"""

from lcca.plot._columns import correlation_circle, loadings
from lcca.plot._fits import correlations, ridge_path, scree, trace
from lcca.plot._heatmaps import cim, heatmap
from lcca.plot._rows import biplot, scores

__all__ = [
    "biplot",
    "cim",
    "correlation_circle",
    "correlations",
    "heatmap",
    "loadings",
    "ridge_path",
    "scores",
    "scree",
    "trace",
]
