"""From one pair to 200: the objective values of each run are the first ones of the largest run,
to the tolerance."""
from . import row
from .program import Failed, fit

FLAGS = {"brown": "--no-center", "debian400k": "--ridge 0.01"}
PAIRS = (1, 5, 20, 50, 200)
TOLERANCE = 1e-4  # lcca's default --tol, which is relative to the total


def sweep(data, quick):
    runs = []
    for k in PAIRS[:3] if quick else PAIRS:
        try:
            runs.append(fit(data, f"{FLAGS[data]} -k {k}"))
        except Failed as failure:  # the other runs are still compared
            yield row.missed(failure)
    for run in runs:
        yield row.converged(run)
        if run is not runs[-1]:
            yield agrees(run, runs[-1])
        spent = run["seconds"]["fit"]
        yield row.shown(run, "seconds, seconds per pair", f"{spent:.2f} s, {spent / run['k']:.3f} s")


def agrees(run, largest):
    k = run["k"]
    total, expected = sum(run["objective"]), sum(largest["objective"][:k])
    apart = abs(total - expected) / expected
    return row.judged(
        run, f"first {k} of k = {largest['k']}, within {TOLERANCE:g}", f"{total:.6f}, {apart:.1e} apart",
        apart <= TOLERANCE,
    )
