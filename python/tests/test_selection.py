"""Choosing a ridge and testing correlations on held-out rows."""

import json
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import shared_factors
from scipy.stats import kstest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import lcca
from lcca import CCA, CCACV, permutation_test

RIDGES = [0.01, 1.0, 100.0]


def expected_failures(_):
    """`fit_transform` returns the variables of both views, which scikit-learn expects
    only of a class named CCA."""
    why = "fit_transform returns the canonical variables of both views"
    return dict.fromkeys(["check_transformer_general", "check_transformer_data_not_an_array"], why)


@parametrize_with_checks([CCACV(ridges=[0.01, 1.0], folds=2)], expected_failed_checks=expected_failures)
def test_scikit_learn_finds_no_fault(estimator, check):
    check(estimator)


def test_a_number_is_a_number_of_folds_as_in_scikit_learn(factors):
    counted, named = (CCACV(2, ridges=RIDGES, **folds).fit(*factors) for folds in ({"cv": 3}, {"folds": 3}))
    assert counted.cv_scores_.shape == (3, 3) and np.array_equal(counted.cv_scores_, named.cv_scores_)
    for wrong, error in ((1, ValueError), (True, ValueError), ("3", ValueError)):
        with pytest.raises(error, match="cv"):
            CCACV(2, ridges=RIDGES, cv=wrong).fit(*factors)


def test_the_ridge_is_the_programs(words, program, tmp_path):
    for name, view in zip("xy", words):
        sp.save_npz(tmp_path / f"{name}.npz", view, compressed=False)
    printed = program(
        "fit", tmp_path / "x.npz", tmp_path / "y.npz", "-k", 3, "--ridge-path", "0.01,1,100", "--folds", 3,
        "--json", "--quiet", "--threads", 1, "--hold-out", "no",
    )
    theirs = json.loads(printed)
    model = CCACV(3, ridges=RIDGES, folds=3, n_jobs=1).fit(*words)
    assert model.ridge_ == theirs["ridge_path"]["chosen"]
    assert np.allclose(model.cv_mean_, theirs["ridge_path"]["mean"], rtol=0, atol=1e-12)
    assert np.allclose(model.cv_scores_, theirs["ridge_path"]["scores"], rtol=0, atol=1e-12)
    assert np.allclose(model.correlations_, theirs["correlations"], rtol=0, atol=1e-12)


def test_the_fit_is_that_of_the_chosen_ridge(factors):
    model = CCACV(2, ridges=RIDGES, select="best").fit(*factors)
    assert model.ridge_ == RIDGES[int(np.argmax(model.cv_mean_))]
    plain = CCA(2, ridge=model.ridge_).fit(*factors)
    assert np.array_equal(plain.x_weights_, model.x_weights_)
    assert model.cv_scores_.shape == (5, 3) and np.allclose(model.cv_scores_.mean(axis=0), model.cv_mean_)
    assert np.allclose(model.cv_scores_.std(axis=0, ddof=1) / np.sqrt(5), model.cv_error_)


def test_any_splitter_cuts_the_rows(factors):
    from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit

    X, Y = factors
    groups = np.arange(300) // 20
    splitters = (KFold(4), ShuffleSplit(3, random_state=0), GroupKFold(5), list(KFold(2).split(X)))
    for cv, given in zip(splitters, (None, None, groups, None), strict=True):
        model = CCACV(2, ridges=RIDGES, cv=cv).fit(X, Y, groups=given)
        splits = cv if isinstance(cv, list) else list(cv.split(X, groups=given))
        assert model.cv_scores_.shape == (len(splits), 3)
        for scores, (train, test) in zip(model.cv_scores_, splits, strict=True):
            by_hand = [
                CCA(2, ridge=ridge).fit(X[train], Y[train]).score(X[test], Y[test]) for ridge in RIDGES
            ]
            assert np.allclose(scores, by_hand, rtol=0, atol=1e-8)
    with pytest.raises(ValueError, match="'cv' parameter of CCA must be an int, a splitter"):
        CCACV(2, cv=3.5).fit(X, Y)
    with pytest.raises(ValueError, match=r"groups has shape \(3,\)"):
        CCACV(2, cv=GroupKFold(2)).fit(X, Y, groups=[1, 2, 3])


def test_the_ridge_of_y_may_be_fixed(factors):
    model = CCACV(2, ridges=RIDGES, ridge_y=0.5, select="best").fit(*factors)
    plain = CCA(2, ridge=model.ridge_, ridge_y=0.5).fit(*factors)
    assert np.array_equal(plain.x_weights_, model.x_weights_)
    assert not np.array_equal(model.cv_scores_, CCACV(2, ridges=RIDGES).fit(*factors).cv_scores_)


def test_a_stopped_cross_validation_continues_with_the_next_fold(words, tmp_path):
    settings = {"ridges": RIDGES, "folds": 3, "method": "lobpcg", "structure": False}
    truth, state = CCACV(3, **settings).fit(*words), tmp_path / "state"
    fits = []

    def stop(row):
        fits.append(row["iteration"])
        if fits.count(1) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CCACV(3, **settings, callback=stop, resume=state).fit(*words)
    assert len(json.loads((tmp_path / "state.folds").read_text())["finished"]) == 1
    with pytest.raises(ValueError, match="state.folds belongs to another cross-validation"):
        CCACV(3, **settings, resume=state).fit(words[0], words[1][::-1] * 2)
    fits.clear()
    model = CCACV(3, **settings, callback=lambda row: fits.append(row["iteration"]), resume=state).fit(*words)
    assert model.cv_scores_.tolist() == truth.cv_scores_.tolist() and model.ridge_ == truth.ridge_
    assert fits.count(1) == 2 * 3 + 1 and list(tmp_path.iterdir()) == []


def test_progress_tells_the_fold_and_how_many_there_are(words, capfd, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr("lcca._progress._BETWEEN", 0.0)
    CCACV(2, ridges=[0.1, 1.0], folds=3, method="lobpcg", verbose=True).fit(*words)
    shown = capfd.readouterr().err
    assert "fold 1 of 3" in shown and "fold 3 of 3" in shown and "all rows, ridge" in shown


def test_noise_calls_for_a_ridge_and_the_simplest_is_no_smaller_than_the_best():
    X, Y = shared_factors(150, 60, 60, 2)
    ridges = {
        rule: CCACV(2, ridges=[1e-6, 0.1, 1, 10], select=rule).fit(X, Y).ridge_
        for rule in ("best", "simplest")
    }
    assert ridges["simplest"] >= ridges["best"] > 1e-6


def test_weights_of_rows_count(factors):
    X, Y = factors
    zero = np.arange(len(X)) >= 200
    weighted = CCACV(2, ridges=RIDGES, random_state=1).fit(X, Y, sample_weight=np.where(zero, 0.0, 1.0))
    alone = CCA(2, ridge=weighted.ridge_).fit(X[:200], Y[:200])
    assert np.allclose(weighted.correlations_, alone.correlations_, atol=1e-10)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"folds": 1}, "folds == 1"),
        ({"folds": 301}, "folds == 301"),
        ({"ridges": []}, "ridges"),
        ({"ridges": [0.1, -1]}, "ridge.* == -1"),
        ({"folds": True}, "'folds' parameter"),
        ({"select": "worst"}, 'expected "simplest" or "best"'),
    ],
)
def test_a_wrong_parameter_is_named(factors, parameters, words):
    with pytest.raises(ValueError, match=words):
        CCACV(2, **parameters).fit(*factors)


def test_it_is_cloned_with_its_own_parameters():
    model = clone(CCACV(3, ridges=[1.0], folds=4, select="best"))
    assert model.get_params()["folds"] == 4 and "ridge" not in model.get_params()


def test_p_values_are_uniform_if_the_views_are_independent():
    alone, smallest = [], []
    for draw in range(200):
        random = np.random.default_rng(draw)
        X, Y = random.standard_normal((160, 6)), random.standard_normal((160, 5))
        model = CCA(3).fit(X[:80], Y[:80])
        test = permutation_test(model, X[80:], Y[80:], 199, random_state=draw)
        alone.append(test.p_values[0])
        smallest.append(test.p_adjusted.min())
    for p in (alone, smallest):
        # p-values are multiples of 1/200; spread evenly below that they are uniform.
        spread = np.asarray(p) - np.random.default_rng(0).random(200) / 200
        assert kstest(spread, "uniform").pvalue > 0.01


def test_a_planted_correlation_is_always_found():
    for draw in range(20):
        X, Y = shared_factors(300, 6, 5, 1, seed=draw)
        model = CCA(2).fit(X[:150], Y[:150])
        assert permutation_test(model, X[150:], Y[150:], 199).p_adjusted[0] == 1 / 200


def test_p_values_are_the_programs(words, program, tmp_path):
    X, Y = words
    model = CCA(3, ridge=0.1).fit(X[:1500], Y[:1500])
    model.save(tmp_path / "model")
    for name, view in zip("xy", (X, Y)):
        sp.save_npz(tmp_path / f"{name}.npz", sp.csr_array(view[1500:]), compressed=False)
    score = [
        "score", tmp_path / "model", tmp_path / "x.npz", tmp_path / "y.npz", "--permutations", 99, "--seed",
        7, "--json",
    ]
    theirs = json.loads(program(*score))
    ours = permutation_test(model, X[1500:], Y[1500:], 99, random_state=7)
    assert (ours.p_values.tolist(), ours.p_adjusted.tolist()) == (theirs["p"], theirs["p_adjusted"])


def test_training_rows_come_with_a_warning(factors):
    model = CCA(2).fit(*factors)
    with pytest.warns(UserWarning, match="trained on"):
        permutation_test(model, *factors, 19)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        permutation_test(model, *(view[:50] for view in factors), 19)


def test_a_path_is_drawn(factors):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import lcca.plot

    axes = lcca.plot.ridge_path(CCACV(2, ridges=[0.0, 0.1]).fit(*factors))
    assert axes.get_xlabel() == "ridge" and "chosen" in axes.get_legend().get_texts()[0].get_text()
