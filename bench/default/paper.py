"""Processor time against the paper's L-CCA: when does the default reach L-CCA's best total,
and which is ahead when?

Both run on one thread. The trace has clock readings that begin after reading. They are converted to processor
seconds by the share that the process had of the processor: (user + system) / (reading + fitting), which is 1
on an idle machine. L-CCA runs with the paper's settings: t1 5, k_pc 100, t2 7 and 38. Its best total is the
largest of its trace, and its time is the one at which it had that total.
"""
from . import row
from .program import Failed, fit

# Data set: flags, and the share of L-CCA's time that the default may take; None if only the number is shown.
PROBLEMS = {
    "brown": (("--no-center", 0.1),),
    "debian400k": (("--no-center", 0.1),),
    "tatoeba": (("--ridge 0.01", None), ("--no-center", None)),
    "mnist": (("", None), ("--no-center", None)),
}
STEPS = (7, 38)


def l_cca(data, quick):
    for flags, share in PROBLEMS[data]:
        papers = {t2: fit(data, paper(flags, t2)) for t2 in (STEPS[:1] if quick else STEPS)}
        for structure in ("", " --no-structure"):
            try:
                ours = fit(data, f"{flags}{structure} --threads 1".strip())
            except Failed as failure:  # the other settings are still compared
                yield row.missed(failure)
                continue
            for t2, theirs in papers.items():
                yield sooner(ours, theirs, t2, share)
                yield more(ours, theirs, t2)


def paper(flags, t2):
    return f"{flags} --method l-cca --t1 5 --k-pc 100 --t2 {t2} --threads 1".strip()


def sooner(ours, theirs, t2, share):
    best = max(theirs["trace"], key=lambda r: r["total"])
    reached = next((r["cpu"] for r in ours["trace"] if r["total"] >= best["total"]), None)
    target = f"{best['total']:.6f} of l-cca --t2 {t2} ({best['cpu']:.2f} CPU s)"
    measured = (
        "**never**" if reached is None else f"{reached:.3f} CPU s, a share of {reached / best['cpu']:.3f}"
    )
    if share is None:
        return (
            row.shown(ours, target, measured)
            if reached is not None
            else row.judged(ours, target, measured, False)
        )
    ok = reached is not None and reached <= share * best["cpu"]
    return row.judged(ours, f"{target} in a share ≤ {share:g} of its time", measured, ok)


def more(ours, theirs, t2):
    """Compared at the end of each of L-CCA's iterations."""
    pairs = [(captured_by(ours["trace"], r["cpu"]), r["total"]) for r in theirs["trace"]]
    ahead = sum(default > l_cca for default, l_cca in pairs)
    last = f"{pairs[-1][0]:.6f} against {pairs[-1][1]:.6f} at its end"
    return row.judged(ours, f"more captured at equal CPU time than l-cca --t2 {t2}",
                      f"{last}; ahead at {ahead} of its {len(pairs)} iterations", ahead == len(pairs))


def captured_by(trace, cpu):
    """A run that has ended keeps its total."""
    return max((r["total"] for r in trace if r["cpu"] <= cpu), default=0.0)
