"""The page about a model, which the program `lcca` writes: models and rows reach it through files."""

import json
import os
import tempfile
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from lcca import _beside, _inputs, _program, _rows, _settings, _views
from lcca._bootstrap import Bootstrap
from lcca._cca import CCA
from lcca._lcca import Matrix
from lcca._pairing import View
from lcca._significance import Significance


def report(
    model: CCA,
    X: Any,
    Y: Any,
    path: "str | os.PathLike[str]",
    *,
    labels: Any = None,
    covariates: Any = None,
    bootstrap: Bootstrap | None = None,
    significance: Significance | None = None,
) -> None:
    """Writes a page about a model: what was found, how sure it is, and pictures of it.
    From the shell: `lcca report`.

    The page is one HTML file that needs nothing else. The program `lcca` writes it, so that has to be
    installed: the path in the variable LCCA_PROGRAM, beside this Python, or on PATH. Rows go to it
    through a temporary folder.

    Parameters
    ----------
    model : CCA
        A fitted model.
    X, Y : as for `CCA.fit`, or both None
        Rows to be shown, such as held-out ones: arrays and tables, or the paths of two files.
        None shows the model alone.
    path : str or path
        The page to write, which ends in .html. It appears whole or not at all.
    labels : array of shape (n_rows,), optional
        What is known about each row of X; rows are colored by it.
        The labels of a pandas Series follow the names of the rows.
    covariates : as for `CCA.fit`
        The covariates of the rows, if the model was fitted with covariates.
    bootstrap : Bootstrap, optional
        The result of `lcca.bootstrap`: intervals and stability.
    significance : Significance, optional
        The result of `lcca.permutation_test`: p-values.

    Examples
    --------
    >>> import lcca, os, tempfile
    >>> X, Y = lcca.datasets.load_countries(return_X_y=True)
    >>> model = lcca.CCA().fit(X, Y)
    >>> folder = tempfile.TemporaryDirectory()
    >>> lcca.report(model, X, Y, os.path.join(folder.name, "report.html"))    # doctest: +SKIP
    """
    check_is_fitted(model)
    if (X is None) != (Y is None):
        raise ValueError("one of X and Y is None: both are needed, or neither")
    if X is None and labels is not None:
        raise ValueError("labels belong to rows: pass X and Y")
    _program.find()  # before anything is computed
    with tempfile.TemporaryDirectory(prefix="lcca-") as folder:
        # The page shows these names.
        model.save(os.path.join(folder, "model"))
        words = ["report", "model", *_rows_for(model, X, Y, covariates, labels, folder)]
        for flag, name, found in (
            ("--bootstrap", "bootstrap.json", None if bootstrap is None else _resampled(bootstrap)),
            ("--scores", "scores.json", None if significance is None else _tested(model, significance)),
        ):
            if found is not None:
                _write(os.path.join(folder, name), json.dumps(found))
                words += [flag, name]
        _program.run([*words, "-o", os.path.abspath(path)], folder)


def _rows_for(model: CCA, X: Any, Y: Any, covariates: Any, labels: Any, folder: str) -> list[str]:
    """Writes rows, their covariates and their labels to files, and returns the words that name them."""
    if X is None:
        return []
    if _views.is_file(X) and _views.is_file(Y) and covariates is None and labels is None:
        return [os.path.abspath(X), os.path.abspath(Y)]
    for name, view in (("X", X), ("Y", Y)):
        if _views.is_file(view) or isinstance(view, Matrix):
            raise ValueError(
                f"{name} is a file: pass the paths of both views without labels and covariates, "
                "or arrays of both"
            )
    threads = _settings.threads(model.n_jobs)
    numbers = np.arange(_length(X))
    pair = _inputs.known_pair(model, X, Y, None, threads, covariates, numbers)
    kept = numbers if pair.beside.groups is None else pair.beside.groups
    row_names = _rows.names(X)
    named = None if row_names is None else [str(row_names[row]) for row in kept]
    _save(os.path.join(folder, "X.safetensors"), pair.x, getattr(model, "feature_names_in_", None), named)
    _save(os.path.join(folder, "Y.safetensors"), pair.y, getattr(model, "y_feature_names_in_", None), named)
    words = ["X.safetensors", "Y.safetensors"]
    if pair.beside.covariates is not None:
        names = getattr(model, "covariate_names_in_", None)
        _save(os.path.join(folder, "covariates.safetensors"), pair.beside.covariates, names, named)
        words += ["--covariates", "covariates.safetensors"]
    if labels is not None:
        known = list(
            _beside.values(View("X", np.empty((len(numbers), 0)), None, X), labels, "the labels", model.align)
        )
        if len(known) != len(numbers):
            raise ValueError(f"there are {len(known)} labels, expected one per row, {len(numbers)}")
        _write(os.path.join(folder, "labels.txt"), "".join(f"{_label(known[row])}\n" for row in kept))
        words += ["--label", "labels.txt"]
    return words


def _length(data: Any) -> int:
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def _label(label: Any) -> str:
    """A label on one line; nothing if it is missing."""
    is_missing = label is None or label != label
    return "" if is_missing else " ".join(str(label).split())


def _save(path: str, view: View, names: Any, row_names: list[str] | None) -> None:
    """Writes rows as a store, with the names of the model's columns."""
    from lcca.sc import _store  # here, because that package is not needed to fit

    columns = None if names is None else [str(name) for name in names]
    data, entries = view.data, None
    if sp.issparse(data):
        rows: Any = data
        data = rows.tocsr(copy=True)
        data.sum_duplicates()
        entries = data.nnz
    else:
        data = np.asarray(data, dtype=np.float64)
    _store.write(path, data.shape, entries, lambda: iter([data]), False, columns, row_names)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    """Numbers as JSON has them, which knows no NaN."""
    return [float(value) if np.isfinite(value) else None for value in values]


def _resampled(found: Bootstrap) -> dict[str, Any]:
    """What `lcca bootstrap --json` prints, as far as the page shows it."""
    return {
        "resamples": found.n_resamples,
        "correlations": _numbers(found.correlations),
        "corrected": _numbers(found.correlations_corrected),
        "low": _numbers(found.correlations_interval[:, 0]),
        "high": _numbers(found.correlations_interval[:, 1]),
        "stability": _numbers(found.stability),
        "stability_alone": _numbers(found.stability_alone),
    }


def _tested(model: CCA, found: Significance) -> dict[str, Any]:
    """What `lcca score --permutations --json` prints, as far as the page shows it."""
    return {
        "training_correlations": _numbers(model.correlations_),
        "correlations": _numbers(found.correlations),
        "p_adjusted": _numbers(found.p_adjusted),
        "permutations": found.n_permutations,
    }
