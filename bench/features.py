"""`cargo xtask experiment features`: canonical variables as features for a classifier with few labels.

Features are made of rows without labels: canonical variables of CCA with another view, or PCA/LSA of the same
size. A logistic regression then learns from 10, 50 or 200 labels per class. Raw columns stand beside them.
The results are written to the folder that is given: one table per task, and every accuracy as CSV.
"""
import argparse
import contextlib
import time
import warnings
from pathlib import Path

import lcca
import machine
import numpy as np
import tables
from features import learn, tasks

LABELS = (10, 50, 200)
REPETITIONS = 8


@contextlib.contextmanager
def clock(task, name):
    start = time.process_time()
    yield
    task.seconds[name] = time.process_time() - start


def measure(task):
    """One row per feature set, size and number of labels."""
    sets = [(name, size, cut(columns, size)) for name, columns in task.cut.items() for size in tasks.SIZES]
    sets += [(name, columns.shape[1], columns) for name, columns in task.whole.items()]
    for name, size, columns in sets:
        for count in LABELS:
            (penalty, is_standardized), found = learn.repeated(task, columns, count, REPETITIONS)
            error = np.std(found, ddof=1) / np.sqrt(len(found))
            row = {
                "task": task.name, "features": name, "size": size, "labels_per_class": count,
                "penalty": penalty,
            }
            row["standardized"] = is_standardized
            row |= {"accuracy": float(np.mean(found)), "standard_error": float(error)}
            print(
                f"{name} {size}, {count} labels: {row['accuracy']:.4f} ± {row['standard_error']:.4f}",
                flush=True,
            )
            yield row


def cut(columns, size):
    return columns[size] if isinstance(columns, dict) else columns[:, :size]


def table(task, rows):
    """The accuracies of a task, in percent."""
    lines = [f"## {task.name}", "", classes(task), ""]
    lines += [
        "| features | size | "
        + " | ".join(f"{count} labels per class" for count in LABELS)
        + " | made in CPU seconds |"
    ]
    lines += ["|---|---|" + "---|" * (len(LABELS) + 1)]
    for start in range(0, len(rows), len(LABELS)):
        own = rows[start : start + len(LABELS)]
        cells = " | ".join(f"{100 * r['accuracy']:.1f} ± {100 * r['standard_error']:.1f}" for r in own)
        seconds = task.seconds.get(own[0]["features"])
        made = "" if seconds is None else f"{seconds:.0f}"
        lines.append(f"| {own[0]['features']} | {own[0]['size']:,} | {cells} | {made} |")
    return lines + [""]


def classes(task):
    codes, counts = np.unique(task.labels[task.test], return_counts=True)
    share = 100 * counts.max() / counts.sum()
    return (
        f"{len(codes)} classes, {len(task.test):,} test rows; "
        f"the most frequent class is {share:.1f}% of them."
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--packages", type=Path, required=True, help="rows.tsv: descriptions and what packages depend on"
    )
    parser.add_argument("--digits", type=Path, required=True, help="the folder of MNIST's images and labels")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    warnings.simplefilter("ignore", lcca.LccaWarning)
    about, start = machine.describe(), time.process_time()
    rows, lines = [], ["# Features for classifiers with few labels", "", machine.short(about), ""]
    for task in (tasks.packages(options.packages, clock), tasks.digits(options.digits, clock)):
        own = list(measure(task))
        rows += own
        lines += table(task, own)
    minutes = (time.process_time() - start) / 60
    lines += [
        f"Accuracy in percent, the mean of {REPETITIONS} draws of labels ± its standard error. "
        f"The run took {minutes:.1f} CPU minutes."
    ]
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "table.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    tables.write(options.output / "features.csv", rows)


if __name__ == "__main__":
    main()
