"""Reads a file with lcca and says how the result differs from what the other library read."""

import warnings
from typing import Any

import numpy as np

import lcca
from differential.case import Case, Expected, PeerRefuses


class Refused(Exception):
    """lcca refuses the file; the message is one clear line."""


def difference(case: Case) -> str | None:
    """How lcca's reading differs from the other library's, in one line. Raises `Refused` if lcca refuses the file."""
    try:
        expected = case.expected()
    except PeerRefuses as refusal:
        expected = refusal
    try:
        matrix = _read(case)
    except ValueError as error:
        message = str(error)
        if len(message.splitlines()) != 1 or not message.startswith(str(case.path)):
            return f"refused in other words than one line that begins with the file: {message!r}"
        raise Refused(message.removeprefix(f"{case.path}: ")) from None
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is not how files are refused
        return f"raised {type(error).__name__}: {error}"
    if isinstance(expected, PeerRefuses):
        return f"read, but the other library refuses: {expected}"
    return _compare(matrix, expected, case.options.get("missing", "error"))


def _read(case: Case) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lcca.read(case.path, n_jobs=1, **case.options)


def _compare(matrix: Any, expected: Expected, missing: str) -> str | None:
    numbers, row_names = _settled(expected, missing)
    if numbers is None:
        return "read, although values are missing or infinite"
    found = matrix.toarray()
    if found.shape != numbers.shape:
        return f"shape {found.shape}, expected {numbers.shape}"
    if matrix.names != expected.names:
        return f"names {matrix.names}, expected {expected.names}"
    if matrix.row_names != row_names:
        return f"row names {matrix.row_names}, expected {row_names}"
    same = np.isclose(found, numbers, rtol=1e-6, atol=0) if missing == "mean" else found == numbers
    if not same.all():
        row, column = np.argwhere(~same)[0]
        return f"row {row}, column {column}: {found[row, column]!r}, expected {numbers[row, column]!r}"
    return None


def _settled(expected: Expected, missing: str) -> Any:
    """The numbers once missing ones are dropped or filled in, and the names of their rows; None if they must be refused."""
    numbers, names = expected.numbers, expected.row_names
    gaps = np.isnan(numbers)
    if missing == "drop":
        kept = ~gaps.any(axis=1)
        numbers, gaps = numbers[kept], gaps[kept]
        names = None if names is None else [name for name, keep in zip(names, kept, strict=True) if keep]
    elif missing == "mean" and gaps.any():
        if gaps.all(axis=0).any():
            return None, None
        numbers = np.where(gaps, np.nanmean(numbers, axis=0), numbers)
        gaps = np.isnan(numbers)
    if not numbers.size or gaps.any() or np.isinf(numbers).any():
        return None, None
    return numbers, names
