"""Everything the default method must show, on real data, in one run.

`cargo xtask bench default` prepares the data, builds the program and runs this. Every requirement is a row
with its measurement and a verdict. A fit that fails or takes too long is a row too. The checks
are in `bench/default/`.
"""
import argparse
import sys
from pathlib import Path

import machine
from default import answers, classical, descriptions, page, pairs, paper, program, same, scale
from default.row import missed

# The name for --only, data set, heading, function.
CHECKS = [
    ("total", "brown", "Brown bigrams: the exact answer", answers.brown),
    ("passes", "brown", "Brown bigrams: few passes, structure unused", answers.by_passes),
    ("passes", "debian400k", "Debian paths: few passes, structure unused", answers.by_passes),
    ("ridge", "debian400k", "Debian paths with ridge", answers.ridge),
    ("ridge", "tatoeba", "English-French sentences with ridge", answers.ridge),
    (
        "held-out", "tatoeba", "English-French sentences, one tenth of the rows held out",
        answers.on_held_out_rows,
    ),
    ("classical", "mnist", "MNIST's halves", classical.mnist),
    (
        "scale",
        "debian_full",
        "All Debian paths, columns seen at least twice, from the mapped store",
        scale.debian_full,
    ),
    ("scale", "debian_full", "All Debian paths, to the default tolerance", scale.by_default),
    ("descriptions", "languages", "Descriptions in two languages with ridge", descriptions.each_form),
    ("l-cca", "brown", "Brown bigrams: against the paper's L-CCA, in processor time", paper.l_cca),
    ("l-cca", "debian400k", "Debian paths: against L-CCA", paper.l_cca),
    ("l-cca", "tatoeba", "English-French sentences: against L-CCA", paper.l_cca),
    ("l-cca", "mnist", "MNIST's halves: against L-CCA", paper.l_cca),
    ("pairs", "brown", "Brown bigrams: from 1 to 200 pairs", pairs.sweep),
    ("pairs", "debian400k", "Debian paths: from 1 to 200 pairs", pairs.sweep),
    ("threads", "brown", "Brown bigrams: one thread or two", same.threads),
    ("threads", "debian400k", "Debian paths: one thread or two", same.threads),
    ("twice", "brown", "Brown bigrams: the same command twice", same.twice),
    ("twice", "debian400k", "Debian paths: the same command twice", same.twice),
]
NAMES = list(dict.fromkeys(check[0] for check in CHECKS))
DATA = list(dict.fromkeys(check[1] for check in CHECKS))


def main():
    args = arguments()
    facts = machine.describe()
    program.SCRATCH.mkdir(parents=True, exist_ok=True)
    checks = [run(*check, args.quick) for check in CHECKS if check[0] in args.only and check[1] in args.data]
    folder = args.out or default_folder(args)
    page.write({"machine": facts, "quick": args.quick, "checks": checks, "runs": program.RUNS}, folder)
    print(
        f"written to {folder.relative_to(program.ROOT) if folder.is_relative_to(program.ROOT) else folder}",
        file=sys.stderr,
    )


def arguments():
    parser = argparse.ArgumentParser(description="everything the default method must show")
    parser.add_argument(
        "--only", nargs="+", metavar="CHECK", choices=NAMES, default=NAMES, help=f"some of {', '.join(NAMES)}"
    )
    parser.add_argument(
        "--data", nargs="+", metavar="DATA", choices=DATA, default=DATA, help=f"some of {', '.join(DATA)}"
    )
    parser.add_argument(
        "--quick", action="store_true", help="only the smaller cases, to see that everything runs"
    )
    parser.add_argument(
        "--limit", type=float, default=program.LIMIT, help="seconds per fit [default: %(default)s]"
    )
    parser.add_argument("--out", type=lambda p: Path(p).resolve(), help="folder for the results")
    args = parser.parse_args()
    program.LIMIT = args.limit
    return args


def default_folder(args):
    """A partial run never replaces the committed results."""
    whole = not args.quick and set(args.only) == set(NAMES) and set(args.data) == set(DATA)
    return program.ROOT / ("bench/results" if whole else "target/bench/results")


def run(name, data, title, check, quick):
    """All rows of a check. A fit without an answer ends the check with a missed requirement."""
    print(f"{name} on {data} …", file=sys.stderr, flush=True)
    rows = []
    try:
        for row in check(data, quick):
            rows.append(row)
            print(f"  {row.flags}: {row.required}: {row.measured}", file=sys.stderr, flush=True)
    except program.Failed as failure:
        rows.append(missed(failure))
    return {"name": name, "data": data, "title": title, "rows": rows}


if __name__ == "__main__":
    main()
