#!/usr/bin/env python3
"""Compiles the kernels to PTX with NVRTC, which is a Python package:
`cargo xtask kernels` installs it and runs this.

    compile.py           writes the .ptx files of each .cu
    compile.py --check   says whether the .ptx files are what the .cu files compile to
"""

import ctypes
import sys
from pathlib import Path

import nvidia.cuda_nvrtc

HERE = Path(__file__).resolve().parent
# The oldest architecture that the kernels run on, and the first whose tensor cores multiply f64 numbers, for
# files that do. Those of 9.0 multiply larger pieces. The driver translates for newer ones.
ARCHITECTURES = {
    "gather": [70], "panel": [70], "product": [70, 80], "tall": [70, 80, 90], "gram": [70, 80, 90],
    "block": [70], "factor": [70, 80, 90], "array": [70], "sort": [70], "pairs": [70], "columns": [70],
    "count": [70], "deal": [70], "shuffle": [70], "jacobi": [70],
}
# What is put before a file beside common.cuh.
HEADERS = {"gram": ["tensor.cuh"], "factor": ["tensor.cuh"]}


def library():
    folder = Path(next(iter(nvidia.cuda_nvrtc.__path__))) / "lib"
    return ctypes.CDLL(str(next(folder.glob("libnvrtc.so*"))))


def text(nvrtc, program, size_of, get):
    size = ctypes.c_size_t()
    getattr(nvrtc, size_of)(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, get)(program, buffer)
    return buffer.value.decode()


def fingerprint(data):
    """FNV-1a of 64 bits, as the tests of the crate compute it."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def compiled(nvrtc, path, architecture):
    headers = ["common.cuh", *HEADERS.get(path.stem, [])]
    source = b"".join((HERE / header).read_bytes() for header in headers) + path.read_bytes()
    options = [f"--gpu-architecture=compute_{architecture}".encode(), b"--std=c++14"]
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, path.name.encode(), 0, None, None)
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    if failed:
        sys.exit(text(nvrtc, program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog"))
    ptx = text(nvrtc, program, "nvrtcGetPTXSize", "nvrtcGetPTX")
    return f"// Compiled from {path.name} with fingerprint {fingerprint(source)}.\n{ptx}"


def main():
    nvrtc, stale = library(), []
    for name, architectures in ARCHITECTURES.items():
        for architecture in architectures:
            out, ptx = HERE / f"{name}.{architecture}.ptx", compiled(nvrtc, HERE / f"{name}.cu", architecture)
            if "--check" not in sys.argv:
                out.write_text(ptx)
            elif not out.exists() or out.read_text() != ptx:
                stale.append(out.name)
    if stale:
        sys.exit(f"{', '.join(stale)}: not what the source compiles to; run `cargo xtask kernels`")


if __name__ == "__main__":
    main()
