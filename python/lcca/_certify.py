"""Checking whether a fit's claim is true."""

import json
from typing import Any

import numpy as np

from lcca import _inputs, _lcca, _model, _notes, _report, _settings
from lcca._certificate import Certificate, from_data
from lcca._pair import RemotePair
from lcca._progress import Progress


def certify(model: Any, X: Any, y: Any, sample_weight: Any, covariates: Any = None) -> Certificate:
    """Certifies a fitted estimator and takes the verdict into its attributes."""
    threads = _settings.threads(model.n_jobs)
    claim = (bool(model.converged_), float("inf") if model.missing_ is None else float(model.missing_))
    progress = Progress(lambda: "lcca certify") if model.verbose else None
    on_pass = None if progress is None else progress.on_pass
    try:
        if isinstance(X, RemotePair):
            if y is not None or sample_weight is not None:
                raise ValueError(
                    "a pair of views brings its own y and weights, expected neither as an argument"
                )
            model._check_remote(X)
            X.prepare(model.x_weights_.shape[1])
            try:
                result = _lcca.certify_remote(_model.parts(model), claim, X, threads, on_pass)
            finally:
                X.finish()
        else:
            views = _inputs.known_views(model, X, y, sample_weight, threads, covariates)
            result = _lcca.certify(_model.parts(model), claim, *views, threads, on_pass)
    finally:
        if progress is not None:
            progress.close()
    data = json.loads(result["certificate"])
    notes = _notes.from_record(result["notes"], result["note_data"])
    if model.converged_ is not None:
        model.converged_, model.missing_ = result["converged"], result["missing"]
    model.notes_ = [*(model.notes_ or []), *notes]
    model.certificate_ = from_data(data, result["search"])
    _remember(model, data, json.loads(result["note_data"]))
    _report.warn_of(model, notes)
    return model.certificate_  # type: ignore[no-any-return]


def _remember(model: Any, data: Any, notes: list[Any]) -> None:
    """Keeps the certificate with what a model file remembers of the fit."""
    outcome = model._provenance.get("outcome")
    if outcome is not None:
        missing = model.missing_ if np.isfinite(model.missing_) else None
        outcome |= {"certified": data, "converged": model.converged_, "missing_share": missing}
        outcome["notes"] = [*outcome.get("notes", []), *notes]
