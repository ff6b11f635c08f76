"""Two figures with one panel per data set: captured correlation against seconds, and against passes.

The vertical axis counts nines: it is the logarithm of what is missing, so 99% and 99.9% are as far apart as
90% and 99%. A line joins the answers of a system over time. Its large marker is the last answer, open if the
system was cut off there.
"""
import io
import math

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.legend import Legend  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: E402
from PIL import Image  # noqa: E402

from .families import FAMILIES, order, style  # noqa: E402
from .problems import SHARE  # noqa: E402

TOP = 5  # nines; answers closer to the truth are drawn here
TICKS = (0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999)
COLUMNS = 3
DPI = 110  # legible at the width of a page, in a third of the bytes of 150


def write(result, folder):
    plt.rcParams |= {"font.size": 8.5, "axes.spines.top": False, "axes.spines.right": False}
    for against, name in (("seconds", "peers"), ("passes", "peers-passes")):
        drawing = draw(result, against)
        save(drawing, folder / f"{name}.png")
        plt.close(drawing)


def save(drawing, path):
    """A PNG with a palette, a fifth of the size of an SVG with its thousands of markers.
    Maximum coverage keeps rare colors."""
    buffer = io.BytesIO()
    drawing.savefig(buffer, format="png", dpi=DPI)
    image = Image.open(buffer).convert("RGB")
    image.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def draw(result, against):
    names = list(result["problems"])
    lines = math.ceil((len(names) + 1) / COLUMNS)
    drawing, panels = plt.subplots(
        lines, COLUMNS, figsize=(13, 4 * lines), squeeze=False, layout="constrained"
    )
    places = list(panels.flat)
    shown = set()
    for name, axes in zip(names, places):
        runs = [run for run in result["runs"] if run["data"] == name]
        shown |= panel(axes, runs, result["problems"][name], against)
        axes.set_title(f"{name}, k = {result['problems'][name]['k']}", loc="left", fontweight="bold")
        axes.set_xlabel(f"{against}, log scale")
    for row in panels:
        row[0].set_ylabel("captured correlation, share of the truth")
    legend(places[len(names)], shown)
    for axes in places[len(names):]:
        axes.set_axis_off()
    return drawing


def panel(axes, runs, problem, against):
    """Draws one data set. Returns the systems that are in it."""
    shown = set()
    for run in sorted(runs, key=lambda run: order().index(run["system"]), reverse=True):
        points = [
            (p[against], nines(p["captured"] / problem["captured"]))
            for p in run["points"]
            if p[against] and p["captured"]
        ]
        if points:
            curve(axes, points, style(run["system"]), run["result"] == "done")
            shown.add(run["system"])
    axes.set_xscale("log")
    whole_decades(axes)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(0, TOP + 0.25)
    axes.set_yticks(
        [nines(tick) for tick in TICKS], [f"{tick:.10g}%" for tick in (round(100 * t, 4) for t in TICKS)]
    )
    axes.grid(axis="y", color="0.92", linewidth=0.8)
    axes.axhline(nines(SHARE), color="0.55", linewidth=0.8, linestyle=":")
    axes.set_axisbelow(True)
    if against == "seconds":
        axes.text(
            0.99,
            0.015,
            without(runs),
            transform=axes.transAxes,
            ha="right",
            va="bottom",
            fontsize=7,
            color="0.35",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1},
        )
    return shown


def whole_decades(axes):
    """Widens a short range to whole decades, because it might contain no labeled tick."""
    low, high = axes.get_xlim()
    if high < 100 * low:
        axes.set_xlim(10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high)))


def curve(axes, points, look, finished):
    steps = sorted(points)
    axes.plot(*zip(*steps), **look | {"marker": ""}, alpha=0.9)
    axes.plot(*zip(*steps), **look | {"linestyle": "", "label": None}, markersize=2, alpha=0.7)
    face = look["color"] if finished else "white"
    axes.plot(
        *points[-1], **look | {"linestyle": "", "label": None}, markersize=8 if look["zorder"] == 5 else 6,
        markerfacecolor=face,
    )


def nines(share):
    """0.9 becomes 1 and 0.99 becomes 2, up to the top of the axis."""
    return -math.log10(min(max(1 - share, 10.0**-TOP), 1))


def without(runs):
    """The number of systems without an answer, per reason."""
    reasons = [run["result"] for run in runs if not run["captured"]]
    return "\n".join(f"no answer, {reason}: {reasons.count(reason)}" for reason in dict.fromkeys(reasons))


def legend(axes, shown):
    """Two columns, with one heading per family."""
    for families, left in ((FAMILIES[:3], -0.2), (FAMILIES[3:], 0.4)):
        handles = [handle for family in families for handle in entries(family, shown)]
        labels = [handle.get_label() for handle in handles]
        box = Legend(
            axes, handles, labels, loc="upper left", bbox_to_anchor=(left, 0.99), frameon=False, fontsize=8
        )
        box.set_in_layout(False)
        axes.add_artist(box)
        for text in box.get_texts():
            text.set_fontweight("bold" if text.get_text() in [family[0] for family in families] else "normal")
    note = "large marker: last answer; open: cut off there\ndotted line: 99.9% of the truth"
    axes.text(
        -0.16, 0.02, note, transform=axes.transAxes, fontsize=7.5, color="0.3", va="bottom", in_layout=False
    )


def entries(family, shown):
    heading, _, systems = family
    members = [Line2D([], [], markersize=5, **style(system)) for system in systems if system in shown]
    return [Line2D([], [], linestyle="", label=heading), *members] if members else []
