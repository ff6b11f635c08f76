"""The results as a page and as CSV. Missed requirements are counted at the top and marked in their tables."""
import machine
import tables

from . import passes

VERDICT = {True: "yes", False: "**no**", None: ""}


def write(result, folder):
    folder.mkdir(parents=True, exist_ok=True)
    page = text(result)
    (folder / "default.md").write_text(page)
    runs = list(enumerate(result["runs"], start=1))
    tables.write(folder / "default.csv", [summary_row(number, run) for number, run in runs])
    tables.write(
        folder / "default-pairs.csv", [row for number, run in runs for row in pair_rows(number, run)]
    )
    print(page)


def text(result):
    lines = [
        "# What the default method must show",
        "",
        "`lcca fit` as users run it, k = 20 unless the flags say otherwise. Seconds are those of the fit, "
        "after reading, unless the row says otherwise. A short fit with a required time is the best of three "
        "runs. A row without a verdict is a number without a requirement. Every fit is a line of "
        "[default.csv](default.csv), its pairs are in [default-pairs.csv](default-pairs.csv).",
        "",
        machine.short(result["machine"]),
        "",
        summary(result),
        "",
        passes.sentences(result["runs"]),
    ]
    for check in result["checks"]:
        lines += ["", f"## {check['title']}", "", *table(check["rows"])]
    return "\n".join(lines + ["", "Repeat it: `cargo xtask bench default`.", ""])


def summary(result):
    rows = [row for check in result["checks"] for row in check["rows"] if row.ok is not None]
    met = sum(row.ok for row in rows)
    cut = " This was a quick run, which leaves out the larger half of the checks." if result["quick"] else ""
    return f"{met} of {len(rows)} requirements are met.{cut}"


def table(rows):
    yield "| data | flags | required | measured | ok? |"
    yield "|---|---|---|---|---|"
    for row in rows:
        flags = f"`{row.flags}`" if row.flags else ""
        yield f"| {row.data} | {flags} | {row.required} | {row.measured} | {VERDICT[row.ok]} |"
    yield ""
    yield from reasons(rows)


def reasons(rows):
    """The method that was chosen and why, once per data set and reason."""
    commands = {}
    for row in rows:
        if row.chosen:
            commands.setdefault((row.data, row.chosen), {})[row.flags] = None
    for (data, chosen), flags in commands.items():
        listed = ", ".join(f"`{line}`" for line in flags if line)
        yield f"- {data} {listed} chose {chosen}" if listed else f"- {data} chose {chosen}"


def summary_row(number, run):
    """One fit as a line of CSV."""
    plain = (
        "rows", "x_cols", "y_cols", "k", "threads", "seed", "version", "total", "converged", "missing",
        "passes", "gram_passes", "work",
    )
    return {
        "run": number,
        "data": run["data"],
        "flags": run["flags"],
        "chosen": run["chosen"]["name"],
        "objective": sum(run["objective"]),
        **{key: run[key] for key in plain},
        "load_seconds": run["seconds"]["load"],
        "fit_seconds": run["seconds"]["fit"],
        "cpu_seconds": run["cpu"],
        "peak_bytes": run["peak_rss_bytes"],
    }


def pair_rows(number, run):
    """The pairs of one fit, one line each; `run` is the line of the fit in default.csv."""
    columns = zip(run["objective"], run["correlations"], run["residuals"])
    for pair, (objective, correlation, residual) in enumerate(columns, start=1):
        yield {
            "run": number, "pair": pair, "objective": f"{objective:.10f}",
            "correlation": f"{correlation:.10f}", "residual": f"{residual:.1e}",
        }
