"""The engine, as `crates/lcca-python` exports it."""

from collections.abc import Callable
from typing import Any, final

from numpy.typing import NDArray

from lcca._types import Found, Half, ModelFile, Path, Table, TraceRow, Validated, Vector

__all__ = [
    "METHODS",
    "Matrix",
    "__version__",
    "cross_validate",
    "fit",
    "least_squares",
    "load",
    "permutation_test",
    "save",
    "score",
    "singular_vectors",
    "transform",
]

__version__: str
METHODS: list[str]

@final
class Matrix:
    @staticmethod
    def csr(
        name: str,
        shape: tuple[int, int],
        indptr: NDArray[Any],
        indices: NDArray[Any],
        data: NDArray[Any],
        threads: int,
    ) -> Matrix: ...
    @staticmethod
    def csc(
        name: str,
        shape: tuple[int, int],
        indptr: NDArray[Any],
        indices: NDArray[Any],
        data: NDArray[Any],
        threads: int,
    ) -> Matrix: ...
    @staticmethod
    def coo(
        name: str,
        shape: tuple[int, int],
        row: NDArray[Any],
        col: NDArray[Any],
        data: NDArray[Any],
        threads: int,
    ) -> Matrix: ...
    @staticmethod
    def dense(name: str, array: NDArray[Any], threads: int) -> Matrix: ...
    @staticmethod
    def read(path: Path, cols: int | None, zero_based: bool, threads: int) -> Matrix: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def nnz(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def names(self) -> list[str] | None: ...
    @property
    def notes(self) -> list[str]: ...

def fit(
    x: Matrix,
    y: Matrix,
    weights: Vector | None,
    options: dict[str, Any],
    threads: int,
    on_pass: Callable[[float], object] | None,
    on_iteration: Callable[[TraceRow], object] | None,
) -> Found: ...
def cross_validate(
    x: Matrix,
    y: Matrix,
    weights: Vector | None,
    options: dict[str, Any],
    ridges: list[float],
    folds: int,
    threads: int,
    on_pass: Callable[[float], object] | None,
    on_iteration: Callable[[TraceRow], object] | None,
) -> Validated: ...
def permutation_test(
    x_half: Half, y_half: Half, x: Matrix, y: Matrix, permutations: int, seed: int, threads: int
) -> tuple[Vector, Vector, Vector]: ...
def transform(half: Half, rows: Matrix, threads: int) -> Table: ...
def score(
    x_half: Half, y_half: Half, x: Matrix, y: Matrix, weights: Vector | None, threads: int
) -> tuple[Vector, float]: ...
def save(path: Path, parts: ModelFile) -> None: ...
def load(path: Path) -> ModelFile: ...
def least_squares(
    x: Matrix, targets: Matrix, how: dict[str, Any], threads: int
) -> tuple[Table, Vector, Vector, Vector]: ...
def singular_vectors(x: Matrix, k: int, how: dict[str, Any], threads: int) -> tuple[Vector, Table, Vector]: ...
