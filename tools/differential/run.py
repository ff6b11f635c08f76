"""Runs one format: file after file, and a tally of what became of them."""

import collections
import re
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from differential import arrays, arrow, market, parquet, sparse, svmlight
from differential.text import delimited
from differential.compare import Refused, difference

FORMATS = {
    "csv": delimited.csv_file,
    "tsv": delimited.tsv_file,
    "parquet": parquet.file,
    "arrow": arrow.file,
    "npy": arrays.file,
    "npz": sparse.file,
    "mtx": market.file,
    "svm": svmlight.file,
}
# Generators write what other libraries write, so that a format of which most files are refused is not tested.
LEAST_SHARE = 0.3
_SHOWN = 20


@dataclass
class Tally:
    """What became of the files of one format."""

    name: str
    files: int = 0
    read: int = 0
    differences: list[str] = field(default_factory=list)
    reasons: collections.Counter[str] = field(default_factory=collections.Counter)
    writers: collections.Counter[str] = field(default_factory=collections.Counter)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether nothing differs, and enough files were read for that to mean something."""
        return not self.differences and self.read >= LEAST_SHARE * self.files

    def table(self) -> str:
        """A line for the format, one per reason of refusals and per writer,
        and the first files that differ."""
        refused = self.reasons.total()
        counts = (
            f"{self.files:,} written, {self.read:,} read alike, {refused:,} refused, "
            f"{len(self.differences):,} differ"
        )
        lines = [f"{self.name}: {counts}, {self.seconds:.0f} s of CPU"]
        lines += [f"  {count:7,} refused: {reason}" for reason, count in self.reasons.most_common()]
        lines += [
            f"  {count:7,} written by {writer}" for writer, count in self.writers.most_common() if writer
        ]
        if self.read < LEAST_SHARE * self.files:
            lines.append(f"  fewer than {LEAST_SHARE:.0%} were read: the generator or the reader is broken")
        rest = len(self.differences) - _SHOWN
        return "\n".join(
            [*lines, *self.differences[:_SHOWN], *([f"  and {rest:,} more differ"] if rest > 0 else [])]
        )


def run(name: str, seed: int, files: int, kept: Path) -> Tally:
    """Writes, reads and compares files of one format. Those that differ are copied to the folder `kept`."""
    tally = Tally(name)
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + files):
            random = np.random.default_rng([number, *name.encode()])
            case = FORMATS[name](random, Path(folder))
            tally.files += 1
            tally.writers[case.writer] += 1
            try:
                found = difference(case)
            except Refused as refusal:
                tally.reasons[_reason(str(refusal))] += 1
            else:
                if found is None:
                    tally.read += 1
                else:
                    tally.differences.append(_keep(name, number, case.path, case.options, found, kept))
            if case.path.exists():
                case.path.unlink()
    tally.seconds = time.process_time() - began
    return tally


def _keep(name: str, number: int, path: Path, options: object, found: str, kept: Path) -> str:
    target = kept / f"differs-{number}-{path.name}"
    shutil.copyfile(path, target)
    repeat = f"cargo xtask fuzz --differential --format {name} --seed {number} --files 1"
    return f"  {target}: {found}\n    options {options}\n    {repeat}"


def _reason(message: str) -> str:
    """A message without what is different in every file."""
    message = re.sub(r'"(?:[^"\\]|\\.)*"', "…", message)
    message = re.sub(r"(column |^)\S+: ", r"\1…: ", message) if message.startswith("column ") else message
    return re.sub(r"-?\d[\d.e+-]*", "N", message)[:110]
