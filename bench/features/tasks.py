"""The two classification tasks: rows without labels for making features,
and rows with labels to learn from and to be tested on."""
import gzip
from dataclasses import dataclass, field

import lcca
import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

SIZES = (20, 50, 200)
MOST = max(SIZES)  # components; fewer are the leading ones of these
RIDGE = 0.1  # of sparse views, fixed beforehand
CONTEXTS = 3000  # words that count as the next word, as in the paper
SECTIONS = 10


@dataclass
class Task:
    """Rows that are labeled, and features of all of them by name.

    Sets of MOST columns, or one set per size, are learned from in every size; others as a whole.
    """

    name: str
    labels: np.ndarray
    train: np.ndarray
    tune: np.ndarray
    test: np.ndarray
    cut: dict = field(default_factory=dict)
    whole: dict = field(default_factory=dict)
    seconds: dict = field(default_factory=dict)


def packages(path, clock):
    """Sections of Debian's packages from the words of their descriptions."""
    rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")]
    sections = [
        next((t.split(":")[1].split("/")[-1] for t in y.split() if t.startswith("Section:")), "")
        for _, y in rows
    ]
    names, codes, counts = np.unique(sections, return_inverse=True, return_counts=True)
    kept = [code for code in np.argsort(-counts) if names[code]][:SECTIONS]
    order = np.random.default_rng(0).permutation(np.flatnonzero(np.isin(codes, kept)))
    task = Task("Debian sections from descriptions", codes, order[8_000:], order[5_000:8_000], order[:5_000])
    # Features are made of all packages whose labels are neither tuned nor tested on,
    # those of other sections too.
    unlabeled = np.setdiff1d(np.arange(len(rows)), order[:8_000])
    texts = [x for x, _ in rows]
    others = [" ".join(t for t in y.split() if not t.startswith("Section:")) for _, y in rows]
    words = CountVectorizer(binary=True, token_pattern=r"\S+", min_df=5).fit([texts[i] for i in unlabeled])
    x = words.transform(texts).astype(np.float64)
    tokens = CountVectorizer(binary=True, token_pattern=r"\S+", min_df=5, lowercase=False).fit(
        [others[i] for i in unlabeled]
    )
    y = tokens.transform(others).astype(np.float64)
    tfidf = TfidfTransformer(sublinear_tf=True).fit(x[unlabeled]).transform(x)
    task.whole = {"words, 0 or 1": x, "words, tf-idf": tfidf}
    with clock(task, "CCA with dependencies and tags"):
        model = lcca.CCA(MOST, ridge=RIDGE, tol=1e-2).fit(x[unlabeled], y[unlabeled])
        task.cut["CCA with dependencies and tags"] = model.transform(x)
    with clock(task, "CCA of words and next words"):
        vectors = word_vectors([texts[i].split() for i in unlabeled], words.vocabulary_)
        # Vectors of fewer components are directions of their own.
        task.cut["CCA of words and next words"] = {
            size: mean_directions(x, vectors[:, :size]) for size in SIZES
        }
    with clock(task, "LSA (SVD of tf-idf)"):
        *_, directions = lcca.randomized_svd(tfidf[unlabeled], MOST)
        task.cut["LSA (SVD of tf-idf)"] = tfidf @ directions.T
    return task


def word_vectors(texts, vocabulary):
    """One row per word: its canonical variables in CCA of this word and the next."""
    this, following = [], []
    for text in texts:
        known = [vocabulary[word] for word in text if word in vocabulary]
        this += known[:-1]
        following += known[1:]
    this, following = np.array(this), np.array(following)
    frequent = np.argsort(-np.bincount(following, minlength=len(vocabulary)), kind="stable")[:CONTEXTS]
    place = np.full(len(vocabulary), -1)
    place[frequent] = np.arange(len(frequent))
    is_kept = place[following] >= 0
    views = one_hot(this[is_kept], len(vocabulary)), one_hot(place[following[is_kept]], CONTEXTS)
    model = lcca.CCA(MOST, center=False, ridge=RIDGE, tol=1e-2).fit(*views)
    return model.x_weights_


def mean_directions(x, vectors):
    """The mean of the words' vectors in each text, all of length one:
    otherwise rare words, which have long ones, prevail."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    counts = np.maximum(np.asarray(x.sum(axis=1)).ravel(), 1)
    return (x @ (vectors / np.where(lengths > 0, lengths, 1))) / counts[:, None]


def one_hot(columns, width):
    return sp.csr_array(
        (np.ones(len(columns)), columns, np.arange(len(columns) + 1)), shape=(len(columns), width)
    )


def digits(folder, clock):
    """Digits from the left halves of their images, and from both halves."""
    images, labels = [], []
    for name in ("train", "t10k"):
        raw = gzip.open(folder / f"{name}-images-idx3-ubyte.gz").read()
        images.append(np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 28, 28) / 255)
        labels.append(
            np.frombuffer(gzip.open(folder / f"{name}-labels-idx1-ubyte.gz").read(), np.uint8, offset=8)
        )
    images, labels = np.concatenate(images), np.concatenate(labels)
    left, right = (half.reshape(len(images), -1) for half in (images[:, :, :14], images[:, :, 14:]))
    order = np.random.default_rng(0).permutation(60_000)
    train, tune = order[3_000:], order[:3_000]
    task = Task("MNIST digits from the left half", labels.astype(int), train, tune, np.arange(60_000, 70_000))
    task.whole = {"pixels": left}
    with clock(task, "CCA with the right half"):
        task.cut["CCA with the right half"] = (
            lcca.CCA(MOST, ridge=1e-3).fit(left[train], right[train]).transform(left)
        )
    with clock(task, "PCA"):
        *_, directions = lcca.randomized_svd(left[train], MOST, center=True)
        task.cut["PCA"] = (left - left[train].mean(axis=0)) @ directions.T
    return task
