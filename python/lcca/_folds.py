"""The scores of finished folds in a file, so that a cross-validation that was stopped
continues with the next fold."""

import hashlib
import json
import os
from typing import Any

import numpy as np

from lcca import _lcca

Finished = list[tuple[list[float], bool]]


class FoldsFile:
    """A JSON file beside the state of the last fit. Without a path nothing is saved."""

    def __init__(self, path: str | None, views: Any, options: dict[str, Any], plan: dict[str, Any]) -> None:
        self._path = None if path is None else f"{path}.folds"
        self._identity = "" if path is None else _identity(views, options, plan)

    def finished(self) -> Finished:
        """The scores of the folds that an earlier run has finished."""
        if self._path is None or not os.path.exists(self._path):
            return []
        try:
            with open(self._path, encoding="utf-8") as file:
                saved = json.load(file)
            belongs, folds = (
                saved["identity"] == self._identity,
                [(list(s), bool(c)) for s, c in saved["finished"]],
            )
        except (ValueError, KeyError, TypeError):
            raise ValueError(
                f"{self._path} holds no scores of folds: remove it, or name another file to resume from"
            ) from None
        if not belongs:
            raise ValueError(
                f"{self._path} belongs to another cross-validation: remove it, "
                "or name another file to resume from"
            )
        return folds

    def save(self, finished: Finished) -> None:
        """Replaces the file by one with these scores, whole or not at all."""
        if self._path is None:
            return
        part = f"{self._path}.part"
        with open(part, "w", encoding="utf-8") as file:
            json.dump({"identity": self._identity, "finished": finished}, file)
        os.replace(part, self._path)

    def remove(self) -> None:
        """Everything is finished."""
        if self._path is not None and os.path.exists(self._path):
            os.remove(self._path)


def _identity(views: Any, options: dict[str, Any], plan: dict[str, Any]) -> str:
    """A checksum of the settings, the folds and the data."""
    settings = {name: value for name, value in options.items() if name not in ("memory", "device")}
    about = [
        settings, plan["ridges"], plan["ridge_y"], plan["folds"], views.x.shape, views.y.shape, views.x.nnz,
        views.y.nnz,
    ]
    digest = hashlib.sha256(json.dumps(about, default=str).encode())
    if plan.get("groups") is not None:
        digest.update(plan["groups"].tobytes())
    for rows in (row for split in plan["splits"] or [] for row in split):
        digest.update(np.ascontiguousarray(rows).tobytes())
    pieces = _lcca.Pieces([_lcca.Rows(*views)], _lcca.Pool(1))
    for total, squares in (pieces.moments(side)[1:3] for side in (0, 1)):
        digest.update(total.tobytes() + squares.tobytes())
    return digest.hexdigest()
