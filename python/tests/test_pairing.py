"""The rule by which rows find each other, case by case, by every route into Python:
frames, files, weights, covariates, shards."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import lcca
from lcca import CCA, DataWarning

pandas = pytest.importorskip("pandas")

CASES = json.loads((Path(__file__).parents[2] / "crates/lcca-io/tests/files/pairing_cases.json").read_text())
ROWS = 6
TEXT = ("csv", "tsv")
ROUTES = ("frame", "csv", "tsv", "parquet", "feather", "file and frame", "frame and file", "columns")


def frame(labels, values):
    """One column of numbers, with rows that are called as the case says."""
    table = pandas.DataFrame({"v": values})
    if isinstance(labels, dict):
        return table.assign(**labels)
    return table.set_index(pandas.Index(labels)) if isinstance(labels, list) else table


def written(table, labels, path, route):
    """The file of a table, read. Names that occur twice would be refused as a guess long
    before they are compared."""
    index = isinstance(labels, list) or labels == "counting"
    if route in TEXT:
        table.to_csv(path, index=index, sep="\t" if route == "tsv" else ",")
        return lcca.read(path, header=True, index="1" if index else None)
    if labels is None or isinstance(labels, dict):
        pyarrow = pytest.importorskip("pyarrow")
        plain = pyarrow.Table.from_pandas(table, preserve_index=False).replace_schema_metadata()
        if route == "parquet":
            pytest.importorskip("pyarrow.parquet").write_table(plain, path)
        else:
            pytest.importorskip("pyarrow.feather").write_feather(plain, path)
    elif route == "parquet":
        table.to_parquet(path)
    else:
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.feather").write_feather(pyarrow.Table.from_pandas(table), path)
    return lcca.read(path)


def source(route, side, labels, values, folder):
    table = frame(labels, values)
    kinds = {"file and frame": ("csv", "frame"), "frame and file": ("frame", "parquet")}
    kind = kinds[route][side] if route in kinds else route
    if kind == "columns":
        polars = pytest.importorskip("polars")
        return polars.DataFrame(table.to_dict("list"))
    if kind == "frame":
        return table.to_numpy() if labels is None else table
    return written(table, labels, folder / f"{'xy'[side]}.{kind}", kind)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_rows_find_each_other_by_one_rule(case, route, tmp_path):
    if route == "columns" and not all(
        side is None or isinstance(side, dict) for side in (case["x"], case["y"])
    ):
        pytest.skip("polars has no names of rows")
    random = np.random.default_rng(1)
    x, y = random.standard_normal(ROWS), random.standard_normal(ROWS)
    pairs = [[row, row] for row in range(ROWS)] if case.get("pairs") == "position" else case.get("pairs", [])
    for of_x, of_y in pairs:
        y[of_y] = x[of_x]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        views = source(route, 0, case["x"], x, tmp_path), source(route, 1, case["y"], y, tmp_path)
        model = CCA(1, align=case.get("align", "auto"))
        if "error" in case:
            with pytest.raises(ValueError) as error:
                model.fit(*views)
            assert case["error"] in str(error.value)
            assert "never" not in case or f'align="{case["never"]}"' not in str(error.value)
            return
        model.fit(*views)
    assert model.n_samples_ == len(pairs) and model.n_features_in_ == 1
    assert abs(model.correlations_[0] - 1) < 1e-9, "rows that belong together are equal"
    said = case.get("remark")
    assert said is None or any(said in str(warning.message) for warning in seen), [
        str(warning.message) for warning in seen
    ]


def factors(rows=40, seed=0):
    random = np.random.default_rng(seed)
    shared = random.standard_normal((rows, 1))
    x, y = shared + random.standard_normal((rows, 3)), shared + random.standard_normal((rows, 2))
    return pandas.DataFrame(x, columns=list("abc")), pandas.DataFrame(y, columns=list("pq"))


def quietly(call, *arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return call(*arguments, **keywords)


@pytest.mark.parametrize(
    "index",
    [
        [f"r{i}" for i in range(40)],
        [7 * i % 41 for i in range(40)],
        [0.5 * i for i in range(40)],
        pandas.date_range("2020-01-01", periods=40),
        pandas.MultiIndex.from_product([["a", "b"], range(20)]),
    ],
    ids=["texts", "numbers", "fractions", "dates", "levels"],
)
@pytest.mark.parametrize("route", ["frame", "parquet", "csv"])
def test_every_kind_of_index_is_aligned(index, route, tmp_path):
    x, y = (view.set_axis(index, axis=0) for view in factors())
    truth = CCA(1).fit(x.to_numpy(), y.to_numpy()).correlations_
    y = y.sample(frac=1, random_state=0)
    views = [x, y]
    if route == "parquet":
        for name, view in zip("xy", (x, y), strict=True):
            view.to_parquet(tmp_path / f"{name}.parquet")
        views = [tmp_path / "x.parquet", tmp_path / "y.parquet"]
    if route == "csv":
        if isinstance(index, pandas.MultiIndex):
            pytest.skip("a text file has one column of names")
        for name, view in zip("xy", (x, y), strict=True):
            view.to_csv(tmp_path / f"{name}.csv")
        views = [tmp_path / "x.csv", tmp_path / "y.csv"]
    with pytest.warns(DataWarning, match="brought into the order of X by name"):
        model = CCA(1).fit(*views)
    assert np.allclose(model.correlations_, truth, rtol=0, atol=1e-9)


def test_what_belongs_to_rows_follows_the_same_rule():
    x, y = (view.set_index(pandas.Index([f"r{i}" for i in range(40)])) for view in factors())
    weights = pandas.Series(np.random.default_rng(1).random(40) + 0.1, index=x.index)
    z = pandas.DataFrame({"age": np.random.default_rng(2).random(40)}, index=x.index)
    truth = CCA(1).fit(x, y, sample_weight=weights.to_numpy(), covariates=z.to_numpy()).correlations_
    turned = {"sample_weight": weights[::-1], "covariates": z[::-1]}
    with pytest.warns(DataWarning, match="rows of the sample weights brought into the order of X"):
        model = CCA(1).fit(x, y, **turned)
    assert np.allclose(model.correlations_, truth, rtol=0, atol=1e-12)
    for unclear in (
        {"sample_weight": weights.reset_index(drop=True)},
        {"covariates": z.reset_index(drop=True)},
    ):
        with pytest.raises(ValueError, match='by place or by name: say which.*align="none"'):
            CCA(1).fit(x, y, **unclear)
        CCA(1, align="none").fit(x, y, **unclear)
    more = pandas.concat([z, pandas.DataFrame({"age": [3.0]}, index=["other"])])
    assert np.allclose(
        quietly(CCA(1).fit, x, y, weights, covariates=more).correlations_, truth, rtol=0, atol=1e-12
    )
    with pytest.raises(ValueError, match="2 of the 40 rows of X are not in it"):
        CCA(1).fit(x, y, covariates=z[2:])


def test_ids_are_no_data_here_and_later(tmp_path):
    x, y = factors()
    truth = CCA(1).fit(x, y)
    ids = np.random.default_rng(3).permutation(40) + 100
    x_ids, y_ids = x.assign(id=ids), y.assign(id=ids).sample(frac=1, random_state=0).reset_index(drop=True)
    with pytest.warns(DataWarning, match='column "id" names the rows of X'):
        model = CCA(1).fit(x_ids, y_ids)
    assert list(model.feature_names_in_) == list("abc") and list(model.y_feature_names_in_) == list("pq")
    assert np.allclose(model.correlations_, truth.correlations_, rtol=0, atol=1e-12)
    assert abs(quietly(model.score, x_ids, y_ids) - truth.score(x, y)) < 1e-12
    assert np.allclose(model.transform(x_ids), truth.transform(x), rtol=0, atol=1e-12)
    as_data = CCA(1, align="none").fit(x_ids.assign(id=ids + 0.5), y)
    assert as_data.n_features_in_ == 4, "numbers that are not whole are data"


@pytest.mark.parametrize("route", ["frame", "file"])
def test_what_belongs_to_rows_is_found_by_a_column_of_ids(route, tmp_path):
    random = np.random.default_rng(5)
    ids = pandas.Index(random.permutation(40) + 100)
    x, y = (view.set_index(ids) for view in factors())
    z = pandas.DataFrame({"age": random.random(40)})
    truth = CCA(1).fit(x, y, covariates=z.to_numpy())
    rows = pandas.concat([z.assign(id=ids), pandas.DataFrame({"age": [3.0, 4.0], "id": [7, 8]})]).sample(
        frac=1, random_state=0
    )
    table = rows.reset_index(drop=True)
    if route == "file":
        table.to_csv(tmp_path / "z.csv", index=False)
    covariates = tmp_path / "z.csv" if route == "file" else table
    with pytest.warns(DataWarning) as seen:
        model = CCA(1).fit(x, y, covariates=covariates)
    said = [str(warning.message) for warning in seen]
    assert any('column "id" names the rows of the covariates' in message for message in said), said
    assert any("2 rows of the covariates that X does not have left out" in message for message in said), said
    assert list(model.covariate_names_in_) == ["age"]
    assert np.allclose(model.correlations_, truth.correlations_, rtol=0, atol=1e-12)
    expected = truth.transform(x, covariates=z.to_numpy())
    assert np.allclose(quietly(model.transform, x, covariates=covariates), expected, rtol=0, atol=1e-12)
    lacking = table[table["id"] != ids[3]].reset_index(drop=True)
    with pytest.raises(ValueError, match=f'1 of the 40 are not in it \\("{ids[3]}"\\)'):
        CCA(1).fit(x, y, covariates=lacking)


def test_weights_and_groups_are_found_by_a_column_of_names():
    random = np.random.default_rng(6)
    names = pandas.Index([f"r{i}" for i in range(40)])
    x, y = (view.set_index(names) for view in factors())
    weights = random.random(40) + 0.1
    truth = CCA(1).fit(x, y, sample_weight=weights).correlations_
    table = pandas.DataFrame({"id": names, "weight": weights}).sample(frac=1, random_state=0)
    with pytest.warns(DataWarning, match="rows of the sample weights brought into the order of X"):
        assert np.allclose(CCA(1).fit(x, y, sample_weight=table).correlations_, truth, rtol=0, atol=1e-12)


def test_a_column_of_ids_that_x_has_as_data_is_no_order_of_covariates():
    random = np.random.default_rng(7)
    x, y = factors()
    ids = random.permutation(40) + 100
    z = (
        pandas.DataFrame({"id": ids, "age": random.random(40)})
        .sample(frac=1, random_state=0)
        .reset_index(drop=True)
    )
    with pytest.raises(
        ValueError, match='column "id" holds numbers that name the rows of the covariates, in another order'
    ):
        CCA(1).fit(x.assign(id=ids), y, covariates=z)


def test_wilks_and_least_squares_follow_the_same_rules():
    x, y = (view.set_index(pandas.Index([f"r{i}" for i in range(40)])) for view in factors())
    truth = lcca.wilks(x, y).correlations
    with pytest.warns(DataWarning, match="brought into the order"):
        assert np.allclose(lcca.wilks(x, y[::-1]).correlations, truth, rtol=0, atol=1e-12)
    coefficients = lcca.least_squares(x, y).coef
    with pytest.warns(DataWarning, match="brought into the order"):
        assert np.allclose(lcca.least_squares(x, y[::-1]).coef, coefficients)
    masked = np.ma.masked_array(x.to_numpy(), mask=np.zeros(x.shape, dtype=bool))
    masked[3, 1] = np.ma.masked
    for call in (lcca.wilks, lcca.least_squares):
        with pytest.raises(ValueError, match="1 missing value"):
            call(masked, y.to_numpy())
    whole = np.delete(np.arange(40), 3)
    with pytest.warns(DataWarning, match="1 of 40 rows"):
        found = lcca.wilks(masked, y.to_numpy(), missing="drop").correlations
    assert np.allclose(found, lcca.wilks(x.to_numpy()[whole], y.to_numpy()[whole]).correlations)
    with pytest.warns(DataWarning, match="1 of 40 rows"):
        found = lcca.least_squares(masked, y.to_numpy(), missing="drop").coef
    assert np.allclose(found, lcca.least_squares(x.to_numpy()[whole], y.to_numpy()[whole]).coef)


def test_two_views_keep_the_names_of_rows_and_columns():
    from sklearn.preprocessing import StandardScaler

    x, y = (view.set_index(pandas.Index([f"r{i}" for i in range(40)])) for view in factors())
    steps = lcca.TwoViews(StandardScaler(), StandardScaler(), cca=CCA(1))
    truth = steps.fit((x, y))
    assert (
        list(truth.cca_.feature_names_in_) == list("abc")
        and list(truth.cca_.y_feature_names_in_) == list("pq")
    )
    expected, correlation = truth.transform((x, y)), truth.cca_.correlations_
    with pytest.warns(DataWarning, match="brought into the order"):
        model = lcca.TwoViews(StandardScaler(), StandardScaler(), cca=CCA(1)).fit((x, y[::-1]))
    assert np.allclose(model.cca_.correlations_, correlation, rtol=0, atol=1e-12)
    assert np.allclose(quietly(model.transform, (x, y[::-1])), expected)
    assert abs(quietly(model.score, (x, y[::-1])) - truth.score((x, y))) < 1e-12


def test_align_is_checked():
    x, y = factors()
    with pytest.raises(ValueError, match="align == 'names', expected \"auto\", \"common\" or \"none\""):
        CCA(1, align="names").fit(x, y)


def test_a_model_file_remembers_how_rows_are_read(tmp_path):
    x, y = factors()
    x.iloc[3, 1] = np.nan
    model = quietly(CCA(1, missing="mean", align="none").fit, x, y)
    model.save(tmp_path / "model")
    again = lcca.load(tmp_path / "model")
    assert (again.missing, again.align, again.categorical) == ("mean", "none", "auto")
    assert np.allclose(again.transform(x), model.transform(x), rtol=0, atol=1e-12)
    CCA(1).fit(x.fillna(0), y).save(tmp_path / "plain")
    plain = lcca.load(tmp_path / "plain")
    assert (plain.missing, plain.align) == ("error", "auto") and "reading" not in plain._provenance
