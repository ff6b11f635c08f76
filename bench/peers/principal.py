"""scikit-learn's TruncatedSVD of each view, then CCA of the components: RPCCA in ten lines.

It runs with more and more components. Views are not centered before the SVD, because that would make sparse
data dense. Components are centered before they are correlated.
"""
import numpy as np
import sklearn
from sklearn.decomposition import TruncatedSVD

from .products import widths

COMPONENTS = (25, 50, 100, 200, 300, 500)


def fit(problem, report):
    report.version = sklearn.__version__
    if problem.ridge:
        report.remark("ridge left out: components are few")
    for m in widths(COMPONENTS, problem):
        report.restart()
        directions, bases = zip(*(components(v, m, problem.center) for v in problem.views))
        u, _, vt = np.linalg.svd(bases[0][0].T @ bases[1][0])
        rotations = (u[:, : problem.k], vt[: problem.k].T)
        weights = [d @ (b[1] @ r) for d, b, r in zip(directions, bases, rotations)]
        report.setting = f"{m} components"
        report(None, *weights, always=True)
    return None


def components(view, m, center):
    """Directions (p × m), and (Q, T) with Q = scores·T orthonormal."""
    svd = TruncatedSVD(m, n_iter=4, random_state=0)
    scores = svd.fit_transform(view)
    scores -= scores.mean(axis=0) * center
    length = np.maximum(np.linalg.norm(scores, axis=0), 1e-300)
    q, r = np.linalg.qr(scores / length)
    u, s, vt = np.linalg.svd(r)
    keep = s > 1e-10 * s[0]
    return svd.components_.T, (q @ u[:, keep], vt[keep].T / s[keep] / length[:, None])
