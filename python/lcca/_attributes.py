"""The attributes of a fitted estimator, from a fit or from a model file."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _certificate, _inputs, _notes
from lcca._types import FitRecord, FitResult, ModelFile, ModelParts, TraceRow

Array = NDArray[np.float64]


class Attributes:
    """Everything that a fit or a file sets. `CCA` documents the public attributes."""

    _has_means = True  # False if the views were centered by means that are not known

    def _set_regressions(self, parts: "FitResult | ModelFile") -> None:
        self._x_regression: Array | None = parts["x_regression"]
        self._y_regression: Array | None = parts["y_regression"]
        self._y_on_x_regression: Array | None = parts["y_on_x_regression"]

    def _set_model(self, parts: ModelParts) -> None:
        self.x_weights_ = self.x_rotations_ = parts["x_weights"]
        self.y_weights_ = self.y_rotations_ = parts["y_weights"]
        self.x_loadings_, self.y_loadings_ = parts["x_loadings"], parts["y_loadings"]
        self.x_mean_, self.y_mean_ = parts["x_mean"], parts["y_mean"]
        self._x_effects, self._y_effects = parts["x_effects"], parts["y_effects"]
        self.correlations_, self.objective_ = parts["correlations"], parts["objective"]
        self.residuals_, self.total_ = parts["residuals"], parts["total"]
        self.n_samples_ = parts["rows"]
        self._settings_json = parts["settings"]
        self._provenance: dict[str, Any] = {}
        self._predicts_vector = False

    @property
    def x_covariate_coef_(self) -> Array | None:
        """The coefficients of X's columns on the covariates, (columns of X) × (covariates);
        None if there were none."""
        return None if self._x_effects is None else self._x_effects[1]

    @property
    def y_covariate_coef_(self) -> Array | None:
        """The coefficients of y's columns on the covariates, (columns of y) × (covariates);
        None if there were none."""
        return None if self._y_effects is None else self._y_effects[1]

    def _set_fit(self, result: FitResult) -> None:
        self._set_record(result["record"])
        self._provenance = json.loads(result["provenance"])
        self.trace_: list[TraceRow] | None = result["trace"]
        self._set_regressions(result)
        self.work_: float | None = result["work"]
        self.fit_seconds_: float | None = result["seconds"]

    def _set_record(self, record: FitRecord) -> None:
        """Sets the attributes that a fit and a model file have in common."""
        self.converged_: bool = record["converged"]
        self.missing_: float | None = record["missing"]
        self.chosen_: str | None = record["chosen"]
        self.why_: str | None = record["why"]
        self.notes_: list[_notes.Note] = _notes.from_record(record["notes"], record["note_data"])
        self.decisions_: list[Any] | None = json.loads(record["decisions"])
        held_out = json.loads(record["held_out"])
        self.held_out_correlations_ = None if held_out is None else np.array(held_out["held_out"])
        self.held_out_training_correlations_ = None if held_out is None else np.array(held_out["training"])
        self.certificate_: _certificate.Certificate | None = _certificate.from_data(
            json.loads(record["certified"])
        )
        self.n_passes_: float | None = record["passes"]
        self.n_gram_passes_: float | None = record["gram_passes"]
        self.trace_ = record["trace"]

    def _name_columns_in_notes(self) -> None:
        """Calls columns by their names in the sentences of notes, if they have names."""
        names = getattr(self, "feature_names_in_", None), getattr(self, "y_feature_names_in_", None)
        self.notes_ = [_notes.named(note, *names) for note in self.notes_]

    def _set_file(self, parts: ModelFile) -> None:
        """Sets all attributes from a model file. Those that the file does not hold are None."""
        self._set_model(parts)
        self._fill: dict[str, Array] = {}
        self._set_regressions(parts)
        self.missing_ = self.chosen_ = self.why_ = self.decisions_ = None
        # A fit always knows; files of the first versions do not tell.
        self.converged_, self.notes_ = None, []  # type: ignore[assignment]
        self.held_out_correlations_ = self.held_out_training_correlations_ = self.certificate_ = None
        self.n_passes_ = self.n_gram_passes_ = self.work_ = self.fit_seconds_ = self.trace_ = None
        if parts["record"] is not None:
            self._set_record(parts["record"])
        self._provenance = json.loads(parts["provenance"])

    def _set_target(self, target: _inputs.Target) -> None:
        self._predicts_vector = target.is_vector
        if target.names is not None:
            self.y_feature_names_in_ = np.asarray(target.names, dtype=object)
        elif hasattr(self, "y_feature_names_in_"):
            del self.y_feature_names_in_
