"""Legal files that lcca and its peers must read alike: `cargo xtask fuzz --differential`.

A generator per format writes files with awkward but legal content. Each is read by the format's own library
(pandas, PyArrow, NumPy, SciPy, scikit-learn) and by lcca, in one process. A file that lcca reads must have
the same numbers, names, missing cells and categories; a file that it refuses must give a reason to, in one
line. The same seed gives the same files. Files that failed are kept in target/fuzz, with the
command that repeats them.
"""

import argparse
import sys
import warnings
from pathlib import Path

from differential import run

FOLDER = Path("target/fuzz")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="cargo xtask fuzz --differential", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--files", type=int, default=1000, help="files per format [default: 1000]")
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="the seed of the first file; the next one has the next [default: 1]",
    )
    parser.add_argument(
        "--format", choices=sorted(run.FORMATS), action="append", help="only this format; may be repeated"
    )
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    FOLDER.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in arguments.format or run.FORMATS:
        tally = run.run(name, arguments.seed, arguments.files, FOLDER)
        print(tally.table(), flush=True)
        failed = failed or not tally.passed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
