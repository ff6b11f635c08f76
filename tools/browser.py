"""A headless Chromium from npm's registry, for machines that have no browser: browser.py FOLDER

The package is made for machines without any libraries, so it brings its own.
It is for 64-bit Linux on x86 only.
"""

import io
import pathlib
import sys
import tarfile
import tempfile

import brotli

import npm

PACKAGE = "@sparticuz/chromium@147.0.0"

FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>{home}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>{home}/cache</cachedir>
</fontconfig>
"""

# The libraries are only for machines that have none, but a browser is built for the ones that come with it.
START = """#!/bin/sh
LD_LIBRARY_PATH="{home}/lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}" FONTCONFIG_FILE="{home}/fonts.conf" \\
    exec "{home}/headless_shell" "$@"
"""


def executable(path, content):
    path.write_bytes(content)
    path.chmod(0o755)


def main():
    home = pathlib.Path(sys.argv[1]).resolve()
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        npm.unpack(PACKAGE, pathlib.Path(scratch) / "package")
        packed = pathlib.Path(scratch) / "package/bin"
        executable(home / "headless_shell", brotli.decompress((packed / "chromium.br").read_bytes()))
        for archive in packed.glob("*.tar.br"):
            with tarfile.open(fileobj=io.BytesIO(brotli.decompress(archive.read_bytes()))) as files:
                npm.extract(files, home)
    (home / "fonts.conf").write_text(FONTS.format(home=home))
    # Written last: whoever finds it finds everything.
    executable(home / "chromium", START.format(home=home).encode())


main()
