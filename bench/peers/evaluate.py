"""The value of an answer, computed from its weights by the same code for every system."""
import numpy as np

CUT = 1e-10  # relative; directions below it count as linearly dependent


class Judge:
    """Evaluates weights on the training rows of one problem."""

    def __init__(self, problem):
        self.k = problem.k
        self.views = problem.views
        rows = self.views[0].shape[0]
        self.means = [np.asarray(v.mean(axis=0)).ravel() * problem.center for v in self.views]
        traces = [sum_of_squares(v) - rows * m @ m for v, m in zip(self.views, self.means)]
        self.ridges = [problem.ridge * t / v.shape[1] for t, v in zip(traces, self.views)]

    def __call__(self, *weights):
        """(captured, objective): Σ of the k correlations between span(XWx) and span(YWy), and the same sum
        with the ridge in both norms, which a regularized method maximizes."""
        weights = [np.asarray(w, dtype=np.float64)[:, : self.k] for w in weights]
        if not all(np.isfinite(w).all() for w in weights):
            return None, None
        # Columns of the same length, so that the relative cut means the same for every system.
        weights = [w / np.maximum(np.linalg.norm(w, axis=0), 1e-300) for w in weights]
        scores = [v @ w - m @ w for v, w, m in zip(self.views, weights, self.means)]
        captured = correlations(*(basis(z) for z in scores))
        if not any(self.ridges):
            return captured, captured
        factors = [np.linalg.qr(z)[1] for z in scores]
        whitened = [whitener(r, ridge, w) for r, ridge, w in zip(factors, self.ridges, weights)]
        cross = scores[0].T @ scores[1]
        return captured, correlations(whitened[0], cross @ whitened[1])


def sum_of_squares(view):
    return float((view.multiply(view) if hasattr(view, "multiply") else np.square(view)).sum())


def basis(z):
    """An orthonormal basis of the span of the columns, rank-revealing: QR, then the SVD of R."""
    q, r = np.linalg.qr(z / np.maximum(np.linalg.norm(z, axis=0), 1e-300))
    u, s, _ = np.linalg.svd(r)
    return q @ u[:, s > CUT * s[0]]


def whitener(r, ridge, w):
    """T with Tᵀ(RᵀR + ridge·WᵀW)T = I, through the SVD of the stacked factors."""
    factor = np.vstack([r, np.sqrt(ridge) * np.linalg.qr(w)[1]])
    length = np.maximum(np.linalg.norm(factor, axis=0), 1e-300)
    _, s, vt = np.linalg.svd(factor / length, full_matrices=False)
    keep = s > CUT * s[0]
    return (vt[keep].T / s[keep]) / length[:, None]


def correlations(a, b):
    return float(np.linalg.svd(a.T @ b, compute_uv=False).clip(0, 1).sum())
