"""Plots show given rows as the model sees them, and refuse what they cannot show in one clear sentence."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from lcca import CCA, CCACV, bootstrap, permutation_test

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pandas = pytest.importorskip("pandas")
import matplotlib.pyplot  # noqa: E402

from lcca import plot  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(autouse=True)
def closed():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture
def frames():
    random = np.random.default_rng(0)
    index = [f"row {i}" for i in range(60)]
    x = random.standard_normal((60, 3))
    y = x[:, :2] + 0.5 * random.standard_normal((60, 2))
    return pandas.DataFrame(x, columns=list("abc"), index=index), pandas.DataFrame(
        y, columns=list("de"), index=index
    )


def places(ax):
    return np.vstack([points.get_offsets() for points in ax.collections])


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def circle_is_that_of_training(model, X, y):
    return (
        np.abs(places(plot.correlation_circle(model, X, y)) - places(plot.correlation_circle(model))).max()
        < 1e-9
    )


def test_rows_in_another_order_are_the_same_rows(frames):
    X, y = frames
    model = CCA(2).fit(X, y)
    assert circle_is_that_of_training(model, X, y)
    assert circle_is_that_of_training(model, X, y[::-1])


@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_missing_values_move_no_column(frames, missing):
    X, y = frames
    X.iloc[3, 1] = y.iloc[7, 0] = np.nan
    assert circle_is_that_of_training(CCA(2, missing=missing).fit(X, y), X, y)


def test_vectors_sparse_rows_and_large_means(frames):
    X, y = (frame.to_numpy() for frame in frames)
    two = np.c_[X[:, 0], X[:, 0] ** 2]
    model = CCA(2).fit(two + 1e5, y)
    assert (
        np.abs(
            places(plot.correlation_circle(model, two + 1e5, y)) - places(plot.correlation_circle(model))
        ).max()
        < 1e-5
    )
    few = sp.csr_array(np.where(X > 0.5, X, 0))
    few = sp.csr_array(sp.hstack([few, np.ones((60, 1))]))
    assert circle_is_that_of_training(CCA(2).fit(few, y), few, y)
    model = CCA(1).fit(X, y[:, 0])
    for draw in (plot.loadings, plot.heatmap, plot.cim, plot.scree):
        draw(model)
    plot.scores(model, X, y[:, 0])


def test_labels_follow_the_names_of_their_rows(frames):
    X, y = frames
    model = CCA(2).fit(X, y)
    labels = (X["a"] > 0).map({True: "high", False: "low"})
    for draw in (plot.scores, plot.biplot):
        assert (
            places(draw(model, X, y, labels=labels)) == places(draw(model, X, y, labels=labels[::-1]))
        ).all()


def test_labels_that_are_none_and_numbers_read_well(frames):
    X, y = (frame.to_numpy() for frame in frames)
    model = CCA(2).fit(X, y)
    assert legend(plot.scores(model, X, y, labels=[1, 2, 10] * 20)) == ["1", "2", "10"]
    assert legend(plot.scores(model, X, y, labels=pandas.Series([10.0, np.nan, 2.5] * 20))) == [
        "2.5", "10", "no label"
    ]
    assert legend(plot.scores(model, X, y, labels=np.full(60, np.nan))) == ["no label"]
    assert legend(plot.biplot(model, X, y, labels=["b", None, "", pandas.NA] * 15)) == ["b", "no label"]


def test_what_cannot_be_drawn_is_refused_in_one_sentence(frames):
    X, y = frames
    one, two = CCA(1).fit(X, y), CCA(2).fit(X, y)
    with pytest.raises(ValueError, match="has one component, and this plot needs two: loadings"):
        plot.correlation_circle(one)
    with pytest.raises(ValueError, match="has one component"):
        plot.biplot(one, X, y)
    for draw in (lambda pair: plot.loadings(two, pair), lambda pair: plot.scores(two, X, y, pair)):
        for pair in (2, -1):
            with pytest.raises(ValueError, match=f"pair == {pair}, expected one of 0 to 1"):
                draw(pair)
    for draw in (plot.heatmap, plot.cim, plot.loadings):
        with pytest.raises(ValueError, match="top == 0, expected at least 1"):
            draw(two, top=0)
    with pytest.raises(ValueError, match="y is given and X is not"):
        plot.scree(two, y=y)
    with pytest.raises(ValueError, match="bootstrap has 2 pairs, expected the 1 of the model"):
        plot.scree(one, bootstrap=bootstrap(two, X, y, n=5))
    with pytest.raises(ValueError, match="significance has 2 pairs, expected the 1 of the model"):
        plot.scree(one, significance=permutation_test(two, X, y, n=5))
    with pytest.raises(ValueError, match="labels choose colors and markers, expected no color beside them"):
        plot.scores(two, X, y, labels=["a"] * 60, color="red")
    with pytest.raises(ValueError, match="expected one per row"):
        plot.scores(two, X, y, labels=["a"])
    with pytest.raises(ValueError, match="normalizes rows"):
        plot.correlation_circle(CCA(2, normalize_rows="length").fit(X, y), X, y)


def test_an_unfitted_model_says_so():
    for draw in (plot.scree, plot.correlation_circle, plot.loadings, plot.heatmap, plot.cim, plot.trace):
        with pytest.raises(NotFittedError, match="fit"):
            draw(CCA(2))
    with pytest.raises(NotFittedError):
        plot.ridge_path(CCACV(2))
