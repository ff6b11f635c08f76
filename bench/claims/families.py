"""Seeded data on which a claim of convergence is easily wrong:
correlations that live in directions of small variance.

A family is a function of (rng, size) that gives two sparse views; `size` is "narrow" (120 to 300 columns per
view) or "wide" (thousands, too many to be solved without iterating).
"""
import numpy as np
import scipy.sparse as sp

from . import nested, sums


def survey(rng, size):
    """Answers to questions, one indicator per answer: each question's indicators sum to one.
    Half of the questions against the others."""
    n, questions, latent = (20_000, 60, 6) if size == "narrow" else (20_000, 800, 25)
    person = rng.normal(size=(n, latent))
    blocks = []
    for _ in range(questions):
        answers = rng.integers(3, 8)
        pull = person @ rng.normal(scale=0.9, size=(latent, answers)) + rng.normal(scale=1.5, size=answers)
        choice = np.argmax(pull + rng.gumbel(size=(n, answers)), axis=1)
        blocks.append(sp.csr_array((np.ones(n), (np.arange(n), choice)), shape=(n, answers)))
    half = questions // 2
    return sp.hstack(blocks[:half]), sp.hstack(blocks[half:])


def keywords(rng, size):
    """Correlated flags, from frequent to rare. Words of the same topic occur together."""
    n, p, topics = (20_000, 180, 30) if size == "narrow" else (30_000, 2_000, 200)
    frequency = np.maximum(0.3 / np.arange(1, 2 * p + 1) ** 0.9, 6 / n)
    topic_on = rng.random((n, topics)) < 0.04
    columns = []
    for j in range(2 * p):
        topic, f = topic_on[:, rng.integers(topics)], frequency[j]
        columns.append(rng.random(n) < np.where(topic, min(1.0, 12 * f), f / 2))
    return halves(columns, rng)


def thermometers(rng, size):
    """Indicators of x ≥ t for ascending t, of some variables that both views measure with a small error."""
    n, variables, steps = (10_000, 8, 25) if size == "narrow" else (20_000, 40, 50)
    views = [], []
    for _ in range(variables):
        x = rng.normal(size=n)
        y = np.where(rng.random(n) < 0.98, x, rng.normal(size=n)) + rng.normal(scale=0.02, size=n)
        for view, values in zip(views, (x, y)):
            view += [values >= t for t in np.quantile(x, np.linspace(0.5, 0.995, steps))]
    return tuple(sp.csc_array(np.column_stack(view)) for view in views)


def near_duplicates(rng, size):
    """Flags with copies in which a few entries are changed. Some of the changes
    are the same in both views."""
    n, p, copied = (20_000, 110, 40) if size == "narrow" else (40_000, 2_400, 600)
    base = rng.random((n, p)) < 0.02
    other = np.where(rng.random((n, p)) < np.linspace(0.9, 0.2, p), base, rng.random((n, p)) < 0.02)
    views = [list(base.T), list(other.T)]
    for j in range(copied):
        changes = rng.choice(n, rng.integers(1, 6), replace=False)
        shared = rng.random() < 0.5
        for view in views:
            copy = view[j].copy()
            copy[changes if shared else rng.choice(n, len(changes), replace=False)] ^= True
            view.append(copy)
    return tuple(sp.csc_array(np.column_stack(view)) for view in views)


def near_equal_values(rng, size):
    """Numbers with copies that differ by one part in 1e2 to 1e4;
    the differences correlate between the views."""
    n, p, copied = (10_000, 90, 45) if size == "narrow" else (20_000, 1_500, 500)
    density = 0.1 if size == "narrow" else 0.01
    x, y = (
        sp.random_array((n, p), density=density, rng=rng, data_sampler=rng.standard_normal).tocsc()
        for _ in "xy"
    )
    y = (0.4 * x + y).tocsc()
    views = [[v[:, [j]] for j in range(p)] for v in (x, y)]
    for j in range(copied):
        part = 10.0 ** -rng.uniform(2, 4)
        common = sp.random_array((n, 1), density=density, rng=rng, data_sampler=rng.standard_normal)
        strength = rng.uniform(0.3, 1)
        for view in views:
            own = sp.random_array((n, 1), density=density, rng=rng, data_sampler=rng.standard_normal)
            view.append(view[j] + part * (strength * common + (1 - strength) * own))
    return tuple(sp.hstack(view) for view in views)


def smooth(rng, size):
    """Neighboring columns are alike: moving averages of sparse noise, of which the views share a part."""
    n, p, window = (10_000, 200, 12) if size == "narrow" else (20_000, 2_000, 10)
    density = 0.03 if size == "narrow" else 0.002
    common, *own = (
        sp.random_array((n, p + window), density=density, rng=rng, data_sampler=rng.standard_normal).tocsr()
        for _ in range(3)
    )
    offsets = -np.arange(window)
    average = (
        sp.diags_array(
            np.ones((window, 1)) * np.ones(p + window), offsets=offsets, shape=(p + window, p)
        ).tocsr()
        / window
    )
    share = np.linspace(1.2, 0.2, p + window)
    return tuple(((common * share + noise).tocsr() @ average) for noise in own)


def page_counts(rng, size):
    """How often users saw pages. Some pages are seen almost only together,
    so their columns are nearly equal."""
    n, p, twins = (20_000, 120, 30) if size == "narrow" else (30_000, 2_400, 600)
    interest = rng.gamma(0.3, size=(n, 12 if size == "narrow" else 40))
    views = []
    extras = [rng.choice(n, rng.integers(3, 40), replace=False) for _ in range(twins)]
    for _ in "xy":
        pull = rng.gamma(0.25, size=(interest.shape[1], p)) / np.arange(1, p + 1) ** 0.7
        counts = rng.poisson(np.minimum(interest @ pull * (0.5 if size == "narrow" else 0.1), 20)).astype(
            "f4"
        )
        twin = counts[:, :twins].copy()
        for j, rows in enumerate(extras):
            twin[rows, j] += 1 + rng.poisson(0.3, size=len(rows))
        views.append(sp.csr_array(np.hstack([counts, twin])))
    return views


def planted(rng, size):
    """50 pairs of columns with 5 ones that coincide, hidden among columns from frequent to rare."""
    n, p = (100_000, 200) if size == "narrow" else (100_000, 3_000)
    frequency = np.maximum(0.2 / np.arange(1, p + 1), 8 / n)
    common = rng.random((n, 1)) < 0.5
    x, y = (
        sp.vstack(
            [
                sp.csr_array(rng.random((2_000, p)) < frequency * np.where(common[i : i + 2_000], 1.5, 0.5))
                for i in range(0, n, 2_000)
            ]
        )
        for _ in "xy"
    )
    rows = rng.choice(n, (50, 5), replace=False)
    rare = sp.csr_array((np.ones(250), (rows.ravel(), np.repeat(np.arange(50), 5))), shape=(n, 50))
    return tuple(
        sp.hstack([v.astype("f4"), rare])[:, rng.permutation(p + 50)] for v in map(sp.csr_array, (x, y))
    )


def hidden_pair(rng, size):
    """Ten copies of a flag and one with a single 1 removed, in both views:
    a pair at correlation 1 with 1% of its columns' variance."""
    p, n = {"narrow": (140, 50_000), "wide": (2_000, 50_000), "wider": (3_989, 50_000)}[size]
    share = 0.01 if size == "narrow" else 0.002
    rows = rng.choice(n, 84, replace=False)
    shared = np.zeros((n, 11), "f4")
    shared[rows] = 1
    shared[rows[0], 10] = 0
    parts = [], []
    for start in range(0, n, 5_000):
        flags = rng.random((5_000, p)) < share
        other = np.where(
            rng.random((5_000, p)) < np.linspace(0.95, 0.3, p), flags, rng.random((5_000, p)) < share
        )
        for part, view in zip(parts, (flags, other)):
            part.append(sp.csr_array(np.hstack([view, shared[start:start + 5_000]]).astype("f4")))
    return tuple(sp.vstack(part) for part in parts)


def dependent(rng, size):
    """Columns that depend on others: copies, sums, groups of indicators that sum to one."""
    n, p = (5_000, 60) if size == "narrow" else (15_000, 1_000)
    questions, latent = (15, 4) if size == "narrow" else (150, 12)
    person = rng.normal(size=(n, latent))
    views = []
    for _ in "xy":
        pull = person @ rng.normal(scale=0.5, size=(latent, p)) - 2.2
        flags = sp.csr_array((rng.random((n, p)) < 1 / (1 + np.exp(-pull))).astype("f4"))
        groups = []
        for _ in range(questions):
            choice = np.argmax(person @ rng.normal(size=(latent, 5)) + rng.gumbel(size=(n, 5)), axis=1)
            groups.append(sp.csr_array((np.ones(n), (np.arange(n), choice)), shape=(n, 5)))
        sums = flags[:, : p // 6] + flags[:, p // 6 : 2 * (p // 6)]
        views.append(sp.hstack([flags, *groups, flags[:, : p // 4], sums]))
    return views


def more_columns_than_rows(rng, size):
    """Without a ridge every correlation is 1."""
    n, p = (250, 300) if size == "narrow" else (1_200, 2_000)
    person = rng.normal(size=(n, 8))
    return tuple(
        sp.csr_array(
            (rng.random((n, p)) < 1 / (1 + np.exp(2.5 - person @ rng.normal(scale=0.6, size=(8, p))))).astype(
                "f4"
            )
        )
        for _ in "xy"
    )


def halves(columns, rng):
    """Every column is in one of the two views at random."""
    order = rng.permutation(len(columns))
    half = len(columns) // 2
    return tuple(
        sp.csc_array(np.column_stack([columns[j] for j in part])) for part in (order[:half], order[half:])
    )


# The sizes of each family.
FAMILIES = {make.__name__.replace("_", "-"): (make, sizes) for make, sizes in [
    (survey, ("narrow", "wide")),
    (keywords, ("narrow", "wide")),
    (thermometers, ("narrow", "wide")),
    (near_duplicates, ("narrow", "wide")),
    (near_equal_values, ("narrow", "wide")),
    (smooth, ("narrow", "wide")),
    (page_counts, ("narrow", "wide")),
    (planted, ("narrow", "wide")),
    (hidden_pair, ("narrow", "wide", "wider")),
    (dependent, ("narrow", "wide")),
    (more_columns_than_rows, ("narrow", "wide")),
]} | sums.FAMILIES | nested.FAMILIES
