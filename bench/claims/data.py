"""Made data and their truths on disk, so that only the first run computes them."""
import hashlib
import inspect
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from . import families, truth

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "target/bench/claims"
# Real data whose true totals for k = 20 are known: name, ridge, objective.
REAL = (("tatoeba", 0.01, 19.8712562), ("debian400k", 0.01, 19.8217588), ("debian400k", 0.1, 19.5743141))


class Data:
    """Two views on disk and their true objective values by ridge."""

    def __init__(self, name, size, seed):
        make = families.FAMILIES[name][0]
        source = inspect.getsource(make) + inspect.getsource(truth)
        self.name, self.size = name, size
        self.folder = CACHE / f"{name}-{size}-{seed}-{hashlib.sha256(source.encode()).hexdigest()[:8]}"
        if not all((self.folder / f"{file}.npz").exists() for file in ("x", "y", "truth")):
            self.folder.mkdir(parents=True, exist_ok=True)
            # Single precision before the truth is computed, because that is what the program reads.
            views = [sp.csr_array(v).astype(np.float32) for v in make(np.random.default_rng(seed), size)]
            for side, view in zip("xy", views):
                view.sort_indices()
                sp.save_npz(self.folder / f"{side}.npz", sp.csr_matrix(view), compressed=False)
            if not (self.folder / "truth.npz").exists():
                values, unsure = truth.values(*views)
                np.savez(self.folder / "truth.npz", values=values, unsure=unsure)
        saved = np.load(self.folder / "truth.npz")
        self.values, self.unsure = dict(zip(truth.RIDGES, saved["values"])), int(saved["unsure"])
        self.views = [self.folder / f"{side}.npz" for side in "xy"]
