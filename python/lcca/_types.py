"""The types of values that pass between Python and the engine."""

from os import PathLike
from typing import TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Table: TypeAlias = NDArray[np.float64]
ViewWeights: TypeAlias = tuple[Table, Vector | None]
Path: TypeAlias = str | PathLike[str]


class Moved(TypedDict, total=False):
    """Columns of the trace on a cluster: bytes moved between machines so far, and seconds spent waiting for them."""

    moved: int
    waiting: float


class TraceRow(Moved):
    """One finished iteration. Passes, work and seconds are counted from the start of the fit."""

    iteration: int
    passes: float
    gram_passes: float
    work: float
    total: float
    missing: float | None
    seconds: float


class ModelParts(TypedDict):
    """The parts of every model. The settings are JSON."""

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
    """The content of a model file. The provenance is JSON."""

    x_names: list[str] | None
    y_names: list[str] | None
    provenance: str


class FitResult(ModelParts):
    """The result of a fit."""

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


class CrossValidation(TypedDict):
    """Scores of ridges on held-out rows, by fold and ridge, and the positions of the best and the simplest ridge."""

    scores: list[list[float]]
    mean: Vector
    error: Vector
    best: int
    simplest: int
    converged: bool
