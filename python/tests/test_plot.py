"""Plots show the numbers of the model."""

import numpy as np
import pytest

from lcca import CCA, bootstrap, load, permutation_test

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot  # noqa: E402

from lcca import plot  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture
def model(words):
    return CCA(3, method="lobpcg").fit(*words)


def test_correlations_of_training_and_other_rows(model, words):
    training, given = plot.correlations(model, *words).lines
    assert (training.get_ydata() == model.correlations_).all()
    assert np.allclose(given.get_ydata(), model.correlations(*words))


def test_the_trace(model, tmp_path):
    (line,) = plot.trace(model, by="work").lines
    assert list(line.get_xdata()) == [row["work"] for row in model.trace_]
    model.save(tmp_path / "model")
    (line,) = plot.trace(load(tmp_path / "model")).lines
    assert list(line.get_ydata()) == [row["total"] for row in model.trace_]
    with pytest.raises(
        ValueError, match='by == \'seconds\', expected a column of the trace: "iteration", "passes"'
    ):
        plot.trace(load(tmp_path / "model"), by="seconds")
    model.trace_ = None
    with pytest.raises(ValueError, match="no trace"):
        plot.trace(model)


def test_loadings_carry_names(factors):
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame(view).add_prefix(side) for side, view in zip("xy", factors, strict=True)]
    model = CCA(2).fit(*frames)
    ax = plot.loadings(model, 1, view="y", top=3)
    largest = np.argsort(-np.abs(model.y_loadings_[:, 1]))[:3][::-1]
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"y{i}" for i in largest]
    assert [bar.get_width() for bar in ax.patches] == list(model.y_loadings_[largest, 1])
    with pytest.raises(ValueError, match='expected "x" or "y"'):
        plot.loadings(model, view="z")


def test_scores(model, words):
    points = plot.scores(model, *words, pair=2).collections[0].get_offsets()
    x, y = model.transform(*words)
    assert np.allclose(points, np.c_[x[:, 2], y[:, 2]])


def axes_of(function, *arguments, **keywords):
    """The axes that a plot returns, drawn completely."""
    ax = function(*arguments, **keywords)
    ax.figure.canvas.draw()
    return ax


def test_the_circle_holds_correlations_of_columns(factors):
    model = CCA(3).fit(*factors)
    ax = axes_of(plot.correlation_circle, model, components=(0, 2))
    for cloud, loadings in zip(ax.collections, (model.x_loadings_, model.y_loadings_), strict=True):
        assert np.allclose(cloud.get_offsets(), loadings[:, [0, 2]])
    given = plot.correlation_circle(model, *factors, components=(0, 2))
    for cloud, known in zip(given.collections, ax.collections, strict=True):
        assert np.allclose(cloud.get_offsets(), known.get_offsets())
    with pytest.raises(ValueError, match="expected two different ones of 0 to 2"):
        plot.correlation_circle(model, components=(0, 3))
    with pytest.raises(ValueError, match="X and y are both needed"):
        plot.correlation_circle(model, factors[0])


def test_the_circle_of_sparse_rows(model, words):
    ax = plot.correlation_circle(model, *words)
    assert np.allclose(ax.collections[0].get_offsets(), model.x_loadings_[:, :2], atol=1e-9)


def test_names_do_not_cover_each_other(model):
    ax = axes_of(plot.correlation_circle, model, top=40)
    boxes = [text.get_window_extent() for text in ax.texts]
    overlapping = sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert len(boxes) > 5 and overlapping == 0


def test_a_cim_multiplies_correlations_with_the_sums_of_variables(factors):
    model = CCA(3).fit(*factors)
    sums = sum(np.asarray(variables) for variables in model.transform(*factors))
    views = [np.corrcoef(view, sums, rowvar=False)[: view.shape[1], view.shape[1] :] for view in factors]
    ax = axes_of(plot.cim, model)
    similarity = views[0] @ views[1].T
    order = [
        [int(label.get_text()) for label in labels] for labels in (ax.get_yticklabels(), ax.get_xticklabels())
    ]
    assert np.allclose(ax.images[0].get_array(), similarity[np.ix_(*order)])
    assert sorted(order[0]) == list(range(8)) and sorted(order[1]) == list(range(6))


def test_a_heatmap_holds_the_loadings(model):
    ax = axes_of(plot.heatmap, model, components=2, top=4)
    columns = [int(label.get_text()) for label in ax.get_yticklabels()]
    expected = np.vstack([model.x_loadings_[columns[:4], :2], model.y_loadings_[columns[4:], :2]])
    assert np.array_equal(ax.images[0].get_array(), expected)
    with pytest.raises(ValueError, match="components == 4, expected 1 to 3"):
        plot.heatmap(model, components=4)


def test_rows_are_colored_by_label(model, words):
    labels = np.arange(words[0].shape[0]) % 11
    ax = axes_of(plot.biplot, model, *words, labels=labels)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(texts) == 7 and texts[0] == "5 other labels"
    means = sum(np.asarray(variables) for variables in model.transform(*words)) / 2
    drawn = np.vstack([cloud.get_offsets() for cloud in ax.collections])
    assert np.allclose(np.sort(drawn[:, 0]), np.sort(means[:, 0]))
    ax = axes_of(plot.scores, model, *words, labels=labels % 2)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1"]
    with pytest.raises(ValueError, match="expected one per row"):
        plot.scores(model, *words, labels=labels[:5])


@pytest.mark.filterwarnings("ignore:these look like the rows")
def test_a_scree_counts_as_the_other_plots_do(model):
    shown = len(model.correlations_)
    assert plot.scree(model).lines[0].get_xdata().tolist() == list(range(shown))
    assert [tick.get_text() for tick in plot.heatmap(model).get_xticklabels()] == [
        str(j) for j in range(shown)
    ]


def test_a_heatmap_has_columns_of_every_component(model):
    """Those of the first component would fill it if columns were ranked by all their loadings together."""
    from lcca.plot._shared import taking_turns

    loadings = np.full((40, 4), 0.01)
    loadings[:30, 0] = 0.9
    for column in range(30, 40):
        loadings[column, column % 4] = 0.3
    chosen = taking_turns(loadings, 8)
    assert set(np.abs(loadings[chosen]).argmax(axis=1)) == {0, 1, 2, 3} and len(set(chosen)) == 8
    assert len(taking_turns(loadings[:3], 8)) == 3


def test_a_scree_holds_intervals_and_p_values(factors):
    model = CCA(3).fit(*factors)
    sure, tested = bootstrap(model, *factors, n=10), permutation_test(model, *factors, n=19)
    ax = axes_of(plot.scree, model, bootstrap=sure, significance=tested)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[0] == "training rows" and "corrected, with 95% interval" in texts
    assert sum(text.get_text().startswith("p ") for text in ax.texts) == 3
    # Correlations that differ by rounding errors are one height on the page.
    low, high = ax.get_ylim()
    assert low <= 0 and high >= 1


def test_one_pair_and_one_column_are_drawn_too(factors):
    model = CCA(1).fit(factors[0], factors[1][:, :1])
    for drawn in (plot.scree(model), plot.heatmap(model), plot.cim(model), plot.loadings(model)):
        drawn.figure.canvas.draw()
    with pytest.raises(ValueError, match="one component, and this plot needs two"):
        plot.biplot(model, factors[0], factors[1][:, :1])
