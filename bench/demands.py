"""A page of demands: what was asked, what was measured, and whether that is enough."""
import json
import sys

from default.page import VERDICT
from default.row import Row


def judged(data, asked, measured, ok):
    return _said(Row(data, "", asked, measured, bool(ok)))


def shown(data, asked, measured):
    """Nothing was asked; the number is only shown."""
    return _said(Row(data, "", asked, measured, None))


def _said(row):
    print(f"{row.data}: {row.asked}: {row.measured}", file=sys.stderr, flush=True)
    return row


def write(name, title, about, machine, rows, folder):
    """NAME.md and NAME.json of `cargo xtask bench NAME`."""
    folder.mkdir(parents=True, exist_ok=True)
    page = text(name, title, about, machine, rows)
    (folder / f"{name}.md").write_text(page)
    result = {"machine": machine, "rows": [vars(row) for row in rows]}
    (folder / f"{name}.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    print(page)
    print(f"written to {folder}", file=sys.stderr)


def text(name, title, about, m, rows):
    asked = [row for row in rows if row.ok is not None]
    lines = [
        f"# {title}",
        "",
        about,
        "",
        f"Machine: {m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB; {m['os']}; load before the run {m['load_before']}.",
        "",
        f"{sum(row.ok for row in asked)} of {len(asked)} demands are met.",
        "",
        "| data | asked | measured | ok? |",
        "|---|---|---|---|",
        *(f"| {row.data} | {row.asked} | {row.measured} | {VERDICT[row.ok]} |" for row in rows),
        "",
        f"Repeat it: `cargo xtask bench {name}`.",
        "",
    ]
    return "\n".join(lines)
