"""Generated data sets in the shape of the public ones that tests use,
so that tests on real data run without these.

    python tools/data/generate.py OUT        # needs numpy and scipy

OUT gets one folder per set, with raw files, the views that an independent program makes of them,
and truths.json. docs/data.md has the list.
"""

import collections
import gzip
import json
import os
import re
import sys
from pathlib import Path

# The matrices are small: on a busy machine, threads that wait for each other take longer than one alone.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy.sparse as sp
import truth

WORD = re.compile(r"\w+")
NON_ALNUM = re.compile(r"[^0-9a-z]+")
# The words that the tests look for, with their translations.
TRANSLATIONS = """tom tom, boston boston, mary mary, french français, brother frère, sister sœur,
tomorrow demain, japan japon, japanese japonais, hospital hôpital, father père, uncle oncle,
umbrella parapluie, tennis tennis, english anglais, beach plage, dictionary dictionnaire, week semaine,
monday lundi, friends amis, australia australie, coffee café, school école, music musique"""


def zipf(count, offset=1):
    weights = 1 / (np.arange(count) + offset)
    return weights / weights.sum()


def vocabulary(rows, least=1, most=None):
    """Tokens by the number of rows that have them, ties by first appearance."""
    counts = collections.Counter(token for row in rows for token in dict.fromkeys(row))
    return {token: i for i, (token, count) in enumerate(counts.most_common(most)) if count >= least}


def bags(rows, columns):
    """Boolean rows with a one for each token that is a column."""
    indices = [sorted({columns[token] for token in row if token in columns}) for row in rows]
    offsets = np.cumsum([0, *map(len, indices)])
    flat = np.array([column for row in indices for column in row], dtype=np.int32)
    return sp.csr_array((np.ones(len(flat), np.float32), flat, offsets), shape=(len(rows), len(columns)))


def save(folder, x, y):
    for name, view in (("x", x), ("y", y)):
        sp.save_npz(folder / f"{name}.npz", sp.csr_matrix(view), compressed=False)


def brown(folder, random):
    """A text from a chain of word classes. Classes come in pairs that alternate, some strictly,
    and most have no frequent word."""
    words, pairs, tokens = 4_000, 24, 90_000
    weight = zipf(words) / (2_000 + np.arange(words))
    # Class c has no word before rank c³/40.
    classes = [
        random.integers(np.searchsorted(np.arange(2 * pairs) ** 3 / 40, rank, side="right"))
        for rank in range(words)
    ]
    members = [np.flatnonzero(np.array(classes) == c) for c in range(2 * pairs)]
    strict = 0.96 - 0.041 * ((np.arange(2 * pairs) // 2 * 7 + 16) % pairs)
    entry = np.array([weight[part].sum() for part in members]) * (1 - strict)
    entries, draws = random.choice(2 * pairs, tokens, p=entry / entry.sum()), random.random(tokens)
    chain = [int(entries[0])]
    for i in range(1, tokens):
        chain.append(chain[-1] ^ 1 if draws[i] < strict[chain[-1]] else int(entries[i]))
    chain, text = np.array(chain), np.empty(tokens, dtype=int)
    for c, part in enumerate(members):
        here = np.flatnonzero(chain == c)
        text[here] = random.choice(part, len(here), p=weight[part] / weight[part].sum())
    lines = np.array_split(text, tokens // 20)
    written = "".join(" ".join(f"w{word}" for word in line) + "\n" for line in lines)
    (folder / "words.txt").write_text(written, encoding="utf-8")
    rank = {word: i for i, (word, _) in enumerate(collections.Counter(text.tolist()).most_common())}
    ranks = np.array([rank[word] for word in text.tolist()])
    kept = ranks[1:] < 3_000
    this, after = np.unique(ranks[:-1][kept], return_inverse=True)[1], ranks[1:][kept]
    rows = np.arange(len(after) + 1)
    x, y = (
        sp.csr_array((np.ones(len(c), np.float32), c, rows), shape=(len(c), c.max() + 1))
        for c in (this, after)
    )
    save(folder, x, y)
    return {"total": truth.one_hot_total(x, y)}


def tatoeba(folder, random):
    """Sentences of one translated word, if any, among words that have no translation."""
    rows, others = 30_000, 2_500
    pairs = [pair.split() for pair in TRANSLATIONS.replace("\n", " ").split(", ")]
    chosen = random.choice(len(pairs), rows, p=zipf(len(pairs), 8))
    said, kept = random.random(rows) < 0.9, random.random(rows) < 0.995 - 0.01 * chosen
    fillers = [random.choice(others, (rows, 4), p=zipf(others, 20)) for _ in "xy"]
    lines = []
    for i in range(rows):
        english, french = (
            [f"{side}{word}" for word in words[i]] for side, words in zip("ef", fillers, strict=True)
        )
        if said[i]:
            english.insert(2, pairs[chosen[i]][0].capitalize())
        if said[i] and kept[i]:
            french.insert(3, pairs[chosen[i]][1].capitalize())
        lines.append(f"{' '.join(english)}.\t{' '.join(french)}.")
    (folder / "pairs.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    texts = [
        [WORD.findall(text.lower()) for text in side]
        for side in zip(*(line.split("\t") for line in lines), strict=True)
    ]
    x, y = (bags(side, vocabulary(side, least=2)) for side in texts)
    save(folder, x, y)
    _, objective = truth.ridge_fit(x.astype(float), y.astype(float), 0.01)
    # As with --hold-out 10: every tenth row from the first, and columns of the other rows.
    test = np.arange(rows) % 10 == 0
    columns = [
        vocabulary([row for row, out in zip(side, test, strict=True) if not out], least=2) for side in texts
    ]
    x, y = (bags(side, names).astype(float) for side, names in zip(texts, columns, strict=True))
    weights, _ = truth.ridge_fit(x[~test], y[~test], 0.01)
    return {
        "objective": float(objective.sum()),
        "held_out": float(truth.correlations(weights, x[test], y[test]).sum()),
    }


def debian400k(folder, random):
    """Paths of files: kinds of files have folders and endings of their own,
    and packages have names in both."""
    rows, packages = 24_000, 3_000
    kinds = [
        ("usr/share/doc", "gz"), ("usr/share/locale/fr", "mo"), ("usr/lib/python3", "py"),
        ("usr/include", "h"), ("usr/share/icons", "png"),
    ]
    kinds += [(f"usr/share/kind{i}/sub{i % 7}", f"end{i}") for i in range(40)]
    kind, package = (
        random.choice(len(kinds), rows, p=zipf(len(kinds))),
        random.choice(packages, rows, p=zipf(packages, 20)),
    )
    other, word = random.choice(packages, rows, p=zipf(packages, 20)), random.integers(400, size=rows)
    package, other = (
        [f"Pack{i}" for i in numbers]
        for numbers in (package, np.where(random.random(rows) < 0.7, package, other))
    )
    lines = [
        f"{kinds[k][0]}/{p}/{o}-word{w}.{kinds[k][1]}"
        for k, p, o, w in zip(kind, package, other, word, strict=True)
    ]
    (folder / "paths.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    split = [line.rpartition("/") for line in lines]
    texts = (
        [path.split("/") for path, _, _ in split],
        [[part for part in NON_ALNUM.split(name.lower()) if part] for _, _, name in split],
    )
    save(folder, *(bags(side, vocabulary(side, most=20_000)) for side in texts))
    return {}


def mnist(folder, random):
    """Pictures of strokes that cross the middle, 8 × 8 pixels per half, with an empty frame."""
    across, down = np.meshgrid(np.arange(16), np.arange(8))
    for ending, count in (("", 6_000), ("_test", 1_000)):
        angle, height, bend = (
            random.uniform(-1, 1, count), random.uniform(2, 5, count), random.normal(0, 0.05, count)
        )
        at = across[None] - 7.5
        stroke = height[:, None, None] + angle[:, None, None] * at / 3 + bend[:, None, None] * at**2
        image = np.exp(-((down[None] - stroke) ** 2)) + 0.01 * random.random((count, 8, 16))
        image[:, [0, -1], :] = 0
        for name, half in (("x", image[:, :, :8]), ("y", image[:, :, 8:])):
            np.save(folder / f"{name}{ending}.npy", half.reshape(count, -1).astype(np.float32))
    return {"total": truth.dense_total(*(np.load(folder / f"{name}.npy") for name in "xy"))}


def url(folder, random):
    """Boolean and real features, more than a million columns of which few occur."""
    rows, cols, topics = 1_500, 1_100_000, 60
    lines = []
    for _ in range(rows):
        topic = random.integers(topics)
        first = {17 * topic + int(c) for c in random.integers(0, 12, 5)} | {
            int(c) for c in random.integers(0, 3_000, 6)
        }
        last = {cols - 1 - 23 * topic - int(c) for c in random.integers(0, 12, 5)} | {
            cols - 1 - int(c) for c in random.integers(0, 3_000, 6)
        }
        real = {int(c): round(random.random(), 3) for c in random.integers(3_000, 3_020, 4)}
        entries = dict.fromkeys(sorted(first | last), 1) | real
        lines.append("1 " + " ".join(f"{column + 1}:{value}" for column, value in sorted(entries.items())))
    (folder / "url_sample.svm").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {"rows": rows}


def nutrimouse(folder, random):
    """Measurements of forty animals in two tables, as R writes them without row names."""
    state = random.standard_normal((40, 3))
    names = {"gene": [f"G{i}.1" for i in range(120)], "lipid": [f"C{14 + i}.0" for i in range(21)]}
    for table, columns in names.items():
        rows = state @ random.standard_normal((3, len(columns))) + random.standard_normal((40, len(columns)))
        text = (
            "\n".join([",".join(columns), *(",".join(f"{value:.2f}" for value in row) for row in rows)])
            + "\n"
        )
        (folder / f"{table}.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    return {}


SETS = (brown, tatoeba, debian400k, mnist, url, nutrimouse)


def main():
    truths = {}
    for seed, make in enumerate(SETS):
        folder = Path(sys.argv[1]) / make.__name__
        folder.mkdir(parents=True, exist_ok=True)
        truths[make.__name__] = make(folder, np.random.default_rng(seed))
    (Path(sys.argv[1]) / "truths.json").write_text(json.dumps(truths, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
