"""Counts by data set as a page and as CSV, and every trial that broke its word."""
import collections
import math
import statistics
import sys

import tables

from .trials import VERDICTS

BROKEN = ("wrong", "above", "understated", "agreed", "refuted", "unbounded", "failed")
SHOWN = 25
# A share that is missing below this may be rounding, so that nothing is compared with it.
TELLING = 1e-6


def counts(trials):
    """One row per data set, method and whether the fit was certified."""
    groups = {}
    for trial in trials:
        groups.setdefault((trial.data, trial.size, trial.method, trial.certified), []).append(trial)
    for (data, size, method, certified), group in groups.items():
        found = {name: sum(name in trial.verdicts for trial in group) for name in VERDICTS}
        wrong = max((trial.shortfall for trial in group if "wrong" in trial.verdicts), default=0.0)
        yield {"data": data, "size": size, "method": method, "certified": certified, "fits": len(group),
               "claims": sum(trial.converged for trial in group)} | found | {
               "most_missing": wrong, "passes": sum(trial.passes + trial.gram_passes for trial in group),
               "seconds": round(sum(trial.seconds for trial in group), 1)}


def ratios(trials):
    """What is said to be missing over what is, where fits say how much and enough is missing."""
    return sorted(t.missing / t.shortfall for t in trials if t.missing is not None and t.shortfall > TELLING)


def spread(found):
    """The median and the 90th percentile."""
    return f"{statistics.median(found):.1f}, {found[math.ceil(0.9 * len(found)) - 1]:.1f}" if found else ""


def calibration(trials):
    """What is said over what is true, by data set and ridge."""
    fits = [t for t in trials if t.converged]
    all_of_them = ratios(fits)
    ridges = sorted({t.ridge for t in fits})
    rows = [
        "",
        "## Said over true",
        "",
        "What claims say is missing over what truly is, where more than 1e-6 of the total is: "
        "the median and the 90th percentile. Over all "
        f"{len(all_of_them)} such claims: {spread(all_of_them) or 'none'}.",
        "",
        "| data | " + " | ".join(f"ridge {ridge:g}" for ridge in ridges) + " |",
        "|" + "---|" * (len(ridges) + 1),
    ]
    groups = {}
    for t in fits:
        groups.setdefault(t.name, {}).setdefault(t.ridge, []).append(t)
    for name, by_ridge in groups.items():
        cells = [spread(ratios(by_ridge.get(ridge, []))) for ridge in ridges]
        if any(cells):
            rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return rows


def machines(trials):
    """Where fits ran. Verdicts do not depend on it, so that parts of a run may come from several machines."""
    counts = collections.Counter(trial.machine for trial in trials)
    return "; ".join(f"{count} fits on {name}" for name, count in counts.items()) + "."


def text(trials, about, unsure):
    rows = list(counts(trials))
    total = {name: sum(row[name] for row in rows) for name in ("fits", "claims", *VERDICTS)}
    heads = ["data", "method", "fits", "claims", *VERDICTS, "most missing from a claim", "passes"]
    lines = [
        "# Are claims of convergence true?",
        "",
        about,
        "",
        machines(trials),
        "",
        f"{total['fits']} fits, {total['claims']} claims: "
        + ", ".join(f"{total[name]} {name}" for name in VERDICTS)
        + ".",
        "",
        "| " + " | ".join(heads) + " |",
        "|" + "---|" * len(heads),
    ]
    for row in rows:
        cells = [
            f"{row['data']}, {row['size']}",
            row["method"] + (" with a certificate" if row["certified"] else ""),
            row["fits"],
            row["claims"],
        ]
        cells += [
            f"**{row[name]}**" if row[name] and name in BROKEN else row[name] or "" for name in VERDICTS
        ]
        cells += [f"{row['most_missing']:.1e}" if row["most_missing"] else "", f"{row['passes']:.0f}"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    broken = sorted((t for t in trials if set(t.verdicts) & set(BROKEN)), key=lambda t: -abs(t.shortfall))
    if broken:
        lines += [
            "",
            f"The {min(SHOWN, len(broken))} worst of {len(broken)} fits that broke a promise:",
            "",
            "| data | flags | chosen | verdicts | converged | missing, true | missing, said | gain | total |",
            "|" + "---|" * 9,
        ]
    for t in broken[:SHOWN]:
        said, gain = (f"{v:.1e}" if v is not None else "" for v in (t.missing, t.gain))
        lines.append(
            f"| {t.name} | `{t.flags()}` | {t.chosen} | {', '.join(t.verdicts)} {t.reason} | "
            f"{'yes' if t.converged else 'no'} | {t.shortfall:.1e} | {said} | {gain} | {t.total:.9g} |"
        )
    if unsure:
        lines += [
            "",
            "Directions that are neither clearly significant nor clearly rounding: "
            + ", ".join(f"{k}: {v}" for k, v in unsure.items())
            + ".",
        ]
    lines += calibration(trials)
    return "\n".join([*lines, "", "Repeat it: `cargo xtask bench claims`.", ""])


def write(trials, about, unsure, folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    page = text(trials, about, unsure)
    (folder / f"{name}.md").write_text(page)
    tables.write(folder / f"{name}.csv", list(counts(trials)))
    print(page)
    print(f"written to {folder}", file=sys.stderr)
