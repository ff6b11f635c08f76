"""scikit-learn's conventions."""

import inspect
import pickle
import re
import warnings

import numpy as np
import pytest
from conftest import shared_factors
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from lcca import CCA, CCACV, METHODS, _lcca, load


@parametrize_with_checks([CCA(), CCA(method="lobpcg", ridge=0.1), CCA(missing="mean")])
def test_scikit_learn_finds_no_fault(estimator, check):
    check(estimator)


def test_parameters_are_kept_as_given_and_checked_when_fitting(factors):
    model = CCA(n_components="many", ridge=-1)
    assert model.get_params()["n_components"] == "many" and model.ridge == -1
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(TypeError, match="n_components"):
        model.fit(*factors)
    with pytest.raises(ValueError, match="ridge == -1"):
        model.set_params(n_components=2).fit(*factors)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_components": 7}, "`n_components` upper bound is 6. Got 7 instead"),
        ({"method": "pca"}, "method == \"pca\", expected one of \"auto\""),
        ({"t1": 5}, "t1 is no parameter of method auto; leave it None"),
        ({"method": "als", "t2": 5}, "t2 is no parameter of method als with inner cholesky; leave it None"),
        ({"method": "als", "inner": "lu"}, "inner == \"lu\", expected one of \"cholesky\", \"cg\""),
        ({"method": "g-cca", "t2": 0}, "t2 == 0, expected at least 1"),
        ({"memory": "much"}, "memory == 'much', expected a size such as"),
        ({"tol": -1.0}, "tol == -1.0, must be >= 0"),
    ],
)
def test_a_wrong_parameter_is_named_with_what_was_expected(factors, parameters, words):
    with pytest.raises(ValueError) as error:
        CCA(**parameters).fit(*factors)
    assert words in str(error.value)


@pytest.mark.parametrize("parameters", [{"method": 3}, {"center": "yes"}, {"t1": 2.5}, {"n_components": 1.5}])
def test_a_wrong_type_is_a_type_error(factors, parameters):
    with pytest.raises(TypeError, match=next(iter(parameters))):
        CCA(**parameters).fit(*factors)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (
            {"n_components": True},
            (
                "'n_components' parameter of CCA must be an int in the range [1, inf), \"auto\" or None. "
                "Got True instead"
            ),
        ),
        ({"verbose": object()}, "'verbose' parameter of CCA must be a bool or an int"),
        ({"verbose": -1}, "'verbose' parameter"),
        ({"callback": 3}, "'callback' parameter of CCA must be a callable or None"),
        ({"resume": 3}, "'resume' parameter"),
        ({"ridge": True}, "'ridge' parameter of CCA must be a number"),
        ({"power": False}, "'power' parameter of CCA must be an integer"),
        ({"n_jobs": True}, "'n_jobs' parameter"),
        ({"missing": "skip"}, 'missing == \'skip\', expected "error", "drop" or "mean"'),
        ({"categorical": True}, 'categorical == True, expected "auto" or "error"'),
    ],
)
def test_a_parameter_of_a_wrong_kind_is_refused_in_scikit_learns_words(factors, parameters, words):
    with pytest.raises(ValueError) as error:
        CCA(**parameters).fit(*factors)
    assert words in str(error.value)


def test_every_public_method_documents_what_it_takes_and_returns():
    import lcca

    for owner in (CCA, CCACV, lcca.TwoViews):
        for name, method in inspect.getmembers(owner, inspect.isfunction):
            if name.startswith("_") or not method.__module__.startswith("lcca"):
                continue
            text = inspect.getdoc(method)
            takes = set(inspect.signature(method).parameters) - {"self"}
            assert not takes or "Parameters\n----------" in text, f"{owner.__name__}.{name}"
            assert name == "save" or "Returns\n-------" in text, f"{owner.__name__}.{name}"
            assert "Examples\n--------" in text, f"{owner.__name__}.{name}"


def test_the_default_is_as_many_pairs_as_the_data_allow_up_to_twenty(factors):
    assert CCA().fit(*factors).x_weights_.shape == (8, 6)
    wide = shared_factors(60, 30, 25, 3)
    assert CCA().fit(*wide).x_weights_.shape == (30, 20)


def test_pickled_and_cloned(factors):
    model = CCA(n_components=3).fit(*factors)
    again = pickle.loads(pickle.dumps(model))
    assert (again.transform(factors[0]) == model.transform(factors[0])).all()
    assert (again.predict(factors[0]) == model.predict(factors[0])).all()
    assert again.trace_ == model.trace_ and again.report() == model.report()
    with pytest.raises(NotFittedError):
        clone(model).transform(factors[0])


def test_names_go_in_and_out(factors):
    pandas = pytest.importorskip("pandas")
    x = pandas.DataFrame(factors[0], columns=[f"gene {i}" for i in range(8)])
    y = pandas.DataFrame(factors[1], columns=[f"lipid {i}" for i in range(6)])
    model = CCA(n_components=2).fit(x, y).set_output(transform="pandas")
    assert (
        list(model.feature_names_in_) == list(x.columns)
        and list(model.y_feature_names_in_) == list(y.columns)
    )
    assert list(model.get_feature_names_out()) == ["cca0", "cca1"] == list(model.transform(x).columns)
    assert model.predict(x).shape == y.shape
    with pytest.raises(ValueError, match="feature names"):
        model.transform(x[x.columns[::-1]])
    model.fit(*factors)
    assert not hasattr(model, "y_feature_names_in_")


def test_in_a_pipeline_a_grid_and_cross_validation(factors, words):
    scaled = make_pipeline(StandardScaler(), CCA(n_components=2)).fit(*factors)
    assert scaled.transform(factors[0]).shape == (300, 2) and scaled.score(*factors) > 0.5
    grid = GridSearchCV(CCA(n_components=3), {"ridge": [0.0, 0.1, 10.0]}, cv=3).fit(*words)
    assert grid.best_score_ == max(grid.cv_results_["mean_test_score"]) > 0.5
    # cross_val_score itself takes no sparse y.
    assert len(cross_val_score(CCA(n_components=2), words[0], words[1].toarray(), cv=4, n_jobs=2)) == 4


def test_the_score_is_the_mean_correlation_on_the_given_rows(words):
    x, y = words
    for train, test in KFold(3).split(x):
        model = CCA(n_components=4).fit(x[train], y[train])
        variables = model.transform(x[test], y[test])
        pairs = [np.corrcoef(a, b)[0, 1] for a, b in zip(*(v.T for v in variables), strict=True)]
        assert np.allclose(model.correlations(x[test], y[test]), pairs)
        assert model.score(x[test], y[test]) == pytest.approx(np.mean(pairs))


def test_it_predicts_vectors_from_vectors(factors):
    x, y = factors
    model = CCA(n_components=1).fit(x, y[:, 0])
    assert model.predict(x).shape == (300,) and is_regressor(model)
    assert CCA(n_components=1).fit(x, y[:, :1]).predict(x).shape == (300, 1)


def test_every_parameter_of_a_method_is_one_of_the_estimators_and_none_by_default():
    parameters = _lcca.method_parameters()
    assert {parameter["name"] for parameter in parameters} >= {"t1", "k_pc", "inner"}
    for parameter in parameters:
        for estimator in (CCA, CCACV):
            assert inspect.signature(estimator).parameters[parameter["name"]].default is None, parameter
        assert set(parameter["methods"]) < set(METHODS)
        assert re.search(rf"\b{parameter['name']}\b.* : optional", CCA.__doc__), "the docstring lists it"


def test_every_parameter_reaches_its_methods_and_no_other(words, tmp_path):
    for parameter in _lcca.method_parameters():
        name, choices = parameter["name"], parameter["choices"]
        value = choices[-1] if choices else parameter["least"] + 3
        for method in METHODS:
            given = {name: value}
            if method == "als" and name == "t2":
                given["inner"] = "cg"
            model = CCA(2, method=method, **given)
            if method not in parameter["methods"]:
                with pytest.raises(ValueError, match=f"{name} is no parameter of method {method}"):
                    model.fit(*words)
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(*words).save(tmp_path / "model")
            assert getattr(load(tmp_path / "model"), name) == value


def test_cross_validation_has_all_parameters_but_the_ridge():
    own, inherited = (list(inspect.signature(estimator).parameters) for estimator in (CCACV, CCA))
    assert set(own) - set(inherited) == {"ridges", "folds", "cv", "select"}
    assert set(inherited) - set(own) == {"ridge"}
    assert CCACV(2, t1=5, method="d-cca").t1 == 5
    for wrong in ({"ridge": 0.1}, {"t3": 5}):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{next(iter(wrong))}'"):
            CCACV(2, **wrong)


def test_every_method_of_the_program_is_there(words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in METHODS:
            model = CCA(n_components=2, method=name, k_rpcca=5 if name == "rp-cca" else None).fit(*words)
            assert model.correlations_.shape == (2,), name


def test_the_report_says_what_the_attributes_say(factors):
    model = CCA(n_components=2).fit(*factors)
    text = model.report()
    assert f"{model.correlations_[0]:.6f}" in text and "300 rows × (8 + 6 columns)" in text
    assert f"{model.chosen_}: 2 pairs" in text and "converged" in text
