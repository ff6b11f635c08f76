"""Files of single cells as AnnData or MuData."""

import os
from typing import Any

from lcca.sc import _hdf5


def read(path: "str | os.PathLike[str]", *, backed: bool = False) -> Any:
    """Opens an `.h5ad`, `.h5mu` or 10x `.h5` file.

    Parameters
    ----------
    path : str or path
        The file.
    backed : bool
        Whether values stay in the file until they are used. 10x files are always read.

    Returns
    -------
    AnnData or MuData
        10x files become AnnData with `var["feature_types"]`, whose types `lcca.sc.cca` takes as modalities.

    Examples
    --------
    >>> import os, tempfile, anndata, numpy as np, lcca.sc
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "cells.h5ad")
    >>> anndata.AnnData(np.eye(3, dtype=np.float32)).write_h5ad(path)
    >>> lcca.sc.read(path).shape
    (3, 3)
    """
    path = os.fspath(path)
    if _hdf5.modalities(path):
        return _package("mudata").read(path, backed=backed)
    part = _hdf5.open_part(path)
    anndata = _package("anndata")
    if not part.is_ten_x:
        return anndata.read_h5ad(path, backed="r" if backed else None)
    pd = _package("pandas")
    var = pd.DataFrame(index=part.genes)
    if part.kinds is not None:
        var["feature_types"] = part.kinds
    return anndata.AnnData(part[:], obs=pd.DataFrame(index=part.cells), var=var)


def _package(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        raise ImportError(f"reading this file needs {name}: pip install lcca[sc]") from None
