"""A page of requirements: each with its measurement and the verdict.

The benchmarks `python` and `dask` use it. `default` has its own page,
because its requirements come in sections.
"""
import sys

import machine
import tables
from default.page import VERDICT
from default.row import Row


def judged(data, required, measured, ok):
    return logged(Row(data, "", required, measured, bool(ok)))


def shown(data, quantity, measured):
    """A number without a requirement."""
    return logged(Row(data, "", quantity, measured, None))


def logged(row):
    print(f"{row.data}: {row.required}: {row.measured}", file=sys.stderr, flush=True)
    return row


def write(name, title, about, machine_facts, rows, folder):
    """NAME.md and NAME.csv of `cargo xtask bench NAME`."""
    folder.mkdir(parents=True, exist_ok=True)
    page = text(name, title, about, machine_facts, rows)
    (folder / f"{name}.md").write_text(page)
    tables.write(
        folder / f"{name}.csv",
        [{"data": r.data, "required": r.required, "measured": r.measured, "ok": r.ok} for r in rows],
    )
    print(page)
    print(f"written to {folder}", file=sys.stderr)


def text(name, title, about, machine_facts, rows):
    required = [row for row in rows if row.ok is not None]
    lines = [
        f"# {title}",
        "",
        about,
        "",
        machine.short(machine_facts),
        "",
        f"{sum(row.ok for row in required)} of {len(required)} requirements are met.",
        "",
        "| data | required | measured | ok? |",
        "|---|---|---|---|",
        *(f"| {row.data} | {row.required} | {row.measured} | {VERDICT[row.ok]} |" for row in rows),
        "",
        f"Repeat it: `cargo xtask bench {name}`.",
        "",
    ]
    return "\n".join(lines)
