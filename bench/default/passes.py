"""How many passes a default fit takes: one number over all data sets."""
import re
import statistics

# The flags of a default fit state the problem. k is 20.
DEFAULT = re.compile(r"(--no-center|--ridge \S+)?")
ITERATES = "lobpcg"  # what auto chooses for sets that no other method solves exactly
MEANING = (
    "Each set counts once, by the first fit whose flags state the problem and nothing else, with its passes "
    "over the rows and over Gram matrices added up; products inside a preconditioner are not passes."
)


def sentences(runs):
    """The geometric mean of the passes, its definition, and the sets that are left out."""
    fits = first_default_fits(runs)
    counts = {data: total(run) for data, run in fits.items() if iterates(run)}
    if not counts:
        return "No default fit iterated."
    most = max(counts, key=counts.get)
    exact = ", ".join(data for data, run in fits.items() if not iterates(run))
    return (
        f"Passes of a default fit: {statistics.geometric_mean(counts.values()):.1f}, the geometric mean over "
        f"the {len(counts)} data sets on which it iterates, and at most {counts[most]:g} ({most}). {MEANING}"
        + (f" Solved without iterating: {exact}." if exact else "")
    )


def first_default_fits(runs):
    """By data set. Later fits of a set repeat the first one, or leave out some of its rows."""
    fits = {}
    for run in runs:
        if DEFAULT.fullmatch(run["flags"]):
            fits.setdefault(run["data"], run)
    return fits


def iterates(run):
    return run["chosen"]["name"] == ITERATES


def total(run):
    return run["passes"] + run["gram_passes"]
