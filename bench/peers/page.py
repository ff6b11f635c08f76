"""The results as JSON, as a page with tables, and as a figure."""
import json

from . import figure
from .problems import SHARE
from .systems import SYSTEMS


def write(result, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "peers.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    (folder / "peers.md").write_text(text(result))
    figure.write(result, folder)
    print(text(result))


def text(result):
    lines = [
        "# lcca beside its peers",
        "",
        "Every system gets the same files and runs alone in a process of its own, with all cores and at most "
        f"{result['limits']['memory_gib']:g} GiB. The seconds it may take are given with each data set. A system that goes over "
        "a limit is ended there, and that is its result; it shows the last answer it had. A system that shows nothing on the "
        "way is run again and again with more iterations or directions, each run with its own clock and its own limit; the "
        "setting of the last is in the remarks. Seconds are the system's own computation: reading files, "
        "converting them and evaluating answers do not count. *Captured* is the sum of the correlations between "
        "the two subspaces found, on the training rows; *objective* is the same sum with the ridge in both norms, and is "
        "what a regularised method maximises. Both are computed from the weights by the same code for every system. An "
        "iterative peer is stopped once its objective is within 1e-5 of the truth. Shares are of the true answer, which is "
        "known independently: above 100% is possible in the captured column only, for an answer that ignores the ridge. Where a system cannot do the problem as "
        "stated, it did the nearest it can and the remark says so.",
        "",
        machine_line(result["machine"]),
        "",
        "Versions: " + ", ".join(versions(result["runs"])) + ".",
        "",
        "![Captured correlation against seconds, one panel a data set](peers.svg)",
        "",
        "The same against passes over the rows, for those that have passes:",
        "",
        "![Captured correlation against passes, one panel a data set](peers-passes.svg)",
    ]
    for name, problem in result["problems"].items():
        runs = [run for run in result["runs"] if run["data"] == name]
        lines += ["", f"## {name}: {describe(problem)}", "", *table(runs, problem)]
    lines += ["", f"## Time to {SHARE:.1%} of the true captured correlation", "", *race(result)]
    return "\n".join(lines + ["", "Repeat it: `cargo xtask bench peers`.", ""])


def machine_line(m):
    return (f"Machine: {m['cpu']}, {m['cores']} cores, {m['logical_cpus']} logical CPUs, {' '.join(m['simd'])}; "
            f"{m['memory_gib']} GiB; {m['os']}; Python {m['python']}; load before the run {m['load_before']}.")


def versions(runs):
    found = {}
    for run in runs:
        if run["version"]:
            found[SYSTEMS[run["system"]].label.split(" ")[0].rstrip(":")] = run["version"]
    import numpy
    import scipy
    return [f"{name} {version}" for name, version in (found | {"NumPy": numpy.__version__, "SciPy": scipy.__version__}).items()]


def describe(problem):
    centred = "centred" if problem["center"] else "not centred"
    ridge = f"ridge {problem['ridge']}" if problem["ridge"] else "no ridge"
    truth = f"truth {problem['captured']:.6f}"
    if problem["ridge"]:
        truth += f" captured, {problem['objective']:.6f} objective"
    return f"k = {problem['k']}, {centred}, {ridge}; {truth}; at most {problem['limit']:g} s"


def table(runs, problem):
    yield "| system | result | seconds | captured | share | objective | share | peak memory | passes | remark |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for run in runs:
        yield "| " + " | ".join(cells(run, problem)) + " |"


def cells(run, problem):
    remarks = run["remarks"] + ([run["setting"]] if run["setting"] else [])
    yield SYSTEMS[run["system"]].label
    yield run["result"] if run["result"] == "done" else f"**{run['result']}**"
    yield number(run["seconds"], seconds)
    yield number(run["captured"], "{:.5f}".format)
    yield number(run["captured"], lambda v: f"{v / problem['captured']:.3%}")
    yield number(run["objective"], "{:.5f}".format)
    yield number(run["objective"], lambda v: f"{v / problem['objective']:.3%}")
    yield number(run["peak"], lambda v: f"{v / 2**30:.2f} GiB")
    yield number(run["passes"], "{:g}".format)
    yield "; ".join(remarks)


def number(value, form):
    return "" if value is None else form(value)


def seconds(value):
    return f"{value:.4f}" if value < 1 else f"{value:.1f}"


def race(result):
    """Seconds to the first point that captures enough, and how many times those of lcca's default."""
    yield "| system | " + " | ".join(result["problems"]) + " |"
    yield "|---" * (1 + len(result["problems"])) + "|"
    runs = {(run["data"], run["system"]): run for run in result["runs"]}
    for system in dict.fromkeys(run["system"] for run in result["runs"]):
        row = [entry(runs[data, system], runs.get((data, "lcca")), problem) for data, problem in result["problems"].items()]
        yield f"| {SYSTEMS[system].label} | " + " | ".join(row) + " |"
    yield ""
    yield ("In brackets: times lcca (auto). A system that did not get there shows its result, and the share it had. A point of a "
           "system that is watched on its way is taken when a twentieth more time has passed than at the last.")


def reached(run, problem):
    enough = SHARE * problem["captured"]
    return next((p["seconds"] for p in run["points"] if p["captured"] is not None and p["captured"] >= enough), None)


def entry(run, ours, problem):
    time, our_time = reached(run, problem), ours and reached(ours, problem)
    if time is None:
        had = number(run["captured"], lambda v: f" ({v / problem['captured']:.1%})")
        return ("never" if run["result"] == "done" else run["result"]) + had
    return f"{seconds(time)} s" + (f" ({time / our_time:.2g}×)" if our_time else "")


def one_line(run):
    """Progress, for whoever waits."""
    captured = number(run["captured"], "{:.5f} captured".format) or "no answer"
    after = number(run["seconds"], lambda v: f" after {seconds(v)} s")
    return f"{run['data']:10} {run['system']:14} {run['result']:14} {captured}{after} {'; '.join(run['remarks'])}"
