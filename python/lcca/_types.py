"""What passes between Python and the engine."""

from os import PathLike
from typing import TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Table: TypeAlias = NDArray[np.float64]
Half: TypeAlias = tuple[Table, Vector | None]
Path: TypeAlias = str | PathLike[str]


class Moved(TypedDict, total=False):
    """What a cluster adds: bytes moved between machines, and seconds spent waiting for that, so far."""

    moved: int
    waiting: float


class TraceRow(Moved):
    """One finished iteration; passes, work and seconds so far."""

    iteration: int
    passes: float
    gram_passes: float
    work: float
    total: float
    missing: float | None
    seconds: float


class ModelParts(TypedDict):
    """What every model has; settings are JSON."""

    x_weights: Table
    y_weights: Table
    x_loadings: Table
    y_loadings: Table
    x_mean: Vector | None
    y_mean: Vector | None
    correlations: Vector
    objective: Vector
    residuals: Vector
    total: float
    rows: int
    settings: str


class ModelFile(ModelParts):
    """A model file; provenance is JSON."""

    x_names: list[str] | None
    y_names: list[str] | None
    provenance: str


class Found(ModelParts):
    """What a fit found."""

    trace: list[TraceRow]
    x_regression: Table
    y_regression: Table
    y_on_x_regression: Table
    chosen: str
    why: str
    passes: float
    gram_passes: float
    work: float
    converged: bool
    missing: float
    notes: list[str]
    seconds: float


class Validated(TypedDict):
    """How ridges did on rows held out: scores by fold and ridge, and places of the best and the simplest."""

    scores: list[list[float]]
    mean: Vector
    error: Vector
    best: int
    simplest: int
    converged: bool
