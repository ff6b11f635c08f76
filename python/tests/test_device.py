"""`device=` and `lcca.cuda`, on machines with and without a GPU."""

import numpy as np
import pytest
from conftest import sparse_pair

import lcca
from lcca import CCA, CCACV

GPU = lcca.cuda.available()


def reason(model):
    """Why a fit ran without a GPU."""
    assert model.decisions_[-1]["decision"] == "ran-without-gpu"
    return model.decisions_[-1]["reason"]["why"]


def test_availability_is_true_or_says_why_not():
    if GPU:
        assert GPU.reason is None and all(GPU.devices)
    else:
        assert not GPU.devices and ("driver" in GPU.reason or "GPU" in GPU.reason)


def test_auto_gives_the_answer_of_the_cpu_and_says_what_it_did(factors):
    x, y = sparse_pair(300, 40, 30)
    for views, method, why in (((x, y), "auto", "nothing-to-compute"), ((x, y), "lobpcg", "too-little")):
        cpu, auto = (CCA(2, method=method, device=device).fit(*views) for device in ("cpu", "auto"))
        assert np.array_equal(cpu.x_weights_, auto.x_weights_) and reason(auto) == why
        assert "no GPU was used" in auto.why_ and "GPU" not in cpu.why_
    assert (
        reason(
            CCA(2, device="auto").fit_moments(
                np.cov(factors[0].T), np.cov(factors[1].T), np.zeros((8, 6)), 300
            )
        )
        == "nothing-to-compute"
    )
    assert reason(CCACV(2, ridges=[0.1], folds=2, device="auto").fit(x, y)) == "nothing-to-compute"
    assert reason(CCA("auto", device="auto").fit(*factors)) == "too-little"
    model = CCA(1).fit(x, y)
    resampled = [lcca.bootstrap(model, x, y, 3, device=device).resampled for device in ("cpu", "auto")]
    assert np.array_equal(*resampled)
    half = CCA(1).fit(x[:150], y[:150])
    cpu, auto = (
        lcca.permutation_test(half, x[150:], y[150:], 19, device=device) for device in ("cpu", "auto")
    )
    assert np.array_equal(cpu.p_adjusted, auto.p_adjusted) and cpu.decisions == []
    assert auto.decisions[0]["reason"]["why"] == "too-little"


@pytest.mark.skipif(bool(GPU), reason="there is a GPU")
def test_a_missing_gpu_is_one_sentence():
    x, y = sparse_pair(300, 40, 30)
    for fit in (lambda model: model.fit(x, y), lambda model: model.partial_fit(x, y).x_weights_):
        with pytest.raises(
            RuntimeError, match=r'^device="cuda": .*(driver|GPU).*; device="auto" goes on without a GPU$'
        ):
            fit(CCA(2, device="cuda"))
    with pytest.raises(RuntimeError, match=r'^device="cuda:3": '):
        CCACV(2, device="cuda:3").fit(x, y)
    with pytest.raises(RuntimeError, match='device="cuda"'):
        lcca.bootstrap(CCA(1).fit(x, y), x, y, 3, device="cuda")
    with pytest.raises(RuntimeError, match=r'^device="cuda:1": .*; device="auto" goes on without a GPU$'):
        lcca.permutation_test(CCA(1).fit(x[:150], y[:150]), x[150:], y[150:], 19, device="cuda:1")


@pytest.mark.skipif(not GPU, reason=f"there is no GPU: {GPU.reason}")
def test_a_gpu_gives_the_answer_of_the_cpu():
    x, y = sparse_pair(3000, 400, 300)
    for parameters in ({}, {"ridge": 0.1}, {"hold_out": 0.2}, {"scale": True}):
        cpu, gpu = (
            CCA(4, method="lobpcg", tol=1e-8, device=device, **parameters).fit(x, y)
            for device in ("cpu", "cuda")
        )
        assert gpu.decisions_[-1] == {"decision": "ran-on-gpu", "name": GPU.devices[0], "ordinal": 0}
        assert abs(gpu.objective_.sum() / cpu.objective_.sum() - 1) < 1e-9
    dense = x[:, :40].toarray(), y[:, :30].toarray().astype(np.float32)
    cpu, gpu = (CCA(4, device=device).fit(*dense) for device in ("cpu", "cuda"))
    assert gpu.decisions_[-1]["decision"] == "ran-on-gpu"
    np.testing.assert_allclose(gpu.objective_, cpu.objective_, rtol=1e-9)
    batches = (
        CCA(4, method="lobpcg", tol=1e-8, device="cuda")
        .partial_fit(x[:1000], y[:1000])
        .partial_fit(x[1000:], y[1000:])
    )
    np.testing.assert_allclose(batches.correlations_, CCA(4).fit(x, y).correlations_, rtol=1e-8)
    folds = [
        CCACV(4, method="lobpcg", ridges=[0.01, 1.0], folds=3, device=device).fit(x, y).cv_mean_
        for device in ("cpu", "cuda")
    ]
    np.testing.assert_allclose(*folds, rtol=1e-4)
    model = CCA(2, method="lobpcg").fit(x, y)
    resampled = [
        lcca.bootstrap(model, x, y, 5, tol=1e-8, device=device).resampled for device in ("cpu", "cuda")
    ]
    np.testing.assert_allclose(*resampled, rtol=1e-6)
    half = CCA(3).fit(x[:1500], y[:1500])
    cpu, gpu = (
        lcca.permutation_test(half, x[1500:], y[1500:], 199, device=device) for device in ("cpu", "cuda")
    )
    assert gpu.decisions == [{"decision": "ran-on-gpu", "name": GPU.devices[0], "ordinal": 0}]
    assert np.array_equal(cpu.correlations, gpu.correlations) and np.array_equal(cpu.p_values, gpu.p_values)
    assert np.array_equal(cpu.p_adjusted, gpu.p_adjusted)


def test_what_makes_no_sense_is_one_sentence():
    x, y = sparse_pair(300, 40, 30)
    for device in ("gpu", "cuda:", "cuda:x", ""):
        with pytest.raises(ValueError, match="expected \"cpu\", \"cuda\", \"cuda:N\""):
            CCA(2, device=device).fit(x, y)
        with pytest.raises(ValueError, match="expected \"cpu\", \"cuda\", \"cuda:N\""):
            lcca.permutation_test(CCA(1).fit(x[:150], y[:150]), x[150:], y[150:], 19, device=device)
    with pytest.raises(ValueError, match="The 'device' parameter of CCA must be"):
        CCA(2, device=0).fit(x, y)
    with pytest.raises(ValueError, match="is the memory of a GPU"):
        CCA(2, device_memory="1GB").fit(x, y)
    with pytest.raises(ValueError, match="device_memory == 'much'"):
        CCA(2, device="auto", device_memory="much").fit(x, y)
    with pytest.raises(ValueError, match='method "l-cca" runs on the CPU only'):
        CCA(2, method="l-cca", device="cuda").fit(x, y)
