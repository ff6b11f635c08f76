"""Containers of other packages: taken as what they hold, or refused with the way out."""

import decimal
import subprocess
import sys

import numpy as np
import pytest

import lcca
from lcca import CCA

pandas = pytest.importorskip("pandas")


def correlations(x, y):
    return CCA(1).fit(x, y).correlations_


def test_arrays_of_xarray_are_tables_with_names(factors):
    xarray = pytest.importorskip("xarray")
    x, y = factors
    names = [f"c{i}" for i in range(x.shape[1])]
    named = xarray.DataArray(x, dims=("row", "column"), coords={"column": names})
    model = CCA(1).fit(named, xarray.DataArray(y))
    assert list(model.feature_names_in_) == names
    assert np.array_equal(model.correlations_, correlations(x, y))
    assert np.array_equal(model.transform(named), model.transform(pandas.DataFrame(x, columns=names)))
    with pytest.raises(
        ValueError, match=r"X has 3 dimensions .*, expected rows and columns: stack some of them"
    ):
        correlations(xarray.DataArray(x[:, :, None]), y)
    with pytest.raises(
        TypeError, match=r"y is an xarray Dataset, expected one array or table: pass y.to_dataframe\(\)"
    ):
        correlations(x, named.to_dataset(dim="column"))
    pytest.importorskip("dask.array")
    with pytest.raises(TypeError, match="X is a Dask collection"):
        correlations(named.chunk(20), y)


def test_lazy_frames_are_to_be_collected(factors):
    polars = pytest.importorskip("polars")
    x, y = factors
    frame = polars.DataFrame(x, schema=[f"c{i}" for i in range(x.shape[1])])
    for views in ((frame.lazy(), y), (y, frame.lazy())):
        with pytest.raises(
            TypeError,
            match=r"[Xy] is a LazyFrame, whose rows are not computed yet: call [Xy].collect\(\) first",
        ):
            correlations(*views)
    assert np.array_equal(correlations(frame.lazy().collect(), y), correlations(x, y))


def test_single_cells_have_a_function_of_their_own(factors):
    anndata = pytest.importorskip("anndata")
    x, y = factors
    cells = anndata.AnnData(x)
    for views in ((cells, y), (x, cells)):
        with pytest.raises(
            TypeError,
            match=r"[Xy] is AnnData.*: pass [Xy].X or a layer, or fit two modalities with lcca.sc.cca",
        ):
            correlations(*views)
    with pytest.raises(TypeError, match="X is MuData: lcca.sc.cca fits two of its modalities"):
        correlations(pytest.importorskip("mudata").MuData({"a": cells, "b": anndata.AnnData(y)}), y)


def test_decimals_are_numbers(factors):
    arrow = pytest.importorskip("pyarrow")
    x, y = factors
    columns = {f"c{i}": [decimal.Decimal(f"{value:.6f}") for value in x[:, i]] for i in range(x.shape[1])}
    table = arrow.table({name: arrow.array(values) for name, values in columns.items()})
    assert "decimal" in str(table.schema.types[0])
    expected = correlations(np.round(x, 6), y)
    tables = [table, table.to_pandas(), table.to_pandas(types_mapper=pandas.ArrowDtype)]
    for one in tables:
        assert np.allclose(correlations(one, y), expected, rtol=1e-12)
        assert np.allclose(correlations(y, one), expected, rtol=1e-12)
    polars = pytest.importorskip("polars")
    assert np.allclose(correlations(polars.from_arrow(table), y), expected, rtol=1e-12)


def test_intervals_are_categories(factors):
    x, y = factors
    binned = pandas.DataFrame({"bin": pandas.cut(x[:, 0], 3), "size": x[:, 1]})
    names = sorted(f"bin={interval}" for interval in binned["bin"].cat.categories)
    model = CCA(1).fit(binned, y)
    assert list(model.feature_names_in_) == [*names, "size"]
    texts = binned.assign(bin=binned["bin"].astype(str))
    assert np.array_equal(model.correlations_, correlations(texts, y))
    assert np.array_equal(model.transform(binned[:9]), model.transform(texts[:9]))
    assert list(CCA(1).fit(x, binned["bin"]).y_feature_names_in_) == names


@pytest.mark.parametrize("name", ["plot", "sc", "dask"])
def test_optional_modules_come_with_the_package_when_they_are_used(name):
    pytest.importorskip({"plot": "matplotlib", "sc": "anndata", "dask": "distributed"}[name])
    code = f"import sys, lcca; assert 'lcca.{name}' not in sys.modules; print(lcca.{name}.__name__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == [f"lcca.{name}"]
    assert name in dir(lcca)


def test_other_names_are_still_mistakes():
    with pytest.raises(AttributeError, match="module 'lcca' has no attribute 'plots'"):
        lcca.plots  # noqa: B018
