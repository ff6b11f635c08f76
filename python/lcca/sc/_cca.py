"""CCA of two modalities of the same cells, in and out of AnnData and MuData."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import lcca
from lcca import _foreign
from lcca.sc import _modalities, _shards
from lcca.sc._modalities import Modality, Rows

Array = NDArray[np.float64]


def cca(
    data: Any,
    mods: tuple[str, str] | None = None,
    n_components: int | None = None,
    *,
    layer: str | None = None,
    use_raw: bool = False,
    normalize_rows: str | tuple[str | None, str | None] | None = None,
    key_added: str = "cca",
    client: Any = None,
    **parameters: Any,
) -> "lcca.CCA":
    """CCA of two modalities of the same cells, written to where scverse tools look for it.

    Cells that only one modality has are left out, and have NaN in the results.

    Parameters
    ----------
    data : MuData or AnnData
        MuData with two modalities or more; or AnnData whose features have types (`var["feature_types"]`), or
        with matrices in `obsm`.
    mods : pair of str, optional
        Two modalities, two types of features such as "Gene Expression" and "Antibody Capture", or keys of
        `obsm` [default: the two that there are].
    n_components : int, optional
        The number of pairs, as for `lcca.CCA`.
    layer : str, optional
        A layer to use in place of `X`, in both.
    use_raw : bool
        Whether to use `raw` in place of `X`, in both; MuData only.
    normalize_rows : "length", "sum", "log1p", or a pair of these or None, optional
        How each cell is normalized first: "log1p" for counts, None for values that are normalized already.
    key_added : str
        What the results are called.
    client : distributed.Client, optional
        A Dask cluster: backed files and Dask arrays are then read by its workers, shard by shard, and never
        brought to this process. Both modalities must have the same cells.
    **parameters
        Other parameters of `lcca.CCA`, such as `ridge=0.1` or `hold_out=0.2`.

    Returns
    -------
    CCA
        The fitted estimator. `data` has gained, with k pairs:

        - `obsm["X_cca"]`, cells × k: the mean of both modalities' canonical variables, each of standard
          deviation 1. MuData's modalities have their own variables in their `obsm["X_cca"]`, AnnData in
          `obsm["X_cca_x"]` and `obsm["X_cca_y"]`.
        - `varm["cca"]`, features × k: the weights that make the variables from centered features. Those of
          a matrix in `obsm` are in `uns`.
        - `uns["cca"]`: the correlations, what may be missing from their sum (`missing`), whether the fit
          converged, and its settings.

    Examples
    --------
    >>> import anndata, numpy as np, lcca.sc
    >>> random = np.random.default_rng(0)
    >>> state = random.standard_normal((300, 2))
    >>> counts = random.poisson(np.exp(state @ random.standard_normal((2, 40))))
    >>> cells = anndata.AnnData(counts.astype(np.float32))
    >>> cells.obsm["protein"] = state @ random.standard_normal((2, 5)) + random.standard_normal((300, 5))
    >>> cells.var["feature_types"] = "Gene Expression"
    >>> model = lcca.sc.cca(cells, ("Gene Expression", "protein"), 2, normalize_rows=("log1p", None))
    >>> cells.obsm["X_cca"].shape, cells.varm["cca"].shape, bool(cells.uns["cca"]["converged"])
    ((300, 2), (40, 2), True)
    """
    both, cells, names = _modalities.modalities(data, mods, layer, use_raw)
    model = lcca.CCA(n_components, normalize_rows=normalize_rows, **parameters)
    if client is None:
        views = [modality.in_memory() for modality in both]
        model.fit(*views)
        scores = model.transform(*views)
    else:
        pair = _shards.pair(client, data, both, layer=layer, use_raw=use_raw)
        model.fit(pair)
        scores = tuple(np.asarray(part) for part in model.transform(pair))
    # A ridge counts as variance, so the model's variables may have less; here they have standard deviation 1.
    deviations = [np.nanstd(part, axis=0, ddof=1) for part in scores]
    units = [1 / np.where(deviation > 0, deviation, 1) for deviation in deviations]
    scores = [unit * np.asarray(part) for unit, part in zip(units, scores, strict=True)]
    _write_scores(data, both, cells, scores, key_added)
    _write_weights(data, both, [units[0] * model.x_weights_, units[1] * model.y_weights_], key_added)
    data.uns[key_added] = _facts(model, names, layer, use_raw) | data.uns.get(key_added, {})
    _name_features(model, both)
    return model


def _write_scores(data: Any, both: list[Modality], cells: Rows | None, scores: list[Array], key: str) -> None:
    mean = (scores[0] + scores[1]) / 2
    data.obsm[f"X_{key}"] = _spread(mean, cells, data.n_obs)
    for modality, part, side in zip(both, scores, "xy", strict=True):
        if _foreign.is_mudata(data):
            home = data.mod[modality.name]
            home.obsm[f"X_{key}"] = _spread(part, modality.rows, home.n_obs)
        else:
            data.obsm[f"X_{key}_{side}"] = part


def _spread(numbers: Array, rows: Rows | None, length: int) -> Array:
    """Numbers at their rows, and NaN elsewhere."""
    if rows is None:
        return numbers
    spread = np.full((length, numbers.shape[1]), np.nan)
    spread[rows] = numbers
    return spread


def _write_weights(data: Any, both: list[Modality], weights: list[Array], key: str) -> None:
    data.uns.pop(key, None)
    apart: dict[str, Array] = {}
    shared: Array | None = None
    for modality, part in zip(both, weights, strict=True):
        if modality.home is None:
            apart[modality.name] = part
        elif modality.columns is None:
            modality.home.varm[key] = part
        else:
            shared = np.full((modality.home.n_vars, part.shape[1]), np.nan) if shared is None else shared
            shared[modality.columns] = part
            modality.home.varm[key] = shared
    if apart:
        data.uns[key] = {"weights": apart}


def _facts(model: "lcca.CCA", names: list[str], layer: str | None, use_raw: bool) -> dict[str, Any]:
    """What a file of the data remembers: plain numbers, texts and arrays."""
    missing = model.missing_
    facts: dict[str, Any] = {
        "correlations": np.asarray(model.correlations_),
        "objective": np.asarray(model.objective_),
        "missing": float("nan") if missing is None or not np.isfinite(missing) else float(missing),
        "converged": bool(model.converged_),
        "method": str(model.chosen_),
        "why": str(model.why_),
        "mods": np.array(names, dtype=object),
        "n_cells": int(model.n_samples_),
        "settings": str(model._settings_json),
        "lcca_version": lcca.__version__,
    }
    if layer is not None:
        facts["layer"] = layer
    if use_raw:
        facts["use_raw"] = True
    if model.held_out_correlations_ is not None:
        facts["held_out_correlations"] = np.asarray(model.held_out_correlations_)
    return facts


def _name_features(model: "lcca.CCA", both: list[Modality]) -> None:
    """So that a saved model calls its columns by name."""
    for modality, attribute in zip(both, ("feature_names_in_", "y_feature_names_in_"), strict=True):
        if modality.features is not None:
            setattr(model, attribute, np.asarray(modality.features, dtype=object))
