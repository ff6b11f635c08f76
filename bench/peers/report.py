"""The clock of a system, and the record of what it had found when."""
import json
import time
from pathlib import Path

# A point is evaluated when this much more time has passed than at the last one: the axis is logarithmic.
SPACING = 1.05
# Who came this near to the truth need not go on.
NEAR = 1e-5


class Reached(Exception):
    """The answer is as good as anyone can tell: the system may stop."""


class Report:
    """`report(passes, Wx, Wy)` evaluates an answer with the clock stopped and writes it down."""

    def __init__(self, problem, judge, events):
        self.problem, self.judge, self.events = problem, judge, events
        self.begun = time.perf_counter()
        self.off = self.peak = self.last = self.longest = 0.0
        self.remarks, self.version, self.setting = [], None, None

    def again(self):
        """The same once more: forget all points."""
        self.longest = 0.0
        self.write("again")
        self.restart()

    def restart(self):
        """What was done so far does not count: data were converted, or another run of a series begins."""
        self.off = time.perf_counter() - self.begun
        self.last = 0.0
        forget_peak()
        self.write("clock")

    def pause(self):
        """What is done until the next `restart` or point does not count."""
        self.write("pause")

    def seconds(self):
        return time.perf_counter() - self.begun - self.off

    def remark(self, text):
        if text not in self.remarks:
            self.remarks.append(text)
            self.write("remark")

    def __call__(self, passes, wx, wy, always=False):
        seconds = self.seconds()
        if always or seconds > SPACING * self.last:
            self.last = seconds
            objective = self.point(seconds, passes, wx, wy)["objective"]
            if objective is not None and objective >= (1 - NEAR) * self.problem.objective:
                raise Reached

    def point(self, seconds, passes, wx, wy, peak=None):
        """A point at a time that is already measured; nothing from here on counts."""
        stopped = time.perf_counter()
        self.peak = max(self.peak, peak or peak_bytes())
        self.pause()
        captured, objective = self.judge(wx, wy)
        self.off += time.perf_counter() - stopped
        forget_peak()
        return self.given(seconds, passes, captured, objective)

    def given(self, seconds, passes, captured, objective):
        self.longest = max(self.longest, seconds)
        point = {"seconds": seconds, "passes": passes, "captured": captured, "objective": objective, "peak": self.peak}
        self.write("point", point=point | {"setting": self.setting})
        return point

    def write(self, event, **facts):
        """With all that should outlive a system that is cut off."""
        about = {"off": self.off, "remarks": self.remarks, "version": self.version}
        self.events.write(json.dumps({"event": event, **about, **facts}) + "\n")
        self.events.flush()


def peak_bytes():
    """The most memory this process held since `forget_peak`; 0 where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def forget_peak():
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass  # the peak then includes reading and evaluation
