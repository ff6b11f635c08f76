"""Fits that were judged already, one file for each program, so that a long run can be stopped and go on."""
import hashlib
import json
import threading
from dataclasses import asdict

import machine

from . import trials
from .data import CACHE


class Kept:
    """The trials of one program under the same limits."""

    def __init__(self, program, limits):
        self.program, self.lock = program, threading.Lock()
        with open(program, "rb") as file:
            name = hashlib.sha256(hashlib.file_digest(file, "sha256").digest() + limits.encode()).hexdigest()
        self.machine = machine.name(machine.describe())
        self.path = CACHE / f"trials-{name[:16]}.jsonl"
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.known = {key(trial): trial for trial in (trials.Trial(**json.loads(line)) for line in lines)}

    def has(self, trial):
        return key(trial) in self.known

    def run(self, data, trial, limit, max_passes):
        """A fit, judged now or before."""
        if self.has(trial):
            return self.known[key(trial)]
        done = trials.run(self.program, data, trial, limit, max_passes)
        done.machine = self.machine
        with self.lock, open(self.path, "a") as file:
            file.write(json.dumps(asdict(done)) + "\n")
        return done


def key(trial):
    return (trial.data, trial.size, trial.method, trial.ridge, trial.k, trial.tol, trial.certified)
