"""lcca as it is used: the command line on the same files. Its own clock, which starts when the data are read.

The points on the way are its own record of what it captured, each later by what ending the run cost, since nobody has an
answer before that; the answer is evaluated like everyone else's, and a record that ends elsewhere than the evaluation
says is an error.
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
        found = run(problem, ["--output", str(model), *flags.split()])
        tensors = read(model)
    report.version = found["version"]
    remark(found, report)
    weights = [tensors[f"{side}.weights"] for side in "xy"]
    ending = {key: end - found["trace"][-1][key] for key, end in (("seconds", found["seconds"]["fit"]), ("passes", found["passes"]))}
    for row in found["trace"][:-1]:
        report.given(row["seconds"] + ending["seconds"], row["passes"] + ending["passes"], row["total"], None)
    answer = report.point(found["seconds"]["fit"], found["passes"], *weights, peak=found["peak_rss_bytes"])
    if abs(answer["captured"] - found["total"]) > TOLERANCE * found["total"]:
        raise ArithmeticError(f"reports {found['total']} captured, evaluation says {answer['captured']}")


def run(problem, flags):
    program = os.environ.get("LCCA", ROOT / "target/release/lcca")
    centring = [] if problem.center else ["--no-center"]
    command = [program, "fit", *problem.files, "-k", problem.k, "--ridge", problem.ridge, *centring, "--json", "--quiet", *flags]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"lcca ended with {done.returncode}")
    return json.loads(done.stdout)


def remark(found, report):
    chosen = found["chosen"]["name"]
    if chosen != found["method"]:
        report.remark(f"chose {chosen}")
    if not found["converged"]:
        report.remark("says it has not converged")


def read(path):
    """The tensors of a safetensors file: a length, a header in JSON, the bytes."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    header.pop("__metadata__", None)
    return {name: tensor(raw[start:], about) for name, about in header.items()}


def tensor(body, about):
    at = slice(*about["data_offsets"])
    return np.frombuffer(body[at], "<f8").reshape(about["shape"])
