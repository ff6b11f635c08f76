"""scikit-learn's CCA: NIPALS, one pair after the other. Only dense data; always centers; no ridge.

`scale` changes nothing in CCA and is off. tol 1e-6 and max_iter 500 are the defaults.
No other settings were tried.
"""
import sklearn
from sklearn.cross_decomposition import CCA


def fit(problem, report):
    report.version = sklearn.__version__
    remark_differences(problem, report)
    x, y = problem.dense(report)
    model = CCA(n_components=problem.k, scale=False, max_iter=500, tol=1e-6).fit(x, y)
    return model.x_rotations_, model.y_rotations_


def remark_differences(problem, report):
    if not problem.center:
        report.remark("always centers")
    if problem.ridge:
        report.remark("has no ridge")
