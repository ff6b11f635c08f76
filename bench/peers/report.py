"""The clock of a system, and the record of its answers over time."""
import json
import time
from pathlib import Path

# A point is evaluated when the clock shows this many times the previous point's seconds,
# because the axis is logarithmic.
SPACING = 1.05
# A system may stop when its objective is this close to the truth, relative to it.
NEAR = 1e-5


class Reached(Exception):
    """The answer is as close to the truth as the comparison can show, so the system may stop."""


class Report:
    """`report(passes, Wx, Wy)` evaluates an answer with the clock stopped and records it."""

    def __init__(self, problem, judge, events):
        self.problem, self.judge, self.events = problem, judge, events
        self.started = time.perf_counter()
        self.off = self.peak = self.last = self.longest = 0.0
        self.remarks, self.version, self.setting = [], None, None

    def again(self):
        """Begins another repetition: the points of the previous one are dropped if that was slower."""
        self.longest = 0.0
        self.write("again")
        self.restart()

    def restart(self):
        """Sets the clock to zero: data were converted, or the next run of a series begins."""
        self.off = time.perf_counter() - self.started
        self.last = 0.0
        forget_peak()
        self.write("clock")

    def pause(self):
        """Stops the clock until the next `restart` or point."""
        self.write("pause")

    def seconds(self):
        return time.perf_counter() - self.started - self.off

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
        """A point at a time that was already measured. The clock stands still during the evaluation."""
        stopped = time.perf_counter()
        self.peak = max(self.peak, peak or peak_bytes())
        self.pause()
        captured, objective = self.judge(wx, wy)
        self.off += time.perf_counter() - stopped
        forget_peak()
        return self.given(seconds, passes, captured, objective)

    def given(self, seconds, passes, captured, objective):
        self.longest = max(self.longest, seconds)
        point = {
            "seconds": seconds, "passes": passes, "captured": captured, "objective": objective,
            "peak": self.peak,
        }
        self.write("point", point=point | {"setting": self.setting})
        return point

    def write(self, event, **facts):
        """Every event repeats the remarks and the version, so that they survive if the system is cut off."""
        about = {"off": self.off, "remarks": self.remarks, "version": self.version}
        self.events.write(json.dumps({"event": event, **about, **facts}) + "\n")
        self.events.flush()


def peak_bytes():
    """The peak memory of this process since `forget_peak`; 0 if the system does not report it."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def forget_peak():
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass  # without this file the peak includes reading and evaluation
