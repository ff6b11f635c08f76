"""Fits to sums over rows equal fits to the rows: batches of `partial_fit`,
and matrices given to `fit_moments`."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import shared_factors, sparse_pair
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import lcca
from lcca import CCA, CCACV

ATTRIBUTES = (
    "x_weights_ y_weights_ x_loadings_ y_loadings_ x_mean_ y_mean_ "
    "correlations_ objective_ coef_ intercept_"
).split()


def same(a, b, rtol=1e-9):
    """Whether two models are the same, each attribute relative to its largest entry."""
    for name in ATTRIBUTES:
        left, right = getattr(a, name), getattr(b, name)
        if right is None:
            assert left is None, name
            continue
        assert left.shape == right.shape, name
        assert abs(left - right).max() <= rtol * max(abs(right).max(), 1e-3), name
    assert a.n_samples_ == b.n_samples_ and a.n_features_in_ == b.n_features_in_
    return True


def in_batches(model, x, y, edges=(0, 1, 40, 41, 150), weights=None):
    edges = [*edges, x.shape[0]]
    for start, end in zip(edges, edges[1:], strict=False):
        own = None if weights is None else weights[start:end]
        model.partial_fit(x[start:end], y[start:end], sample_weight=own)
    return model


def boolean_factors():
    x, y = shared_factors(300, 8, 6, 3)
    return np.hstack([x, x[:, :2] > 3]), 1e3 + 50 * y


@pytest.mark.parametrize(
    "parameters",
    [{}, {"ridge": 0.1}, {"ridge": 0.3, "scale": True}, {"ridge": 0.1, "scale": False}, {"center": False}],
)
@pytest.mark.parametrize(
    "views", [shared_factors(300, 8, 6, 3), boolean_factors(), sparse_pair(2000, 120, 90)]
)
def test_batches_equal_all_rows_at_once(views, parameters):
    whole = CCA(n_components=4, **parameters).fit(*views)
    assert same(in_batches(CCA(n_components=4, **parameters), *views), whole)
    weights = np.random.default_rng(0).random(views[0].shape[0]).round(1)
    whole = CCA(n_components=4, **parameters).fit(*views, sample_weight=weights)
    assert same(in_batches(CCA(n_components=4, **parameters), *views, (0, 40), weights), whole)


def test_batches_of_wide_sparse_views_are_summed_up_sparsely():
    x, y = sparse_pair(1500, 2500, 2000)
    numbers = y[:, ::100].toarray() + np.random.default_rng(0).random((1500, 20))
    for views, pairs in (((x, y), 4), ((sp.hstack([x, y], format="csr"), numbers), 2)):
        parameters = {"n_components": pairs, "ridge": 1.0, "tol": 1e-12, "method": "lobpcg"}
        model = in_batches(CCA(**parameters), *views, (0, 500))
        assert model._sums.is_sparse
        whole = CCA(**parameters).fit(*views)
        assert np.allclose(model.correlations_, whole.correlations_, rtol=1e-9)
        assert abs(model.x_weights_ - whole.x_weights_).max() < 1e-5 * abs(whole.x_weights_).max()
    with pytest.raises(MemoryError, match="joint Gram matrix"):
        CCA(memory="10kB").partial_fit(x, y)


def test_means_that_drift_cost_no_digits():
    x, y = shared_factors(300, 5, 4, 2)
    drift = np.linspace(0, 1e7, 6).repeat(50)[:, None]
    far = np.hstack([x, x[:, :1] + drift]), y
    assert same(
        in_batches(CCA(n_components=2), *far, (0, 50, 100, 150, 200, 250)), CCA(n_components=2).fit(*far)
    )


def test_the_model_is_computed_when_it_is_used(factors):
    x, y = factors
    model = CCA(n_components=2, verbose=False).partial_fit(x[:100], y[:100])
    assert "x_weights_" not in vars(model) and model.n_features_in_ == 8
    first = model.correlations_
    assert "x_weights_" in vars(model)
    model.partial_fit(x[100:], y[100:])
    assert "x_weights_" not in vars(model)
    assert not np.allclose(model.correlations_, first) and model.transform(x).shape == (300, 2)
    assert not hasattr(model, "no_such_") and not hasattr(CCA(), "x_weights_") and not hasattr(CCA(), "coef_")
    # Too few rows are no error before the model is asked for, and once more have come, none at all.
    model = CCA(n_components=3).partial_fit(x[:2], y[:2])
    for _ in range(2):
        with pytest.raises(ValueError, match="`n_components` upper bound is 2"):
            model.correlations_
    assert same(model.partial_fit(x[2:], y[2:]), CCA(n_components=3).fit(x, y))


@pytest.mark.parametrize("views", [shared_factors(300, 8, 6, 3), sparse_pair(300, 3000, 2000)])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_batches_survive_a_copy(views, copied):
    x, y = views
    model = CCA(n_components=2, ridge=1.0, tol=0.1, method="lobpcg").partial_fit(x[:100], y[:100])
    again = copied(model)
    assert "x_weights_" not in vars(model), "copying computes nothing"
    assert same(again.partial_fit(x[100:], y[100:]), model.partial_fit(x[100:], y[100:]), 1e-14)
    assert "x_weights_" in vars(copied(model)) and clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        clone(model).transform(x)


def test_names_and_vectors_are_those_of_the_first_batch(factors):
    pandas = pytest.importorskip("pandas")
    x, y = (
        pandas.DataFrame(view, columns=[f"{name}{i}" for i in range(view.shape[1])])
        for view, name in zip(factors, "ab")
    )
    model = CCA(n_components=1).partial_fit(x[:100], y["b0"][:100]).partial_fit(x[100:], y["b0"][100:])
    assert list(model.feature_names_in_) == list(x.columns) and model.predict(x).shape == (300,)
    assert same(model, CCA(n_components=1).fit(x, y["b0"]))
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(x[x.columns[::-1]], y["b0"])
    with pytest.raises(ValueError, match="y has 6 columns, but CCA is expecting 1"):
        model.partial_fit(x, y)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"hold_out": 0.2}, "hold_out needs rows"),
        ({"resume": "state"}, "cannot be combined with resume"),
    ],
)
def test_what_needs_all_rows_is_refused(factors, parameters, words):
    with pytest.raises(ValueError, match=words):
        CCA(**parameters).partial_fit(*factors)


def test_batches_after_a_fit_and_a_fit_after_batches(factors):
    x, y = factors
    model = CCA(n_components=2).fit(x[:50], y[:50])
    with pytest.warns(lcca.DataWarning, match="fit keeps no sums"):
        model.partial_fit(x, y)
    assert same(model, CCA(n_components=2).fit(x, y))
    model = CCA(n_components=2).partial_fit(x[:50], y[:50])
    assert same(model.fit(x, y), CCA(n_components=2).fit(x, y), 0)
    for model, words in (
        (CCACV(2), "CCACV holds rows out in turn"),
        (CCA(missing="mean"), 'use missing="drop"'),
    ):
        assert not hasattr(model, "partial_fit")
        with pytest.raises(AttributeError) as error:
            model.partial_fit(x, y)
        assert words in str(error.value)
    with pytest.raises(ValueError, match="CCACV holds rows out in turn"):
        CCACV(2).fit_moments(*moments(x, y))
    with pytest.raises(ValueError, match="these rows offer no triangular factor"):
        CCA(n_components=2, method="exact").partial_fit(x, y).correlations_  # noqa: B018
    text = pytest.importorskip("pandas").DataFrame({"color": ["red", "blue"] * 150})
    with pytest.raises(ValueError, match="X has columns of text"):
        CCA().partial_fit(text, y)


def moments(x, y, *, centered=True):
    x, y = (view.toarray() if sp.issparse(view) else view for view in (x, y))
    a, b = (x - x.mean(axis=0), y - y.mean(axis=0)) if centered else (x, y)
    return a.T @ a, b.T @ b, a.T @ b, len(x), x.mean(axis=0), y.mean(axis=0)


@pytest.mark.parametrize("parameters", [{}, {"ridge": 0.1}, {"ridge": 0.3, "scale": True}])
@pytest.mark.parametrize("views", [shared_factors(300, 8, 6, 3), boolean_factors()])
def test_moments_equal_rows(views, parameters):
    whole = CCA(n_components=4, **parameters).fit(*views)
    assert same(lcca.fit_moments(*moments(*views), n_components=4, **parameters), whole)
    xx, yy, xy, n, *means = moments(*views)
    model = CCA(n_components=4, **parameters)
    assert same(model.fit_moments(xx / (n - 1), yy / (n - 1), xy / (n - 1), n, *means, divisor=n - 1), whole)
    assert same(model.fit_moments(*moments(*views, centered=False), centered=False), whole)
    assert np.allclose(model.transform(views[0]), whole.transform(views[0]), rtol=1e-9)
    assert model.score(*views) == pytest.approx(whole.score(*views), abs=1e-12)


def test_moments_of_rows_that_are_not_centered(factors):
    whole = CCA(n_components=2, center=False).fit(*factors)
    xx, yy, xy, n, *_ = moments(*factors, centered=False)
    model = CCA(n_components=2, center=False).fit_moments(xx, yy, xy, n, centered=False)
    assert np.allclose(model.x_weights_, whole.x_weights_, rtol=1e-9) and model.x_mean_ is None
    with pytest.raises(ValueError, match="need mean_x and mean_y to be centered"):
        CCA().fit_moments(xx, yy, xy, n, centered=False)
    with pytest.raises(ValueError, match="expected centered=False"):
        CCA(center=False).fit_moments(xx, yy, xy, n)


def test_sparse_matrices_stay_sparse(words):
    x, y = words
    means = x.mean(axis=0), y.mean(axis=0)
    whole = CCA(n_components=3, ridge=0.1).fit(x, y)
    model = lcca.fit_moments(
        x.T @ x, y.T @ y, x.T @ y, x.shape[0], *means, centered=False, n_components=3, ridge=0.1
    )
    assert same(model, whole)
    # A dense y beside a sparse X.
    model = lcca.fit_moments(
        x.T @ x, (y.T @ y).toarray(), x.T @ y, 2000, *means, centered=False, n_components=3, ridge=0.1
    )
    assert same(model, whole)
    # Covariances of which some are 0.
    banded = sp.diags_array([np.full(9, 0.3), np.ones(10), np.full(9, 0.3)], offsets=[-1, 0, 1], format="csr")
    cross = sp.diags_array([np.full(10, 0.2)], offsets=[0], format="csr")
    model = CCA(n_components=2).fit_moments(banded, banded, cross, 100, 1.0, 2.0)
    dense = CCA(n_components=2).fit_moments(
        banded.toarray(), banded.toarray(), cross.toarray(), 100, 1.0, 2.0
    )
    assert np.allclose(model.correlations_, dense.correlations_, rtol=1e-9) and (model.y_mean_ == 2).all()


def test_without_means_rows_are_not_transformed(factors, tmp_path):
    xx, yy, xy, n, *_ = moments(*factors)
    model, whole = CCA(n_components=2).fit_moments(xx, yy, xy, n), CCA(n_components=2).fit(*factors)
    assert np.allclose(model.x_weights_, whole.x_weights_, rtol=1e-8) and model.x_mean_ is None
    assert (
        np.allclose(model.coef_, whole.coef_)
        and model.score(*factors) == pytest.approx(whole.score(*factors))
    )
    for use in (
        lambda: model.transform(factors[0]),
        lambda: model.transform_y(factors[1]),
        lambda: model.predict(factors[0]),
        lambda: model.inverse_transform(np.zeros((3, 2))),
        lambda: model.intercept_,
        lambda: model.save(tmp_path / "model"),
        lambda: pickle.loads(pickle.dumps(model)).transform(factors[0]),
    ):
        with pytest.raises(ValueError, match="fitted to moments without means"):
            use()
    model.fit_moments(xx, yy, xy, n, 0, 0).save(tmp_path / "model")
    centered = factors[0] - factors[0].mean(axis=0)
    assert np.allclose(lcca.load(tmp_path / "model").transform(centered), whole.transform(factors[0]))


def test_matrices_that_no_rows_have_are_refused(factors):
    xx, yy, xy, n, x_mean, y_mean = moments(*factors)
    raw = moments(*factors, centered=False)[:3]

    def with_entry(matrix, value):
        changed = matrix.copy()
        changed[0, 1] = value
        return changed

    cases = [
        ((with_entry(xx, 5.0), yy, xy, n), "Sxx is not symmetric"),
        ((xx[:, :5], yy, xy, n), "Sxx has 8 rows and 5 columns"),
        ((xx, yy, xy.T, n), r"Sxy has shape \(6, 8\), expected \(8, 6\)"),
        ((xx, yy, 3 * xy, n), "no rows have these matrices.* eigenvalue of -"),
        ((xx, -yy, xy, n), "Syy cannot be a Gram matrix"),
        ((xx, yy, xy * np.inf, n), "Input Sxy contains infinity"),
        ((xx, yy, xy, 1), "'n' parameter of CCA must be a number of at least 2"),
        ((xx, yy, xy, n, x_mean[:3]), r"mean_x has shape \(3,\), expected \(8,\) or a number"),
        ((xx, yy, xy, n, x_mean, np.nan), "mean_y has values that are not finite"),
        ((np.diag([0, *np.diag(xx)[1:]]), yy, xy, n), "covariances with others and a variance of 0"),
    ]
    for arguments, words in cases:
        with pytest.raises(ValueError, match=words):
            CCA(n_components=2).fit_moments(*arguments)
        if "Gram" in words or "eigenvalue" in words:
            with pytest.raises(ValueError, match=words):
                CCA(n_components=2).fit_moments(*(sp.csr_array(m) for m in arguments[:3]), n)
    with pytest.raises(ValueError, match="do not belong together"):
        CCA(n_components=2).fit_moments(*raw, n, 10 * x_mean, y_mean, centered=False)
    with pytest.raises(ValueError, match="normalize_rows needs rows"):
        CCA(n_components=2, normalize_rows="length").fit_moments(xx, yy, xy, n)
    with pytest.raises(MemoryError, match="pass sparse ones"):
        CCA(memory=100).fit_moments(xx, yy, xy, n)


def test_columns_keep_their_names(factors):
    pandas = pytest.importorskip("pandas")
    xx, yy, xy, n, *means = moments(*factors)
    names = [f"a{i}" for i in range(8)], [f"b{i}" for i in range(6)]
    x, y = (pandas.DataFrame(m, index=own, columns=own) for m, own in zip((xx, yy), names, strict=True))
    model = CCA(n_components=2).fit_moments(x, y, xy, n, *means)
    assert list(model.feature_names_in_) == names[0] and list(model.y_feature_names_in_) == names[1]
    table = pandas.DataFrame(factors[0], columns=names[0])
    assert model.transform(table).shape == (300, 2)


def test_names_in_another_order_are_refused(factors):
    pandas = pytest.importorskip("pandas")
    x, y = (
        pandas.DataFrame(view).rename(columns=lambda column: f"{prefix}{column}")
        for view, prefix in zip(factors, "xy", strict=True)
    )
    both = pandas.concat([x, y], axis=1).cov()
    xx, yy, xy = (
        both.loc[x.columns, x.columns], both.loc[y.columns, y.columns], both.loc[x.columns, y.columns]
    )
    arguments = {"n": len(x), "mean_x": x.mean(), "mean_y": y.mean(), "divisor": len(x) - 1}
    truth = CCA(2).fit(x, y)
    np.testing.assert_allclose(
        CCA(2).fit_moments(xx, yy, xy, **arguments).correlations_, truth.correlations_, rtol=1e-9
    )
    wrong = [
        ((xx, yy, xy.iloc[::-1]), {}),
        ((xx, yy, xy.iloc[:, ::-1]), {}),
        ((xx.iloc[::-1], yy, xy), {}),
        ((xx, yy, xy), {"mean_x": x.mean()[::-1]}),
    ]
    for matrices, other in wrong:
        with pytest.raises(ValueError, match="names its columns otherwise"):
            CCA(2).fit_moments(*matrices, **arguments | other)


def test_batches_are_normalized_in_the_same_way(factors):
    x, y = (np.abs(view) for view in factors)
    model = CCA(2, normalize_rows="sum").partial_fit(x[:50], y[:50])
    model.set_params(normalize_rows=None)
    with pytest.raises(ValueError, match="normalize_rows has changed since the first batch"):
        model.partial_fit(x[50:], y[50:])
    with pytest.raises(ValueError, match="normalize_rows has changed"):
        model.transform(x)
    assert model.set_params(normalize_rows="sum").partial_fit(x[50:], y[50:]).n_samples_ == len(x)
