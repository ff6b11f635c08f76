"""One system on one problem, in a process of its own: `python -m peers.worker DATA SYSTEM EVENTS`."""
import os
import sys
import warnings

from threadpoolctl import threadpool_limits

from . import problems
from .evaluate import Judge
from .report import Reached, Report
from .systems import SYSTEMS

# A fit that takes fewer seconds is repeated and the fastest run counts,
# since the first one pays for threads and caches.
SHORT = 2.0
# Cores for dense products, one number per repetition. On views with fewer entries than FEW, waking a second
# core can take longer than the product (up to a hundred times with scikit-learn on a busy machine), so the
# first repetition has one core.
FEW = 1_000_000
ALL = os.cpu_count()
CORES = {True: (1, ALL, 1), False: (ALL, 1, ALL)}


def main():
    data, system, path = sys.argv[1:]
    warnings.filterwarnings("ignore")
    with open(path, "w") as events:
        fit = SYSTEMS[system].load()
        problem = problems.find(data)
        judge = Judge(problem)
        report = Report(problem, judge, events)
        try:
            run(fit, problem, report)
            report.write("ended", result="done")
        except MemoryError as error:
            report.write(
                "ended", result="out of memory", remarks=report.remarks + ([str(error)] if str(error) else [])
            )
        except problems.Refused as refusal:
            report.write("ended", result="refused", remarks=[str(refusal)])


def run(fit, problem, report):
    for cores in CORES[sum(view.size for view in problem.views) < FEW]:
        report.again()
        with threadpool_limits(cores):
            once(fit, problem, report)
        if report.longest > SHORT:
            return


def once(fit, problem, report):
    try:
        weights = fit(problem, report)
        if weights is not None:
            report.point(report.seconds(), None, *weights)
    except Reached:
        pass


if __name__ == "__main__":
    main()
