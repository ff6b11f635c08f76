"""Bootstrap, permutation with groups and covariates, and the number of components, from Python."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse, stats

import lcca

pytestmark = pytest.mark.filterwarnings("ignore:these correlations may be inflated")


def views(rows=300, pairs=1, seed=0, strength=1.0):
    random = np.random.default_rng(seed)
    shared = random.standard_normal((rows, pairs))
    X, Y = random.standard_normal((rows, 5)), random.standard_normal((rows, 4))
    X[:, :pairs] += strength * shared
    Y[:, :pairs] += strength * shared
    return X, Y


def test_a_bootstrap_has_intervals_and_is_deterministic():
    X, Y = views(pairs=2)
    model = lcca.CCA(n_components=3).fit(X, Y)
    one, two, other = (
        lcca.bootstrap(model, X, Y, n=60, random_state=seed, n_jobs=jobs)
        for seed, jobs in ((1, 1), (1, 2), (2, 1))
    )
    assert (
        np.array_equal(one.resampled, two.resampled)
        and np.array_equal(one.x_weights_error, two.x_weights_error)
    )
    assert not np.array_equal(one.resampled, other.resampled)
    low, high = one.correlations_interval.T
    assert (low <= one.correlations_corrected).all() and (one.correlations_corrected <= high).all()
    assert (one.correlations_corrected <= model.correlations_ + 1e-9).all()
    assert one.x_loadings_interval.shape == (5, 3, 2) and np.abs(one.x_loadings_interval).max() <= 1
    assert one.stability[0] > 0.9 and one.resampled.shape == (60, 3)
    assert repr(one).startswith("Bootstrap of 60 resamples\npair  correlation")


def test_resampled_correlations_are_those_of_fits_to_repeated_rows():
    X, Y = views(rows=80)
    model = lcca.CCA(n_components=2).fit(X, Y)
    whole = lcca.bootstrap(model, X, Y, n=5, groups=np.arange(80) // 40, random_state=3)
    halves = [
        lcca.CCA(n_components=2)
        .fit(np.repeat(X[rows], 2, axis=0), np.repeat(Y[rows], 2, axis=0))
        .correlations_
        for rows in (slice(40), slice(40, 80))
    ]
    for found in whole.resampled:
        assert any(np.allclose(found, expected, atol=1e-9) for expected in (model.correlations_, *halves))


def test_a_bootstrap_refuses_other_rows_and_bad_groups():
    X, Y = views(rows=60)
    model = lcca.CCA(n_components=1).fit(X, Y)
    with pytest.raises(ValueError, match="expected the 60 that the model was trained on"):
        lcca.bootstrap(model, X[:50], Y[:50])
    with pytest.raises(ValueError, match="n == 1"):
        lcca.bootstrap(model, X, Y, n=1)
    with pytest.raises(ValueError, match="inconsistent|expected"):
        lcca.bootstrap(model, X, Y, n=5, groups=np.arange(59))
    with pytest.raises(ValueError, match="the number of groups == 1"):
        lcca.bootstrap(model, X, Y, n=5, groups=["a"] * 60)


def test_sparse_and_dense_rows_have_the_same_bootstrap():
    X, Y = views(rows=100)
    X[np.abs(X) < 0.5] = 0
    model = lcca.CCA(n_components=1).fit(X, Y)
    dense, thin = lcca.bootstrap(model, X, Y, n=10), lcca.bootstrap(model, sparse.csr_array(X), Y, n=10)
    assert np.allclose(dense.resampled, thin.resampled, rtol=1e-9)


def test_families_and_covariates_leave_p_values_uniform():
    p, naive = [], []
    for draw in range(120):
        random = np.random.default_rng(draw)
        family = np.repeat(np.arange(25), np.resize([2, 3, 4, 5], 25))
        Z = random.standard_normal((len(family), 3))
        X, Y = (
            Z @ np.ones((3, 2))
            + random.standard_normal((25, 2))[family]
            + random.standard_normal((len(family), 2))
            for _ in "xy"
        )
        model = lcca.CCA(n_components=1).fit(random.standard_normal((50, 2)), random.standard_normal((50, 2)))
        p.append(
            lcca.permutation_test(model, X, Y, 99, groups=family, covariates=Z, random_state=draw).p_values[0]
        )
        naive.append(lcca.permutation_test(model, X, Y, 99, random_state=draw).p_values[0])
    assert stats.kstest(p, "uniform").statistic < 0.15
    # Both views depend on the covariates, with the same sign or not.
    assert stats.kstest(naive, "uniform").statistic > 0.3


def test_correlations_without_covariates_are_partial_correlations():
    random = np.random.default_rng(0)
    Z = random.standard_normal((200, 2))
    X, Y = (Z @ random.standard_normal((2, 3)) + random.standard_normal((200, 3)) for _ in "xy")
    model = lcca.CCA(n_components=2).fit(X[:100], Y[:100])
    result = lcca.permutation_test(model, X, Y, 9, covariates=sparse.csr_array(Z))
    design = np.column_stack([np.ones(200), Z])
    left = [
        scores - design @ np.linalg.lstsq(design, scores, rcond=None)[0] for scores in model.transform(X, Y)
    ]
    expected = [stats.pearsonr(left[0][:, i], left[1][:, i]).statistic for i in range(2)]
    assert np.allclose(result.correlations, expected, atol=1e-10)


def test_groups_need_a_way_to_change_places():
    X, Y = views(rows=60)
    model = lcca.CCA(n_components=1).fit(X, Y)
    X, Y = views(rows=40, seed=1)
    groups = np.arange(40) // 4
    assert lcca.permutation_test(model, X, Y, 99, groups=groups, whole=True).p_values[0] < 0.05
    with pytest.raises(ValueError, match="neither within nor whole"):
        lcca.permutation_test(model, X, Y, 9, groups=groups, within=False)
    with pytest.raises(ValueError, match="whole=True needs groups"):
        lcca.permutation_test(model, X, Y, 9, whole=True)
    with pytest.raises(ValueError, match="at least one group with two rows"):
        lcca.permutation_test(model, X, Y, 9, groups=np.arange(40))
    with pytest.raises(ValueError, match="covariates have 39 rows"):
        lcca.permutation_test(model, X, Y, 9, covariates=np.ones((39, 1)))


def test_random_folds_keep_groups_together():
    X, Y = views(rows=40)
    # Every row is there five times. If copies are on both sides of a cut, the smallest ridge looks best.
    X, Y = np.repeat(X, 5, axis=0), np.repeat(Y, 5, axis=0)
    model = lcca.CCACV(1, ridges=[0.01, 1.0])
    apart = model.fit(X, Y).cv_mean_
    together = model.fit(X, Y, groups=np.repeat(np.arange(40), 5)).cv_mean_
    assert (together < apart - 0.01).all()


def test_the_number_of_components_is_left_to_the_data():
    for pairs in (1, 2):
        X, Y = views(rows=600, pairs=pairs)
        model = lcca.CCA(n_components="auto").fit(X, Y)
        assert model.correlations_.shape == (pairs,)
        assert model.decisions_[-1]["decision"] == "components-chosen" and model.decisions_[-1]["tried"] == 4
    random = np.random.default_rng(0)
    with pytest.warns(lcca.ResultWarning, match="beyond what chance gives"):
        model = lcca.CCA(n_components="auto").fit(
            random.standard_normal((200, 4)), random.standard_normal((200, 4))
        )
    assert model.correlations_.shape == (1,)
    with pytest.raises(ValueError, match="neither hold_out nor resume"):
        lcca.CCA(n_components="auto", hold_out=0.2).fit(X, Y)
    with pytest.raises(ValueError, match="one call of `fit`"):
        lcca.CCA(n_components="auto").partial_fit(X, Y).transform(X)


def test_wilks_is_that_of_the_textbook():
    X, Y = views(rows=120)
    result = lcca.wilks(X, Y)
    correlations = lcca.CCA(n_components=4).fit(X, Y).correlations_
    assert np.allclose(result.correlations, correlations)
    for j in range(4):
        statistic = -(120 - 1 - (5 + 4 + 1) / 2) * np.log(1 - correlations[j:] ** 2).sum()
        assert np.isclose(result.p_values[j], stats.chi2.sf(statistic, (5 - j) * (4 - j)), rtol=1e-8)
    with pytest.raises(ValueError, match="many more rows than columns"):
        lcca.wilks(X[:8], Y[:8])


def test_wilks_of_categories_and_covariates_is_that_of_r():
    pandas = pytest.importorskip("pandas")
    known = json.loads((Path(__file__).parent / "wilks.json").read_text())
    cars = pandas.DataFrame(known["cars"])
    X, Y = (
        cars[["Type", "DriveTrain", "Wheelbase", "Width"]],
        cars[["MPG.city", "MPG.highway", "Horsepower", "Weight"]],
    )
    for name, covariates in (("plain", None), ("partial", cars[["Price", "Origin"]])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lcca.DataWarning)
            # Which view has the indicators makes no difference.
            for result in (lcca.wilks(X, Y, covariates=covariates), lcca.wilks(Y, X, covariates=covariates)):
                expected = known[name]
                assert result.degrees.tolist() == expected["degrees"] == [36, 24, 14, 6]
                assert (
                    sorted(result.ranks) == [4, 9]
                    and result.n_covariates == (0 if covariates is None else 2)
                )
                assert np.allclose(result.correlations, expected["correlations"], rtol=0, atol=1e-10)
                assert np.allclose(result.wilks_lambda, expected["lambda"], rtol=1e-9)
                assert np.allclose(result.chi_square, expected["chi_square"], rtol=1e-9)
                assert np.allclose(result.p_values, expected["p"], rtol=1e-7)


def test_p_values_are_legible():
    X, Y = views(rows=300)
    text = repr(lcca.wilks(X, Y))
    assert "< 0.0001" in text and "e-" not in text, text
    model = lcca.CCA(n_components=2).fit(X[:200], Y[:200])
    text = repr(lcca.permutation_test(model, X[200:], Y[200:]))
    assert "0.001" in text and text.startswith("Permutation test by 999 random orders"), text
