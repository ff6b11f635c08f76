"""The look of each system in the figures: one color per family, one marker per member."""
from .systems import SYSTEMS

# Heading, colors from dark to light, systems.
FAMILIES = [
    ("lcca", ("#c8102e", "#ee6a50", "#f4a896"), ("lcca", "lcca-1e-6", "lcca-1e-3")),
    ("the paper's methods", ("#8c4a00", "#b8791f", "#d9a441", "#e8c987"),
     ("lcca-l-cca", "lcca-g-cca", "lcca-d-cca", "lcca-rp-cca")),
    ("packages", ("#00441b", "#1b7837", "#4d9a55", "#7fbf7b", "#00695c", "#4db6ac"),
     ("scikit-learn", "cca-zoo", "cca-zoo-ridge", "cca-zoo-ey", "statsmodels", "dlib")),
    ("factorized", ("#3f007d", "#6a51a3", "#9e9ac8"), ("whitening", "one-hot", "sparse-lu")),
    ("iterated", ("#08306b", "#2171b5", "#4292c6", "#85b8dc"), ("lobpcg", "lobpcg-gram", "als", "als-gram")),
    ("reduced, then CCA", ("#333333", "#888888"), ("randomized", "principal")),
]
MARKS = "osD^vP"
DASHES = {"lcca-1e-6": "--", "lcca-1e-3": ":"}


def order():
    return [system for _, _, systems in FAMILIES for system in systems]


def style(system):
    """Keywords for a plot. lcca is drawn last and in strong lines.
    Each system looks the same in every panel."""
    _, colors, systems = next(family for family in FAMILIES if system in family[2])
    n = systems.index(system)
    ours = system == "lcca"
    return {
        "label": SYSTEMS[system].label, "color": colors[n], "marker": MARKS[n],
        "linewidth": 2.6 if ours else 1.1, "linestyle": DASHES.get(system, "-"),
        "zorder": 5 if ours else 4 if system.startswith("lcca") else 3,
    }
