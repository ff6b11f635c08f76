"""Rows that somebody else holds, as the engine asks for them."""

from abc import ABC, abstractmethod
from typing import Any


class RemotePair(ABC):
    """Two views of the same rows, known by sums over their rows alone. `lcca.dask.Pair` is one.

    The engine calls every method from a thread of its own. Views are numbered: 0 is X, 1 is y. What a method raises stops
    the fit and reaches whoever asked for it unchanged; a MemoryError with attributes `needed` and `allowed` says that a matrix
    does not fit, and the engine may find another way.
    """

    shape: tuple[int, int, int]
    one_hot: tuple[bool, bool]
    dense: tuple[bool, bool]

    @abstractmethod
    def prepare(self, columns: int) -> None:
        """Looks whether panels of so many columns fit the memory that there is, and raises a MemoryError where not."""

    @abstractmethod
    def spent(self) -> tuple[int, float]:
        """Bytes moved between machines since `prepare`, and seconds spent waiting for that."""

    @abstractmethod
    def products(self, sources: Any, wanted: list[tuple[int, int]]) -> list[Any]:
        """(target)ᵀ((source) W − offset) for every wanted (target, source); `sources` holds (W, offset) for each view."""

    @abstractmethod
    def moments(self, side: int) -> Any:
        """Weight of all rows; sum, sum of squares and count of every column."""

    @abstractmethod
    def reduced(self, x_columns: Any, y_columns: Any) -> "RemotePair | None":
        """Equal rows merged, and views in terms of the kept columns; nothing where all would stay as it is."""

    @abstractmethod
    def gram(self, side: int, limit: int) -> Any:
        """The Gram matrix of one view."""

    @abstractmethod
    def gram_sample(self) -> Any:
        """What a guess at the joint Gram matrix goes by."""

    @abstractmethod
    def joint_gram(self, limit: int) -> Any:
        """XᵀX, XᵀY and YᵀY, sparse."""

    @abstractmethod
    def dense_gram(self, means: Any, limit: int) -> Any:
        """The lower triangle of [X Y]ᵀ[X Y]."""

    @abstractmethod
    def triangle(self, limit: int) -> Any:
        """The triangular factor of [1 X Y]."""

    @abstractmethod
    def scores(self, halves: list[Any]) -> tuple[Any, Any]:
        """The canonical variables of both views, where the rows are."""
