"""What was captured against seconds, and against passes where a system has passes: a column of panels a data set."""
import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

from .systems import SYSTEMS  # noqa: E402

MARKS = "os^vD<>pPX*h"


def write(result, folder):
    names = list(result["problems"])
    plt.rcParams |= {"font.size": 8, "svg.hashsalt": "lcca", "axes.spines.top": False, "axes.spines.right": False}
    drawing, panels = plt.subplots(2, len(names), figsize=(3.6 * len(names), 7), squeeze=False, layout="constrained")
    for column, name in enumerate(names):
        problem = result["problems"][name]
        runs = [run for run in result["runs"] if run["data"] == name]
        for row, against in enumerate(("seconds", "passes")):
            panel(panels[row, column], runs, problem, against)
        panels[0, column].set_title(name)
    for row in panels:
        row[0].set_ylabel("share of the true captured correlation")
    legend(drawing, panels)
    drawing.savefig(folder / "peers.svg", metadata={"Date": None})
    drawing.savefig(folder / "peers.png", dpi=150, metadata={"Software": None})
    plt.close(drawing)


def panel(axes, runs, problem, against):
    for run in runs:
        points = [p for p in run["points"] if p[against] and p["captured"] is not None]
        if points:
            values = [p[against] for p in points], [p["captured"] / problem["captured"] for p in points]
            axes.plot(*values, **style(run["system"]))
    axes.axhline(1, color="0.7", linewidth=0.8, zorder=0)
    axes.set_xscale("log")
    axes.set_xlabel(f"{against} (log)")
    axes.set_ylim(0, 1.05)


def style(system):
    """lcca in strong lines, peers thinner; each system looks the same in every panel."""
    n = list(SYSTEMS).index(system)
    ours = system.startswith("lcca")
    return {"label": SYSTEMS[system].label, "color": plt.get_cmap("tab20")(n % 20), "marker": MARKS[n % len(MARKS)],
            "markersize": 3.5, "linewidth": 2 if ours else 1, "linestyle": "-" if ours else "--"}


def legend(drawing, panels):
    shown = {label: line for axes in panels.flat for line, label in zip(*axes.get_legend_handles_labels())}
    drawing.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=5, frameon=False)
