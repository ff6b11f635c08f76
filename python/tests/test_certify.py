"""Certificates: bounds that hold, wrong claims that are withdrawn, right ones that stand."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import shared_factors
from sklearn.exceptions import ConvergenceWarning

import lcca
from lcca import CCA


@pytest.fixture
def hidden():
    """Both views hold the same variable in the difference of two columns that are nearly equal."""
    random = np.random.default_rng(1)
    shared, noise = random.standard_normal((400, 1)), random.standard_normal((400, 10))
    views = []
    for _ in "xy":
        own = 0.5 * noise + random.standard_normal((400, 10))
        views.append(np.hstack([own, own[:, :1] + 1e-3 * shared]))
    return views


def test_bounds_hold_and_a_right_claim_stands():
    x, y = shared_factors(300, 12, 9, 2)
    exact = CCA(9, method="exact", ridge=0.01, scale=False).fit(x, y).objective_
    model = CCA(3, method="lobpcg", ridge=0.01, scale=False).fit(x, y)
    before = model.x_weights_.copy()
    certificate = model.certify(x, y)
    assert (
        certificate is model.certificate_ and certificate.kind == "rigorous" and certificate.search == "exact"
    )
    distance = np.abs(model.objective_[:, None] - exact).min(axis=1)
    assert (
        (distance <= certificate.bounds + 1e-12).all() and certificate.loose == 0 and certificate.passes > 0
    )
    assert model.converged_ and certificate.gain <= 1e-4 * model.objective_.sum()
    assert (
        (model.x_weights_ == before).all()
        and "exact answer" in str(certificate)
        and "certified" in model.report()
    )


def test_a_wrong_claim_is_withdrawn_with_a_warning_and_the_file_keeps_it(hidden, tmp_path):
    model = CCA(1, method="g-cca", t1=40).fit(*hidden)
    if not model.converged_:
        model.converged_, model.missing_ = True, 0.0
    missing = CCA(1, method="exact").fit(*hidden).objective_[0] - model.objective_[0]
    with pytest.warns(ConvergenceWarning):
        certificate = model.certify(*hidden)
    assert missing > 0.05 and 0.9 * missing < certificate.gain <= missing + 1e-9
    assert not model.converged_ and model.missing_ >= certificate.gain / model.objective_.sum() * (1 - 1e-12)
    assert "stopped-too-early" in [note.kind for note in model.notes_]
    model.save(tmp_path / "model")
    loaded = lcca.load(tmp_path / "model")
    assert not loaded.converged_ and (loaded.certificate_.bounds == certificate.bounds).all()
    assert (
        loaded.certificate_.search == "exact"
        and "stopped-too-early" in [note.kind for note in loaded.notes_]
    )


def test_rounding_refutes_no_exact_answer():
    x, y = (
        np.hstack([view, 3 * view, view.sum(axis=1, keepdims=True)]) + 100
        for view in shared_factors(400, 15, 15, 3)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = CCA(5, method="exact").fit(x, y)
        certificate = model.certify(x, y)
    assert model.converged_ and certificate.gain < 1e-8 and certificate.bounds.max() < 1e-3


def test_weights_count_and_other_widths_are_refused():
    x, y = map(sp.csr_array, shared_factors(200, 6, 5, 2))
    weight = np.random.default_rng(0).random(200)
    model = CCA(2).fit(x, y, sample_weight=weight)
    assert model.certify(x, y, sample_weight=weight).gain < 1e-9
    with pytest.raises(ValueError, match="features"):
        model.certify(x[:, :4], y)
    with pytest.raises(ValueError, match="requires y"):
        model.certify(x)
