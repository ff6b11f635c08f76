"""Model files, shared with the program `lcca`: the parts of a fitted estimator,
and its parameters from a file's settings."""

import json
import os
from typing import Any

from lcca import _lcca

_ATTRIBUTES = (
    "x_weights y_weights x_loadings y_loadings x_mean y_mean correlations objective residuals total".split()
)
_REGRESSIONS = "x_regression y_regression y_on_x_regression".split()
_NAMES = {
    "x_names": "feature_names_in_", "y_names": "y_feature_names_in_",
    "covariate_names": "covariate_names_in_",
}


def parts(model: Any) -> Any:
    """The parts of a fitted `CCA`, as a model file holds them."""
    model._require_means()
    parts: dict[str, Any] = {name: getattr(model, f"{name}_") for name in _ATTRIBUTES}
    parts |= {name: getattr(model, f"_{name}") for name in _REGRESSIONS}
    parts |= {"x_effects": model._x_effects, "y_effects": model._y_effects}
    for part, attribute in _NAMES.items():
        names = getattr(model, attribute, None)
        parts[part] = None if names is None else [str(name) for name in names]
    provenance = model._provenance | {"version": _lcca.__version__} | _remembered(model)
    return parts | {
        "rows": model.n_samples_, "settings": model._settings_json, "provenance": json.dumps(provenance)
    }


def _remembered(model: Any) -> dict[str, Any]:
    """How files are to be read for the model, as the program remembers it;
    nothing if all is as usual and was before."""
    known = model._provenance.get("reading", {})
    said = {"missing": model.missing, "categorical": model.categorical}
    if not known and (model.missing, model.categorical, model.align) == ("error", "auto", "auto"):
        return {}
    views = {}
    for side in ("x", "y"):
        view = known.get(side, {})
        table = view.get("table", {})
        # The program can name columns of categories, which the estimator cannot.
        kept = {"categorical": table["categorical"]} if isinstance(table.get("categorical"), dict) else {}
        views[side] = view | {"table": table | said | kept}
    return {"reading": known | views | {"align": model.align}}


def reading(provenance: dict[str, Any]) -> dict[str, str]:
    """The parameters about reading that a model file remembers."""
    known = provenance.get("reading")
    if not isinstance(known, dict):
        return {}
    tables = [known.get(side, {}).get("table", {}) for side in ("x", "y")]
    missing, categorical = (
        {table.get(key) for table in tables if isinstance(table.get(key), str)}
        for key in ("missing", "categorical")
    )
    given = {"align": known.get("align", "auto")}
    # Views that were read in different ways have no common parameter.
    given |= {
        key: found.pop()
        for key, found in (("missing", missing), ("categorical", categorical))
        if len(found) == 1
    }
    return given


def save(model: Any, path: "str | os.PathLike[str]") -> None:
    """Writes a fitted `CCA` to a model file."""
    _lcca.save(os.fspath(path), parts(model))


def parameters(settings: dict[str, Any], method_parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the estimator, from the engine's settings and those parameters of its
    method that are no defaults.

    The memory is that of this machine: the file has that of the machine that fitted.
    """
    same = ("center", "oversample", "power", "tol", "max_passes", "structure")
    given = {name: settings[name] for name in same} | method_parameters
    # Models of earlier versions were fitted without scaling and do not say so.
    given["scale"] = {"auto": "auto", "yes": True}.get(settings.get("scale", "no"), False)
    # The program's models have variables of unit length and do not say so.
    given["variables"] = settings.get("variables", "unit-length")
    rows = [
        None if how == "no" else how
        for how in (settings.get("normalize_x", "no"), settings.get("normalize_y", "no"))
    ]
    given["normalize_rows"] = rows[0] if rows[0] == rows[1] else tuple(rows)
    both = settings.get("metric_x", "cca"), settings.get("metric_y", "cca")
    given["metric"] = both[0] if both[0] == both[1] else both
    given |= {
        "method": settings["method"]["name"], "n_components": settings["k"], "random_state": settings["seed"]
    }
    ridge, ridge_y = settings["ridge_x"], settings["ridge_y"]
    return given | {"ridge": ridge, "ridge_y": None if ridge_y == ridge else ridge_y}
