"""Containers of other packages that are no tables and no arrays:
what is taken out of them, or what to do instead.

None of these packages need be installed, so containers are told by what they have.
"""

from typing import Any


def opened(data: Any, name: str) -> Any:
    """The array or table in a container, or the data as they are.
    What cannot be taken is a TypeError with the way out."""
    if is_mudata(data):
        raise TypeError(f"{name} is MuData: lcca.sc.cca fits two of its modalities")
    if is_anndata(data):
        raise TypeError(
            f"{name} is AnnData, which holds several matrices: pass {name}.X or a layer, "
            "or fit two modalities with lcca.sc.cca"
        )
    if _is_lazy_frame(data):
        raise TypeError(
            f"{name} is a LazyFrame, whose rows are not computed yet: call {name}.collect() first"
        )
    if _is_on_a_cluster(data):
        maker = "from_dataframe" if hasattr(data, "divisions") else "from_array"
        raise TypeError(
            f"{name} is a Dask collection, and all of its rows would be brought to this process: "
            f"make a pair of views with lcca.dask.{maker} and pass that, or call {name}.compute() first"
        )
    return _from_xarray(data, name) if _is_xarray(data) else data


def is_anndata(data: Any) -> bool:
    """Whether this looks like AnnData."""
    return all(hasattr(data, attribute) for attribute in ("obs_names", "var_names", "X", "layers"))


def is_mudata(data: Any) -> bool:
    """Whether this looks like MuData."""
    return hasattr(data, "mod") and hasattr(data, "obs_names")


def _is_lazy_frame(data: Any) -> bool:
    return type(data).__name__ == "LazyFrame" and hasattr(data, "collect")


def _is_on_a_cluster(data: Any) -> bool:
    """Whether this is a Dask collection. A container of xarray is one only if its chunks are Dask's:
    otherwise it has no graph."""
    return hasattr(data, "__dask_graph__") and data.__dask_graph__() is not None


def _is_xarray(data: Any) -> bool:
    return all(hasattr(data, attribute) for attribute in ("dims", "coords", "to_dataframe"))


def _from_xarray(data: Any, name: str) -> Any:
    """A DataArray as pandas has it: coordinates are names of rows and columns."""
    if not hasattr(data, "to_pandas") or hasattr(data, "data_vars"):
        raise TypeError(
            f"{name} is an xarray Dataset, expected one array or table: pass {name}.to_dataframe(), "
            "or one of its variables"
        )
    if data.ndim not in (1, 2):
        raise ValueError(
            f"{name} has {data.ndim} dimensions {tuple(data.dims)}, expected rows and columns: "
            "stack some of them"
        )
    return data.to_pandas()
