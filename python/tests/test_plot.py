"""Plots show the numbers of the model."""

import numpy as np
import pytest

from lcca import CCA, load

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from lcca import plot  # noqa: E402


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
    with pytest.raises(ValueError, match="by == 'seconds', expected a column of the trace: \"iteration\", \"passes\""):
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
