"""Counts by data set as a page and as CSV, and every trial that broke its word."""
import sys

import machine
import tables

from .trials import VERDICTS

BROKEN = ("wrong", "above", "understated", "agreed", "refuted", "unbounded", "failed")
SHOWN = 25


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


def text(trials, facts, about, unsure):
    rows = list(counts(trials))
    total = {name: sum(row[name] for row in rows) for name in ("fits", "claims", *VERDICTS)}
    heads = ["data", "method", "fits", "claims", *VERDICTS, "most missing from a claim", "passes"]
    lines = [
        "# Are claims of convergence true?",
        "",
        about,
        "",
        machine.short(facts),
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
    return "\n".join([*lines, "", "Repeat it: `cargo xtask bench claims`.", ""])


def write(trials, facts, about, unsure, folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    page = text(trials, facts, about, unsure)
    (folder / f"{name}.md").write_text(page)
    tables.write(folder / f"{name}.csv", list(counts(trials)))
    print(page)
    print(f"written to {folder}", file=sys.stderr)
