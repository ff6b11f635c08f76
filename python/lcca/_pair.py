"""The contract of a pair of views whose rows are not in this process."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any


class RemotePair(ABC):
    """Two views of the same rows, seen only through sums over their rows. `lcca.dask.Pair` is one.

    A pair must have a `shape`, `moments` and `products`: enough for every method that only needs passes. What
    else it can do it names in `capabilities`, and the engine calls the methods of no other capability:

    - "structure": `one_hot`, `dense` and `reduced`;
    - "grams": `gram` and `dense_gram`;
    - "joint_grams": `gram_sample` and `joint_gram`;
    - "triangles": `triangle`;
    - "blocks": `block_gram`;
    - "samples": `sample`.

    The engine calls every method from a thread of its own. Views are numbered: 0 is X, 1 is y. An exception
    that a method raises stops the fit and reaches the caller of `fit` unchanged. A MemoryError with
    attributes `needed` and `allowed` says that a matrix does not fit into memory; the engine may
    then choose another way.

    Attributes
    ----------
    shape : tuple of int
        Rows, columns of X, columns of y.
    capabilities : collection of str
        What the pair can do besides passes.
    one_hot : tuple of bool
        Per view, whether every row has at most one entry, which is 1.
    dense : tuple of bool
        Per view, whether any of it is stored densely.
    """

    shape: tuple[int, int, int]
    capabilities: Collection[str] = ()
    one_hot: tuple[bool, bool]
    dense: tuple[bool, bool]

    @abstractmethod
    def moments(self, side: int) -> Any:
        """Moments of one view.

        Returns
        -------
        tuple
            The weight of all rows; per column the sum, the sum of squares, the count of stored entries and,
            optionally, of those that are not zero.
        """

    @abstractmethod
    def products(self, sources: Any, requested: list[tuple[int, int]]) -> list[Any]:
        """The products (target)ᵀ((source) W − offset).

        Parameters
        ----------
        sources : pair of (W, offset) or None
            One panel per view with what to subtract from the product of each row, or None.
        requested : list of (target, source)
            The products to form.

        Returns
        -------
        list of arrays
            One per requested product, of double precision, in C order, aligned.
        """

    # Around a fit

    def prepare(self, columns: int) -> None:  # noqa: B027
        """Called before a fit. Raises a MemoryError if panels of so many columns do not fit into memory."""

    def finish(self) -> None:  # noqa: B027
        """Called after a fit, whether or not it succeeded. Frees what was kept between passes."""

    def spent(self) -> tuple[int, float]:
        """Bytes moved between machines since `prepare`, and seconds spent waiting for them."""
        return 0, 0.0

    # Capabilities

    def reduced(self, x_columns: Any, y_columns: Any) -> "RemotePair | None":
        """The pair in terms of the kept columns, with equal rows merged; None if nothing would change."""
        raise NotImplementedError

    def gram(self, side: int, limit: int) -> Any:
        """The Gram matrix of one view, in at most `limit` bytes."""
        raise NotImplementedError

    def dense_gram(self, means: Any, limit: int) -> Any:
        """The lower triangle of [X Y]ᵀ[X Y] about the given means, in at most `limit` bytes."""
        raise NotImplementedError

    def gram_sample(self) -> Any:
        """The sample of pairs of columns from which the size of the joint Gram matrix is estimated;
        None if it cannot be formed."""
        raise NotImplementedError

    def joint_gram(self, limit: int) -> Any:
        """The sparse blocks XᵀX, XᵀY and YᵀY, in at most `limit` bytes. Called only if there is a sample."""
        raise NotImplementedError

    def triangle(self, limit: int) -> Any:
        """The triangular factor of [1 X Y], in at most `limit` bytes."""
        raise NotImplementedError

    def block_gram(self, columns: tuple[Any, Any], means: Any, limit: int) -> Any:
        """The Gram matrix of chosen columns of both views, X first, about the given means,
        in at most `limit` bytes.

        Parameters
        ----------
        columns : pair of arrays
            Per view, the chosen columns, ascending.
        means : pair of arrays or None
            The means of all columns of each view.

        Returns
        -------
        array
            The lower triangle, column after column, each from its diagonal entry down.
        """
        raise NotImplementedError

    def sample(self, rows: int) -> Any:
        """About `rows` rows, spread evenly over all rows.

        Returns
        -------
        tuple
            Per view the offsets, columns and values of sparse rows;
            one weight per row, or None if rows are not weighted.
        """
        raise NotImplementedError

    # Using a model

    def scores(self, view_weights: list[Any]) -> tuple[Any, Any]:
        """The canonical variables of both views, which stay on the machines that have the rows."""
        raise NotImplementedError
