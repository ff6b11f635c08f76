"""All Debian paths from the mapped store, and one sixteenth and one quarter of their rows:
does time grow with the entries?"""
from . import row
from .program import DATA, Failed, call, files, fit

RIDGE = "--ridge 0.01"
FLAGS = f"{RIDGE} --tol 1e-3"
PASSES, SECONDS, GIB = 40, 300, 6


def debian_full(data, quick):
    for step in ("16",) if quick else ("16", "4", ""):
        try:
            yield from part(data, step)
        except Failed as failure:  # the other parts still run
            yield row.missed(failure)


def by_default(data, quick):
    """To the default tolerance, a tenth of the one above; `passes.py` counts the passes."""
    run = fit(stored(data, "16" if quick else ""), RIDGE)
    yield row.converged(run)
    yield row.seconds(run)


def part(data, step):
    name = stored(data, step)
    entries = sum(call(["info", path, "--json"])[0]["entries"] for path in files(name)) / 1e6
    run = fit(name, FLAGS)
    spent, memory = run["seconds"]["load"] + run["seconds"]["fit"], run["peak_rss_bytes"] / 1e9
    yield row.converged(run)
    yield row.judged(run, f"at most {PASSES} passes over the rows", row.passes(run), run["passes"] <= PASSES)
    yield row.judged(run, f"under {SECONDS} s with reading", f"{spent:.1f} s", spent < SECONDS)
    yield row.judged(run, f"peak memory under {GIB} GB", f"{memory:.2f} GB", memory < GIB)
    yield row.shown(run, "seconds per million entries", f"{spent / entries:.3f} ({entries:.1f} million)")


def stored(data, step):
    """The name of the set or of its part. Its mapped store is made from the .npz files, unless it exists."""
    for side in "xy":
        path = DATA / data / f"{side}_{step}.npz" if step else DATA / data / f"{side}.npz"
        if not path.with_suffix(".safetensors").exists():
            call(["convert", path, path.with_suffix(".safetensors"), "--quiet"], data)
    return f"{data}/{step}" if step else data
