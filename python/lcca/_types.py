"""The types of values that pass between Python and the engine."""

from os import PathLike
from typing import TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Table: TypeAlias = NDArray[np.float64]
Effects: TypeAlias = tuple[Vector, Table]
ViewWeights: TypeAlias = tuple[Table, Vector | None] | tuple[Table, Vector | None, Effects | None]
Path: TypeAlias = str | PathLike[str]


class Costs(TypedDict, total=False):
    """Columns of the trace that a model file does not hold, because the same fit always gives the same file.

    On a cluster there are also the bytes moved between machines so far,
    and the seconds spent waiting for them.
    """

    work: float
    seconds: float
    moved: int
    waiting: float


class TraceRow(Costs):
    """One finished iteration. Passes, work and seconds are counted from the start of the fit."""

    iteration: int
    passes: float
    gram_passes: float
    total: float
    missing: float | None


class ModelParts(TypedDict):
    """The parts of every model. The settings are JSON; the parameters are those of the method."""

    x_weights: Table
    y_weights: Table
    x_loadings: Table
    y_loadings: Table
    x_mean: Vector | None
    y_mean: Vector | None
    x_effects: Effects | None
    y_effects: Effects | None
    correlations: Vector
    objective: Vector
    residuals: Vector
    total: float
    rows: int
    settings: str
    parameters: dict[str, int | str]


class MethodParameter(TypedDict):
    """A parameter of some methods, as the engine describes it. `choices` are the possible texts;
    without them it is a number."""

    name: str
    help: str
    methods: list[str]
    default: int | str
    least: int
    choices: list[str] | None


class FitRecord(TypedDict):
    """How a fit ended, as a model file remembers it. Decisions and the data of notes are JSON.
    The trace may be thinned."""

    chosen: str
    why: str
    notes: list[str]
    note_data: str
    decisions: str
    held_out: str
    certified: str
    converged: bool
    missing: float
    passes: float
    gram_passes: float
    trace: list[TraceRow]


class Certified(TypedDict):
    """The certificate of a model, which is JSON, and what is left of the claim of its fit."""

    certificate: str
    search: str
    converged: bool
    missing: float
    notes: list[str]
    note_data: str


class ModelFile(ModelParts):
    """The content of a model file. The provenance is JSON; what the file does not hold is None."""

    x_names: list[str] | None
    y_names: list[str] | None
    covariate_names: list[str] | None
    x_regression: Table | None
    y_regression: Table | None
    y_on_x_regression: Table | None
    record: FitRecord | None
    provenance: str


class FitResult(ModelParts):
    """The result of a fit."""

    record: FitRecord
    provenance: str
    trace: list[TraceRow]
    x_regression: Table
    y_regression: Table
    y_on_x_regression: Table
    work: float
    seconds: float


class CrossValidation(TypedDict):
    """Scores of ridges on held-out rows, by fold and ridge, and the positions of the
    best and the simplest ridge."""

    scores: list[list[float]]
    mean: Vector
    error: Vector
    best: int
    simplest: int
    pooled: bool
    converged: bool
