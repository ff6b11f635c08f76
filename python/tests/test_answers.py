"""Known answers, and scikit-learn's own examples."""

import json
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import exact_correlations
from sklearn import cross_decomposition
from sklearn.datasets import load_linnerud, make_multilabel_classification

from lcca import CCA


@pytest.mark.parametrize("method", ["auto", "lobpcg", "gram", "exact"])
def test_it_finds_what_factorizations_of_dense_views_find(factors, words, method):
    for x, y in (factors, words):
        model = CCA(n_components=3, method=method, tol=1e-9).fit(x, y)
        assert np.allclose(model.correlations_, exact_correlations(x, y)[:3], atol=1e-6)
        assert model.converged_


@pytest.mark.parametrize(("variables", "divisor"), [("unit-length", 1), ("unit-variance", 300)])
def test_canonical_variables_are_uncorrelated_and_of_unit_length_or_variance(factors, variables, divisor):
    x, y = factors
    assert len(x) == 300
    model = CCA(n_components=4, variables=variables).fit(x, y)
    zx, zy = model.transform(x, y)
    assert np.allclose(zx.T @ zx / divisor, np.eye(4)) and np.allclose(zy.T @ zy / divisor, np.eye(4))
    assert np.allclose(zx.T @ zy / divisor, np.diag(model.correlations_))
    for scores, view, mean, weights in (
        (zx, x, model.x_mean_, model.x_weights_),
        (zy, y, model.y_mean_, model.y_rotations_),
    ):
        assert np.allclose(scores, (view - mean) @ weights)


def test_loadings_are_correlations_with_the_columns(factors):
    x, y = factors
    model = CCA(n_components=2).fit(x, y)
    zx, zy = model.transform(x, y)
    for view, scores, loadings in ((x, zx, model.x_loadings_), (y, zy, model.y_loadings_)):
        truth = np.corrcoef(view.T, scores.T)[: view.shape[1], view.shape[1] :]
        assert np.allclose(loadings, truth)


@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_predictions_and_reconstructions_are_least_squares_on_the_scores(factors, ridge):
    x, y = factors
    model = CCA(n_components=3, ridge=ridge).fit(x, y)
    zx, zy = model.transform(x, y)
    for scores, target, estimate in (
        (zx, y, model.predict(x)),
        (zx, x, model.inverse_transform(zx)),
        (zy, y, model.inverse_transform(zx, zy)[1]),
    ):
        coefficients = np.linalg.lstsq(scores, target - target.mean(axis=0), rcond=None)[0]
        assert np.allclose(estimate, scores @ coefficients + target.mean(axis=0))
    assert np.allclose(model.predict(x), (x - model.x_mean_) @ model.coef_.T + model.intercept_)


def test_with_all_pairs_predictions_are_those_of_linear_regression(factors):
    x, y = factors
    design = np.c_[np.ones(len(x)), x]
    assert np.allclose(
        CCA(n_components=6).fit(x, y).predict(x), design @ np.linalg.lstsq(design, y, rcond=None)[0]
    )


def test_weights_count_rows(words):
    x, y = words
    times = np.random.default_rng(0).integers(0, 4, x.shape[0])
    repeated = np.repeat(np.arange(x.shape[0]), times)
    weighted = CCA(n_components=3, tol=1e-10).fit(x, y, sample_weight=times)
    plain = CCA(n_components=3, tol=1e-10).fit(x[repeated], y[repeated])
    assert np.allclose(weighted.correlations_, plain.correlations_, atol=1e-7)
    assert weighted.score(x, y, sample_weight=times) == pytest.approx(weighted.correlations_.mean(), abs=1e-7)
    with pytest.raises(
        ValueError, match="every sample weight is (0|zero)|Sample weights must contain at least one non-zero"
    ):
        CCA().fit(x, y, sample_weight=np.zeros(x.shape[0]))
    with pytest.raises(ValueError, match="[Nn]egative"):
        CCA().fit(x, y, sample_weight=-np.ones(x.shape[0]))


def test_without_centering_correlations_are_cosines(factors):
    x, y = factors
    model = CCA(n_components=2, center=False).fit(x, y)
    u, v = (np.linalg.svd(view, full_matrices=False)[0] for view in (x, y))
    assert np.allclose(model.correlations_, np.linalg.svd(u.T @ v, compute_uv=False)[:2])
    assert model.x_mean_ is None and np.allclose(model.transform(x), x @ model.x_weights_)


def examples():
    """The data that scikit-learn's documentation shows its CCA on."""
    yield "docstring", [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [3.0, 5.0, 4.0]], (
        [[0.1, -0.2], [0.9, 1.1], [6.2, 5.9], [11.9, 12.3]]
    ), 1
    random = np.random.RandomState(0)
    latent = random.normal(size=(2, 500))
    noise = random.normal(size=(4, 500)), random.normal(size=(4, 500))
    mixed = latent[[0, 0, 1, 1]]
    yield "compare cross decomposition", (mixed + noise[0]).T, (mixed + noise[1]).T, 2
    random = np.random.RandomState(1)
    x = random.normal(size=(1000, 10))
    yield "multivariate", x, x[:, :2] @ random.normal(size=(2, 3)) + random.normal(size=(1000, 3)), 2
    data = load_linnerud()
    yield "linnerud", data.data, data.target, 3
    x, y = make_multilabel_classification(n_classes=2, n_labels=1, allow_unlabeled=True, random_state=1)
    yield "multilabel", x, y, 2


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example[0])
def test_on_scikit_learns_examples_no_pair_is_worse_and_all_are_in_order(example):
    _, x, y, k = example
    x, y = np.asarray(x), np.asarray(y, dtype=float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = cross_decomposition.CCA(n_components=k, max_iter=5000).fit(x, y).transform(x, y)
    theirs = [np.corrcoef(a, b)[0, 1] for a, b in zip(*(scores.T for scores in theirs), strict=True)]
    for columns in (slice(None), slice(None, None, -1)):
        ours = CCA(n_components=k).fit(x[:, columns], y).correlations_
        assert (np.diff(ours) <= 1e-12).all()
        assert (np.cumsum(ours) >= np.cumsum(sorted(theirs, reverse=True)) - 1e-9).all()
        assert np.allclose(ours, exact_correlations(x, y)[:k], atol=1e-9)


def test_the_order_of_columns_changes_nothing_but_the_order_of_weights(words):
    x, y = words
    order = np.random.default_rng(1).permutation(x.shape[1])
    plain = CCA(n_components=2, tol=1e-12).fit(x, y)
    turned = CCA(n_components=2, tol=1e-12).fit(sp.csr_array(x[:, order]), y)
    assert np.allclose(plain.correlations_, turned.correlations_, atol=1e-10)
    assert np.allclose(np.abs(plain.x_weights_[order]), np.abs(turned.x_weights_), atol=1e-6)


def test_mnist_halves(data):
    views = [np.load(data / f"mnist/{side}.npy", mmap_mode="r") for side in "xy"]
    generated = data / "truths.json"
    truth = json.loads(generated.read_text())["mnist"]["total"] if generated.exists() else 16.97992
    assert CCA(n_components=20).fit(*views).total_ == pytest.approx(truth, abs=1e-5)
