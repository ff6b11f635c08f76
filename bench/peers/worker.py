"""One system on one problem, in a process of its own: `python -m peers.worker DATA SYSTEM EVENTS`."""
import sys
import warnings

from . import problems
from .evaluate import Judge
from .report import Reached, Report
from .systems import SYSTEMS

# What takes less than this is repeated, since a first run pays for threads and caches; the fastest counts.
SHORT = 2.0
REPETITIONS = 3


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
        except MemoryError:
            report.write("ended", result="out of memory")
        except problems.Refused as refusal:
            report.write("ended", result="refused", remarks=[str(refusal)])


def run(fit, problem, report):
    for _ in range(REPETITIONS):
        report.again()
        try:
            found = fit(problem, report)
            if found is not None:
                report.point(report.seconds(), None, *found)
        except Reached:
            pass
        if report.longest > SHORT:
            return


if __name__ == "__main__":
    main()
