"""The report of a fitted estimator, much as the program prints it, and its warnings."""

import json
import math
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from lcca import _lcca, _notes


def text(model: Any) -> str:
    """The report: sizes, pairs, whether the fit converged, and its cost."""
    pairs, (x_cols, y_cols) = len(model.correlations_), (len(model.x_weights_), len(model.y_weights_))
    lines = [
        f"{model.chosen_ or 'loaded'}: {pairs} pairs from {model.n_samples_:,} rows × "
        f"({x_cols:,} + {y_cols:,} columns)"
    ]
    if model.why_:
        lines.append(model.why_)
    lines += [_scaling(model), "", *_pairs(model), "", f"captured total {model.total_:.6f} of {pairs}"]
    if model.converged_ is not None:
        lines += [_verdict(model), _cost(model)]
    if model.certificate_ is not None:
        lines.append(f"certified: {model.certificate_}")
    lines += [f"note: {note}{_remedy(model, note)}" for note in model.notes_ or []]
    return "\n".join(lines)


def _scaling(model: Any) -> str:
    """Whether columns were divided by their standard deviations."""
    scaled = {
        d["side"]: d["scaled"]
        for d in model.decisions_ or []
        if isinstance(d, dict) and d["decision"] == "columns-scaled"
    }
    if not scaled:
        return "columns in the units of the data"
    return "scaled: " + ", ".join(f"{count} columns of {side}" for side, count in scaled.items())


def _maximizes_correlations(model: Any) -> bool:
    """Whether both views have the metric of CCA."""
    settings = json.loads(model._settings_json)
    return "metric_x" not in settings and "metric_y" not in settings


def _pairs(model: Any) -> list[str]:
    """The table of pairs, with held-out correlations if there are any."""
    held_out = model.held_out_correlations_
    rows = zip(model.correlations_, model.objective_, model.residuals_, strict=True)
    lines = [f"{i:4d}  {c:11.6f}  {d:9.6f}  {r:8.1e}" for i, (c, d, r) in enumerate(rows, 1)]
    is_cca = _maximizes_correlations(model)
    if not is_cca:
        rows = zip(model.correlations_, model.objective_, model.residuals_, strict=True)
        lines = [f"{i:4d}  {c:11.6f}  {d:10.4g}  {r:8.1e}" for i, (c, d, r) in enumerate(rows, 1)]
    table = [
        "pair  correlation  objective  residual" if is_cca else "pair  correlation  covariance  residual",
        *lines,
    ]
    if held_out is None:
        return table
    training = model.held_out_training_correlations_
    found = [f"  {t:9.6f}  {h:9.6f}" for t, h in zip(training, held_out, strict=True)]
    found += [""] * (len(lines) - len(found))
    return [
        f"{table[0]}   training   held out",
        *(line + more for line, more in zip(lines, found, strict=False)),
    ]


def _verdict(model: Any) -> str:
    verdict = "converged" if model.converged_ else "not converged"
    return f"{verdict}: {_missing(model)}, tolerance {model.tol:.1e}"


def _missing(model: Any) -> str:
    share = model.missing_
    return (
        f"about {share:.1e} of it may be missing"
        if math.isfinite(share)
        else "this method cannot tell what is missing"
    )


def _cost(model: Any) -> str:
    grams = f" and {model.n_gram_passes_:g} over Gram matrices" if model.n_gram_passes_ else ""
    passes = f"{model.n_passes_:g} passes{grams}"
    if model.fit_seconds_ is None:
        return f"fitted in {passes}"
    return f"fitted in {model.fit_seconds_:.2f} s ({passes}, work {model.work_:.1f})"


def warn(model: Any) -> None:
    """Warns of every note of the fit, once, and of a fit that did not converge."""
    warn_of(model, model.notes_)


def warn_of(model: Any, notes: "list[_notes.Note]") -> None:
    """Warns of some notes, and of a fit that did not converge."""
    for note in notes:
        # Whoever asks for as many pairs as there are is not surprised that there are no more.
        is_expected = note.kind == "fewer-pairs" and model.n_components is None
        if not is_expected and not _notes.is_moot(note.kind):
            _notes.warn(note.text + _remedy(model, note), _notes.ResultWarning)
    if not model.converged_:
        message = (
            f"CCA did not converge to tol={model.tol}: there is more correlation to be "
            f"found, {_missing(model)}"
        )
        _notes.warn(f"{message}; {_advice(model)}.", ConvergenceWarning)


def _remedy(model: Any, note: "_notes.Note") -> str:
    return _notes.remedy(note.kind, cross_validates=hasattr(model, "cv_mean_"))


def _advice(model: Any) -> str:
    for limit in ("max_passes", "max_iter"):
        if getattr(model, limit) is not None:
            return f"raise {limit}"
    # Methods with parameters stop when these say so, whatever is missing;
    # the others go on until they have converged.
    is_limited = any(model.method in parameter["methods"] for parameter in _lcca.method_parameters())
    return 'method="auto" finds it' if is_limited else "raise tol"
