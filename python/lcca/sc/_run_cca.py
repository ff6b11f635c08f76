"""Seurat's CCA of two data sets with different cells and shared genes, in three passes over the cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcca import _foreign, _lcca, _notes, _settings
from lcca._lcca import RowSums
from lcca.sc import _cells
from lcca.sc._cells import Cells, Columns

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Alignment:
    """Two data sets in common coordinates.

    Attributes
    ----------
    x, y : arrays of shape (cells, k)
        The embeddings of the cells of both data sets: the left and the right singular vectors of the product
        of all standardized cells of one data set with all of the other. The first cell
        has no negative coordinate.
    values : array of shape (k,)
        The singular values.
    genes : list of str or None
        The genes that were used, in their order, if genes have names.
    constant : (int, int)
        Cells of each data set with the same value for every gene.
        They cannot be standardized, and their embedding is zero.
    departure : (float, float)
        How far the columns of `x` and of `y` are from orthonormal, measured: 0 if the arithmetic is exact.
    """

    x: Array
    y: Array
    values: Array
    genes: list[str] | None
    constant: tuple[int, int]
    departure: tuple[float, float]

    def normalized(self) -> tuple[Array, Array]:
        """Both embeddings with each cell divided by its length, as Seurat's `L2Dim` does
        before it looks for anchors."""
        lengths = [np.linalg.norm(side, axis=1, keepdims=True) for side in (self.x, self.y)]
        return self.x / np.where(lengths[0] > 0, lengths[0], 1), self.y / np.where(
            lengths[1] > 0, lengths[1], 1
        )


def run_cca(
    adata1: Any,
    adata2: Any,
    n_components: int = 20,
    *,
    genes: str | Sequence[str] | None = None,
    layer: str | None = None,
    use_raw: bool = False,
    normalize_rows: str | None = None,
    scale_genes: bool = False,
    key_added: str | None = None,
    memory: int | str | None = None,
    n_jobs: int | None = -1,
) -> Alignment:
    """Aligns two data sets of different cells that share genes, as Seurat's `RunCCA` does.

    Each cell is standardized over the genes (mean 0, standard deviation 1 with divisor n − 1). The embeddings
    are the leading singular vectors of the product of all cells of one data set with all cells of the other.
    That product is never formed: the cells are read three times, and memory is that of genes × genes. Sparse
    data stay sparse, and files are read in chunks.

    Genes that have the same value in all cells of one data set are left out of both, as Seurat does with its
    objects (its `RunCCA` of bare matrices keeps them), and a warning counts them.

    Parameters
    ----------
    adata1, adata2 : AnnData, arrays, frames, or paths
        Cells × genes. AnnData may be backed or made by `read_lazy`. Paths are those of `.h5ad` and 10x `.h5`
        files or of anything that `lcca.read` opens. Genes are matched by name if both have names.
    n_components : int
        The number of components; fewer are returned if the data have fewer.
    genes : list of str or "highly_variable", optional
        The genes to use. "highly_variable" takes those that `var` marks in either data set and both have, as
        Seurat does [default: all shared ones].
    layer : str, optional
        A layer to use in place of `X`, in both.
    use_raw : bool
        Whether to use `raw` in place of `X`, in both.
    normalize_rows : "length", "sum" or "log1p", optional
        How each cell is normalized first. "log1p" is log(1 + 10,000·x/sum), for counts. It sees the chosen
        genes only; normalize counts before genes are chosen if that matters.
    scale_genes : bool
        Whether each gene of each data set is brought to mean 0 and standard deviation 1 first, implicitly:
        Seurat's `ScaleData`, except that values above 10 are not cut off, which would make sparse data dense.
        It takes one more reading.
    key_added : str, optional
        Write the embeddings to `obsm[key_added]` of both data sets as well.
    memory : int or str, optional
        Bytes that matrices of genes × genes may take, such as "8GiB" [default: half of the machine's memory].
    n_jobs : int, optional
        The number of threads, as for `lcca.CCA`.

    Returns
    -------
    Alignment
        The embeddings of both data sets, and how exact they are.

    Examples
    --------
    >>> import numpy as np, lcca.sc
    >>> random = np.random.default_rng(0)
    >>> types = random.gamma(1.0, 2.0, (3, 50))
    >>> first = random.poisson(types[random.integers(3, size=200)])
    >>> second = random.poisson(types[random.integers(3, size=300)])
    >>> aligned = lcca.sc.run_cca(first, second, n_components=2)
    >>> aligned.x.shape, aligned.y.shape, bool(max(aligned.departure) < 1e-10)
    ((200, 2), (300, 2), True)
    """
    k = int(_settings.number(n_components, "n_components", least=1))
    if key_added is not None and not all(_foreign.is_anndata(data) for data in (adata1, adata2)):
        raise ValueError(
            f"key_added={key_added!r} writes to `obsm` of both data sets, expected AnnData in both places"
        )
    threads, limit = _settings.threads(n_jobs), _settings.memory(memory)
    how = _settings.normalization(normalize_rows)[0]
    both = [
        _cells.cells(data, f"data set {i}", layer=layer, use_raw=use_raw)
        for i, data in ((1, adata1), (2, adata2))
    ]
    chosen, columns = _varying(both, *_shared(both, genes, (adata1, adata2)), how, threads)
    sums = [
        _sums(data, used, how, scale_genes, limit, threads) for data, used in zip(both, columns, strict=True)
    ]
    values, *weights, departure = _lcca.two_samples(sums[0], sums[1], k, threads)
    first = next(_parts(both[0], columns[0], how, threads))
    signs = np.where(sums[0].embed(first, weights[0], threads)[0] < 0, -1.0, 1.0)
    embedded = [
        np.concatenate([part.embed(rows, side * signs, threads) for rows in _parts(data, used, how, threads)])
        for data, used, part, side in zip(both, columns, sums, weights, strict=True)
    ]
    constant = sums[0].counts[1], sums[1].counts[1]
    for data, count in zip(both, constant, strict=True):
        if count:
            text = (
                f"{count} cells of {data.name} have the same value for every gene: "
                "they cannot be standardized, and their embedding is zero"
            )
            _notes.warn(text, _notes.DataWarning)
    if key_added is not None:
        for data, rows in zip((adata1, adata2), embedded, strict=True):
            data.obsm[key_added] = rows
    return Alignment(embedded[0], embedded[1], values, chosen, constant, departure)


def _parts(data: Cells, columns: Columns | None, how: str, threads: int) -> Any:
    for rows in data.chunks(columns, threads):
        yield rows if how == "no" else rows.normalized("X", how, threads)


def _sums(data: Cells, columns: Columns | None, how: str, scale: bool, limit: int, threads: int) -> RowSums:
    """The products of the genes of one data set, in one reading, or two if genes are scaled."""
    sums = (
        _noted(data, columns, how, threads)
        if scale
        else RowSums(data.shape[1] if columns is None else len(columns), False)
    )
    for rows in _parts(data, columns, how, threads):
        sums.add(rows, limit, threads)
    return sums


def _noted(data: Cells, columns: Columns | None, how: str, threads: int) -> RowSums:
    """Sums that know how genes are distributed, before any cell is added."""
    sums = RowSums(data.shape[1] if columns is None else len(columns), True)
    for rows in _parts(data, columns, how, threads):
        sums.note(rows, threads)
    return sums


def _varying(
    both: list[Cells],
    chosen: list[str] | None,
    columns: tuple[Columns | None, Columns | None],
    how: str,
    threads: int,
) -> tuple[list[str] | None, tuple[Columns | None, Columns | None]]:
    """The same choice of genes, without those that are constant in one data set."""
    varies = [_varies(data, used, how, threads) for data, used in zip(both, columns, strict=True)]
    kept = np.flatnonzero(varies[0] & varies[1])
    constant = len(varies[0]) - len(kept)
    if not constant:
        return chosen, columns
    which = f"{constant} of {len(varies[0])} genes have the same value in all cells of one data set"
    if any(data.has_fixed_columns for data in both):
        _notes.warn(
            f"{which}, and columns of a view that `lcca.read` opened cannot be left out: "
            "pass AnnData instead",
            _notes.DataWarning,
        )
        return chosen, columns
    if len(kept) < 2:
        raise ValueError(f"{which}: {len(kept)} are left, expected two or more")
    _notes.warn(f"{which} and are left out of both", _notes.DataWarning)
    first, second = (kept if used is None else used[kept] for used in columns)
    return None if chosen is None else [chosen[i] for i in kept], (first, second)


def _varies(data: Cells, columns: Columns | None, how: str, threads: int) -> NDArray[np.bool_]:
    """Which genes of a data set have more than one value, in one reading."""
    if not data.shape[0]:
        raise ValueError(f"{data.name} has no cells")
    return _noted(data, columns, how, threads).varies


def _shared(
    both: list[Cells], genes: str | Sequence[str] | None, sources: tuple[Any, Any]
) -> tuple[list[str] | None, tuple[Columns | None, Columns | None]]:
    """The genes that are used, and their columns in each data set; None if these are all, in order."""
    first, second = both
    if first.genes is None or second.genes is None:
        if genes is not None:
            raise ValueError("genes are chosen by name, and a data set has no names of genes")
        if first.shape[1] != second.shape[1]:
            counts = f"{first.shape[1]} and {second.shape[1]}"
            remedy = "give both the same genes in the same order, or pass AnnData or frames, which name them"
            raise ValueError(f"the data sets have {counts} columns and no names to match them by: {remedy}")
        return first.genes or second.genes, (None, None)
    places = tuple(_places(data) for data in both)
    if genes is None:
        chosen = [gene for gene in first.genes if gene in places[1]]
    elif isinstance(genes, str):
        if genes != "highly_variable":
            raise ValueError(f'genes == {genes!r}, expected a list of names or "highly_variable"')
        marked = {gene for source in sources for gene in _highly_variable(source)}
        chosen = [gene for gene in first.genes if gene in marked and gene in places[1]]
    else:
        chosen = [str(gene) for gene in genes]
        missing = [gene for gene in chosen if any(gene not in found for found in places)]
        if missing:
            raise ValueError(f"{len(missing)} of the genes are not in both data sets, such as {missing[0]!r}")
        if len(set(chosen)) != len(chosen):
            twice = next(gene for gene in chosen if chosen.count(gene) > 1)
            raise ValueError(
                f"the gene {twice!r} is named twice and would count twice, expected every gene once"
            )
    if len(chosen) < 2:
        raise ValueError(
            f"the data sets share {len(chosen)} genes, expected two or more: are they named in the same way?"
        )
    return chosen, (_columns(chosen, places[0], first), _columns(chosen, places[1], second))


def _places(data: Cells) -> dict[str, int]:
    places = {gene: i for i, gene in enumerate(data.genes or [])}
    if len(places) != data.shape[1]:
        raise ValueError(
            f"two genes of {data.name} have the same name: var_names_make_unique() tells them apart"
        )
    return places


def _columns(chosen: list[str], places: dict[str, int], data: Cells) -> Columns | None:
    columns = np.array([places[gene] for gene in chosen], dtype=np.intp)
    return None if len(columns) == data.shape[1] and bool((np.diff(columns) == 1).all()) else columns


def _highly_variable(source: Any) -> list[str]:
    var = getattr(source, "var", None)
    if var is None or "highly_variable" not in var:
        raise ValueError(
            'genes="highly_variable" needs a column of that name in `var`: '
            "scanpy.pp.highly_variable_genes makes it"
        )
    marked = np.asarray(var["highly_variable"], dtype=bool)
    return [str(gene) for gene in np.asarray(source.var_names)[marked]]
