"""XᵀX·B by one competitor, in a process of its own: `python kernel_peer.py scipy|mkl FOLDER REPETITIONS`.

Reads x.npz and b.npy in FOLDER, writes the product to PEER.bin there and prints one JSON object. The ways of
one competitor must agree with each other, because only one product is compared with the others.
"""
import json
import re
import sys
import time
from pathlib import Path

import numpy as np
import scipy
import scipy.sparse as sp


def scipy_ways(x, b):
    """SciPy has two ways to multiply by Xᵀ, and the data decide which is faster. Both run on one thread."""
    transposed = x.T.tocsr()
    return scipy.__version__, {
        "X.T, a CSC view": lambda: x.T @ (x @ b),
        "X.T, converted to CSR beforehand": lambda: transposed @ (x @ b),
    }


def mkl_ways(x, b):
    """MKL through sparse_dot_mkl, with MKL_NUM_THREADS threads."""
    from sparse_dot_mkl import dot_product_mkl, get_version_string

    transposed = x.T.tocsr()
    return mkl_version(get_version_string()), {
        "X.T, a CSC view": lambda: dot_product_mkl(x.T, dot_product_mkl(x, b)),
        "X.T, converted to CSR beforehand": lambda: dot_product_mkl(transposed, dot_product_mkl(x, b)),
    }


def mkl_version(text):
    version = re.search(r"Version ([\d.]+)", text or "")
    return version.group(1) if version else "unknown"


def measure(product, repetitions):
    """The seconds of each repetition after a warm-up, and the last product."""
    out, seconds = product(), []
    for _ in range(repetitions):
        start = time.perf_counter()
        out = product()
        seconds.append(time.perf_counter() - start)
    return seconds, out


def main(peer, folder, repetitions):
    x, b = sp.csr_matrix(sp.load_npz(folder / "x.npz")), np.load(folder / "b.npy")
    version, ways = {"scipy": scipy_ways, "mkl": mkl_ways}[peer](x, b)
    seconds, first = {}, None
    for name, product in ways.items():
        seconds[name], out = measure(product, repetitions)
        first = out if first is None else first
        if not np.allclose(out, first, rtol=1e-10, atol=1e-10 * np.abs(first).max()):
            sys.exit(f"{peer}: {name} gives another product than the first way")
    np.ascontiguousarray(first, dtype="<f8").tofile(folder / f"{peer}.bin")
    print(json.dumps({"version": version, "seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
