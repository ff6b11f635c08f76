"""cca-zoo's CCA and RidgeCCA (eigendecomposition of each view's covariance) and CCAEY (L-BFGS on the
Eckart-Young loss).

All take only dense data. RidgeCCA blends (1−c)·S + c·I, which is the same problem as S + λ(tr S/p)·I with
c = t/(1+t), t = λ·tr S/p. CCAEY has one c for both views and gets the mean of the two. Its tolerance is 1e-12
instead of 1e-8, so that the limit ends it and not the tolerance. It is watched at each evaluation of its
loss, which is one pass.
"""
import cca_zoo
import numpy as np
from cca_zoo.linear import CCA, CCAEY, RidgeCCA


def fit(problem, report, model):
    report.version = cca_zoo.__version__
    views = problem.dense(report)
    fitted = {"cca": plain, "ridge": ridge, "ey": eckart_young}[model](problem, report, views)
    return fitted.weights_


def plain(problem, report, views):
    if problem.ridge:
        report.remark("has no ridge")
    return CCA(n_components=problem.k, center=problem.center).fit(views)


def ridge(problem, report, views):
    shrinkage = [blend(problem, v) for v in views]
    return RidgeCCA(n_components=problem.k, center=problem.center, shrinkage=shrinkage).fit(views)


def eckart_young(problem, report, views):
    if not problem.center:
        report.remark("always centers")
    if problem.ridge:
        report.remark("one ridge for both views")
    shrinkage = float(np.mean([blend(problem, v) for v in views]))
    model = Watched(problem.k, shrinkage=shrinkage, max_iter=100_000, tol=1e-12, random_state=0)
    model.report, model.passes = report, 0
    return model.fit(views)


def blend(problem, view):
    t = problem.ridge * np.mean(np.var(view, axis=0, ddof=1))
    return float(t / (1 + t))


class Watched(CCAEY):
    def _derivative(self, views, representations, weights):
        self.passes += 1
        self.report(self.passes, *weights)
        return super()._derivative(views, representations, weights)


Watched.__name__ = "CCAEY"  # scikit-learn looks parameters up by the name of the class
