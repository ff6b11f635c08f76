"""Every system by name: its label in tables, its module in this folder, its settings."""
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module


@dataclass(frozen=True)
class System:
    label: str
    module: str
    settings: dict = field(default_factory=dict)

    def load(self):
        """The module's `fit`, bound to the settings. Importing takes seconds, which do not count."""
        return partial(import_module(f"peers.{self.module}").fit, **self.settings)


# The paper's settings: 5 iterations of 38 (L-CCA, after 100 singular vectors) or 51 (G-CCA)
# gradient steps, 30 of D-CCA.
AUTO = ("lcca", "lcca-1e-3", "lcca-1e-6")
SYSTEMS = {
    "lcca": System("lcca (auto)", "lcca_cli", {"flags": ""}),
    "lcca-1e-3": System("lcca (auto, tol 1e-3)", "lcca_cli", {"flags": "--tol 1e-3"}),
    "lcca-1e-6": System("lcca (auto, tol 1e-6)", "lcca_cli", {"flags": "--tol 1e-6"}),
    "lcca-l-cca": System("lcca (l-cca)", "lcca_cli", {"flags": "--method l-cca"}),
    "lcca-g-cca": System("lcca (g-cca)", "lcca_cli", {"flags": "--method g-cca"}),
    "lcca-d-cca": System("lcca (d-cca)", "lcca_cli", {"flags": "--method d-cca"}),
    "lcca-rp-cca": System("lcca (rp-cca)", "lcca_cli", {"flags": "--method rp-cca"}),
    "scikit-learn": System("scikit-learn CCA", "scikit_learn"),
    "cca-zoo": System("cca-zoo CCA", "cca_zoo_models", {"model": "cca"}),
    "cca-zoo-ridge": System("cca-zoo RidgeCCA", "cca_zoo_models", {"model": "ridge"}),
    "cca-zoo-ey": System("cca-zoo CCAEY", "cca_zoo_models", {"model": "ey"}),
    "statsmodels": System("statsmodels CanCorr", "statsmodels_cancorr"),
    "dlib": System("dlib cca", "dlib_cca"),
    "whitening": System("NumPy: whitening + SVD", "whitening"),
    "one-hot": System("SciPy: svds, one-hot", "one_hot"),
    "sparse-lu": System("SciPy: sparse LU + eigsh", "sparse_lu"),
    "lobpcg": System("SciPy: lobpcg, rows", "lobpcg", {"way": "rows"}),
    "lobpcg-gram": System("SciPy: lobpcg, Grams", "lobpcg", {"way": "gram"}),
    "als": System("SciPy: ALS + CG, rows", "least_squares", {"way": "rows"}),
    "als-gram": System("SciPy: ALS + CG, Grams", "least_squares", {"way": "gram"}),
    "randomized": System("SciPy: randomized CCA", "randomized"),
    "principal": System("scikit-learn: SVD, then CCA", "principal"),
}
