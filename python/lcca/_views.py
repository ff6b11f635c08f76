"""Views: from arrays and files to the engine's rows, without a copy if the layout allows."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array

from lcca import _foreign, _gpu, _missing, _notes, _settings
from lcca._lcca import Matrix

SPARSE = ("csr", "csc", "coo")


def read(
    path: "str | os.PathLike[str]",
    *,
    header: bool | None = None,
    index: str | bool | None = None,
    na: str | Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    missing: str = "error",
    categorical: str | Sequence[str] = "auto",
    delimiter: str | None = None,
    decimal: str | None = None,
    cols: int | None = None,
    zero_based: bool = False,
    n_jobs: int | None = -1,
) -> Matrix:
    """Opens a file that the program `lcca` reads. Formats that can be mapped are mapped.

    What is guessed about a table, such as that its first line has names, is a `DataWarning`,
    and in `Matrix.notes`.

    Parameters
    ----------
    path : str or path
        SciPy's .npz, NumPy's .npy, MatrixMarket, svmlight, .csv, .tsv, .parquet, .arrow, a folder of
        single-cell counts, or the store (.safetensors).
    header : bool, optional
        Whether the first line of a .csv or .tsv file names the columns [default: guessed].
    index : str or False, optional
        The column of a table that names the rows; False if there is none [default: guessed].
        `Matrix.row_names` has them.
    na : str or list of str, optional
        Texts that stand for a missing value, in columns of any kind [default: the usual ones such as "NA" in
        columns of numbers; in columns of text, where "NA" may be a category, only empty cells].
    columns : str or list of str, optional
        The columns of a table to read: names, or patterns with `*` [default: all]. Others are not looked at.
    missing : "error", "drop" or "mean"
        What happens to missing values. Rows that are dropped are dropped from both views in `CCA.fit`.
    categorical : "auto", "error" or list of str
        Whether columns of text become indicator columns, named `column=value`, or are refused. A list names
        columns that are categories even if they hold numbers.
    delimiter : str, optional
        The character between the fields of a text, such as ";" or "\\t"; " " stands for any number of spaces
        [default: that of the extension, unless the first lines show another]. With it, a file of any
        extension is read as a table.
    decimal : "." or ",", optional
        The character before the decimals of numbers in a text [default: guessed].
    cols : int, optional
        The number of columns of an svmlight file, which does not state it.
    zero_based : bool
        Whether an svmlight file counts its columns from 0.
    n_jobs : int, optional
        The number of threads, as for `CCA`.

    Returns
    -------
    Matrix
        Takes the place of an array in `CCA.fit` and other functions.

    Examples
    --------
    >>> import lcca, scipy.sparse as sp, tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "x.npz")
    >>> sp.save_npz(path, sp.identity(4, format="csr"), compressed=False)
    >>> lcca.read(path)
    <lcca.Matrix of 4 rows and 4 columns, one-hot>

    >>> path = os.path.join(folder.name, "t.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("id,size,color\\na,1,red\\nb,2,blue\\nc,3,red\\nd,4,blue\\n")
    >>> table = lcca.read(path, header=True, index="id")
    >>> table.names, table.row_names
    (['size', 'color=blue', 'color=red'], ['a', 'b', 'c', 'd'])
    """
    options = table_options(missing, categorical, header, index, na, columns, delimiter, decimal)
    return noted(Matrix.read(os.fspath(path), cols, zero_based, options, _settings.threads(n_jobs)), path)


def table_options(
    missing: str,
    categorical: str | Sequence[str],
    header: bool | None = None,
    index: str | bool | None = None,
    na: str | Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
) -> dict[str, Any]:
    """How tables are understood, as the engine takes it."""
    if not (header is None or isinstance(header, bool)):
        raise TypeError(f"header == {header!r}, expected True, False or None")
    if not (index is None or index is False or (isinstance(index, str) and index)):
        raise TypeError(f"index == {index!r}, expected the name of a column, False or None")
    if not (delimiter is None or (isinstance(delimiter, str) and len(delimiter) == 1)):
        raise ValueError(f"delimiter == {delimiter!r}, expected one character")
    if decimal not in (None, ".", ","):
        raise ValueError(f'decimal == {decimal!r}, expected "." or ","')
    return {
        "header": header,
        "index": "" if index is False else index,
        "na": _listed(na),
        "columns": _listed(columns),
        "missing": missing,
        "categorical": categorical if isinstance(categorical, str) else "auto",
        "categories": None if isinstance(categorical, str) else list(categorical),
        "delimiter": delimiter,
        "decimal": decimal,
    }


def _listed(texts: str | Sequence[str] | None) -> list[str] | None:
    return [texts] if isinstance(texts, str) else None if texts is None else [str(text) for text in texts]


def noted(matrix: Matrix, path: Any) -> Matrix:
    """The same view, once its remarks have become warnings."""
    for note in matrix.notes:
        _notes.warn(f"{os.fspath(path)}: {note}", _notes.DataWarning)
    return matrix


def is_file(data: Any) -> bool:
    """Whether a view is given by the path of a file."""
    return isinstance(data, (str, os.PathLike))


def in_memory(data: Any, name: str) -> Any:
    """The data, unless they are on a cluster; masked entries become NaN, and what lies on a GPU is copied."""
    return _missing.unmasked(_gpu.on_host(_foreign.opened(data, name)))


def checked(data: Any, name: str, threads: int) -> Matrix:
    """The rows of an array as users pass it, validated by scikit-learn; a vector is one column."""
    array = check_array(data, accept_sparse=SPARSE, ensure_2d=False, input_name=name)
    return from_arrays(array.reshape(-1, 1) if array.ndim == 1 else array, name, threads)


def from_arrays(data: Any, name: str, threads: int) -> Matrix:
    """The rows of a two-dimensional SciPy or NumPy array that scikit-learn has validated."""
    if sp.issparse(data):
        return _from_sparse(data, name, threads)
    array = _known_type(np.asarray(data))
    threads = _settings.worthwhile(threads, array.size)
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        array = np.ascontiguousarray(array)
    return Matrix.dense(name, array, threads)


def _from_sparse(data: Any, name: str, threads: int) -> Matrix:
    values, threads = _known_type(data.data), _settings.worthwhile(threads, data.nnz)
    shape = (int(data.shape[0]), int(data.shape[1]))
    if data.format == "coo":
        first, second = data.row, data.col
    else:
        # SciPy tolerates entries after the last row.
        entries = int(data.indptr[-1])
        first, second, values = data.indptr, data.indices[:entries], values[:entries]
    return Matrix.sparse(name, data.format, shape, _plain(first), _plain(second), _plain(values), threads)


def finite_rows(data: Any, threads: int) -> Matrix | None:
    """The rows of a large dense array without NaN and infinity: all threads look, and scikit-learn would look
    with one. None may also mean that nobody looked."""
    is_plain = isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype in (np.float32, np.float64)
    if (
        not is_plain
        or data.size < _settings.WORTH_A_THREAD
        or not (data.flags.c_contiguous or data.flags.f_contiguous)
    ):
        return None
    try:
        return Matrix.dense("X", data, _settings.worthwhile(threads, data.size))
    except ValueError:
        return None


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array)


def _known_type(array: NDArray[Any]) -> NDArray[Any]:
    """Converts half and extended precision, the only NumPy numbers that the engine does not read."""
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float32 if array.dtype.itemsize < 4 else np.float64)
    return array
