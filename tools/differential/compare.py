"""Reads a file with lcca and says how the result differs from what the other library read."""

import warnings
from typing import Any

import numpy as np

import lcca
from differential import refusals
from differential.case import Case, Expected, PeerRefuses


class Refused(Exception):
    """lcca refuses the file, for a reason that it must be refused for, in one clear line."""


def difference(case: Case) -> str | None:
    """How lcca's reading differs from the other library's, in one line.
    Raises `Refused` if lcca rightly refuses the file."""
    missing = case.options.get("missing", "error")
    expected: Expected | None = None
    refusal = ""
    try:
        expected = _settled(case.expected(), missing)
    except PeerRefuses as error:
        refusal = str(error)
    try:
        matrix = _read(case)
    except ValueError as error:
        return _refused(case, str(error), expected)
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is not how files are refused
        return f"raised {type(error).__name__}: {error}"
    if expected is None:
        return f"read, but the other library refuses: {refusal}"
    if expected.refusals:
        return f"read, although {' and '.join(sorted(expected.refusals))}"
    return _compare(matrix, expected, missing)


def _read(case: Case) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lcca.read(case.path, n_jobs=1, **case.options)


def _refused(case: Case, message: str, expected: Expected | None) -> str:
    """What is wrong with a refusal. Raises `Refused` if nothing is."""
    if len(message.splitlines()) != 1 or not message.startswith(str(case.path)):
        return f"refused in other words than one line that begins with the file: {message!r}"
    message = message.removeprefix(f"{case.path}: ")
    if expected is None:
        raise Refused(f"as the other library does: {message}")
    for reason in sorted(expected.refusals):
        if refusals.matches(reason, message):
            raise Refused(reason)
    because = (
        f"although the reason is that {' and '.join(sorted(expected.refusals))}"
        if expected.refusals
        else "without a reason"
    )
    return f"refused {because}: {message}"


def _compare(matrix: Any, expected: Expected, missing: str) -> str | None:
    found, numbers = matrix.toarray(), expected.numbers
    if found.shape != numbers.shape:
        return f"shape {found.shape}, expected {numbers.shape}"
    if matrix.names != expected.names:
        return f"names {matrix.names}, expected {expected.names}"
    if matrix.row_names != expected.row_names:
        return f"row names {matrix.row_names}, expected {expected.row_names}"
    same = np.isclose(found, numbers, rtol=1e-6, atol=0) if missing == "mean" else found == numbers
    if not same.all():
        row, column = np.argwhere(~same)[0]
        return f"row {row}, column {column}: {found[row, column]!r}, expected {numbers[row, column]!r}"
    return None


def _settled(expected: Expected, missing: str) -> Expected:
    """The same once missing numbers are dropped or filled in, with the reasons to
    refuse it that then are left."""
    numbers, names, reasons = expected.numbers, expected.row_names, set(expected.refusals)
    gaps = np.isnan(numbers)
    if not numbers.size:
        reasons.add(refusals.NOTHING)
    if missing == "drop" and gaps.any():
        kept = ~gaps.any(axis=1)
        numbers = numbers[kept]
        names = None if names is None else [name for name, keep in zip(names, kept, strict=True) if keep]
        if not kept.any():
            reasons.add(refusals.MISSING)
    elif missing == "mean" and gaps.any() and not gaps.all(axis=0).any():
        numbers = np.where(gaps, np.nanmean(numbers, axis=0), numbers)
    elif gaps.any():
        reasons.add(refusals.MISSING)
    if np.isinf(numbers).any():
        reasons.add(refusals.INFINITE)
    return Expected(numbers, expected.names, names, reasons)
