"""Families of data whose columns are nearly sums of others, so that strong pairs live in
differences of several columns."""
import numpy as np
import scipy.sparse as sp


def flags(n, picked):
    """One column of ones for each list of rows."""
    sizes = [len(rows) for rows in picked]
    return sp.csc_array(
        (np.ones(sum(sizes)), (np.concatenate(picked), np.repeat(np.arange(len(picked)), sizes))),
        shape=(n, len(picked)),
    )


def at_random(rng, n, columns, share):
    """Columns with about this share of ones."""
    return flags(
        n, [rng.choice(n, max(1, count), replace=False) for count in rng.binomial(n, share, size=columns)]
    )


def alike(rng, n, columns, share=0.004):
    """Two sparse views whose columns agree, from nearly all of their ones down to a tenth."""
    first, other = at_random(rng, n, columns, share).tocoo(), at_random(rng, n, columns, share).tocoo()
    agreement = np.linspace(0.9, 0.1, columns)
    kept, own = rng.random(first.nnz) < agreement[first.col], rng.random(other.nnz) > agreement[other.col]
    rows, cols = np.r_[first.row[kept], other.row[own]], np.r_[first.col[kept], other.col[own]]
    second = sp.csc_array((np.ones(len(rows)), (rows, cols)), shape=(n, columns))
    second.data[:] = 1
    return first.tocsc(), second


def shuffled(rng, *views):
    return tuple(view.tocsc()[:, rng.permutation(view.shape[1])] for view in views)


def parents(rng, size):
    """A parent is the sum of its children and of a few rows of its own, which both views share."""
    n, p, groups, children = {
        "narrow": (6_000, 60, 15, 6), "wide": (12_000, 1_600, 100, 6), "wider": (30_000, 2_600, 350, 8)
    }[size]
    alone = flags(n, [rng.choice(n, 5, replace=False) for _ in range(groups)])
    adopt = sp.csc_array(np.kron(np.eye(groups), np.ones((children, 1))))
    views = []
    for view in alike(rng, n, p):
        kids = at_random(rng, n, groups * children, 0.005)
        views.append(sp.hstack([view, kids, kids @ adopt + alone]))
    return shuffled(rng, *views)


def twins_against_many(rng, size):
    """Two nearly equal columns of X, whose difference is what several columns of Y lack from their sum."""
    n, p, groups = {
        "narrow": (6_000, 60, 20), "wide": (12_000, 2_100, 60), "wider": (30_000, 5_200, 150)
    }[size]
    views = alike(rng, n, p)
    x, y = [], []
    for _ in range(groups):
        twin = rng.choice(n, n // 80, replace=False)
        parts = [rng.choice(n, n // 250, replace=False) for _ in range(4)]
        x += [twin, twin[3:]]
        y += [*parts, np.unique(np.concatenate([*parts, twin[:3]]))]
    return shuffled(rng, sp.hstack([views[0], flags(n, x)]), sp.hstack([views[1], flags(n, y)]))


def lengths(rng, size):
    """Counts of words, and the length of each document, which both views know a little
    better than their words do."""
    n, p, topics = {
        "narrow": (5_000, 120, 8), "wide": (15_000, 2_300, 20), "wider": (30_000, 6_000, 30)
    }[size]
    mixture, extra, views = rng.gamma(0.3, size=(n, topics)), rng.poisson(1.0, n), []
    for _ in "xy":
        rate = mixture @ (rng.gamma(0.2, size=(topics, p)) / np.arange(1, p + 1) ** 0.8)
        counts = sp.csr_array(rng.poisson(np.minimum(12 * rate / rate.sum(1).mean(), 6)).astype(float))
        own = np.where(rng.random(n) < 0.9, extra, rng.poisson(1.0, n))
        length = np.asarray(counts.sum(axis=1)).ravel() + np.round(0.25 * own)
        view = sp.hstack([counts, sp.csr_array(length[:, None])]).tocsc()
        views.append(view[:, np.diff(view.indptr) >= 3])
    return tuple(views)


def ancestors(rng, size):
    """Terms with all their ancestors. Some rows are about an inner term only."""
    n, leaves = {"narrow": (8_000, 150), "wide": (30_000, 2_400), "wider": (60_000, 5_200)}[size]
    draw = lambda: np.minimum((leaves * rng.random((n, 3)) ** 2).astype(int), leaves - 1)
    terms = draw()
    others, is_inner, views = (
        np.where(rng.random(terms.shape) < 0.7, terms, draw()), rng.random(terms.shape) < 0.02, []
    )
    for codes in (terms, others):
        code, width, levels = rng.permutation(leaves)[codes], leaves, []
        for depth in range(4):
            rows, slots = np.nonzero(~is_inner | (depth > 0))
            level = sp.csr_array((np.ones(len(rows)), (rows, code[rows, slots])), shape=(n, width))
            level.sum_duplicates()
            level.data[:] = 1
            levels.append(level)
            code, width = code // 6, -(-width // 6)
        views.append(sp.hstack(levels))
    return shuffled(rng, *views)


FAMILIES = {
    make.__name__.replace("_", "-"): (make, ("narrow", "wide", "wider"))
    for make in (parents, twins_against_many, lengths, ancestors)
}
