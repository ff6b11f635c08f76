"""Rows that are normalized before a fit, against the same done by NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import sparse_pair

import lcca

pytestmark = pytest.mark.filterwarnings("ignore:these correlations may be inflated")

BY_HAND = {
    "length": lambda rows: (
        rows / np.where((length := np.linalg.norm(rows, axis=1, keepdims=True)) > 0, length, 1)
    ),
    "sum": lambda rows: rows / np.where((total := rows.sum(axis=1, keepdims=True)) > 0, total, 1),
    "log1p": lambda rows: np.log1p(
        1e4 * rows / np.where((total := rows.sum(axis=1, keepdims=True)) > 0, total, 1)
    ),
}


def counts(rows, cols, seed):
    random = np.random.default_rng(seed)
    topics = np.random.default_rng(0).gamma(0.5, 1, (rows, 5))
    made = random.poisson(topics @ random.gamma(0.3, 1, (5, cols))).astype(float)
    made[3] = 0
    return made


@pytest.mark.parametrize("how", BY_HAND)
@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_array, np.asarray], ids=["csr", "csc", "dense"])
def test_a_fit_is_that_of_rows_normalized_by_hand(how, make):
    x, y = counts(300, 12, 1), counts(300, 9, 2)
    model = lcca.CCA(3, ridge=0.01, normalize_rows=(how, None)).fit(make(x), make(y))
    by_hand = lcca.CCA(3, ridge=0.01).fit(make(BY_HAND[how](x)), make(y))
    np.testing.assert_allclose(model.correlations_, by_hand.correlations_, rtol=0, atol=1e-9)
    new_x, new_y = counts(50, 12, 3), counts(50, 9, 4)
    found, truth = (
        model.transform(make(new_x), make(new_y)),
        by_hand.transform(make(BY_HAND[how](new_x)), make(new_y)),
    )
    for one, other in zip(found, truth, strict=True):
        np.testing.assert_allclose(np.abs(one), np.abs(other), rtol=0, atol=1e-9)
    assert (
        abs(model.score(make(new_x), make(new_y)) - by_hand.score(make(BY_HAND[how](new_x)), make(new_y)))
        < 1e-9
    )


def test_rows_of_ones_are_normalized_in_single_precision():
    x, y = sparse_pair(500, 40, 30)
    model = lcca.CCA(3, ridge=0.01, normalize_rows="length").fit(x, y)
    by_hand = lcca.CCA(3, ridge=0.01).fit(BY_HAND["length"](x.toarray()), BY_HAND["length"](y.toarray()))
    np.testing.assert_allclose(model.correlations_, by_hand.correlations_, rtol=0, atol=1e-6)


def test_files_and_models_remember_it(tmp_path, program):
    x, y = counts(200, 12, 1), counts(200, 9, 2)
    for name, view in (("x", x), ("y", y)):
        sp.save_npz(tmp_path / f"{name}.npz", sp.csr_matrix(view))
    program(
        "fit", tmp_path / "x.npz", tmp_path / "y.npz", "-k", 3, "--normalize-rows", "log1p",
        "--normalize-rows-y", "no", "-o", tmp_path / "model",
    )
    model = lcca.load(tmp_path / "model")
    assert model.normalize_rows == ("log1p", None)
    truth = lcca.CCA(3, normalize_rows=("log1p", None)).fit(sp.csr_matrix(x), sp.csr_matrix(y))
    np.testing.assert_allclose(model.correlations_, truth.correlations_, rtol=0, atol=1e-9)
    program("transform", tmp_path / "model", "--x", tmp_path / "x.npz", "-o", tmp_path / "zx.npy")
    np.testing.assert_allclose(
        np.load(tmp_path / "zx.npy"), model.transform(sp.csr_matrix(x)), rtol=0, atol=1e-12
    )
    truth.save(tmp_path / "again")
    assert lcca.load(tmp_path / "again").normalize_rows == ("log1p", None)
    assert "normalize_x" not in lcca.CCA(2).fit(x, y)._settings_json


def test_what_was_fitted_counts_not_the_parameter_of_later():
    x, y = counts(100, 12, 1), counts(100, 9, 2)
    model = lcca.CCA(2, normalize_rows="sum").fit(x, y)
    before = model.transform(x)
    model.set_params(normalize_rows=None)
    np.testing.assert_array_equal(model.transform(x), before)


def test_what_cannot_be_normalized_is_one_sentence():
    x, y = counts(100, 12, 1), counts(100, 9, 2)
    y[4, 5] = -1
    with pytest.raises(ValueError, match="Y: row 4, column 5: the value is -1, expected none below 0"):
        lcca.CCA(2, normalize_rows="log1p").fit(x, y)
    lcca.CCA(2, normalize_rows="length").fit(x, y)
    with pytest.raises(ValueError, match="normalize_rows"):
        lcca.CCA(2, normalize_rows="median").fit(x, y)
    with pytest.raises(ValueError, match='use missing="drop"'):
        lcca.CCA(2, normalize_rows="length", missing="mean").fit(x, y)


def test_cross_validation_normalizes_too():
    x, y = counts(200, 12, 1), counts(200, 9, 2)
    one = lcca.CCACV(2, ridges=[0.1, 1], normalize_rows="length").fit(x, y)
    other = lcca.CCACV(2, ridges=[0.1, 1]).fit(BY_HAND["length"](x), BY_HAND["length"](y))
    np.testing.assert_allclose(one.cv_mean_, other.cv_mean_, atol=1e-9)


def test_batches_are_normalized_too():
    x, y = counts(200, 12, 1), counts(200, 9, 2)
    whole = lcca.CCA(2, normalize_rows="log1p").fit(x, y)
    model = lcca.CCA(2, normalize_rows="log1p")
    for rows in (slice(0, 80), slice(80, 200)):
        model.partial_fit(x[rows], y[rows])
    np.testing.assert_allclose(model.correlations_, whole.correlations_, atol=1e-9)
    np.testing.assert_allclose(np.abs(model.transform(x)), np.abs(whole.transform(x)), atol=1e-9)


def test_rows_on_a_cluster_are_not_normalized_silently(client):
    import lcca.dask

    x, y = counts(100, 12, 1), counts(100, 9, 2)
    pair = lcca.dask.from_loaders(client, [(lambda: x, lambda: y)])
    with pytest.raises(ValueError, match="normalize_rows needs rows in this process"):
        lcca.CCA(2, normalize_rows="sum").fit(pair)
    model = lcca.CCA(2, normalize_rows="sum").fit(x, y)
    for use in (model.transform, model.score, model.certify):
        with pytest.raises(ValueError, match="this model normalizes rows"):
            use(pair)
