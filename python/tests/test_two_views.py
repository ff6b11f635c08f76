"""Two views in one step of a pipeline, and predictions of wide views."""

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import shared_factors
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from lcca import CCA, TwoViews

pandas = pytest.importorskip("pandas")


@pytest.fixture
def texts():
    """Rows with two texts about the same topic, and the topic."""
    random = np.random.default_rng(0)
    topic = random.integers(0, 3, 240)

    def text(prefix):
        about = [f"{prefix}{t}{random.integers(0, 4)} {prefix}{t}{random.integers(0, 4)}" for t in topic]
        return [f"{words} {prefix}noise{random.integers(0, 20)}" for words in about]

    return pandas.DataFrame({"english": text("e"), "french": text("f")}), topic


def words(**parameters):
    return TwoViews(
        TfidfVectorizer(), CountVectorizer(), x_columns="english", y_columns="french", cca=CCA(4, ridge=0.1),
        **parameters,
    )


def test_a_classifier_follows_two_vectorizers(texts):
    table, topic = texts
    pipeline = Pipeline([("views", words()), ("classify", LogisticRegression())]).fit(
        table[:160], topic[:160]
    )
    assert pipeline.score(table[160:], topic[160:]) > 0.9
    views = pipeline.named_steps["views"]
    assert list(views.get_feature_names_out()) == [*(f"x{i}" for i in range(4)), *(f"y{i}" for i in range(4))]
    x, y = views.x_.transform(table["english"]), views.y_.transform(table["french"])
    assert np.array_equal(views.transform(table), np.hstack(views.cca_.transform(x, y)))
    assert views.score(table) == views.cca_.score(x, y)


def test_it_is_cloned_and_searched_like_any_step(texts):
    table, topic = texts
    pipeline = Pipeline([("views", words()), ("classify", LogisticRegression())])
    assert clone(pipeline).get_params()["views__cca__ridge"] == 0.1
    grid = {
        "views__cca__ridge": [0.01, 1.0], "views__x__max_features": [20, None],
        "views__output": ["x", "both"],
    }
    search = GridSearchCV(pipeline, grid, cv=2).fit(table, topic)
    assert search.best_score_ > 0.9
    alone = GridSearchCV(words(), {"cca__n_components": [1, 2]}, cv=2).fit(table)
    assert 0 < alone.best_score_ <= 1


@pytest.mark.parametrize("output", ["x", "y"])
def test_one_view_needs_only_its_own_columns_later(texts, output):
    table, _ = texts
    views = words(output=output).fit(table)
    column = "english" if output == "x" else "french"
    assert np.allclose(views.transform(table[[column]]), views.fit_transform(table))


def test_pairs_of_arrays_and_slices_of_one(factors):
    x, y = factors
    paired = TwoViews(StandardScaler(), None, cca=CCA(2), output="mean").fit((x, y))
    both = TwoViews(
        StandardScaler(), None, x_columns=slice(0, 8), y_columns=slice(8, None), cca=CCA(2), output="mean"
    )
    assert np.array_equal(paired.transform((x, y)), both.fit_transform(np.hstack([x, y])))
    assert list(paired.get_feature_names_out()) == ["cca0", "cca1"]
    frame = paired.set_output(transform="pandas").transform((x, y))
    assert list(frame.columns) == ["cca0", "cca1"]


def test_what_belongs_to_rows_reaches_the_model(factors):
    x, y = factors
    random = np.random.default_rng(0)
    weights, z = random.random(len(x)), random.standard_normal((len(x), 2))
    beside = {"sample_weight": weights, "covariates": z}
    expected = CCA(2).fit(x, y, **beside)
    for output in ("both", "x", "y"):
        views = TwoViews(cca=CCA(2), output=output)
        found = views.fit_transform((x, y), **beside)
        assert np.array_equal(views.cca_.x_weights_, expected.x_weights_)
        assert np.array_equal(found, views.fit((x, y), **beside).transform((x, y), covariates=z))
        assert views.score((x, y), **beside) == expected.score(x, y, **beside)
    with pytest.raises(TypeError, match="unexpected keyword argument 'sample_weights'"):
        TwoViews(cca=CCA(2)).fit_transform((x, y), sample_weights=weights)
    pipeline = Pipeline(
        [
            ("views", TwoViews(x_columns=slice(0, 8), y_columns=slice(8, None), cca=CCA(2))),
            ("scale", StandardScaler()),
        ]
    )
    pipeline.fit(np.hstack([x, y]), views__sample_weight=weights)
    assert np.array_equal(pipeline["views"].cca_.x_weights_, CCA(2).fit(x, y, weights).x_weights_)


def test_columns_without_names_are_counted(factors, texts):
    x, y = factors
    both = np.hstack([x, y])
    views = TwoViews(x_columns=slice(0, 8), y_columns=slice(8, None), cca=CCA(2)).fit(both)
    assert views.n_features_in_ == both.shape[1] == TwoViews(cca=CCA(2)).fit((x, y)).n_features_in_
    with pytest.raises(ValueError, match="X has 15 features, but TwoViews is expecting 14 features as input"):
        views.transform(np.hstack([both, y[:, :1]]))
    assert views.fit(np.hstack([both, y[:, :1]])).n_features_in_ == 15  # a new fit may have another width
    # Columns with names are found by their names, whatever else a table has.
    table, _ = texts
    model = words().fit(table)
    assert model.n_features_in_ == 2
    assert np.array_equal(model.transform(table.assign(other=1)), model.transform(table))


@pytest.mark.parametrize(
    ("parameters", "data", "message"),
    [
        ({"output": "z"}, "pair", "output == 'z', expected one of"),
        ({"x_columns": [0]}, "pair", "x_columns and y_columns must both be given"),
        ({}, "array", r"expected a pair \(X, y\), or x_columns and y_columns"),
    ],
)
def test_a_mistake_is_one_sentence(factors, parameters, data, message):
    with pytest.raises(ValueError, match=message):
        TwoViews(**parameters).fit(tuple(factors) if data == "pair" else factors[0])


def test_wide_predictions_need_no_dense_coefficients():
    x, y = shared_factors(60, 30, 40, 2)
    model = CCA(2, ridge=0.1).fit(x, y)
    dense, factors = model.coef_, model.coef_operator_
    assert factors.shape == dense.shape and np.allclose(factors @ x.T, dense @ x.T)
    assert np.allclose(model.predict(x), (factors @ (x - model.x_mean_).T).T + model.intercept_)
    model.memory = 30 * 40 * 8 - 1
    with pytest.raises(MemoryError, match="coef_ would take 40 × 30 numbers.*coef_operator_"):
        model.coef_  # noqa: B018
    with pytest.raises(MemoryError, match="60 × 40 numbers.*fewer rows at a time, or for some columns of y"):
        model.predict(x)
    few = model.predict(x[:5])
    assert np.array_equal(model.predict(x[:5], columns=[3, -1]), few[:, [3, 39]])
    with pytest.raises(ValueError, match="y has no column 40"):
        model.predict(x[:5], columns=40)


def test_very_wide_views_predict_some_columns_by_name():
    random = np.random.default_rng(0)
    x = sp.random(200, 20_000, density=0.002, random_state=0, format="csr")
    y = sp.random(200, 30_000, density=0.002, random_state=1, format="csr")
    model = CCA(3, ridge=0.1, memory="100MB").fit(x, y)
    model.y_feature_names_in_ = np.array([f"w{i}" for i in range(30_000)], dtype=object)
    with pytest.raises(MemoryError):
        model.coef_  # noqa: B018
    assert model.coef_operator_.matvec(random.random(20_000)).shape == (30_000,)
    assert np.allclose(model.predict(x, columns="w7")[:, 0], model.predict(x)[:, 7])
