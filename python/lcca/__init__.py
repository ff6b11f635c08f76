"""Canonical correlation analysis on huge sparse data.

`CCA` is a scikit-learn estimator on the engine of the program `lcca`;
`load` opens models that either of them wrote.

>>> import numpy as np, lcca
>>> random = np.random.default_rng(0)
>>> shared = random.standard_normal((500, 1))
>>> X = shared + random.standard_normal((500, 3))
>>> Y = shared + random.standard_normal((500, 4))
>>> model = lcca.CCA(n_components=1).fit(X, Y)
>>> bool(model.correlations_[0] > 0.7)
True
"""

import importlib
from typing import Any

from lcca import cuda, datasets
from lcca._bootstrap import Bootstrap, bootstrap
from lcca._cca import CCA
from lcca._certificate import Certificate
from lcca._cv import CCACV
from lcca._fit_moments import fit_moments
from lcca._lcca import METHODS, Matrix, __version__
from lcca._linalg import least_squares, randomized_svd
from lcca._load import load
from lcca._notes import DataWarning, LccaWarning, Note, ResultWarning
from lcca._page import report
from lcca._plssvd import PLSSVD
from lcca._significance import Significance, permutation_test
from lcca._two_views import TwoViews
from lcca._views import read
from lcca._wilks import Wilks, wilks

__all__ = [
    "Bootstrap",
    "CCA",
    "CCACV",
    "Certificate",
    "DataWarning",
    "LccaWarning",
    "METHODS",
    "Matrix",
    "Note",
    "PLSSVD",
    "ResultWarning",
    "Significance",
    "TwoViews",
    "Wilks",
    "__version__",
    "bootstrap",
    "cuda",
    "datasets",
    "fit_moments",
    "least_squares",
    "load",
    "permutation_test",
    "randomized_svd",
    "read",
    "report",
    "wilks",
]

# Modules that need packages which not everybody has.
_OPTIONAL = ("dask", "plot", "sc")


def __getattr__(name: str) -> Any:
    """Imports an optional module when it is first used, so that `import lcca` is enough for
    `lcca.plot.scree`."""
    if name in _OPTIONAL:
        return importlib.import_module(f"lcca.{name}")
    raise AttributeError(f"module 'lcca' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_OPTIONAL})
