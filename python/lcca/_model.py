"""Model files, shared with the program `lcca`."""

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from lcca import _lcca

if TYPE_CHECKING:
    from lcca._cca import CCA


def load(path: "str | os.PathLike[str]") -> "CCA":
    """Opens a model that `lcca fit -o` or `CCA.save` wrote.

    It transforms and scores as the fitted one did, to the bit. What a model file does not hold is None: the trace, whether
    the fit converged, and the regressions behind `predict` and `inverse_transform`; pickle an estimator to keep those.

    Parameters
    ----------
    path : str or path
        A model file.

    Returns
    -------
    CCA
        Fitted, with the parameters it was fitted with.

    Examples
    --------
    >>> import numpy as np, lcca, tempfile, os
    >>> random = np.random.default_rng(0)
    >>> X, Y = random.standard_normal((50, 3)), random.standard_normal((50, 2))
    >>> model = lcca.CCA(n_components=2).fit(X, Y)
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "model")
    >>> model.save(path)
    >>> bool((lcca.load(path).transform(X) == model.transform(X)).all())
    True
    """
    from lcca._cca import CCA

    found = _lcca.load(os.fspath(path))
    model = CCA(**_parameters(json.loads(found["settings"])))
    model._take_model(found)
    model._forget_fit()
    model._provenance = json.loads(found["provenance"])
    model.n_features_in_ = len(model.x_weights_)
    if found["x_names"] is not None:
        model.feature_names_in_ = np.asarray(found["x_names"], dtype=object)
    if found["y_names"] is not None:
        model.y_feature_names_in_ = np.asarray(found["y_names"], dtype=object)
    return model


def save(model: "CCA", path: "str | os.PathLike[str]") -> None:
    """Writes what a model file holds."""
    parts: dict[str, Any] = {name: getattr(model, f"{name}_") for name in _SAME}
    names = {side: getattr(model, attribute, None) for side, attribute in _NAMES.items()}
    parts |= {side: None if found is None else [str(name) for name in found] for side, found in names.items()}
    provenance = model._provenance | {"version": _lcca.__version__}
    parts |= {"rows": model.n_samples_, "settings": model._settings_json, "provenance": json.dumps(provenance)}
    _lcca.save(os.fspath(path), parts)  # type: ignore[arg-type]


_SAME = "x_weights y_weights x_loadings y_loadings x_mean y_mean correlations objective residuals total".split()
_NAMES = {"x_names": "feature_names_in_", "y_names": "y_feature_names_in_"}


def _parameters(settings: dict[str, Any]) -> dict[str, Any]:
    """The estimator's parameters, from the engine's settings."""
    method = settings["method"]
    inner = method.get("inner")
    given = {name: method[name] for name in ("t1", "t2", "k_pc", "k_rpcca") if name in method}
    if isinstance(inner, dict):
        given |= {"inner": "cg", "t2": inner["cg"]["t2"]}
    elif inner is not None:
        given["inner"] = inner
    same = ("center", "oversample", "power", "memory", "tol", "max_passes", "structure")
    given |= {name: settings[name] for name in same}
    given |= {"method": method["name"], "n_components": settings["k"], "random_state": settings["seed"]}
    ridge, ridge_y = settings["ridge_x"], settings["ridge_y"]
    return given | {"ridge": ridge, "ridge_y": None if ridge_y == ridge else ridge_y}
