"""Modalities as shards of a Dask cluster: rows of backed files and chunks of Dask arrays,
read by the workers."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from lcca.sc import _hdf5
from lcca.sc._modalities import Modality

_ROWS = 1 << 15  # rows of a shard from a file


@dataclass
class RowsOfFile:
    """Loads some rows of a matrix in a file; a worker calls it."""

    path: str
    modality: str | None
    layer: str | None
    use_raw: bool
    start: int
    stop: int
    columns: Any = None

    def __call__(self) -> Any:
        """The rows."""
        part = _hdf5.open_part(self.path, modality=self.modality, layer=self.layer, use_raw=self.use_raw)
        rows = part[self.start : self.stop]
        return rows if self.columns is None else rows[:, self.columns]


def pair(client: Any, data: Any, both: list[Modality], *, layer: str | None, use_raw: bool) -> Any:
    """A pair of views on the cluster.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    data : AnnData or MuData
        Backed by a file that the workers see, or made of Dask arrays.
    both : list of Modality
        The two views.
    layer, use_raw
        Where in the file the values are.

    Returns
    -------
    lcca.dask.Pair
        One shard per chunk of rows.
    """
    import lcca.dask

    if any(modality.rows is not None for modality in both):
        raise ValueError(
            "the modalities have different cells: on a cluster, "
            "take those that both have first (mudata.intersect_obs)"
        )
    if all(hasattr(modality.values, "dask") for modality in both):
        arrays = [
            modality.values if modality.columns is None else modality.values[:, modality.columns]
            for modality in both
        ]
        arrays = [array.rechunk({1: -1}) for array in arrays]
        return lcca.dask.from_array(client, arrays[0], arrays[1].rechunk({0: arrays[0].chunks[0]}))
    path = getattr(data, "filename", None)
    if path is None or any(modality.home is None and not use_raw for modality in both):
        raise ValueError(
            "on a cluster, AnnData and MuData must be backed by a file or made of Dask arrays (read_lazy)"
        )
    if any(getattr(part, "is_view", False) for part in (data, *(modality.home for modality in both))):
        raise ValueError(
            "a selection of backed data is not in the file as such: "
            "write it to a file of its own first (copy(filename))"
        )
    is_mudata = hasattr(data, "mod")
    count = int(both[0].values.shape[0])
    columns = [None if modality.columns is None else np.asarray(modality.columns) for modality in both]
    loaders = [
        tuple(
            RowsOfFile(
                os.fspath(path), modality.name if is_mudata else None, layer, use_raw, start,
                min(start + _ROWS, count), used,
            )
            for modality, used in zip(both, columns, strict=True)
        )
        for start in range(0, count, _ROWS)
    ]
    return lcca.dask.from_loaders(client, loaders)
