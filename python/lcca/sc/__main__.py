"""`python -m lcca.sc`: files of single cells for the program `lcca`."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence

from lcca.sc._convert import convert

_EXAMPLES = """\
examples:
  python -m lcca.sc convert pbmc.h5ad -o pbmc.safetensors --layer counts
  python -m lcca.sc convert multiome.h5mu -o stores          # stores/rna.safetensors, stores/atac.safetensors
  lcca fit stores/rna.safetensors stores/atac.safetensors --normalize-rows log1p -o model
"""
_CHILD = "LCCA_SC_CHILD"  # set in the process that does the work


def main(words: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code: 0 if it did what it says,
    2 if the input is refused, in one line."""
    parser = argparse.ArgumentParser(prog="python -m lcca.sc", description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser(
        "convert",
        help="write .h5ad, .h5mu and 10x .h5 files as stores",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", help="an AnnData, MuData or 10x file")
    command.add_argument(
        "-o", "--output", required=True, help="a .safetensors file, or a folder if there are several matrices"
    )
    command.add_argument(
        "--modality",
        action="append",
        help="a modality of MuData or a type of features; may be repeated [default: all]",
    )
    command.add_argument("--layer", help="a layer in place of X")
    command.add_argument("--raw", action="store_true", help="raw in place of X")
    typed = parser.parse_args(words)
    if _CHILD not in os.environ:
        return _apart(sys.argv[1:] if words is None else words, typed.file)
    try:
        for path in convert(
            typed.file, typed.output, modality=typed.modality, layer=typed.layer, use_raw=typed.raw
        ):
            print(path)
    except (ValueError, OSError, ImportError) as error:
        print(f"lcca.sc: {error}", file=sys.stderr)
        return 2
    return 0


def _apart(words: Sequence[str], path: str) -> int:
    """Runs a command in a process of its own: the library that reads HDF5 crashes on some damaged files,
    and a crash has no message."""
    done = subprocess.run(
        [sys.executable, "-m", "lcca.sc", *words], env=os.environ | {_CHILD: "1"}, check=False
    )
    if done.returncode < 0:
        print(
            f"lcca.sc: {path}: the file is damaged, and the library that reads HDF5 crashed on it",
            file=sys.stderr,
        )
        return 2
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
