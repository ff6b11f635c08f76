"""Draws English and French words by their weights, so that words with similar weights
are close to each other.

    python3 bench/word_map.py MODEL docs/word-map.svg     a model of English (x) and French (y) sentences

Needs NumPy, scikit-learn and matplotlib. The words come from translations.txt, in its order, and each French
word is the nearest one that `lcca neighbors` reports: the program chooses it, not the list.
"""
import json
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from sklearn.manifold import TSNE  # noqa: E402

from translations import HERE, lcca  # noqa: E402

COUNT = 36
BLUE, ORANGE = "#2b6cb0", "#c05621"


def main(model, output):
    listed = [
        line.split()[0] for line in (HERE / "translations.txt").read_text(encoding="utf-8").splitlines()
    ]
    with tempfile.TemporaryDirectory() as folder:
        views = {view: weights(model, view, Path(folder) / f"{view}.npy") for view in "xy"}
    english = [word for word in listed if word in views["x"]][:COUNT]
    answer = json.loads(lcca("neighbors", model, *english, "--view", "x", "--in", "y", "-n", "1"))
    french = [entry["neighbors"]["y"][0]["name"] for entry in answer["words"]]
    vectors = np.array([views["x"][word] for word in english] + [views["y"][word] for word in french])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    places = TSNE(perplexity=8, metric="cosine", init="pca", random_state=0).fit_transform(vectors)
    draw(english, french, places, output)


def weights(model, view, path):
    """The weights of each column by its name."""
    lcca("export", model, "--view", view, "-o", path)
    names = Path(f"{path}.names.txt").read_text(encoding="utf-8").splitlines()
    return dict(zip(names, np.load(path)))


def draw(english, french, places, output):
    plt.rcParams |= {
        "svg.hashsalt": "lcca", "svg.fonttype": "none", "font.size": 10, "font.family": "sans-serif"
    }
    figure, axes = plt.subplots(figsize=(10, 5), layout="constrained")
    figure.patch.set_facecolor("white")
    halves = places[: len(english)], places[len(english) :]
    for start, end in zip(*halves):
        axes.plot(*zip(start, end), color="0.75", linewidth=1, zorder=1)
    for half, words, color, side in zip(halves, (english, french), (BLUE, ORANGE), ("right", "left")):
        axes.scatter(*half.T, s=12, color=color, zorder=2)
        for (x, y), word in zip(half, words):
            axes.annotate(
                word, (x, y), (-4 if side == "right" else 4, 0), textcoords="offset points", ha=side,
                va="center", color=color,
            )
    axes.margins(0.08)
    axes.set_axis_off()
    figure.savefig(output, metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
