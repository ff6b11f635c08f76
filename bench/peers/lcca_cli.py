"""lcca as users run it: the command line on the same files. It has its own clock,
which starts after the data are read.

The points on the way come from lcca's trace. Each is shifted by the time for finishing the fit, because no
user has the answer before that. The final answer is evaluated like those of all systems, and a trace that
disagrees with the evaluation is an error.
"""
import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from .problems import ROOT

TOLERANCE = 1e-6


def fit(problem, report, flags):
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        result = run(problem, ["--output", str(model), *flags.split()])
        tensors = read(model)
    report.version = result["version"]
    remark(result, report)
    weights = [tensors[f"{side}.weights"] for side in "xy"]
    ends = (("seconds", result["seconds"]["fit"]), ("passes", result["passes"]))
    finishing = {key: end - result["trace"][-1][key] for key, end in ends}
    for row in result["trace"][:-1]:
        objective = None if problem.ridge else row["total"]  # the trace has correlations only
        seconds, passes = (row[key] + finishing[key] for key in ("seconds", "passes"))
        report.given(seconds, passes, row["total"], objective)
    answer = report.point(result["seconds"]["fit"], result["passes"], *weights, peak=result["peak_rss_bytes"])
    if not abs(answer["captured"] - result["total"]) <= TOLERANCE * result["total"]:
        raise ArithmeticError(f"reports {result['total']} captured, evaluation says {answer['captured']}")


def run(problem, flags):
    program = os.environ.get("LCCA", ROOT / "target/release/lcca")
    center = [] if problem.center else ["--no-center"]
    command = [
        program, "fit", *problem.files, "-k", problem.k, "--ridge", problem.ridge, *center, "--json",
        "--quiet", *flags,
    ]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"lcca ended with {done.returncode}")
    return json.loads(done.stdout)


def remark(result, report):
    chosen = result["chosen"]["name"]
    if chosen != result["method"]:
        report.remark(f"chose {chosen}")
    if not result["converged"]:
        report.remark("says it has not converged")


def read(path):
    """The tensors of doubles in a safetensors file: a length, a header in JSON, the bytes."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    header.pop("__metadata__", None)
    return {name: tensor(raw[start:], about) for name, about in header.items() if about["dtype"] == "F64"}


def tensor(body, about):
    content = slice(*about["data_offsets"])
    return np.frombuffer(body[content], "<f8").reshape(about["shape"])
