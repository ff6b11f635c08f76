"""The results as JSON and as a page; misses are on top and in their places."""
import json
from dataclasses import asdict

VERDICT = {True: "yes", False: "**no**", None: ""}


def write(result, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "default.md").write_text(text(result))
    checks = [check | {"rows": [asdict(row) for row in check["rows"]]} for check in result["checks"]]
    (folder / "default.json").write_text(json.dumps(result | {"checks": checks}, indent=1, ensure_ascii=False) + "\n")
    print(text(result))


def text(result):
    m = result["machine"]
    lines = [
        "# What the default method must show",
        "",
        "`lcca fit` as users run it, k = 20 unless the flags say otherwise. Seconds are those of the fit, after reading, "
        "unless said otherwise; where they are asked for and few, the best of three runs. A row without a verdict only shows.",
        "",
        f"Machine: {m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB; {m['os']}; load before the run {m['load_before']}.",
        "",
        summary(result),
    ]
    for check in result["checks"]:
        lines += ["", f"## {check['title']}", "", *table(check["rows"])]
    return "\n".join(lines + ["", "Repeat it: `cargo xtask bench default`.", ""])


def summary(result):
    rows = [row for check in result["checks"] for row in check["rows"] if row.ok is not None]
    met = sum(row.ok for row in rows)
    cut = " This was a quick run, which leaves out the larger half of the checks." if result["quick"] else ""
    return f"{met} of {len(rows)} demands are met.{cut}"


def table(rows):
    yield "| data | flags | asked | measured | ok? |"
    yield "|---|---|---|---|---|"
    for row in rows:
        flags = f"`{row.flags}`" if row.flags else ""
        yield f"| {row.data} | {flags} | {row.asked} | {row.measured} | {VERDICT[row.ok]} |"
    yield ""
    yield from reasons(rows)


def reasons(rows):
    """What was chosen, and why: said once for each command."""
    said = dict.fromkeys((row.data, row.flags, row.chosen) for row in rows if row.chosen)
    for data, flags, chosen in said:
        command = f"{data} `{flags}`" if flags else data
        yield f"- {command} chose {chosen}"
