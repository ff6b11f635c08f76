"""Bounds on the objective values of a fit, as data."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Certificate:
    """Bounds on how far objective values are from true ones, and how much is missing
    from their total at least.

    Attributes
    ----------
    bounds : array of shape (k,)
        A true objective value lies within this distance of the fitted one.
    together : float
        As many true values as there are pairs, a different one for each, lie within this of the fitted ones.
    kind : "rigorous" or "conditional"
        Bounds are rigorous if both views have a ridge. Conditional ones hold if no direction of the data has
        a share of its columns' variance between 0 and 1e-12.
    gain : float
        The true total of the objective is larger than the fitted one by at least this.
    search : "exact", "proven", "probed" or "nearby"
        How larger pairs were looked for: the data were solved exactly as well, so that none was missed; a
        factorization of all columns proved how many values exceed a bound; random directions outside the
        fitted space were searched, which proves nothing if nothing is found; or only the surroundings of the
        fitted pairs were.
    proven : dict or None
        If `search` is "proven" and the proof succeeded: at most `exceeding` values are above `value`, and at
        most `missing` is missing from the total of the objective. If `gain` is not 0, larger pairs were found
        and at least that much is missing.
    unaffordable : float or None
        The operations of a proof that would have taken too many.
    loose : int
        Pairs whose bounds are loose, because conjugate gradients ran out of steps.
    passes : float
        Passes spent.
    text : str
        What was found, as a sentence.
    """

    bounds: NDArray[np.float64]
    together: float
    kind: str
    gain: float
    search: str
    loose: int
    passes: float
    proven: dict[str, float] | None = None
    unaffordable: float | None = None
    text: str = ""

    def __str__(self) -> str:
        widest = float(self.bounds.max()) if len(self.bounds) else 0.0
        return f"{self.kind} bounds of at most {widest:.1e}; {self.text}"


def from_data(data: Any, text: str = "") -> Certificate | None:
    """A certificate as a model file holds it; files of earlier versions do not say how
    larger pairs were looked for."""
    if data is None:
        return None
    return Certificate(
        **{"search": "nearby"} | data | {"bounds": np.array(data["bounds"], dtype=np.float64), "text": text}
    )
