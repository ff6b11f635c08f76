"""One line of the results: what was asked, what was measured, and whether the one is the other."""
from dataclasses import dataclass


@dataclass
class Row:
    """`ok` is None where nothing was asked and the number is only shown."""

    data: str
    flags: str
    asked: str
    measured: str
    ok: bool | None
    chosen: str = ""


def judged(run, asked, measured, ok):
    return Row(run["data"], run["flags"], asked, measured, bool(ok), about(run))


def shown(run, asked, measured):
    return Row(run["data"], run["flags"], asked, measured, None, about(run))


def missed(failure):
    """A fit without an answer."""
    return Row(failure.data, failure.flags, "an answer", f"**{failure.reason}**", False)


def about(run):
    return f"{run['chosen']['name']}: {run['why']}"


def near(run, truth, relative=None, absolute=None):
    """The sum of the objective values, which is what a regularised method maximises, beside the known one."""
    total = sum(run["objective"])
    margin = absolute if relative is None else relative * truth
    within = f"{absolute:g}" if relative is None else f"{relative:g} of it"
    return judged(run, f"total {truth}, within {within}", f"{total:.9g} ({total - truth:+.1e})", abs(total - truth) <= margin)


def converged(run):
    return judged(run, "converged", "yes" if run["converged"] else "**no**", run["converged"])


def seconds(run, most=None):
    measured = f"{run['seconds']['fit']:.2f} s, {passes(run)}"
    if most is None:
        return shown(run, "seconds", measured)
    return judged(run, f"fit under {most:g} s", measured, run["seconds"]["fit"] < most)


def passes(run):
    """Those over the rows, and those over Gram matrices where there were any."""
    grams = f" and {run['gram_passes']:g} over Gram matrices" if run["gram_passes"] else ""
    return f"{run['passes']:g} passes{grams}"
