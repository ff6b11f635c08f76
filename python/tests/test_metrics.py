"""Metrics against NumPy's singular value decomposition and scikit-learn's PLSSVD."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cross_decomposition import PLSSVD

import lcca

N = 200


@pytest.fixture(scope="module")
def views():
    random = np.random.default_rng(1)
    shared = random.standard_normal((N, 3))
    X = (shared @ random.standard_normal((3, 8)) + random.standard_normal((N, 8))) * [
        1, 5, 0.2, 1, 2, 1, 1, 30
    ] + 4
    Y = (shared @ random.standard_normal((3, 6)) + random.standard_normal((N, 6))) * [2, 1, 1, 0.1, 1, 9]
    return X, Y


def standardized(view):
    return (view - view.mean(axis=0)) / view.std(axis=0)


def same_up_to_sign(a, b, atol):
    signs = np.sign((a * b).sum(axis=0))
    np.testing.assert_allclose(a, b * signs, rtol=0, atol=atol)


@pytest.mark.parametrize("method", ["auto", "exact", "lobpcg"])
def test_pls_is_the_singular_value_decomposition_of_the_cross_product(views, method):
    X, Y = views
    model = lcca.CCA(3, metric="pls", scale=False, method=method, tol=1e-14).fit(X, Y)
    u, s, vt = np.linalg.svd((X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0)))
    np.testing.assert_allclose(N * model.objective_, s[:3], rtol=1e-9)
    same_up_to_sign(model.x_weights_, u[:, :3], 1e-9 if method != "lobpcg" else 1e-6)
    same_up_to_sign(model.y_weights_, vt[:3].T, 1e-9 if method != "lobpcg" else 1e-6)
    zx, zy = model.transform(X, Y)
    covariances = ((zx - zx.mean(axis=0)) * (zy - zy.mean(axis=0))).mean(axis=0)
    np.testing.assert_allclose(covariances, model.objective_, rtol=1e-9)
    correlations = [np.corrcoef(a, b)[0, 1] for a, b in zip(zx.T, zy.T, strict=True)]
    np.testing.assert_allclose(model.correlations_, correlations, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "parameters", [{"metric": "diagonal"}, {"metric": "pls", "scale": True}, {"metric": "pls"}]
)
def test_the_diagonal_metric_is_that_of_standardized_columns(views, parameters):
    X, Y = views
    model = lcca.CCA(3, **parameters).fit(X, Y)
    truth = np.linalg.svd(standardized(X).T @ standardized(Y) / N, compute_uv=False)[:3]
    np.testing.assert_allclose(model.objective_, truth, rtol=1e-9)
    # Weights have length 1 for columns of unit variance.
    np.testing.assert_allclose(
        np.linalg.norm(model.x_weights_ * X.std(axis=0)[:, None], axis=0), 1, rtol=1e-9
    )


@pytest.mark.parametrize("scale", [True, False])
def test_scikit_learns_plssvd_finds_the_same_weights(views, scale):
    X, Y = views
    theirs = PLSSVD(n_components=3, scale=scale).fit(X, Y)
    ours = lcca.CCA(3, metric="pls", scale=scale).fit(X, Y)
    deviations = (X.std(axis=0), Y.std(axis=0)) if scale else (1.0, 1.0)
    same_up_to_sign((ours.x_weights_.T * deviations[0]).T, theirs.x_weights_, 1e-8)
    same_up_to_sign((ours.y_weights_.T * deviations[1]).T, theirs.y_weights_, 1e-8)
    # scikit-learn divides by deviations with n − 1, the engine with n.
    factor = np.sqrt(N / (N - 1)) if scale else 1.0
    same_up_to_sign(ours.transform(X), factor * theirs.transform(X), 1e-8)


def test_sparse_views_and_mixed_metrics(views):
    random = np.random.default_rng(2)
    x, y = (
        sp.random_array((500, 40), density=0.1, rng=random),
        sp.random_array((500, 30), density=0.2, rng=random),
    )
    model = lcca.CCA(2, metric=("pls", "cca"), method="lobpcg", tol=1e-13).fit(x, y)
    X, Y = (view.toarray() - view.toarray().mean(axis=0) for view in (x, y))
    q = np.linalg.qr(Y)[0]
    np.testing.assert_allclose(
        model.objective_ * np.sqrt(500), np.linalg.svd(X.T @ q, compute_uv=False)[:2], rtol=1e-9
    )
    assert model.get_params()["metric"] == ("pls", "cca")


def test_parameters_are_checked_and_kept(views, tmp_path):
    X, Y = views
    for metric in ("pca", 3, ("pls",), ["pls", "svd"]):
        with pytest.raises(ValueError, match="metric"):
            lcca.CCA(metric=metric).fit(X, Y)
    with pytest.raises(ValueError, match="ridge == 0.1, expected 0"):
        lcca.CCA(metric="pls", ridge=0.1).fit(X, Y)
    with pytest.raises(ValueError, match="use auto, lobpcg, gram or exact"):
        lcca.CCA(metric="diagonal", method="d-cca").fit(X, Y)
    model = lcca.CCA(2, metric=("cca", "pls")).fit(X, Y)
    model.save(tmp_path / "model")
    assert lcca.load(tmp_path / "model").metric == ("cca", "pls")
    assert "covariance" in lcca.CCA(2, metric="pls").fit(X, Y).report()
