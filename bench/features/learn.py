"""Accuracy of a linear classifier on few labels."""
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

PENALTIES = (0.01, 0.1, 1.0, 10.0)  # scikit-learn's C


def draw(labels, rows, count, seed):
    """That many rows of each class."""
    shuffled = np.random.default_rng(seed).permutation(rows)
    return np.concatenate([shuffled[labels[shuffled] == code][:count] for code in np.unique(labels[rows])])


def accuracy(features, labels, chosen, tested, penalty):
    """The share of the tested rows whose class is found from the chosen ones."""
    train, test = features[chosen], features[tested]
    if not sp.issparse(train):
        scaler = StandardScaler().fit(train)
        train, test = scaler.transform(train), scaler.transform(test)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(C=penalty, max_iter=200).fit(train, labels[chosen])
    return float((model.predict(test) == labels[tested]).mean())


def repeated(task, features, count, repetitions):
    """Accuracies of several draws of labels, with the penalty that is best for a draw of its own on rows of their own."""
    first = draw(task.labels, task.train, count, 1000)
    scores = [accuracy(features, task.labels, first, task.tune, penalty) for penalty in PENALTIES]
    penalty = PENALTIES[int(np.argmax(scores))]
    draws = (draw(task.labels, task.train, count, seed) for seed in range(repetitions))
    return penalty, [accuracy(features, task.labels, chosen, task.test, penalty) for chosen in draws]
