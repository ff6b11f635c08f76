"""True answers by dense and sparse factorizations of SciPy, which share nothing with this project."""

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
import scipy.sparse.linalg as sla

PAIRS = 20


def one_hot_total(x, y):
    """The sum of the correlations of one-hot views that are not centered:
    the singular values of their scaled table of counts."""
    x, y = x.astype(float), y.astype(float)
    scale = [sp.diags_array(1 / np.sqrt(np.asarray(view.sum(axis=0)).ravel())) for view in (x, y)]
    table = scale[0] @ (x.T @ y) @ scale[1]
    return float(
        sla.svds(
            table, k=PAIRS, ncv=4 * PAIRS, return_singular_vectors=False, tol=1e-12, random_state=0
        ).sum()
    )


def ridge_fit(x, y, ridge):
    """Weights and objective of centered views with a relative ridge,
    from Cholesky factors of their dense Gram matrices."""
    rows = x.shape[0]
    means = [np.asarray(view.mean(axis=0)).ravel() for view in (x, y)]
    factors = []
    for view, mean in zip((x, y), means, strict=True):
        gram = (view.T @ view).toarray() - rows * np.outer(mean, mean)
        gram[np.diag_indices_from(gram)] += ridge * np.trace(gram) / len(gram)
        factors.append(la.cholesky(gram, lower=True))
    cross = (x.T @ y).toarray() - rows * np.outer(*means)
    solve = la.solve_triangular
    whitened = solve(factors[1], solve(factors[0], cross, lower=True).T, lower=True).T
    left, values, right = leading(whitened)
    weights = [
        solve(factor, side, lower=True, trans=1) for factor, side in zip(factors, (left, right), strict=True)
    ]
    return weights, values


def leading(matrix):
    """Leading singular vectors and values by subspace iteration, until the values stand still."""
    basis = np.random.default_rng(0).standard_normal((matrix.shape[1], 2 * PAIRS))
    before = np.zeros(PAIRS)
    for _ in range(500):
        left = la.qr(matrix @ basis, mode="economic", check_finite=False)[0]
        inner, values, turned = la.svd(left.T @ matrix, full_matrices=False, check_finite=False)
        basis = turned.T
        if np.abs(values[:PAIRS] - before).max() < 1e-13:
            return left @ inner[:, :PAIRS], values[:PAIRS], basis[:, :PAIRS]
        before = values[:PAIRS]
    raise ArithmeticError("the singular values do not settle")


def correlations(weights, x, y):
    """The correlation of each pair on these rows."""
    variables = [view @ w for view, w in zip((x, y), weights, strict=True)]
    variables = [z - z.mean(axis=0) for z in variables]
    lengths = [np.linalg.norm(z, axis=0) for z in variables]
    return (variables[0] * variables[1]).sum(axis=0) / (lengths[0] * lengths[1])


def dense_total(x, y):
    """The sum of the correlations of centered dense views, from singular vectors (Björck & Golub)."""
    bases = []
    for view in (x, y):
        u, s, _ = np.linalg.svd(view.astype(float) - view.mean(axis=0, dtype=float), full_matrices=False)
        bases.append(u[:, s > 1e-6 * s[0]])
    return float(np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)[:PAIRS].sum())
