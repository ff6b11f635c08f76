"""Accuracy of a linear classifier on few labels."""
import itertools
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

PENALTIES = (0.01, 0.1, 1.0)  # scikit-learn's C, for features in a common unit
RAW_PENALTIES = (0.1, 1.0, 10.0, 100.0)  # for sparse columns as they are


def draw(labels, rows, count, seed):
    """That many rows of each class."""
    shuffled = np.random.default_rng(seed).permutation(rows)
    return np.concatenate([shuffled[labels[shuffled] == code][:count] for code in np.unique(labels[rows])])


def accuracy(features, labels, chosen, tested, settings):
    """The share of the tested rows whose class is found from the chosen ones."""
    penalty, is_standardized = settings
    train, test = features[chosen], features[tested]
    if not sp.issparse(train):
        # Columns of unit variance, or columns as they are in a common unit.
        # The first suits CCA, the second LSA.
        scaler = StandardScaler(with_std=is_standardized).fit(train)
        train, test = scaler.transform(train), scaler.transform(test)
        size = np.sqrt((train**2).mean())
        train, test = train / size, test / size
    # The matrices are small, so more than one thread would take longer.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(C=penalty, max_iter=100, tol=1e-3).fit(train, labels[chosen])
    return float((model.predict(test) == labels[tested]).mean())


def repeated(task, features, count, repetitions):
    """Accuracies of several draws of labels, with the settings that are best for a draw of its
    own on rows of their own."""
    first = draw(task.labels, task.train, count, 1000)
    is_raw = sp.issparse(features)
    choices = list(
        itertools.product(RAW_PENALTIES if is_raw else PENALTIES, [False] if is_raw else [True, False])
    )
    scores = [accuracy(features, task.labels, first, task.tune, settings) for settings in choices]
    best = choices[int(np.argmax(scores))]
    draws = (draw(task.labels, task.train, count, seed) for seed in range(repetitions))
    return best, [accuracy(features, task.labels, chosen, task.test, best) for chosen in draws]
