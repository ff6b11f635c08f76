"""Two modalities of the same cells: those of MuData, types of features of AnnData,
or matrices in its `obsm`."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _foreign
from lcca.sc import _cells

Rows = NDArray[np.intp]


@dataclass
class Modality:
    """One view of the cells.

    Attributes
    ----------
    name : str
        What the user calls it.
    values : matrix
        Cells × features, as they are stored.
    features : list of str or None
        The names of the features.
    home : AnnData or None
        What holds the features, if its `varm` has a row for each or for more.
    columns : array of int or None
        Which columns of `home` the features are; None if all.
    rows : array of int or None
        Which rows are used, in the order of the cells that both modalities have; None if all.
    """

    name: str
    values: Any
    features: list[str] | None
    home: Any
    columns: Rows | None = None
    rows: Rows | None = None

    def in_memory(self) -> Any:
        """The rows of the shared cells, read if they are in a file."""
        found = self.values
        found = found.to_memory() if hasattr(found, "to_memory") else found
        found = found.compute() if hasattr(found, "compute") else found
        found = found[:] if type(found).__module__.startswith("h5py") else found
        found = _cells.by_rows(found) if hasattr(found, "shape") else np.asarray(found)
        found = found if self.columns is None else found[:, self.columns]
        return found if self.rows is None else found[self.rows]


def modalities(
    data: Any, mods: Any, layer: str | None, use_raw: bool
) -> tuple[list[Modality], Rows | None, list[str]]:
    """Both modalities, which cells of `data` they have in common, None if all,
    and the names of these modalities."""
    if _foreign.is_mudata(data):
        return _of_mudata(data, mods, layer, use_raw)
    if not _foreign.is_anndata(data):
        raise TypeError(
            f"expected MuData or AnnData, got {type(data).__name__}; for two arrays there is lcca.CCA"
        )
    names = _two(mods, _kinds(data), "feature_types of `var` or keys of `obsm`")
    if (layer is not None or use_raw) and all(name in data.obsm for name in names):
        raise ValueError(
            "layer and use_raw choose values in place of `X`, and both modalities are in `obsm`: "
            "leave them out"
        )
    return [_of_anndata(data, name, layer, use_raw) for name in names], None, names


def _of_mudata(
    data: Any, mods: Any, layer: str | None, use_raw: bool
) -> tuple[list[Modality], Rows | None, list[str]]:
    names = _two(mods, list(data.mod), "modalities")
    made = []
    for name in names:
        if name not in data.mod:
            raise ValueError(f"there is no modality {name!r}, expected one of {list(data.mod)}")
        part = data.mod[name]
        values, features = _cells.values(part, layer=layer, use_raw=use_raw)
        made.append(Modality(name, values, features, None if use_raw else part))
    cells = [np.asarray(data.mod[name].obs_names) for name in names]
    if (
        len(cells[0]) == len(cells[1]) == data.n_obs
        and (cells[0] == cells[1]).all()
        and (cells[0] == np.asarray(data.obs_names)).all()
    ):
        return made, None, names
    places = [{cell: i for i, cell in enumerate(found)} for found in cells]
    if any(len(place) != len(found) for place, found in zip(places, cells, strict=True)):
        raise ValueError(
            "two cells of a modality have the same name: obs_names_make_unique() tells them apart"
        )
    shared = [
        (i, cell)
        for i, cell in enumerate(np.asarray(data.obs_names))
        if all(cell in place for place in places)
    ]
    if len(shared) < 2:
        raise ValueError(
            f"the modalities {names[0]!r} and {names[1]!r} share {len(shared)} cells, expected two or more"
        )
    for modality, place in zip(made, places, strict=True):
        modality.rows = np.array([place[cell] for _, cell in shared], dtype=np.intp)
    return made, np.array([i for i, _ in shared], dtype=np.intp), names


def _of_anndata(data: Any, name: str, layer: str | None, use_raw: bool) -> Modality:
    if name in data.obsm:
        table = data.obsm[name]
        features = [str(column) for column in table.columns] if hasattr(table, "columns") else None
        return Modality(name, np.asarray(table) if hasattr(table, "columns") else table, features, None)
    kinds = _kinds(data)
    if name not in kinds:
        raise ValueError(
            f"there is neither a type of features nor an entry of `obsm` called {name!r}: "
            f"{kinds} and {list(data.obsm)} are there"
        )
    if use_raw:
        raise ValueError(
            "use_raw=True goes with the modalities of MuData: the features of `raw` have no types"
        )
    values, features = _cells.values(data, layer=layer, use_raw=False)
    columns = np.flatnonzero(np.asarray(data.var["feature_types"]) == name)
    return Modality(name, values, [features[i] for i in columns], data, columns)


def _kinds(data: Any) -> list[str]:
    if "feature_types" not in data.var:
        return []
    return [str(kind) for kind in dict.fromkeys(np.asarray(data.var["feature_types"]))]


def _two(mods: Any, found: list[str], what: str) -> list[str]:
    if mods is None:
        if len(found) != 2:
            raise ValueError(
                f"there are {len(found)} {what} ({', '.join(found)}): name two of them, "
                "as in mods=('rna', 'atac')"
            )
        return found
    names = [mods] if isinstance(mods, str) else [str(name) for name in mods]
    if len(names) != 2 or names[0] == names[1]:
        raise ValueError(f"mods == {mods!r}, expected the names of two {what}")
    return names
