"""statsmodels' CanCorr: SVD of each dense view. Always centers; no ridge; refuses collinear columns.

Constant columns are dropped first, as its error message suggests.
If others are collinear, its refusal is the result.
"""
import numpy as np
import statsmodels
from statsmodels.multivariate.cancorr import CanCorr

from .problems import Refused
from .scikit_learn import remark_differences


def fit(problem, report):
    report.version = statsmodels.__version__
    remark_differences(problem, report)
    views = problem.dense(report)
    varies = [np.ptp(v, axis=0) > 0 for v in views]
    if not all(v.all() for v in varies):
        report.remark("constant columns dropped")
    try:
        model = CanCorr(endog=views[1][:, varies[1]], exog=views[0][:, varies[0]])
    except ValueError as error:
        raise Refused(f"refuses: {error}") from error
    coefficients = (model.x_cancoef, model.y_cancoef)
    return [put_back(c[:, : problem.k], v) for c, v in zip(coefficients, varies)]


def put_back(coefficients, varies):
    weights = np.zeros((len(varies), coefficients.shape[1]))
    weights[varies] = coefficients
    return weights
