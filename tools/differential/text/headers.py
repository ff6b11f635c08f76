"""What the first line of a text is if nobody says, by the rules of docs/files.md."""

from collections.abc import Callable, Sequence

import numpy as np

from differential.columns import looks_formatted

_FEW, _MANY, _SAMPLED = 5, 6, 100


def first_line(lines: Sequence[Sequence[str]], number: Callable[[str], float | None]) -> str:
    """Whether the first line is "names" or "data", or "unclear". `number` reads a cell:
    NaN is missing, None is a text."""
    first, rows = lines[0], lines[1 : 1 + _SAMPLED]
    if len(first) + 1 == len(rows[0]):
        names = all(number(cell) is None for cell in first) and len({row[0] for row in rows}) == len(rows)
        return "names" if names else "unclear"
    unnamed = not first[0].strip() and len(first) > 1
    skipped = int(unnamed)
    cells = [number(cell) for cell in first[skipped:]]
    if all(cell is None for cell in cells):
        # A date below says nothing if the first line has one as well.
        plain = not any(looks_formatted(cell) for cell in first)
        found = any(
            _is_number(number(cell)) or (plain and looks_formatted(cell)) for row in rows for cell in row
        )
        return "names" if unnamed or found else "unclear"
    if any(cell is None for cell in cells):
        return "unclear"
    below = [[np.nan if number(cell) is None else number(cell) for cell in row[skipped:]] for row in rows]
    decimals = [[_decimals(cell) for cell in row[skipped:]] for row in lines[: 1 + _SAMPLED]]
    labels = _are_labels(np.array(cells, float), np.array(below, float), np.array(decimals))
    if unnamed:
        return "names" if labels and _counts_or_names([number(row[0]) for row in rows]) else "unclear"
    return "unclear" if labels else "data"


def _is_number(cell: float | None) -> bool:
    return cell is not None and not np.isnan(cell)


def _decimals(cell: str) -> int:
    """How many digits stand after the point or the comma."""
    fraction = cell.strip().replace(",", ".").partition(".")[2]
    return len(fraction) - len(fraction.lstrip("0123456789"))


def _counts_or_names(cells: Sequence[float | None]) -> bool:
    if all(cell is None for cell in cells):
        return True
    numbers = np.array([np.nan if cell is None else cell for cell in cells])
    return bool((np.diff(numbers) > 0).all() and (numbers == np.floor(numbers)).all())


def _are_labels(first: np.ndarray, rows: np.ndarray, decimals: np.ndarray) -> bool:
    if not np.isfinite(first).all():
        return False
    enough, width = len(rows) >= _FEW, len(first)
    with np.errstate(invalid="ignore"):
        whole, no_whole = (np.mod(first, 1) == 0).all(), (np.mod(rows, 1) != 0).all()
    return bool(
        _counts_from_zero(first, rows)
        or (_ascends(first) and not all(_ascends(row) for row in rows))
        or (whole and enough and no_whole)
        or (
            enough
            and all(
                _fewer(decimals[0, place], decimals[1:, place][~np.isnan(rows[:, place])])
                for place in range(width)
            )
        )
        or (width >= 2 and enough and all(_far(first[place], rows[:, place]) for place in range(width)))
    )


def _counts_from_zero(first: np.ndarray, rows: np.ndarray) -> bool:
    cells = rows[~np.isnan(rows)]
    could_be_data = (cells == np.floor(cells)) & (cells >= 0) & (cells < len(first))
    return (
        (first == np.arange(len(first))).all()
        and len(rows) >= (_FEW if len(first) == 1 else 1)
        and not could_be_data.all()
    )


def _ascends(row: np.ndarray) -> bool:
    steps = np.diff(row)
    equal = (np.abs(np.diff(steps)) <= 1e-6 * (np.abs(steps[1:]) + np.abs(steps[:-1]))).all()
    return bool(len(row) >= 3 and (steps > 0).all() and (equal or len(row) >= _MANY))


def _fewer(label: int, below: np.ndarray) -> bool:
    return below.size > 0 and label < below.min() and (below.min() == below.max() or 2 * label <= below.min())


def _far(label: float, below: np.ndarray) -> bool:
    below = below[~np.isnan(below)]
    if not below.size:
        return False
    low, high = below.min(), below.max()
    return bool(label < low - (high - low) or label > high + (high - low))
