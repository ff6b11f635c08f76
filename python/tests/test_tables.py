"""Tables in memory: names of rows, missing values, columns of text, masked arrays."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import shared_factors

import lcca
from lcca import CCA, DataWarning, permutation_test

pandas = pytest.importorskip("pandas")


@pytest.fixture(autouse=True)
def _no_warning_goes_unnoticed():
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        yield


@pytest.fixture
def tables(factors):
    """Two frames with the same names of rows."""
    rows = [f"mouse {i}" for i in range(len(factors[0]))]
    x = pandas.DataFrame(factors[0], index=rows, columns=[f"gene {i}" for i in range(8)])
    return x, pandas.DataFrame(factors[1], index=rows, columns=[f"lipid {i}" for i in range(6)])


def shuffled(frame, seed=0):
    return frame.iloc[np.random.default_rng(seed).permutation(len(frame))]


def test_rows_in_another_order_are_aligned_by_name(tables):
    x, y = tables
    truth = CCA(2).fit(x, y)
    with pytest.warns(
        DataWarning, match="rows of y brought into the order of X by name: [0-9]+ of 300 moved"
    ):
        model = CCA(2).fit(x, shuffled(y))
    assert np.array_equal(model.correlations_, truth.correlations_)
    with pytest.warns(DataWarning, match="brought into the order"):
        assert model.score(x, shuffled(y, 1)) == truth.score(x, y)
    with pytest.warns(DataWarning, match="brought into the order"):
        assert np.array_equal(model.transform(x, shuffled(y, 2))[1], truth.transform(x, y)[1])
    with pytest.warns(DataWarning, match="brought into the order"):
        permutation_test(model, x[:50], shuffled(y[:50]), 9)


def test_weights_stay_with_the_rows_of_x(tables):
    x, y = tables
    weights = np.random.default_rng(0).random(len(x))
    truth = CCA(2).fit(x, y, sample_weight=weights)
    with pytest.warns(DataWarning, match="brought into the order"):
        model = CCA(2).fit(x, shuffled(y), sample_weight=weights)
    assert np.allclose(model.correlations_, truth.correlations_, rtol=0, atol=1e-12)


def test_other_rows_are_refused_with_their_names_and_the_remedy(tables):
    x, y = tables
    with pytest.raises(
        ValueError, match='2 of its 298 rows are not in y .*"mouse 0", "mouse 1".*align="common"'
    ):
        CCA(2).fit(x[:-2], y[2:])
    with pytest.raises(ValueError, match="1 of its 300 rows are not in y"):
        CCA(2).fit(x, y[1:])
    with pytest.raises(ValueError, match='the row name "mouse 7" occurs in rows 1 and 8.*align="none"'):
        CCA(2).fit(x, pandas.concat([y[7:8], y[1:]]))


def test_rows_are_paired_by_position_if_a_view_has_no_names_or_both_have_the_same(tables):
    x, y = tables
    truth = CCA(2).fit(x, y).correlations_
    assert np.array_equal(CCA(2, align="none").fit(x, y.reset_index(drop=True)).correlations_, truth)
    assert np.array_equal(CCA(2).fit(x.to_numpy(), y).correlations_, truth)
    twice = [frame.iloc[np.repeat(np.arange(100), 2)] for frame in tables]
    assert CCA(2).fit(*twice).n_samples_ == 200
    series = y["lipid 0"]
    with pytest.warns(DataWarning, match="brought into the order"):
        assert CCA(1).fit(x, shuffled(series)).total_ == CCA(1).fit(x, series).total_


def holes(view, share, seed):
    view = np.array(view, dtype=float)
    view[np.random.default_rng(seed).random(view.shape) < share] = np.nan
    return view


def test_missing_values_are_refused_with_their_place_and_the_remedy(factors, tables):
    x, y = (np.array(view) for view in factors)
    x[12, 3] = np.nan
    with pytest.raises(
        ValueError, match=r"Input X contains 1 missing value \(NaN\), the first in row 12, column 3: missing="
    ):
        CCA(2).fit(x, y)
    frame = tables[1].copy()
    frame.iloc[4, 2] = np.nan
    with pytest.raises(ValueError, match="Input y contains 1 missing value.*row 4, column 'lipid 2'"):
        CCA(2).fit(tables[0], frame)


def test_rows_with_missing_values_are_dropped_from_both_views(factors):
    x, y = holes(factors[0], 0.01, 1), holes(factors[1], 0.01, 2)
    whole = ~(np.isnan(x).any(axis=1) | np.isnan(y).any(axis=1))
    weights = np.random.default_rng(0).random(300)
    truth = CCA(2).fit(x[whole], y[whole], sample_weight=weights[whole])
    with pytest.warns(
        DataWarning, match=f"{(~whole).sum()} of 300 rows have missing values and were left out"
    ):
        model = CCA(2, missing="drop").fit(x, y, sample_weight=weights)
    assert np.array_equal(model.correlations_, truth.correlations_) and model.n_samples_ == whole.sum()
    with pytest.warns(DataWarning, match="left out"):
        assert model.score(x, y) == truth.score(x[whole], y[whole])
    scores = model.transform(x)
    unknown = np.isnan(x).any(axis=1)
    assert np.isnan(scores[unknown]).all() and np.array_equal(scores[~unknown], truth.transform(x[~unknown]))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array, pandas.DataFrame])
def test_missing_values_are_filled_in_by_the_means_of_the_fit(factors, kind, tmp_path):
    x, y = holes(factors[0], 0.05, 1), factors[1]
    filled = np.where(np.isnan(x), np.nanmean(x, axis=0), x)
    truth = CCA(2).fit(filled, y)
    x_kind = kind(x)
    with pytest.warns(DataWarning, match="of 2400 values of X are missing and were filled in"):
        model = CCA(2, missing="mean").fit(x_kind, y)
    assert np.allclose(model.correlations_, truth.correlations_, rtol=0, atol=1e-10)
    assert np.allclose(model.transform(x_kind), truth.transform(filled))
    model.save(tmp_path / "model")
    again = lcca.load(tmp_path / "model").set_params(missing="mean")
    names = {"columns": model.feature_names_in_} if hasattr(model, "feature_names_in_") else {}
    few = x[:40] if not names else pandas.DataFrame(x[:40], **names)
    assert np.allclose(again.transform(few), truth.transform(filled[:40]))


def test_a_column_that_is_missing_altogether_has_no_mean(factors):
    x = np.array(factors[0])
    x[:, 2] = np.nan
    with pytest.raises(ValueError, match=r"column 2 of X has missing values \(NaN\) only"):
        CCA(2, missing="mean").fit(x, factors[1])
    with pytest.raises(ValueError, match="every row has missing values"):
        CCA(2, missing="drop").fit(x, factors[1])


def test_masked_entries_are_missing_values(factors):
    x = np.ma.masked_array(np.array(factors[0]), mask=np.zeros_like(factors[0], dtype=bool))
    assert np.array_equal(CCA(2).fit(x, factors[1]).correlations_, CCA(2).fit(*factors).correlations_)
    x[5, 1] = np.ma.masked
    with pytest.raises(ValueError, match="Input X contains 1 missing value.*row 5, column 1"):
        CCA(2).fit(x, factors[1])
    with pytest.warns(DataWarning, match="1 of 300 rows"):
        assert CCA(2, missing="drop").fit(x, factors[1]).n_samples_ == 299


def colors(rows, seed=0):
    random = np.random.default_rng(seed)
    return random.choice(["blue", "green", "red"], rows)


def test_text_becomes_indicators_by_name_here_and_later(tables, tmp_path):
    x, y = tables
    color = colors(len(x))
    by_hand = np.c_[
        x.to_numpy()[:, :2], *(color == name for name in ("blue", "green", "red")), x.to_numpy()[:, 2:]
    ]
    mixed = x.copy()
    mixed.insert(2, "color", color)
    for text in (mixed, mixed.astype({"color": "category"})):
        model = CCA(2, ridge=0.1).fit(text, y)
        truth = CCA(2, ridge=0.1).fit(by_hand, y.to_numpy())
        assert np.allclose(model.correlations_, truth.correlations_, rtol=0, atol=1e-10)
        assert list(model.feature_names_in_[1:6]) == [
            "gene 1", "color=blue", "color=green", "color=red", "gene 2"
        ]
        assert np.allclose(model.transform(text), truth.transform(by_hand))
        model.save(tmp_path / "model")
        assert np.array_equal(lcca.load(tmp_path / "model").transform(text[:9]), model.transform(text[:9]))
    unseen = mixed.copy()
    unseen.iloc[:3, 2] = "mauve"
    with pytest.warns(
        DataWarning, match="3 rows of X have a value of 'color' that the model has not seen, such as 'mauve'"
    ):
        zeros = model.transform(unseen)
    by_hand[:3, 2:5] = 0
    assert np.allclose(zeros, truth.transform(by_hand))
    with pytest.raises(ValueError, match="X has no column 'gene 0', which the model has"):
        model.transform(mixed.drop(columns="gene 0"))


def test_labels_become_indicators(tables):
    x, _ = tables
    label = pandas.Series(colors(300), index=x.index, name="color")
    model = CCA(2).fit(x, label)
    assert list(model.y_feature_names_in_) == ["color=blue", "color=green", "color=red"]
    assert np.array_equal(model.correlations_, CCA(2).fit(x, label.to_frame()).correlations_)
    assert model.transform(x, label)[1].shape == (300, 2) and model.predict(x).shape == (300, 3)


def test_declared_categories_may_be_many(tables):
    x, y = tables
    declared = x.assign(name=pandas.Categorical([f"id {i}" for i in range(300)]))
    assert "name=id 7" in CCA(1, ridge=1.0).fit(declared, y).feature_names_in_


def test_text_in_y_polars_and_arrow(tables):
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    x, y = tables
    y = y.assign(color=colors(len(y)))
    truth = CCA(2, ridge=0.1).fit(x, y)
    assert "color=green" in truth.y_feature_names_in_
    for frame in (polars.DataFrame(y.to_dict("list")), pyarrow.Table.from_pandas(y, preserve_index=False)):
        model = CCA(2, ridge=0.1).fit(x.reset_index(drop=True), frame)
        assert np.array_equal(model.correlations_, truth.correlations_)
        assert model.score(x, frame) == truth.score(x, y)


def test_many_categories_stay_sparse(tables):
    from lcca import _frames

    x, _ = tables
    place = [f"place {i}" for i in np.random.default_rng(0).integers(0, 120, len(x))]
    assert sp.issparse(_frames.encode(x.assign(place=place), "X", "auto").data)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pandas.date_range("2020-01-01", periods=300), "column 'extra' of X has dates, expected numbers"),
        (pandas.date_range("2020-01-01", periods=300, tz="UTC"), "column 'extra' of X has dates"),
        (
            [f"id {i}" for i in range(300)],
            "column 'extra' of X has 300 different texts in 300 rows.*make it the index",
        ),
        (
            [f"id {i // 2 + i % 2}" for i in range(300)],
            "151 different texts in 300 rows, such as 'id 0', expected numbers or categories",
        ),
        ([{}] * 300, "column 'extra' of X has values of type dict"),
        ([1, "a"] * 150, "column 'extra' of X has both text and numbers"),
    ],
)
def test_columns_that_are_neither_numbers_nor_categories_are_refused_by_name(tables, column, words):
    with pytest.raises(ValueError, match=words):
        CCA(2).fit(tables[0].assign(extra=column), tables[1])


def test_text_is_refused_if_that_is_requested(tables):
    with pytest.raises(
        ValueError, match="column 'color' of X has text such as '(red|green|blue)'.*categorical=\"auto\""
    ):
        CCA(2, categorical="error").fit(tables[0].assign(color=colors(300)), tables[1])


def test_a_missing_category_is_a_missing_value(tables):
    x = tables[0].assign(color=colors(300))
    x.loc["mouse 3", "color"] = None
    with pytest.raises(ValueError, match="missing value.*row 3, column 'color=blue'"):
        CCA(2).fit(x, tables[1])
    with pytest.warns(DataWarning, match="1 of 300 rows"):
        assert CCA(2, missing="drop").fit(x, tables[1]).n_samples_ == 299
    with pytest.warns(DataWarning, match="3 of 3300 values of X"):
        CCA(2, missing="mean", ridge=0.1).fit(x, tables[1])


def test_y_must_have_the_columns_and_rows_of_the_fit(tables):
    x, y = tables
    model = CCA(2).fit(x, y)
    with pytest.raises(
        ValueError, match="names of y should match.*column 0 is 'lipid 5', expected 'lipid 0'"
    ):
        model.transform(x, y[y.columns[::-1]])
    fewer = model.transform(x, y[10:])[1]
    assert np.array_equal(fewer, model.transform_y(y[10:]))
    with pytest.raises(ValueError, match="10 of its 300 rows are not in y"):
        model.score(x, y[10:])
    with pytest.raises(ValueError, match="y has 5 columns, but CCA is expecting 6"):
        model.score(x, y[y.columns[:5]])


def test_a_dask_collection_is_not_pulled_in_silence(factors):
    array, frame = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
    lazy = array.from_array(factors[0], chunks=(100, 8))
    with pytest.raises(TypeError, match=r"X is a Dask collection.*lcca.dask.from_array.*X.compute\(\)"):
        CCA(2).fit(lazy, factors[1])
    with pytest.raises(TypeError, match="y is a Dask collection"):
        CCA(2).fit(factors[0], array.from_array(factors[1]))
    with pytest.raises(TypeError, match="lcca.dask.from_dataframe"):
        CCA(2).fit(frame.from_pandas(pandas.DataFrame(factors[0]), npartitions=2), factors[1])
    model = CCA(2).fit(*factors)
    for use in (model.transform, model.predict):
        with pytest.raises(TypeError, match="Dask collection"):
            use(lazy)


def test_every_remark_is_one_warning_of_one_family():
    x, y = shared_factors(100, 4, 3, 1)
    frames = [pandas.DataFrame(view, index=[f"r{i}" for i in range(100)]) for view in (x, y)]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        CCA(1).fit(frames[0], frames[1][::-1])
    assert len(seen) == 1 and issubclass(seen[0].category, lcca.LccaWarning) and seen[0].filename == __file__
