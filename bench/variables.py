"""What learners make of canonical variables of unit length, of unit variance, and of scikit-learn's CCA.

Learners that look at distances or penalize coefficients depend on the unit of their features.
`python bench/variables.py` prints the table of docs/python-coming-from.md: accuracy on 797 of scikit-learn's
digits after learning from 1,000, and R² of ridge regression on its diabetes data.
"""

import warnings

import numpy as np
from sklearn.cross_decomposition import CCA
from sklearn.datasets import load_diabetes, load_digits
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import lcca

LEARNERS = {
    "SVC()": SVC(),
    'SVC(gamma="auto")': SVC(gamma="auto"),
    'SVC(kernel="linear")': SVC(kernel="linear"),
    "LogisticRegression()": LogisticRegression(max_iter=1000),
    "KNeighborsClassifier()": KNeighborsClassifier(),
    "Ridge()": Ridge(),
}


def tasks():
    """Two views, the number of pairs, what is to be learned from the variables of the first,
    and the rows to learn from."""
    pixels, digit = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(pixels))
    images = pixels.reshape(-1, 8, 8)
    left, right = (half.reshape(len(images), -1) for half in (images[:, :, :4], images[:, :, 4:]))
    yield "digits, left half with right half", (left, right), 10, digit, order[:1000]
    yield "digits, pixels with labels", (pixels, np.eye(10)[digit]), 9, digit, order[:1000]
    measured, progress = load_diabetes(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(measured))
    yield "diabetes, blood serum with the rest", (measured[:, 4:], measured[:, :4]), 3, progress, order[:300]


def variables(x, y, k, rows):
    """The variables of all rows of X, of models that were fitted to some."""
    for ridge in (0.001, 1.0):
        for unit in ("unit-length", "unit-variance"):
            model = lcca.CCA(k, ridge=ridge, scale=True, variables=unit).fit(x[rows], y[rows])
            yield f"lcca, {unit}, ridge {ridge:g}", model.transform(x)
    yield "scikit-learn", CCA(k, max_iter=5000).fit(x[rows], y[rows]).transform(x)


def main():
    warnings.simplefilter("ignore")
    print("| data | variables |", " | ".join(f"`{name}`" for name in LEARNERS), "|")
    print("|---|---|" + "---|" * len(LEARNERS))
    for name, (x, y), k, target, rows in tasks():
        others = np.setdiff1d(np.arange(len(x)), rows)
        is_regression = target.dtype.kind == "f"
        for label, z in variables(x, y, k, rows):
            scores = [
                f"{learner.fit(z[rows], target[rows]).score(z[others], target[others]):.2f}"
                if isinstance(learner, Ridge) == is_regression
                else ""
                for learner in LEARNERS.values()
            ]
            print(f"| {name} | {label} |", " | ".join(scores), "|")


if __name__ == "__main__":
    main()
