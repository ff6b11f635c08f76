"""scikit-learn's own tests of CCA and PLSSVD, with the import swapped. They come with scikit-learn;
nothing is copied."""

import inspect
import itertools
import warnings

import numpy as np
import pytest
import sklearn.cross_decomposition
from sklearn.cross_decomposition.tests import test_pls as theirs
from sklearn.utils.estimator_checks import parametrize_with_checks

import lcca

SWAPPED = {sklearn.cross_decomposition.CCA: lcca.CCA, sklearn.cross_decomposition.PLSSVD: lcca.PLSSVD}
# What does not apply, with the difference that docs/python-coming-from.md lists.
NOT_DEPRECATED = "Y is only another name of y here, and no warning asks anybody to change it"
DIFFERENT = {
    "test_copy": (
        "copy=False overwrites the arrays there; here nothing is ever overwritten, "
        "so there is nothing to save"
    ),
    # scikit-learn 1.5 and 1.6 only.
    "test_pls_fit_warning_on_deprecated_Y_argument": NOT_DEPRECATED,
    "test_pls_transform_warning_on_deprecated_Y_argument": NOT_DEPRECATED,
    "test_pls_inverse_transform_warning_on_deprecated_Y_argument": NOT_DEPRECATED,
}


def combinations(test):
    """All arguments of a test, by name, from its `parametrize` marks and the fixture of seeds."""
    choices = []
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            names = [name.strip() for name in mark.args[0].split(",")]
            values = [value if len(names) > 1 else (value,) for value in mark.args[1]]
            choices.append([dict(zip(names, value, strict=True)) for value in values])
    if "global_random_seed" in inspect.signature(test).parameters:
        choices.append([{"global_random_seed": seed} for seed in range(3)])
    for chosen in itertools.product(*choices):
        yield {name: value for part in chosen for name, value in part.items()}


def cases():
    """Every case that has our estimators in the place of theirs."""
    for name, test in inspect.getmembers(theirs, inspect.isfunction):
        if not name.startswith("test_"):
            continue
        for number, arguments in enumerate(combinations(test)):
            given = [value for value in arguments.values() if inspect.isclass(value) and value in SWAPPED]
            named = [estimator for estimator in SWAPPED if estimator.__name__ in test.__code__.co_names]
            if not given and (not named or any(inspect.isclass(value) for value in arguments.values())):
                continue
            label = "-".join([name, *(estimator.__name__ for estimator in given or named), str(number)])
            marks = [pytest.mark.skip(DIFFERENT[name])] if name in DIFFERENT else []
            yield pytest.param(test, arguments, id=label, marks=marks)


CASES = list(cases())


@pytest.mark.filterwarnings("ignore::lcca.LccaWarning")
@pytest.mark.parametrize(("test", "arguments"), CASES)
def test_as_scikit_learn_tests_itself(test, arguments, monkeypatch):
    for estimator, ours in SWAPPED.items():
        monkeypatch.setattr(theirs, estimator.__name__, ours)
    swapped = {
        name: SWAPPED.get(value, value)
        if inspect.isclass(value)
        else value.copy()
        if hasattr(value, "copy")
        else value
        for name, value in arguments.items()
    }
    test(**swapped)


# One pair, as scikit-learn checks its own: many of the checks have one column in y.
@parametrize_with_checks([lcca.PLSSVD(n_components=1)])
def test_scikit_learn_finds_no_fault(estimator, check):
    check(estimator)


def test_every_test_of_theirs_that_names_our_estimators_is_run():
    found = {case.id for case in CASES}
    assert len(found) >= 25, "scikit-learn's tests have moved"
    for words in (
        "scale_and_stability-CCA", "scale_and_stability-PLSSVD", "loadings_converges-CCA",
        "one_component_equivalence-PLSSVD",
    ):
        assert any(words in name for name in found), words


@pytest.mark.parametrize("scale", [True, False])
def test_singular_vectors_are_those_of_scikit_learn(factors, words, scale):
    for x, y in (factors, words):
        dense = [view.toarray() if hasattr(view, "toarray") else view for view in (x, y)]
        expected = sklearn.cross_decomposition.PLSSVD(3, scale=scale).fit(*dense)
        found = lcca.PLSSVD(3, scale=scale).fit(x, y)
        for name in ("x_weights_", "y_weights_"):
            assert abs(getattr(found, name) - getattr(expected, name)).max() < 1e-8, name
        for ours, other in zip(found.transform(x, y), expected.transform(*dense), strict=True):
            assert abs(ours - other).max() < 1e-8 * abs(other).max()
        assert found.model_.converged_ and found.n_features_in_ == x.shape[1]


def test_parameters_of_scikit_learn_are_accepted_with_their_meaning(factors, words):
    x, y = factors
    model = lcca.CCA(n_components=2, scale=True, max_iter=500, tol=1e-06, copy=True).fit(x, y)
    theirs_model = sklearn.cross_decomposition.CCA(n_components=2, scale=True, max_iter=5000, tol=1e-12).fit(
        x, y
    )
    for ours, other in zip(model.transform(x, y), theirs_model.transform(x, y), strict=True):
        assert np.allclose(abs(np.corrcoef(ours.T, other.T)[:2, 2:]), np.eye(2), atol=1e-4)
    before = x.copy(), y.copy()
    lcca.CCA(2, copy=False).fit(x, y).transform(x, y, copy=False)
    assert np.array_equal(x, before[0]) and np.array_equal(y, before[1])
    with warnings.catch_warnings(), pytest.warns(Warning, match="raise max_iter"):
        lcca.CCA(2, method="lobpcg", max_iter=1, tol=1e-12).fit(*words)
    for wrong, error in (
        ({"max_iter": 0}, ValueError), ({"max_iter": 2.5}, TypeError), ({"copy": "no"}, TypeError)
    ):
        with pytest.raises(error, match=next(iter(wrong))):
            lcca.CCA(2, **wrong).fit(x, y)
    with pytest.raises(TypeError, match="copy must be True or False"):
        model.predict(x, [0])


def matched_cells(rows=200, extra=50, noise=0.1, seed=0):
    """Two measurements of overlapping cells by different markers:
    those of the second are shuffled, and some are additional."""
    random = np.random.default_rng(seed)
    states = random.standard_normal((rows + extra, 10))
    views = [states @ random.standard_normal((10, cols)) for cols in (25, 20)]
    views = [view + noise * random.standard_normal(view.shape) for view in views]
    order = random.permutation(rows + extra)
    return views[0][:rows], views[1][order], np.argsort(order)[:rows]


def fused(estimator, first, second, start, iterations=4):
    """What MaxFuse does: CCA of matched cells, canonical variables of all cells,
    cells matched by their correlations, again."""
    from scipy.optimize import linear_sum_assignment

    matching = start
    for _ in range(iterations):
        cca = estimator(n_components=8, max_iter=2000)
        cca.fit(first, second[matching])
        ours, other = cca.transform(first, second)  # not the same number of cells
        pairs = zip(*(z.T for z in cca.transform(first, second[matching])), strict=True)
        correlations = np.array([np.corrcoef(a, b)[0, 1] for a, b in pairs])
        weighted = [z / z.std(axis=0) * correlations for z in (ours, other)]
        similarity = np.corrcoef(*weighted)[: len(first), len(first) :]
        matching = linear_sum_assignment(-similarity)[1]
    return matching, correlations


def test_inside_a_pipeline_that_matches_cells():
    first, second, truth = matched_cells()
    random = np.random.default_rng(1)
    # A fifth of the first matching is wrong.
    start = np.where(random.random(len(truth)) < 0.2, random.permutation(truth), truth)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, their_correlations = fused(sklearn.cross_decomposition.CCA, first, second, start)
        found, correlations = fused(lcca.CCA, first, second, start)
    assert np.allclose(correlations, their_correlations, atol=1e-3), (correlations, their_correlations)
    assert (found == expected).mean() > 0.95
    assert (found == truth).mean() > (start == truth).mean() + 0.1


@pytest.mark.parametrize("ridge", [0.001, 1.0])
def test_a_classifier_learns_from_variables_as_it_does_from_those_of_scikit_learn(ridge):
    from sklearn.datasets import load_digits
    from sklearn.svm import SVC

    pixels, digit = load_digits(return_X_y=True)
    train, test = np.arange(1000), np.arange(1000, len(pixels))
    labels = np.eye(10)[digit]

    def accuracy(features):
        learner = SVC(gamma="auto").fit(features[train], digit[train])
        return learner.score(features[test], digit[test])

    model = lcca.CCA(9, ridge=ridge, scale=True).fit(pixels[train], labels[train])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = accuracy(
            sklearn.cross_decomposition.CCA(9).fit(pixels[train], labels[train]).transform(pixels)
        )
    assert accuracy(model.transform(pixels)) > expected - 0.03
    small = lcca.CCA(9, ridge=ridge, scale=True, variables="unit-length").fit(pixels[train], labels[train])
    assert accuracy(small.transform(pixels)) < 0.3


def test_the_second_view_may_be_called_Y_as_scikit_learn_did(factors):  # noqa: N802
    x, y = factors
    for estimator in (lcca.CCA(2), lcca.PLSSVD(2), lcca.CCACV(2, ridges=[0.1])):
        fitted = estimator.fit(x, Y=y)
        for ours, same in zip(fitted.transform(x, Y=y), estimator.fit(x, y).transform(x, y), strict=True):
            assert np.array_equal(ours, same)
        assert len(estimator.fit_transform(X=x, Y=y)) == 2
        with pytest.raises(TypeError, match="fit got y and Y, which are the same view: pass y alone"):
            estimator.fit(x, y, Y=y)
        assert "Y" not in inspect.signature(estimator.fit).parameters
    model = lcca.CCA(2).fit(x, y)
    assert model.score(x, Y=y) == model.score(x, y)


def test_the_score_of_one_row_is_undefined_and_says_so(factors):
    x, y = factors
    model = lcca.CCA(2).fit(x, y)
    alone = np.eye(1, len(x))[0]
    for rows in ((x[:1], y[:1]), (x, y, alone)):
        with pytest.warns(
            lcca.ResultWarning, match="a correlation needs two rows or more, and it is nan for fewer"
        ):
            assert np.isnan(model.score(*rows))
    assert model.correlations(x[:2], y[:2]).shape == (2,)


@pytest.mark.parametrize("variables", ["unit variance", 1, None])
def test_variables_are_one_of_two_kinds(factors, variables):
    with pytest.raises(
        ValueError, match="The 'variables' parameter of CCA must be 'unit-variance' or 'unit-length'"
    ):
        lcca.CCA(1, variables=variables).fit(*factors)
