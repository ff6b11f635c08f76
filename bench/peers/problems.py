"""The problems every system is given, with their true answers."""
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import texts

ROOT = Path(__file__).resolve().parents[2]
SHARE = 0.999  # of the true captured correlation; the time to reach it is compared
DATA = Path(os.environ.get("LCCA_DATA", ROOT / "target/data"))


class Refused(Exception):
    """A system cannot solve this problem; the message says why."""


@dataclass(frozen=True)
class Problem:
    """Number of pairs, centering, relative ridge, and the sums that the exact answer reaches."""

    name: str
    k: int
    center: bool
    ridge: float
    objective: float
    captured: float
    suffix: str = "npz"

    @property
    def folder(self):
        return DATA / self.name

    @property
    def files(self):
        return [self.folder / f"{side}.{self.suffix}" for side in "xy"]

    @cached_property
    def X(self):
        return load(self.files[0])

    @cached_property
    def Y(self):
        return load(self.files[1])

    @property
    def views(self):
        return self.X, self.Y

    def dense(self, report):
        """Both views as ordinary arrays, for systems that take nothing else.
        The clock restarts after the conversion."""
        views = [view.toarray() if sp.issparse(view) else view for view in self.views]
        report.restart()
        return views


@dataclass(frozen=True)
class Made(Problem):
    """A problem whose files are made here, from the two matrices that `contents` returns."""

    @property
    def folder(self):
        return ROOT / "target/bench/peers-data" / self.name

    def make(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        for path, view in zip(self.files, self.contents()):
            save(path, view)


@dataclass(frozen=True)
class Small(Made):
    """Generated data: five shared factors in 1,000 rows of 50 + 50 dense columns.
    Its true answer is computed here."""

    def contents(self):
        random = np.random.default_rng(1)
        shared = random.standard_normal((1000, 5)) * np.linspace(2, 1, 5)
        for _ in "xy":
            view = shared @ random.standard_normal((5, 50)) + 3 * random.standard_normal((1000, 50))
            yield view + random.standard_normal(50)


@dataclass(frozen=True)
class Descriptions(Made):
    """Words of the same packages' descriptions in English and another language, as counts, which are all 0
    or 1."""

    language: str = ""

    def contents(self):
        return [view.astype(np.float32) for view in texts.common(self.language)]


def save(path, view):
    """Moved into place whole, so that an interrupted run leaves no partial file behind."""
    partial = path.with_name(f"partial-{path.name}")
    if sp.issparse(view):
        sp.save_npz(partial, view, compressed=False)
    else:
        np.save(partial, view)
    partial.replace(path)


def load(path):
    """In double precision, as every system computes."""
    if path.suffix == ".npy":
        return np.load(path).astype(np.float64)
    return sp.csr_matrix(sp.load_npz(path), dtype=np.float64)


def exact(problem):
    """Σ of the canonical correlations of small dense views without ridge, by QR and SVD (Björck & Golub)."""
    q = [np.linalg.qr(view - view.mean(axis=0))[0] for view in problem.views]
    return float(np.linalg.svd(q[0].T @ q[1], compute_uv=False)[: problem.k].sum())


def small():
    problem = Small("small", 5, True, 0.0, 0.0, 0.0, "npy")
    problem.make()
    truth = exact(problem)
    return Small("small", 5, True, 0.0, truth, truth, "npy")


def descriptions(name, language, objective, captured):
    problem = Descriptions(name, 20, True, 0.05, objective, captured, language=language)
    if not all(path.exists() for path in problem.files):
        problem.make()
    return problem


NAMES = ("small", "mnist", "brown", "tatoeba", "debian400k", "english-slovak", "english-danish")


def find(name):
    """A problem with its true answer. Those were computed independently of lcca, by dense factorizations, by
    SciPy's sparse SVD, or by an eigensolver that ran until its largest residual was 4e-5 or less.

    English-Slovak is dense algebra in row space: `eigh` of both views' products of rows, and an SVD.
    English-Danish has too many rows for that. An eigensolver in NumPy solved it from two starts, with two
    preconditioners. Both answers agree to 1e-8, and the largest residual of the second one is 5e-7 in the
    norm of B⁻¹. On English-Slovak that program and dense algebra differ by less than 1e-9."""
    return {
        "small": small,
        "mnist": lambda: Problem("mnist", 20, True, 0.0, 16.97992, 16.97992, "npy"),
        "brown": lambda: Problem("brown", 20, False, 0.0, 14.994762323, 14.994762323),
        "tatoeba": lambda: Problem("tatoeba", 20, True, 0.01, 19.8712562, 19.957111),
        "debian400k": lambda: Problem("debian400k", 20, True, 0.01, 19.8217588, 19.890508),
        "english-slovak": lambda: descriptions("english-slovak", "sk", 19.942202755, 19.993020603),
        "english-danish": lambda: descriptions("english-danish", "da", 19.957407309, 19.990836526),
    }[name]()
