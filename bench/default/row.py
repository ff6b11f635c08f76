"""One line of the results: a requirement, the measurement, and whether it is met."""
from dataclasses import dataclass


@dataclass
class Row:
    """`ok` is None for a number that is shown without a requirement."""

    data: str
    flags: str
    required: str
    measured: str
    ok: bool | None
    chosen: str = ""


def judged(run, required, measured, ok):
    return Row(run["data"], run["flags"], required, measured, bool(ok), chosen(run))


def shown(run, quantity, measured):
    return Row(run["data"], run["flags"], quantity, measured, None, chosen(run))


def missed(failure):
    """A fit without an answer."""
    return Row(failure.data, failure.flags, "an answer", f"**{failure.reason}**", False)


def chosen(run):
    """The method that ran, and the reasons."""
    return f"{run['chosen']['name']}: {run['why']}"


def near(run, truth, relative=None, absolute=None):
    """The sum of the objective values, which is what a method with a ridge maximizes,
    against the known one."""
    total = sum(run["objective"])
    margin = absolute if relative is None else relative * truth
    within = f"{absolute:g}" if relative is None else f"{relative:g} of it"
    return judged(
        run, f"total {truth}, within {within}", f"{total:.9g} ({total - truth:+.1e})",
        abs(total - truth) <= margin,
    )


def converged(run):
    return judged(run, "converged", "yes" if run["converged"] else "**no**", run["converged"])


def seconds(run, most=None):
    measured = f"{run['seconds']['fit']:.2f} s, {passes(run)}"
    if most is None:
        return shown(run, "seconds", measured)
    return judged(run, f"fit under {most:g} s", measured, run["seconds"]["fit"] < most)


def passes(run):
    """Passes over the rows, and passes over Gram matrices if there were any."""
    grams = f" and {run['gram_passes']:g} over Gram matrices" if run["gram_passes"] else ""
    return f"{run['passes']:g} passes{grams}"
