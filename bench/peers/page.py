"""The results as a page with tables, as CSV, and as two figures."""
import tables

from . import figure
from .problems import SHARE
from .systems import AUTO, SYSTEMS

NOTE = (
    "In parentheses: the ratio to the fastest of the lines that begin with lcca (auto). A system that did "
    "not get there shows its result and the share it reached. Points of a system that is watched on its way "
    "are taken whenever its clock has advanced by one twentieth. lcca reports correlations on its way, so "
    "with a ridge its time to an objective is that of a whole fit."
)


def write(result, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "peers.md").write_text(text(result))
    tables.write(folder / "peers.csv", [summary_row(run, result) for run in result["runs"]])
    tables.write(folder / "peers-points.csv", [row for run in result["runs"] for row in point_rows(run)])
    figure.write(result, folder)
    print(text(result))


def text(result):
    lines = [
        "# lcca against its peers",
        "",
        "Every system gets the same files and runs alone in a process of its own, with all cores and at most "
        f"{result['limits']['memory_gib']:g} GiB. The heading of each data set has the limit in seconds. A "
        "system that exceeds a limit is stopped, and that is its result; the table shows its last answer. A "
        "system that reports nothing on the way runs again and again with more iterations or directions, "
        "each run with its own clock and its own limit; the remarks have the setting of the last run. "
        "Seconds count the system's own computation, without reading files, converting them and evaluating "
        "answers. *Captured* is the sum of the correlations between the two subspaces on the training rows. "
        "*Objective* is the same sum with the ridge in both norms, which a regularized method maximizes. "
        "Both are computed from the weights by the same code for every system. An iterative peer is stopped "
        "once its objective is within 1e-5 of the truth. Shares are of the true answer, which is known "
        "independently. Only captured shares can exceed 100%, for an answer that ignores the ridge. If a "
        "system cannot solve the problem as stated, it solves the closest one it can, and the remark says "
        "so. [peers.csv](peers.csv) has these tables with more digits, [peers-points.csv](peers-points.csv) "
        "every point of the figures.",
        "",
        machine_line(result["machine"]),
        "",
        "Versions: " + ", ".join(versions(result["runs"])) + ".",
        "",
        "![Captured correlation against seconds, one panel per data set](peers.png)",
        "",
        "The same against passes over the rows, for systems that make passes:",
        "",
        "![Captured correlation against passes, one panel per data set](peers-passes.png)",
    ]
    for name, problem in result["problems"].items():
        runs = [run for run in result["runs"] if run["data"] == name]
        lines += ["", f"## {name}: {describe(problem)}", "", *table(runs, problem)]
    lines += ["", f"## Time to {SHARE:.1%} of the true captured correlation", "", *race(result, "captured")]
    lines += ["", f"## Time to {SHARE:.1%} of the true objective", "", *race(result, "objective"), "", NOTE]
    return "\n".join(lines + ["", "Repeat it: `cargo xtask bench peers`.", ""])


def machine_line(m):
    return (
        f"Machine: {m['cpu']}, {m['cores']} cores, {m['logical_cpus']} logical CPUs, {' '.join(m['simd'])}; "
        f"{m['memory_gib']} GiB; {m['os']}; Python {m['python']}; load before the run {m['load_before']}."
    )


def versions(runs):
    import numpy
    import scipy

    packages = {
        SYSTEMS[run["system"]].label.split(" ")[0].rstrip(":"): run["version"]
        for run in runs
        if run["version"]
    }
    packages |= {"NumPy": numpy.__version__, "SciPy": scipy.__version__}
    return [f"{name} {version}" for name, version in packages.items()]


def describe(problem):
    centered = "centered" if problem["center"] else "not centered"
    ridge = f"ridge {problem['ridge']}" if problem["ridge"] else "no ridge"
    truth = f"truth {problem['captured']:.6f}"
    if problem["ridge"]:
        truth += f" captured, {problem['objective']:.6f} objective"
    return f"k = {problem['k']}, {centered}, {ridge}; {truth}; at most {problem['limit']:g} s"


def table(runs, problem):
    yield (
        "| system | result | seconds | captured | share | objective | share "
        "| peak memory | passes | remark |"
    )
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


def race(result, value):
    """Seconds to the first point that is good enough, and their ratio to lcca's."""
    yield "| system | " + " | ".join(result["problems"]) + " |"
    yield "|---" * (1 + len(result["problems"])) + "|"
    times = {
        (run["data"], run["system"]): reached(run, result["problems"][run["data"]], value)
        for run in result["runs"]
    }
    ours = {data: fastest(times, data, AUTO) for data in result["problems"]}
    runs = {(run["data"], run["system"]): run for run in result["runs"]}
    systems = list(dict.fromkeys(run["system"] for run in result["runs"]))
    for system in systems:
        row = [
            entry(runs[data, system], times[data, system], ours[data], problem, value)
            for data, problem in result["problems"].items()
        ]
        yield f"| {SYSTEMS[system].label} | " + " | ".join(row) + " |"
    peers = [system for system in systems if not system.startswith("lcca")]
    best = [against(fastest(times, data, peers), ours[data]) for data in result["problems"]]
    yield "| **fastest peer** | " + " | ".join(best) + " |"


def reached(run, problem, value):
    enough = SHARE * problem[value]
    return next((p["seconds"] for p in run["points"] if p[value] is not None and p[value] >= enough), None)


def fastest(times, data, systems):
    found = [times[data, system] for system in systems if times.get((data, system)) is not None]
    return min(found, default=None)


def entry(run, time, ours, problem, value):
    if time is None:
        share = number(run[value], lambda v: f" ({v / problem[value]:.1%})")
        return ("never" if run["result"] == "done" else run["result"]) + share
    return against(time, ours)


def against(time, ours):
    if time is None:
        return ""
    return f"{seconds(time)} s" + (f" ({time / ours:.2g}×)" if ours else "")


def summary_row(run, result):
    """One run as a line of CSV."""
    problem = result["problems"][run["data"]]
    plain = ("result", "seconds", "passes", "captured", "objective", "peak", "setting", "version")
    return {
        "data": run["data"],
        "system": run["system"],
        **{key: run[key] for key in plain},
        "seconds_to_captured": reached(run, problem, "captured"),
        "seconds_to_objective": reached(run, problem, "objective"),
        "true_captured": problem["captured"],
        "true_objective": problem["objective"],
        "limit_seconds": run["conditions"]["seconds"],
        "limit_gib": run["conditions"]["memory_gib"],
        "remarks": "; ".join(run["remarks"]),
    }


def point_rows(run):
    """The answers of one run over time, one line each."""
    for point in run["points"]:
        captured, objective = (number(point[key], "{:.8f}".format) for key in ("captured", "objective"))
        yield {
            "data": run["data"], "system": run["system"], "seconds": f"{point['seconds']:.6g}",
            "passes": point["passes"], "captured": captured, "objective": objective,
            "setting": point["setting"],
        }


def one_line(run):
    """One line of progress."""
    captured = number(run["captured"], "{:.5f} captured".format) or "no answer"
    after = number(run["seconds"], lambda v: f" after {seconds(v)} s")
    return (
        f"{run['data']:14} {run['system']:14} {run['result']:14} {captured}{after} "
        f"{'; '.join(run['remarks'])}"
    )
