"""Helpers for tests on a real cluster of processes on this machine."""

import os
import threading
import time
from pathlib import Path

import numpy as np

ROWS, X_COLS, Y_COLS = 4000, 300, 200

# A fit of a few dozen iterations, so that there is time to disturb it.
SLOW = {"n_components": 5, "method": "lobpcg", "structure": False, "tol": 1e-9}


def edges(count, rows=ROWS):
    """The first row of each of `count` unequal shards, and the number of rows."""
    return [
        0,
        *sorted(np.random.default_rng(count).choice(np.arange(1, rows), count - 1, replace=False)),
        rows,
    ]


def loaders(views, count, log=None, wait=0.0):
    """Functions that return slices of the views; each call for X writes a line to `log`."""
    x, y = views

    def load(view, shard, first, last):
        def call():
            if log is not None:
                with open(log, "a") as file:
                    file.write(f"{shard} {os.getpid()}\n")
            time.sleep(wait)
            return view[first:last]

        return call

    rows = edges(count, x.shape[0])
    return [
        (load(x, i, a, b), lambda a=a, b=b: y[a:b])
        for i, (a, b) in enumerate(zip(rows, rows[1:], strict=False))
    ]


def loaded(log):
    """The shards in the order in which they were loaded."""
    return [int(line.split()[0]) for line in Path(log).read_text().splitlines()]


def workers(client):
    """Process ids by address."""
    return client.run(os.getpid)


class Saboteur:
    """A callback that acts after the third iteration of a fit."""

    def __init__(self, act):
        self.act, self.done = act, False

    def __call__(self, row):
        if row["iteration"] == 3 and not self.done:
            self.done = True
            self.act.start() if isinstance(self.act, threading.Timer) else self.act()


def later(seconds, act):
    """Acts from another thread, so that it happens in the middle of something."""
    return threading.Timer(seconds, act)
