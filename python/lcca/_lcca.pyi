"""The engine, exported by `crates/lcca-python`."""

from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from lcca._types import Certified, CrossValidation, FitResult, MethodParameter, ModelFile, Path, Table, TraceRow, Vector, ViewWeights

__all__ = [
    "METHODS",
    "QUANTILE",
    "DlpackTensor",
    "Matrix",
    "Pieces",
    "Pool",
    "RowSums",
    "Rows",
    "Sums",
    "__version__",
    "add_gram_samples",
    "add_grams",
    "add_joint_grams",
    "add_moments",
    "bootstrap",
    "certify",
    "certify_remote",
    "cross_validate",
    "cuda_devices",
    "fit",
    "fit_auto",
    "fit_remote",
    "fit_sums",
    "least_squares",
    "load",
    "method_parameters",
    "note_sentences",
    "pair_files",
    "permutation_test",
    "save",
    "score",
    "score_remote",
    "singular_vectors",
    "stack_triangles",
    "transform",
    "two_samples",
    "wilks",
]

__version__: str
METHODS: list[str]
QUANTILE: float

def method_parameters() -> list[MethodParameter]: ...
def cuda_devices() -> tuple[list[str], str | None]: ...

@final
class DlpackTensor:
    def __new__(cls, capsule: Any) -> Self: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

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
    def dense_on_gpu(name: str, device: str, shape: tuple[int, int], numbers: Any) -> Matrix | None: ...
    @staticmethod
    def sparse_on_gpu(
        name: str, device: str, shape: tuple[int, int], indptr: Any, indices: Any, data: Any, threads: int
    ) -> Matrix | None: ...
    @staticmethod
    def read(path: Path, cols: int | None, zero_based: bool, table: dict[str, Any], threads: int) -> Matrix: ...
    @staticmethod
    def read_for_model(
        path: Path,
        side: int,
        width: int,
        names: list[str] | None,
        means: Vector | None,
        table: dict[str, Any],
        threads: int,
    ) -> Matrix: ...
    @staticmethod
    def read_covariates(path: Path, width: int | None, names: list[str] | None, threads: int) -> Matrix: ...
    def with_covariates(self, covariates: Matrix) -> Matrix: ...
    def normalized(self, view: str, how: str, threads: int) -> Matrix: ...
    def take(self, rows: NDArray[Any]) -> Matrix: ...
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
    @property
    def is_file(self) -> bool: ...
    @property
    def row_names(self) -> list[str] | None: ...
    @property
    def rows_in_file(self) -> list[int] | None: ...
    @property
    def dropped(self) -> int: ...

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
class RowSums:
    def __new__(cls, cols: int, scaled: bool) -> Self: ...
    def note(self, rows: Matrix, threads: int) -> None: ...
    def add(self, rows: Matrix, limit: int, threads: int) -> None: ...
    def embed(self, rows: Matrix, weights: Table, threads: int) -> Table: ...
    @property
    def counts(self) -> tuple[int, int]: ...

@final
class Pool:
    def __new__(cls, threads: int) -> Self: ...
    @property
    def size(self) -> int: ...

@final
class Pieces:
    def __new__(cls, shards: list[Rows], pool: Pool) -> Self: ...
    @property
    def panels_built(self) -> int: ...
    def products(self, sources: Any, requested: list[tuple[int, int]]) -> list[Table]: ...
    def moments(self, side: int) -> tuple[float, Vector, Vector, NDArray[Any], NDArray[Any]]: ...
    def gram(self, side: int, limit: int) -> Any: ...
    def gram_sample(self, shards: int) -> Any: ...
    def joint_gram(self, limit: int) -> Any: ...
    def dense_gram(self, means: tuple[Vector, Vector] | None, limit: int) -> Table: ...
    def triangle(self, limit: int) -> Table: ...
    def block_gram(
        self,
        columns: tuple[NDArray[Any], NDArray[Any]],
        means: tuple[Vector, Vector] | None,
        limit: int,
    ) -> Vector: ...
    def sample(self, rows: int) -> Any: ...
    @property
    def rows(self) -> int: ...

@final
class Sums:
    @staticmethod
    def dense(rows: int, moments: Any, center: Any, triangle: Vector) -> Sums: ...
    @staticmethod
    def sparse(rows: int, moments: Any, blocks: Any, one_hot: tuple[bool, bool]) -> Sums: ...
    @staticmethod
    def add(
        before: Sums | None, x: Matrix, y: Matrix, weights: Vector | None, memory: int, threads: int
    ) -> Sums: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    @property
    def is_sparse(self) -> bool: ...
    @property
    def nbytes(self) -> int: ...
    def __reduce__(self) -> tuple[Any, Any]: ...

def add_gram_samples(a: Any, b: Any) -> Any: ...
def add_grams(a: Any, b: Any) -> Any: ...
def add_joint_grams(a: Any, b: Any, pool: Pool) -> Any: ...
def add_moments(a: Any, b: Any) -> Any: ...
def stack_triangles(a: Table, b: Table, pool: Pool) -> Table: ...
def fit_remote(
    pair: Any,
    options: dict[str, Any],
    resume: str | None,
    threads: int,
    on_pass: Callable[[float], object] | None,
    on_iteration: Callable[[TraceRow], object] | None,
) -> FitResult: ...
def fit_sums(
    sums: Sums,
    options: dict[str, Any],
    threads: int,
    on_pass: Callable[[float], object] | None,
    on_iteration: Callable[[TraceRow], object] | None,
) -> FitResult: ...
def certify(
    parts: dict[str, Any],
    claim: tuple[bool, float],
    x: Matrix,
    y: Matrix,
    weights: Vector | None,
    threads: int,
    on_pass: Callable[[float], object] | None,
) -> Certified: ...
def certify_remote(
    parts: dict[str, Any], claim: tuple[bool, float], pair: Any, threads: int, on_pass: Callable[[float], object] | None
) -> Certified: ...
def score_remote(x_weights: ViewWeights, y_weights: ViewWeights, pair: Any, threads: int) -> tuple[Vector, float]: ...
def fit(
    x: Matrix,
    y: Matrix,
    weights: Vector | None,
    groups: NDArray[np.int64] | None,
    options: dict[str, Any],
    resume: str | None,
    threads: int,
    on_pass: Callable[[float], object] | None,
    on_iteration: Callable[[TraceRow], object] | None,
) -> FitResult: ...
def cross_validate(
    x: Matrix,
    y: Matrix,
    weights: Vector | None,
    options: dict[str, Any],
    plan: dict[str, Any],
    threads: int,
    on_fold: Callable[[list[float], bool], object] | None,
    on_pass: Callable[[float], object] | None,
    on_iteration: Callable[[TraceRow], object] | None,
) -> CrossValidation: ...
def fit_auto(
    x: Matrix,
    y: Matrix,
    weights: Vector | None,
    groups: NDArray[np.int64] | None,
    options: dict[str, Any],
    threads: int,
    on_pass: Callable[[float], object] | None,
    on_iteration: Callable[[TraceRow], object] | None,
) -> FitResult: ...
def permutation_test(
    x_weights: ViewWeights, y_weights: ViewWeights, x: Matrix, y: Matrix, plan: dict[str, Any], threads: int
) -> tuple[Vector, Vector, Vector, str]: ...
def bootstrap(
    parts: dict[str, Any], x: Matrix, y: Matrix, weights: Vector | None, plan: dict[str, Any], threads: int
) -> dict[str, Any]: ...
def wilks(x: Matrix, y: Matrix, threads: int) -> dict[str, Vector]: ...
def transform(weights: ViewWeights, rows: Matrix, threads: int) -> Table: ...
def score(
    x_weights: ViewWeights, y_weights: ViewWeights, x: Matrix, y: Matrix, weights: Vector | None, threads: int
) -> tuple[Vector, float]: ...
def note_sentences(notes: str, x_names: dict[int, str], y_names: dict[int, str]) -> list[str]: ...
def pair_files(x: Matrix, y: Matrix) -> tuple[Matrix, Matrix, list[int] | None, list[str]]: ...
def save(path: Path, parts: ModelFile) -> None: ...
def load(path: Path) -> ModelFile: ...
def least_squares(
    x: Matrix, targets: Matrix, options: dict[str, Any], threads: int
) -> tuple[Table, Vector, Vector, Vector]: ...
def singular_vectors(x: Matrix, k: int, options: dict[str, Any], threads: int) -> tuple[Vector, Table, Vector]: ...
def two_samples(first: RowSums, second: RowSums, k: int, threads: int) -> tuple[Vector, Table, Table, tuple[float, float]]: ...
