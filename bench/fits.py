"""`lcca fit` on the real data sets: every method at the paper's settings, and the default, with the truth beside.

`cargo xtask bench fits` prepares the data, builds the program and runs this. Seconds are those of the fit alone, the
best of three; CPU load before the run is part of the machine's description.
"""
import json
import os
import subprocess
from pathlib import Path

import machine

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"
REPEATS = 3
AUTO = ("auto",)
PAPER = ("l-cca --t2 7", "l-cca --t2 38", "g-cca --t2 51", "d-cca --t1 30", "rp-cca --k-rpcca 500")

# Data set, file names, flags, what the total of 20 objective values truly is, methods.
PROBLEMS = [
    ("brown", "npz", "--no-center", 14.994762323, AUTO + ("auto --no-structure",) + PAPER),
    ("mnist", "npy", "", 16.97992, AUTO),
    ("tatoeba", "npz", "--ridge 0.01", 19.8712562, AUTO + ("l-cca --t2 38",)),
    ("debian400k", "npz", "--ridge 0.01", 19.8217588, AUTO + ("l-cca --t2 38",)),
]


def main():
    about = machine.describe()
    runs = [run(*problem[:4], method) for problem in PROBLEMS for method in problem[4] if present(problem[0])]
    RESULTS.mkdir(parents=True, exist_ok=True)
    result = {"machine": about, "runs": runs}
    (RESULTS / "fits.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    (RESULTS / "fits.md").write_text(page(result))
    print(page(result))


def present(name):
    return (Path(os.environ["LCCA_DATA"]) / name).is_dir()


def run(name, ending, flags, truth, method):
    folder = Path(os.environ["LCCA_DATA"]) / name
    command = [ROOT / "target/release/lcca", "fit", folder / f"x.{ending}", folder / f"y.{ending}", "-k", "20"]
    command += flags.split() + ["--method", *method.split(), "--json", "--quiet"]
    outputs = [subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout for _ in range(REPEATS)]
    best = min(map(json.loads, outputs), key=lambda object: object["seconds"]["fit"])
    kept = ("total", "converged", "missing", "passes", "work", "seconds", "peak_rss_bytes", "threads", "version", "why")
    return {"data": name, "flags": flags, "method": method, "chosen": best["chosen"]["name"], "truth": truth,
            "objective": sum(best["objective"])} | {key: best[key] for key in kept}


def page(result):
    m = result["machine"]
    lines = [
        "# `lcca fit` on real data, k = 20",
        "",
        f"Machine: {m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB; {m['os']}; load before the run {m['load_before']}.",
        "",
        "| data | flags | method | objective total | truth | converged | passes | work | seconds | peak memory |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in result["runs"]:
        method = r["method"] if r["chosen"] in r["method"] else f"{r['method']} ({r['chosen']})"
        cells = [r["data"], r["flags"], method, f"{r['objective']:.6f}", f"{r['truth']:.6f}", "yes" if r["converged"] else "no",
                 passes(r), f"{r['work']:.0f}", f"{r['seconds']['fit']:.2f}", f"{r['peak_rss_bytes'] / 2**20:.0f} MiB"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines + ["", "Repeat it: `cargo xtask bench fits`.", ""])


def passes(run):
    grams = f" + {run['gram_passes']:g} over Gram matrices" if run["gram_passes"] else ""
    return f"{run['passes']:g}{grams}"


if __name__ == "__main__":
    main()
