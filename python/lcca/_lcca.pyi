"""The engine, as `crates/lcca-python` exports it."""

from collections.abc import Callable
from typing import Any, Self, final

from numpy.typing import NDArray

from lcca._types import Found, Half, ModelFile, Path, Table, TraceRow, Validated, Vector

__all__ = [
    "METHODS",
    "Matrix",
    "Pieces",
    "Rows",
    "__version__",
    "add_grams",
    "add_joint_grams",
    "cross_validate",
    "fit",
    "fit_remote",
    "least_squares",
    "load",
    "permutation_test",
    "save",
    "score",
    "score_remote",
    "singular_vectors",
    "transform",
]

__version__: str
METHODS: list[str]

@final
class Matrix:
    @staticmethod
    def sparse(
        name: str,
        layout: str,
        shape: tuple[int, int],
        first: NDArray[Any],
        second: NDArray[Any],
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

@final
class Rows:
    def __new__(cls, x: Matrix, y: Matrix, weights: Vector | None) -> Self: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    @property
    def one_hot(self) -> tuple[bool, bool]: ...
    @property
    def dense(self) -> tuple[bool, bool]: ...
    @property
    def nbytes(self) -> int: ...
    def view(self, name: str) -> Matrix: ...
    def reduced(self, x_columns: list[int] | None, y_columns: list[int] | None, threads: int) -> Rows | None: ...

@final
class Pieces:
    def __new__(cls, pieces: list[Rows], threads: int) -> Self: ...
    def products(self, sources: Any, wanted: list[tuple[int, int]]) -> list[Table]: ...
    def moments(self, side: int) -> tuple[float, Vector, Vector, NDArray[Any]]: ...
    def gram(self, side: int, limit: int) -> Any: ...
    def gram_sample(self, pieces: int) -> Any: ...
    def joint_gram(self, limit: int) -> Any: ...
    def dense_gram(self, means: tuple[Vector, Vector] | None, limit: int) -> Table: ...
    def triangle(self, limit: int) -> Table: ...

def add_grams(a: Any, b: Any) -> Any: ...
def add_joint_grams(a: Any, b: Any, threads: int) -> Any: ...
def fit_remote(
    pair: Any,
    options: dict[str, Any],
    resume: str | None,
    threads: int,
    on_pass: Callable[[float], object] | None,
    on_iteration: Callable[[TraceRow], object] | None,
) -> Found: ...
def score_remote(x_half: Half, y_half: Half, pair: Any, threads: int) -> tuple[Vector, float]: ...
def fit(
    x: Matrix,
    y: Matrix,
    weights: Vector | None,
    options: dict[str, Any],
    resume: str | None,
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
