"""Unpacks files to standard output, for machines without the zstd program: zstd -dc [--long=BITS] FILE...

Only what the preparation of data asks for is understood; anything else is refused.
"""

import sys

import zstandard


def main():
    flags = [word for word in sys.argv[1:] if word.startswith("-")]
    files = [word for word in sys.argv[1:] if not word.startswith("-")]
    if flags == ["--version"]:
        print("zstandard", zstandard.__version__)
        return
    if flags[:1] != ["-dc"] or any(not flag.startswith("--long=") for flag in flags[1:]) or not files:
        sys.exit(f"zstd: not understood: {' '.join(sys.argv[1:])}")
    unpack = zstandard.ZstdDecompressor(max_window_size=1 << 31)
    for name in files:
        with open(name, "rb") as packed:
            unpack.copy_stream(packed, sys.stdout.buffer)


main()
