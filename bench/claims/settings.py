"""Which fits are tried. Everything once is `full`; `quick` takes about two minutes on two idle cores."""
import itertools

from .data import REAL
from .trials import Trial
from .truth import RIDGES


def quick(name, size):
    if size == "narrow":
        yield from grid(name, size, ("auto", "lobpcg"), (0.0, 1e-3), (1, 5, 20), (1e-2, 1e-4))
        yield from grid(name, size, ("lobpcg",), (0.0, 1e-3), (5,), (1e-4,), certified=True)
        yield from grid(name, size, ("shift-invert",), (0.0,), (5,), (1e-10,))
    else:
        yield from grid(name, size, ("auto",), (0.0, 1e-3), (5,), (1e-3,))


def full(name, size):
    if size == "narrow":
        yield from grid(
            name, size, ("auto", "lobpcg"), RIDGES, (1, 5, 20, 100), (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
        )
        yield from grid(
            name, size, ("lobpcg", "exact"), RIDGES, (1, 5, 20), (1e-2, 1e-4, 1e-6), certified=True
        )
        yield from grid(name, size, ("shift-invert",), (0.0, 1e-3), (5, 20), (1e-4, 1e-6, 1e-10))
    elif size == "wider":
        yield from grid(name, size, ("auto",), (0.0, 1e-4, 1e-3, 0.01), (5, 20), (1e-2, 1e-4))
        yield from grid(name, size, ("auto",), (1e-4, 0.01), (20,), (1e-4,), certified=True)
    else:
        yield from grid(name, size, ("auto",), RIDGES, (20,), (1e-2, 1e-4))
        yield from grid(name, size, ("auto",), (0.0, 1e-4, 0.01), (5,), (1e-2, 1e-6))
        yield from grid(name, size, ("auto",), (1e-4,), (1, 100), (1e-3,))
        yield from grid(name, size, ("lobpcg",), (1e-3,), (20,), (1e-4,))
        yield from grid(name, size, ("auto",), (0.0, 1e-3), (5,), (1e-4,), certified=True)


def grid(name, size, methods, ridges, ks, tols, certified=False):
    for method, ridge, k, tol in itertools.product(methods, ridges, ks, tols):
        yield Trial(name, size, method, ridge, k, tol, certified)


def real(is_quick):
    """Known totals for k = 20 alone."""
    for name, ridge, _ in REAL[: 1 if is_quick else None]:
        for tol in (1e-2, 1e-4) if is_quick else (1e-2, 1e-3, 1e-4):
            yield Trial(name, "real", "auto", ridge, 20, tol, False)
