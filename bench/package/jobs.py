"""One measurement: `python -m package.jobs NAME` prints it as JSON.
Reading and importing are not part of the seconds."""
import json
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from peers.problems import find, load

MANY = 30  # repetitions of a fit that takes milliseconds; the fastest counts


def lcca_debian():
    """The whole call with its checks of the arrays, and the share of the engine."""
    from lcca import CCA

    x, y = sparse("debian400k")
    seconds, model = timed(lambda: CCA(20, ridge=0.01).fit(x, y))
    return {"seconds": seconds, "engine": model.fit_seconds_, "objective": float(model.objective_.sum())}


def lcca_views():
    """The memory that the process gains, at its peak, when the engine takes the arrays over."""
    from lcca._views import from_arrays

    x, y = sparse("debian400k")
    from_arrays(x[:1000], "X", 2)
    now = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    filled = np.ones(max(peak() - now, 0) // 8 + 1)  # memory below an earlier peak would go unseen
    before = peak()
    views = [from_arrays(x, "X", 2), from_arrays(y, "y", 2)]
    added = peak() - before
    indices = sum(view.indices.nbytes for view in (x, y))
    return {
        "added": added,
        "indices": indices,
        "input": indices + sum(v.data.nbytes + v.indptr.nbytes for v in (x, y)),
        "views": len(views),
        "filled": filled.nbytes,
    }


def lcca_small():
    from lcca import CCA

    return repeated(lambda x, y: CCA(5).fit(x, y), lambda model: model.correlations_, "small", MANY)


def scikit_learn_small():
    return repeated(scikit_learn(5), by_scores, "small", 3)


def lcca_mnist():
    from lcca import CCA

    return repeated(lambda x, y: CCA(20).fit(x, y), lambda model: model.correlations_, "mnist", 3)


def cca_zoo_mnist():
    from cca_zoo.linear import CCA

    return repeated(lambda x, y: CCA(n_components=20).fit([x, y]), None, "mnist", 3)


def scikit_learn_mnist():
    return repeated(scikit_learn(20), by_scores, "mnist", 1)


def scikit_learn(k):
    from sklearn.cross_decomposition import CCA

    return lambda x, y: CCA(n_components=k, scale=False, max_iter=500, tol=1e-6).fit(x, y)


def by_scores(model):
    return [np.corrcoef(a, b)[0, 1] for a, b in zip(model._x_scores.T, model._y_scores.T)]


def repeated(fit, correlations, data, times):
    """The fastest of several fits to dense arrays in double precision, and the sum of the correlations."""
    views = find(data).views
    seconds, model = min((timed(lambda: fit(*views)) for _ in range(times)), key=lambda run: run[0])
    return {"seconds": seconds, "total": None if correlations is None else float(np.sum(correlations(model)))}


def sparse(data):
    return [load(path) for path in find(data).files]


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


JOBS = [
    lcca_debian, lcca_views, lcca_small, scikit_learn_small, lcca_mnist, cca_zoo_mnist, scikit_learn_mnist
]

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps({job.__name__: job for job in JOBS}[sys.argv[1]]()))
