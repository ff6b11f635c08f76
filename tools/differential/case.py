"""One file: what was written, how lcca is to read it, and what another library reads in it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class PeerRefuses(Exception):
    """The other library does not read the file, or reads something that is no matrix:
    lcca must refuse it too."""


@dataclass
class Expected:
    """A file as the other library reads it. NaN is missing."""

    numbers: NDArray[np.float64]
    names: list[str] | None = None
    row_names: list[str] | None = None
    # Why lcca must refuse the file although the other library reads it: names of `refusals.REASONS`.
    refusals: set[str] = field(default_factory=set)


@dataclass
class Case:
    """A file and how to read it. `expected` reads it with the other library."""

    path: Path
    expected: Callable[[], Expected]
    options: dict[str, Any] = field(default_factory=dict)
    # Which program wrote it, if there are several.
    writer: str = ""
