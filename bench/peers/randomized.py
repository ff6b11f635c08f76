"""Randomized CCA (Mineiro & Karampatziakis 2014): a range finder of XᵀY with power iterations,
then CCA between the ranges.

It runs with more and more directions. Two power iterations are the only number that was tried. The
cross-product and the Gram matrices are formed first, which is far cheaper for sparse data than products of
rows with many directions.
"""
import numpy as np

from .products import Grams, between, widths

DIRECTIONS = (50, 100, 200, 400, 800, 1600)
POWER = 2


def fit(problem, report):
    for directions in widths(DIRECTIONS, problem):
        report.restart()
        c = Grams(problem)
        y = np.linalg.qr(np.random.default_rng(0).standard_normal((c.y.cols, directions)))[0]
        for _ in range(POWER + 1):
            x = np.linalg.qr(c.xy(y))[0]
            y = np.linalg.qr(c.yx(x))[0]
        weights = between(c, x, y, problem.k)
        report.setting = f"{directions} directions"
        report(None, *weights, always=True)
    return None
