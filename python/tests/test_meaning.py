"""Results that mean little say so: units, held-out rows, noise, columns that both views have."""

import warnings

import numpy as np
import pytest
from conftest import shared_factors

import lcca
from lcca import CCA, CCACV, ResultWarning


@pytest.fixture
def noise():
    random = np.random.default_rng(0)
    return random.standard_normal((100, 60)), random.standard_normal((100, 60))


def kinds(model):
    return [note.kind for note in model.notes_]


def test_noise_says_that_its_correlations_are_guaranteed_once(noise):
    with pytest.warns(ResultWarning) as warned:
        model = CCA(3).fit(*noise)
    assert [str(warning.message) for warning in warned] == [
        str(model.notes_[0]) + lcca._notes.remedy(kinds(model)[0])
    ]
    assert kinds(model) == ["correlations-guaranteed"] and "guaranteed" in str(model.notes_[0])
    assert "hold_out=0.2" in str(warned[0].message) and model.notes_[0].numbers["rows"] == 100
    assert model.held_out_correlations_ is None and "guaranteed" in model.report()


def test_held_out_correlations_of_noise_are_near_zero_and_survive_a_file(noise, tmp_path):
    with pytest.warns(ResultWarning):
        model = CCA(3, hold_out=0.2).fit(*noise)
    assert (
        np.abs(model.held_out_correlations_).max() < 0.7
        and model.held_out_training_correlations_.min() > 0.999
    )
    assert "held out" in model.report() and f"{model.held_out_correlations_[0]:.6f}" in model.report()
    model.save(tmp_path / "model")
    assert np.array_equal(lcca.load(tmp_path / "model").held_out_correlations_, model.held_out_correlations_)


def test_holding_out_changes_nothing_about_the_model(factors):
    plain, measured = CCA(2).fit(*factors), CCA(2, hold_out=0.25).fit(*factors)
    assert np.allclose(plain.correlations_, measured.correlations_, rtol=0, atol=1e-8)
    assert np.abs(measured.held_out_correlations_ - plain.correlations_).max() < 0.2


@pytest.mark.parametrize("share", [0, 1, 2.0, True, "some"])
def test_a_share_that_is_none_is_refused(factors, share):
    with pytest.raises(ValueError, match="'hold_out' parameter of CCA must be None or a share"):
        CCA(2, hold_out=share).fit(*factors)


def test_held_out_rows_and_a_state_file_exclude_each_other(factors, tmp_path):
    with pytest.raises(ValueError, match="hold_out cannot be combined with resume"):
        CCA(2, hold_out=0.2, resume=tmp_path / "state").fit(*factors)


def test_units_make_no_difference_unless_that_is_requested():
    x, y = shared_factors(500, 8, 6, 2)
    other = x * np.array([1000, *[1] * 7])
    scaled, raw = (CCA(1, ridge=0.01, scale=scale).fit(other, y) for scale in ("auto", False))
    truth = CCA(1, ridge=0.01, scale=True).fit(x, y)
    assert np.allclose(scaled.correlations_, truth.correlations_, rtol=0, atol=1e-8)
    assert abs(raw.correlations_[0] - truth.correlations_[0]) > 1e-3
    assert "ridge-set-by-few-columns" in kinds(raw) and kinds(scaled) == []
    assert "scaled: 8 columns of X" in scaled.report() and "units of the data" in raw.report()
    # Weights are in the units of the data.
    assert np.allclose(np.abs(scaled.transform(other)), np.abs(truth.transform(x)), atol=1e-8)


@pytest.mark.parametrize("scale", [True, False, "auto"])
def test_a_model_file_knows_the_scale(factors, tmp_path, scale):
    CCA(2, ridge=0.1, scale=scale).fit(*factors).save(tmp_path / "model")
    loaded = lcca.load(tmp_path / "model")
    assert loaded.scale is scale if isinstance(scale, bool) else loaded.scale == scale
    with pytest.raises(
        ValueError, match="'scale' parameter of CCA must be 'auto', True or False. Got 'yes' instead"
    ):
        CCA(2, scale="yes").fit(*factors)


def test_columns_that_both_views_have_are_named(factors):
    pandas = pytest.importorskip("pandas")
    x = pandas.DataFrame(factors[0], columns=[f"gene {i}" for i in range(8)])
    y = pandas.DataFrame(factors[1], columns=[f"lipid {i}" for i in range(6)]).assign(leak=2 * x["gene 3"])
    with pytest.warns(
        ResultWarning,
        match='"gene 3" of X and "leak" of Y are multiples but for a constant; if one was copied',
    ):
        model = CCA(2).fit(x, y)
    assert "shared-columns" in kinds(model)


def test_leave_one_out_is_pooled(factors):
    x, y = (view[:40] for view in factors)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CCACV(1, ridges=[0.1, 1.0], folds=40).fit(x, y)
    assert model.cv_pooled_ and (model.cv_mean_ > 0.3).all() and (model.cv_error_ > 0).all()


def test_inflation_is_said_once_and_only_by_who_does_not_know_better():
    model_selection = pytest.importorskip("sklearn.model_selection")
    random = np.random.default_rng(0)
    shared = random.standard_normal((60, 2))
    x, y = (shared @ random.standard_normal((2, 40)) + 0.05 * random.standard_normal((60, 40)) for _ in "xy")
    with pytest.warns(ResultWarning, match="may be inflated|guaranteed"):
        CCA(1, ridge=1e-3).fit(x, y)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        search = model_selection.GridSearchCV(CCA(1), {"ridge": [1e-3, 1e-2]}, cv=3).fit(x, y)
    # The search scores each fit on rows that it has not seen; the last fit, to all rows, is not scored.
    assert search.best_score_ > 0.95 and len([w for w in said if "inflated" in str(w.message)]) <= 1
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = CCACV(1, ridges=[1e-3, 1e-2]).fit(x, y)
    # Correlations of nearly 1 that are there on held-out rows are not inflated.
    assert model.cv_mean_.max() > 0.95 and not [w for w in said if "inflated" in str(w.message)]
    x, y = random.standard_normal((60, 40)), random.standard_normal((60, 40))
    with pytest.warns(ResultWarning, match="held-out rows of 5 folds") as said:
        CCACV(1, ridges=[1e-3, 1e-2]).fit(x, y)
    assert not any("CCACV" in str(w.message) for w in said)
