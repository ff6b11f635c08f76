"""Data to try things on, as in `sklearn.datasets`."""

import csv
from importlib import resources
from typing import Any

import numpy as np
from sklearn.utils import Bunch

__all__ = ["load_countries"]

AGES = ["under15", "over75"]
ECONOMY = ["savings", "income", "growth"]


def load_countries(*, return_X_y: bool = False) -> Any:
    """Ages of the population and the economy of 50 countries, averaged over 1960 to 1970.

    Known from R as `LifeCycleSavings` (Belsley, Kuh and Welsch, Regression Diagnostics, 1980), and R's
    example for `cancor`. The program writes the same table with `lcca sample countries`.

    Parameters
    ----------
    return_X_y : bool
        Return two arrays instead of a Bunch.

    Returns
    -------
    Bunch, or (X, Y)
        `data`, the shares of the population under 15 and over 75 in percent; `target`, savings as a share of
        income, income per head and its growth; `feature_names`, `target_names`, and `index`, the countries.

    Examples
    --------
    >>> import lcca
    >>> X, Y = lcca.datasets.load_countries(return_X_y=True)
    >>> X.shape, Y.shape
    ((50, 2), (50, 3))
    >>> lcca.CCA().fit(X, Y).correlations_.round(6)
    array([0.824797, 0.365276])
    """
    with (resources.files("lcca") / "countries.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    x, y = (np.array([[float(row[name]) for name in names] for row in rows]) for names in (AGES, ECONOMY))
    if return_X_y:
        return x, y
    return Bunch(
        data=x, target=y, feature_names=AGES, target_names=ECONOMY, index=[row["country"] for row in rows]
    )
