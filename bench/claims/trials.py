"""One fit, judged by the truth.

    wrong        claims convergence, but more than the tolerance is missing
    above        the total is larger than the true one
    understated  `missing` is smaller than what is missing
    refused      does not claim convergence
    agreed       a certificate that lets a wrong claim stand
    refuted      a certificate that proves more missing than is missing
    unbounded    a certified value farther from every true one than its bound
"""
import json
import subprocess
import time
from dataclasses import asdict, dataclass, field

import numpy as np

# Shares of the total that rounding may move: truths without a ridge are known to about 1e-8 if columns differ
# by one part in 1e4.
MARGIN = 1e-7
VERDICTS = ("wrong", "above", "understated", "refused", "agreed", "refuted", "unbounded", "failed")


@dataclass
class Trial:
    data: str
    size: str
    method: str
    ridge: float
    k: int
    tol: float
    certified: bool
    chosen: str = ""
    truth: float = 0.0
    total: float = 0.0
    shortfall: float = 0.0  # share of the total
    missing: float | None = None
    gain: float | None = None
    converged: bool = False
    passes: float = 0.0
    gram_passes: float = 0.0
    seconds: float = 0.0
    verdicts: list = field(default_factory=list)
    reason: str = ""
    machine: str = ""

    @property
    def name(self):
        return f"{self.data}, {self.size}"

    def flags(self):
        words = [f"--method {self.method}", f"--ridge {self.ridge:g}", f"-k {self.k}", f"--tol {self.tol:g}"]
        return " ".join(words + ["--certify"] * self.certified)

    def row(self):
        return asdict(self) | {"verdicts": " ".join(self.verdicts)}


def run(program, data, trial, limit, max_passes):
    """Fits and judges. A fit that takes longer than `limit` seconds is stopped and counts as failed."""
    command = [
        program, "fit", *data.views, *trial.flags().split(), "--json", "--quiet", "--hold-out", "no",
        "--scale", "no", "--threads", "1", "--max-passes", max_passes,
    ]
    start = time.perf_counter()
    try:
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        trial.verdicts, trial.reason, trial.seconds = ["failed"], f"over {limit:g} s", limit
        return trial
    trial.seconds = time.perf_counter() - start
    if done.returncode != 0:
        trial.verdicts, trial.reason = (
            ["failed"],
            done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"ended with {done.returncode}",
        )
        return trial
    judge(trial, json.loads(done.stdout), data)
    return trial


def judge(trial, fit, data):
    values = data.values[trial.ridge]
    trial.truth, trial.total = float(sum(values[: trial.k])), sum(fit["objective"])
    trial.chosen, trial.converged, trial.missing = fit["chosen"]["name"], fit["converged"], fit["missing"]
    trial.passes, trial.gram_passes = fit["passes"], fit["gram_passes"]
    trial.shortfall = (trial.truth - trial.total) / max(trial.total, 1e-300)
    right = trial.shortfall <= trial.tol + MARGIN
    verdicts = {
        "wrong": trial.converged and not right,
        "above": trial.shortfall < -MARGIN,
        "understated": trial.missing is not None and trial.missing < (1 - 1e-5) * trial.shortfall - MARGIN,
        "refused": not trial.converged,
    }
    certificate = fit.get("certified")
    if certificate:
        trial.gain = certificate["gain"] / max(trial.total, 1e-300)
        apart = [np.abs(values - value).min() for value in fit["objective"]] if len(values) > trial.k else []
        verdicts |= {
            "agreed": verdicts["wrong"],
            "refuted": trial.gain > max(trial.shortfall, 0) + MARGIN,
            "unbounded": any(
                distance > bound + MARGIN for distance, bound in zip(apart, certificate["bounds"])
            ),
        }
    trial.verdicts = [name for name, found in verdicts.items() if found]
