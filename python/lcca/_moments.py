"""Gram and covariance matrices that were computed elsewhere, checked and made into the engine's sums."""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array

from lcca import _frames, _gpu, _lcca, _possible, _settings, _views

Array = NDArray[np.float64]


class Moments(NamedTuple):
    """Checked moments of two views, as sums over rows."""

    sums: _lcca.Sums
    means: list[Array | None]
    names: list[list[str] | None]


def checked(
    matrices: tuple[Any, Any, Any],
    n: Any,
    means: tuple[Any, Any],
    divisor: Any,
    *,
    centered: bool,
    center: bool,
    memory: int,
) -> Moments:
    """The sums behind the matrices XᵀX, YᵀY and XᵀY, or an error that says why they cannot be that.

    Parameters
    ----------
    matrices : arrays or sparse matrices
        Sxx, Syy and Sxy.
    n : float
        The number of rows, or the sum of their weights.
    means : pair of arrays, numbers or None
        The column means of both views.
    divisor : float
        What the sums over rows were divided by.
    centered : bool
        Whether the matrices are about the means already.
    center : bool
        Whether the fit is to be one of centered views.
    memory : int
        Bytes that a dense copy may take.

    Returns
    -------
    Moments
        The sums, the means by which rows are centered later, and the names of the columns.
    """
    rows = _positive(n, "n", 2)
    factor = _positive(divisor, "divisor", 0)
    if not isinstance(centered, (bool, np.bool_)):
        raise TypeError(f"centered must be True or False, got {centered!r}")
    names = [_frames.column_names(matrix) for matrix in matrices[:2]]
    _possible.check_names(matrices, means, names)
    xx, yy, xy = (_matrix(m, name) for m, name in zip(matrices, ("Sxx", "Syy", "Sxy"), strict=True))
    for matrix, name in ((xx, "Sxx"), (yy, "Syy")):
        _possible.check_symmetric(matrix, name)
    expected = (xx.shape[0], yy.shape[0])
    if xy.shape != expected:
        raise ValueError(f"Sxy has shape {xy.shape}, expected {expected}: the columns of X by those of y")
    known = [
        _means(mean, size, name)
        for mean, size, name in zip(means, expected, ("mean_x", "mean_y"), strict=True)
    ]
    if not centered and center and any(mean is None for mean in known):
        raise ValueError(
            "matrices of rows that are not centered need mean_x and mean_y to be centered; "
            "center=False leaves them"
        )
    # If the matrices are about the means, the means are needed for new rows only.
    about = [
        np.zeros(size) if centered or mean is None else mean
        for mean, size in zip(known, expected, strict=True)
    ]
    blocks = [block * factor for block in (xx, yy, xy)]
    is_sparse = any(sp.issparse(block) for block in blocks)
    if not is_sparse:
        _refuse_large(sum(expected), memory)
    _possible.check_definite(blocks, rows, about)
    made = _sparse_sums if is_sparse else _dense_sums
    return Moments(made(blocks, rows, known, centered=centered), known, names)


def _positive(value: Any, name: str, least: float) -> float:
    if (
        isinstance(value, (bool, np.bool_))
        or not isinstance(value, Real)
        or not np.isfinite(float(value))
        or float(value) < least
    ):
        raise _settings.invalid(name, f"a number of at least {least}", value)
    if float(value) == 0:
        raise _settings.invalid(name, "a positive number", value)
    return float(value)


def _matrix(matrix: Any, name: str) -> Any:
    """A matrix of numbers in double precision: an array, or sparse rows."""
    return check_array(_gpu.on_host(matrix), input_name=name, accept_sparse="csr", dtype=np.float64)


def _means(mean: Any, size: int, name: str) -> Array | None:
    if mean is None:
        return None
    numbers = np.asarray(_gpu.on_host(mean), dtype=np.float64)
    if numbers.ndim == 0:
        numbers = np.full(size, float(numbers))
    if numbers.shape != (size,):
        raise ValueError(f"{name} has shape {numbers.shape}, expected ({size},) or a number")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} has values that are not finite")
    return np.ascontiguousarray(numbers)


def _counts(size: int, rows: float, *, is_sparse: bool) -> NDArray[np.uint64]:
    """How many entries of each column count as filled: all of a dense matrix,
    and few of a sparse one, as of counts."""
    return np.full(size, 1 if is_sparse else int(rows), dtype=np.uint64)


def _moments(block: Any, mean: Array, rows: float, *, centered: bool, is_sparse: bool) -> Any:
    """Sums and sums of squares of the columns about 0."""
    square = block.diagonal() + (rows * mean**2 if centered else 0)
    counts = _counts(len(mean), rows, is_sparse=is_sparse)
    return rows, rows * mean, np.ascontiguousarray(square), counts, counts


def _dense_sums(blocks: list[Any], rows: float, means: list[Array | None], *, centered: bool) -> _lcca.Sums:
    xx, yy, xy = blocks
    known = [
        np.zeros(len(block)) if mean is None else mean for block, mean in ((xx, means[0]), (yy, means[1]))
    ]
    joint = np.block([[xx, xy], [xy.T, yy]])
    # The lower triangle, column after column, is the upper one, row after row.
    triangle = ((joint + joint.T) / 2)[np.triu_indices(len(joint))]
    center = tuple(known if centered else [np.zeros_like(mean) for mean in known])
    x, y = (
        _moments(b, m, rows, centered=centered, is_sparse=False) for b, m in zip((xx, yy), known, strict=True)
    )
    return _lcca.Sums.dense(int(rows), (x, y), center, np.ascontiguousarray(triangle))


def _sparse_sums(blocks: list[Any], rows: float, means: list[Array | None], *, centered: bool) -> _lcca.Sums:
    xx, yy, xy = (sp.csr_array(block) for block in blocks)
    # Covariances are those of centered rows; adding the means back would fill every entry.
    known = [
        np.zeros(block.shape[0]) if centered or mean is None else mean
        for block, mean in ((xx, means[0]), (yy, means[1]))
    ]
    x, y = (
        _moments(b, m, rows, centered=False, is_sparse=True) for b, m in zip((xx, yy), known, strict=True)
    )
    made = [_rows(block, diagonal=diagonal) for block, diagonal in ((xx, True), (xy, False), (yy, True))]
    return _lcca.Sums.sparse(int(rows), (x, y), made, (False, False))


def _rows(block: Any, *, diagonal: bool) -> tuple[Any, Any, Any]:
    """Offsets, columns and values, with every diagonal entry stored if the block has a diagonal."""
    if diagonal:
        block = (block + block.T) / 2
        size, stored = block.shape[0], block.tocoo()
        places = np.concatenate([stored.row, np.arange(size)]), np.concatenate([stored.col, np.arange(size)])
        block = sp.csr_array((np.concatenate([stored.data, np.zeros(size)]), places), shape=block.shape)
    block.sum_duplicates()
    block.sort_indices()
    return block.indptr.astype(np.uint64), block.indices.astype(np.uint32), np.ascontiguousarray(block.data)


def _refuse_large(width: int, memory: int) -> None:
    needed = 3 * 8 * width * width
    if needed > memory:
        raise MemoryError(
            f"dense matrices of {width:,} columns take {needed / 1e9:.3g} GB with their copies, "
            f"and memory={memory / 1e9:.3g} GB is allowed: pass sparse ones, or allow more"
        )
