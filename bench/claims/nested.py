"""Wide families, of more columns than a dense proof takes unasked: features that are built from other
features, as users build them. Strong pairs may live in what is left of a column after the others."""
import numpy as np
import scipy.sparse as sp

from .sums import alike, at_random, flags, shuffled


def counts(rows, width):
    """How often each number occurs in each row."""
    lengths = [len(row) for row in rows]
    numbers = np.concatenate(rows) if rows else np.empty(0, int)
    found = sp.csr_array(
        (np.ones(len(numbers)), (np.repeat(np.arange(len(rows)), lengths), numbers)),
        shape=(len(rows), width),
    )
    found.sum_duplicates()
    return found


def frequent(view, most, least=3):
    """The columns with the most entries, in their order."""
    entries = np.diff(view.tocsc().indptr)
    kept = np.argsort(-entries, kind="stable")[:most]
    return view.tocsc()[:, np.sort(kept[entries[kept] >= least])]


def sentences(rng, n, words):
    """Words of Zipf's frequencies, and the same sentences in another language, a part of them replaced."""
    draw = lambda size: np.minimum((words ** rng.random(size) - 1).astype(int), words - 1)
    lengths = rng.integers(3, 12, n)
    first = [draw(length) for length in lengths]
    name = rng.permutation(words)
    second = [name[np.where(rng.random(len(row)) < 0.85, row, draw(len(row)))] for row in first]
    return first, second


def letters(rng, size):
    """Runs of one to four letters: a run occurs at least as often as the longer ones that contain it."""
    n, words, most = (20_000, 1_200, 2_900) if size == "wide" else (30_000, 2_500, 6_000)
    views = []
    for rows in sentences(rng, n, words):
        spelled = [
            "".join("abcdefghijklmnopqrst"[i] for i in (20 * rng.random(rng.integers(2, 9)) ** 2).astype(int))
            for _ in range(words)
        ]
        numbers, found = {}, []
        for row in rows:
            text = " " + " ".join(spelled[word] for word in row) + " "
            runs = [text[i : i + length] for length in (1, 2, 3, 4) for i in range(len(text) - length + 1)]
            found.append(np.array([numbers.setdefault(run, len(numbers)) for run in runs]))
        views.append(frequent(counts(found, len(numbers)), most))
    return shuffled(rng, *views)


def phrases(rng, size):
    """Words and pairs of neighboring words: a word occurs once more than its pairs with a next word, if it
    ends a sentence."""
    n, words, most = (20_000, 900, 2_900) if size == "wide" else (40_000, 2_000, 6_000)
    views = []
    for rows in sentences(rng, n, words):
        pairs = [row[:-1] * words + row[1:] for row in rows]
        _, codes = np.unique(np.concatenate(pairs), return_inverse=True)
        found = np.split(codes, np.cumsum([len(pair) for pair in pairs])[:-1])
        singles = counts(rows, words)
        views.append(sp.hstack([singles, frequent(counts(found, codes.max() + 1), most - words)]))
    return shuffled(rng, *views)


def interactions(rng, size):
    """Answers to questions and to pairs of questions: the indicators of a pair add up to those of its parts,
    but for rows that are known to one of them only."""
    n, questions, pairs = (15_000, 40, 220) if size == "wide" else (25_000, 60, 480)
    person, views = rng.normal(size=(n, 8)), []
    for _ in "xy":
        pull = person @ rng.normal(size=(8, questions * 4)) * 0.5 + rng.gumbel(size=(n, questions * 4))
        answers = pull.reshape(n, questions, 4).argmax(axis=2)
        columns = [sp.csr_array(np.eye(4)[answers[:, q]]) for q in range(questions)]
        for _ in range(pairs):
            a, b = rng.choice(questions, 2, replace=False)
            code = answers[:, a] * 4 + answers[:, b]
            known = np.flatnonzero(rng.random(n) < 0.999)
            columns.append(sp.csr_array((np.ones(len(known)), (known, code[known])), shape=(n, 16))[:, :12])
        views.append(sp.hstack(columns))
    return shuffled(rng, *views)


def chains(rng, size):
    """Every column is the one before with one row changed, in long chains. A third of the changes are the
    same in both views."""
    n, p, chain, length = (12_000, 1_500, 30, 45) if size == "wide" else (30_000, 3_000, 60, 45)
    parts = [[view] for view in alike(rng, n, p)]
    for _ in range(chain):
        start = rng.choice(n, n // 150, replace=False)
        rows = [set(start), set(start)]
        for _ in range(length):
            change = rng.integers(n)
            for part, own in zip(parts, rows):
                own ^= {int(change) if rng.random() < 0.58 else int(rng.integers(n))}
                part.append(flags(n, [np.array(sorted(own))]))
    return shuffled(rng, *map(sp.hstack, parts))


def combinations(rng, size):
    """Columns that are sums of eight others with weights, and of a little that both views share."""
    n, p, summed = (12_000, 2_600, 250) if size == "wide" else (25_000, 5_200, 500)
    few = [flags(n, [rng.choice(n, 6, replace=False) for _ in range(summed)]) for _ in "xyz"]
    views = []
    for view, own in zip(alike(rng, n, p), few):
        which = np.concatenate([rng.choice(p, 8, replace=False) for _ in range(summed)])
        weights = sp.csc_array(
            (rng.choice([-1.0, 1.0, 2.0], 8 * summed), (which, np.repeat(np.arange(summed), 8))),
            shape=(p, summed),
        )
        shared = few[2].multiply(np.where(rng.random(summed) < 0.5, 1.0, 0.3)[None, :])
        views.append(sp.hstack([view, view @ weights + shared + 0.5 * own]))
    return shuffled(rng, *views)


def generations(rng, size):
    """Grandparents are sums of parents, which are sums of children; each has rows of its own, of which the
    views share some."""
    n, p, groups = (20_000, 1_300, 30) if size == "wide" else (30_000, 2_600, 70)
    own = [
        flags(n, [rng.choice(n, 4, replace=False) for _ in range(count)]) for count in (groups, groups * 6)
    ]
    adopt = [sp.csc_array(np.kron(np.eye(groups * k), np.ones((6, 1)))) for k in (1, 6)]
    views = []
    for view in alike(rng, n, p):
        noise = at_random(rng, n, groups * 6, 2e-4)
        children = at_random(rng, n, groups * 36, 0.003)
        parents = children @ adopt[1] + own[1] + noise
        views.append(sp.hstack([view, children, parents, parents @ adopt[0] + own[0]]))
    return shuffled(rng, *views)


def common_words(rng, size):
    """Counts of words, a hundred of which are in nearly every row and known to both views but for little."""
    n, p, common = (15_000, 2_600, 60) if size == "wide" else (25_000, 5_500, 100)
    base = rng.poisson(2.0, (n, common)).astype(float)
    views = []
    for view in alike(rng, n, p, 0.002):
        mixed = base @ np.linalg.qr(rng.normal(size=(common, common)))[0]
        # The last directions are shared, but for noise of their own size.
        mixed = mixed + 1e-2 * base[:, ::-1] * (rng.random((n, common)) < 0.9)
        dense = np.where(rng.random((n, common)) < 0.7, mixed, 0.0)
        views.append(sp.hstack([view, sp.csr_array(dense)]))
    return shuffled(rng, *views)


FAMILIES = {
    make.__name__.replace("_", "-"): (make, ("wide", "wider"))
    for make in (
        letters, phrases, interactions, chains, combinations, generations, common_words
    )
}
