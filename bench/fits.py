"""`lcca fit` on the real data sets: every method at the paper's settings and the default,
with the true total.

`cargo xtask bench fits` prepares the data, builds the program and runs this. Seconds are those of the fit
alone, the best of three. The load of the machine before the run is part of its description.
"""
import json
import os
import subprocess
from pathlib import Path

import machine
import tables

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"
REPEATS = 3
AUTO = ("auto",)
PAPER = ("l-cca --t2 7", "l-cca --t2 38", "g-cca --t2 51", "d-cca --t1 30", "rp-cca --k-rpcca 500")

# Data set, file extension, flags, the true total of 20 objective values, methods.
PROBLEMS = [
    ("brown", "npz", "--no-center", 14.994762323, AUTO + ("auto --no-structure",) + PAPER),
    ("mnist", "npy", "", 16.97992, AUTO),
    ("tatoeba", "npz", "--ridge 0.01", 19.8712562, AUTO + ("l-cca --t2 38",)),
    ("debian400k", "npz", "--ridge 0.01", 19.8217588, AUTO + ("l-cca --t2 38",)),
]
# No method can exceed the true total by more than the digits that it is known to.
ROUNDING = 2e-6


def main():
    facts = machine.describe()
    runs = [run(*problem[:4], method) for problem in PROBLEMS for method in problem[4] if present(problem[0])]
    RESULTS.mkdir(parents=True, exist_ok=True)
    tables.write(RESULTS / "fits.csv", runs)
    (RESULTS / "fits.md").write_text(page(facts, runs))
    print(page(facts, runs))


def present(name):
    return (Path(os.environ["LCCA_DATA"]) / name).is_dir()


def run(name, extension, flags, truth, method):
    folder = Path(os.environ["LCCA_DATA"]) / name
    command = [
        ROOT / "target/release/lcca", "fit", folder / f"x.{extension}", folder / f"y.{extension}", "-k", "20"
    ]
    command += flags.split() + ["--method", *method.split(), "--json", "--quiet"]
    outputs = [
        subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout for _ in range(REPEATS)
    ]
    best = min(map(json.loads, outputs), key=lambda output: output["seconds"]["fit"])
    objective = sum(best["objective"])
    if objective > truth + ROUNDING:
        raise ArithmeticError(f"{method} on {name}: the objective total {objective} exceeds the true {truth}")
    copied = (
        "total", "converged", "missing", "passes", "gram_passes", "work", "peak_rss_bytes", "threads",
        "version",
    )
    return {
        "data": name, "flags": flags, "method": method, "chosen": best["chosen"]["name"], "truth": truth,
        "objective": objective, **{key: best[key] for key in copied}, "load_seconds": best["seconds"]["load"],
        "fit_seconds": best["seconds"]["fit"],
    }


def page(facts, runs):
    lines = [
        "# `lcca fit` on real data, k = 20",
        "",
        machine.short(facts),
        "",
        (
            "| data | flags | method | objective total | truth | converged | passes | work "
            "| seconds | peak memory |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in runs:
        method = r["method"] if r["chosen"] in r["method"] else f"{r['method']} ({r['chosen']})"
        cells = [
            r["data"], r["flags"], method, f"{r['objective']:.6f}", f"{r['truth']:.6f}",
            "yes" if r["converged"] else "no", passes(r), f"{r['work']:.0f}", f"{r['fit_seconds']:.2f}",
            f"{r['peak_rss_bytes'] / 2**20:.0f} MiB",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines + ["", "Repeat it: `cargo xtask bench fits`.", ""])


def passes(r):
    grams = f" + {r['gram_passes']:g} over Gram matrices" if r["gram_passes"] else ""
    return f"{r['passes']:g}{grams}"


if __name__ == "__main__":
    main()
