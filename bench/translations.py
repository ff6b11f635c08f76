"""How often the French word nearest to an English word is a translation, by `lcca neighbors`.

    python3 bench/translations.py MODEL…     models of English (x) and French (y) sentences

translations.txt has one English word per line and the French words that count as translations, separated by
slashes. It was written by hand before anything was measured. Words that a model does not have are left out.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LCCA = HERE.parent / "target/release/lcca"


def lcca(*words):
    return subprocess.run([LCCA, *words, "--json"], capture_output=True, text=True, check=True).stdout


def known(model, view, folder):
    """The names of a view's columns."""
    path = Path(folder) / "names.npy"
    lcca("export", model, "--view", view, "-o", path)
    return set(Path(f"{path}.names.txt").read_text(encoding="utf-8").split("\n"))


def rates(model, what, words):
    """The share of words with a translation among the nearest 1, 5 and 10."""
    answer = json.loads(lcca("neighbors", model, *words, "--view", "x", "--in", "y", "--what", what))
    ranks = []
    for entry in answer["words"]:
        hits = [
            rank
            for rank, neighbor in enumerate(entry["neighbors"]["y"])
            if neighbor["name"] in words[entry["word"]]
        ]
        ranks.append(min(hits, default=len(entry["neighbors"]["y"])))
    return [sum(rank < count for rank in ranks) / len(ranks) for count in (1, 5, 10)]


def main(models):
    lines = (HERE / "translations.txt").read_text(encoding="utf-8").split("\n")
    listed = {word: set(french.split("/")) for word, french in (line.split() for line in lines if line)}
    for model in models:
        with tempfile.TemporaryDirectory() as folder:
            english, french = known(model, "x", folder), known(model, "y", folder)
        words = {
            word: translations
            for word, translations in listed.items()
            if word in english and translations & french
        }
        for what in ("weights", "loadings"):
            shares = "  ".join(f"{share:.3f}" for share in rates(model, what, words))
            print(f"{model}  {len(words)} words  {what:8}  nearest 1, 5, 10: {shares}")


if __name__ == "__main__":
    main(sys.argv[1:])
