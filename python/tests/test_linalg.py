"""Least squares and singular vectors, against NumPy on dense data."""

import numpy as np
import pytest
import scipy.sparse as sp

import lcca


@pytest.fixture
def problem():
    random = np.random.default_rng(0)
    x = sp.random(400, 25, density=0.3, random_state=0, format="csr")
    return x, x @ random.standard_normal((25, 3)) + random.standard_normal((400, 3)) + 2


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("ridge", [0.0, 0.2])
@pytest.mark.parametrize("method", ["cg", "cholesky", "ling", "gradient"])
def test_least_squares(problem, method, ridge, center):
    x, t = problem
    solution = lcca.least_squares(x, t, method=method, ridge=ridge, center=center, steps=3000, k_pc=5)
    a = x.toarray() - (x.toarray().mean(axis=0) if center else 0)
    b = t - (t.mean(axis=0) if center else 0)
    absolute = ridge * (a**2).sum() / 25
    truth = np.linalg.solve(a.T @ a + absolute * np.eye(25), a.T @ b)
    assert np.allclose(solution.coef, truth, rtol=1e-6, atol=1e-6)
    assert np.allclose(solution.explained, 1 - ((b - a @ truth) ** 2).sum(axis=0) / (b**2).sum(axis=0))
    assert np.allclose(
        solution.intercept, t.mean(axis=0) - x.toarray().mean(axis=0) @ truth if center else 0, atol=1e-6
    )


def test_a_diagonal_problem_is_solved_by_its_diagonal():
    x = sp.csr_array(np.eye(6)[np.arange(60) % 6])
    t = np.arange(60.0)
    solution = lcca.least_squares(x, t, method="diagonal", center=False)
    assert np.allclose(solution.coef[:, 0], [t[i::6].mean() for i in range(6)])


def test_wrong_names_and_shapes_are_refused(problem):
    x, t = problem
    with pytest.raises(ValueError, match='method == "qr", expected one of "cholesky", "cg"'):
        lcca.least_squares(x, t, method="qr")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        lcca.least_squares(x, t[1:])


@pytest.mark.parametrize("center", [True, False])
def test_singular_vectors(problem, center):
    x = problem[0]
    u, s, vt = lcca.randomized_svd(x, 4, center=center, n_iter=60)
    dense = x.toarray() - (x.toarray().mean(axis=0) if center else 0)
    truth = np.linalg.svd(dense, full_matrices=False)
    assert np.allclose(s, truth[1][:4], rtol=1e-8)
    assert np.allclose(np.abs(vt @ truth[2][:4].T), np.eye(4), atol=1e-3)
    assert np.allclose(u.T @ u, np.eye(4), atol=1e-8) and np.allclose(u * s, dense @ vt.T)
