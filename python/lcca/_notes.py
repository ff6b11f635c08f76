"""What the user should know: notes of a fit as typed records, and the categories of warnings."""

import json
import os
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sklearn

from lcca import _lcca

# What to do about a note. Whoever cross-validates is not told to.
_REMEDIES = {
    "correlations-guaranteed": (
        "; CCA(hold_out=0.2) shows what is left on other rows, and CCACV chooses a ridge"
    ),
    "inflated-by-noise": "; CCA(hold_out=0.2) shows by how much, and CCACV chooses a ridge",
    "far-below-training": "; a ridge helps, and CCACV chooses one",
    "far-below-training-in-folds": "; fewer components leave out what other rows do not have",
    "ridge-set-by-few-columns": "; scale=True divides columns by their standard deviations",
}
_PACKAGE = os.path.dirname(__file__) + os.sep
_WRAPPERS = os.path.dirname(sklearn.__file__) + os.sep


class LccaWarning(UserWarning):
    """A warning of lcca. Filter this class to silence or to raise all of them at once."""


class DataWarning(LccaWarning):
    """A remark about the data: what was guessed, aligned, left out or filled in while the views were read."""


class ResultWarning(LccaWarning):
    """A remark about a result: what its numbers do not mean, or which of them are missing.
    `notes_` has the same remarks."""


@dataclass(frozen=True)
class Note:
    """One remark about a result. `str(note)` is its sentence.

    Attributes
    ----------
    kind : str
        What it is about, such as "fewer-pairs". A file of an earlier version holds sentences only:
        their kind is "text".
    text : str
        The sentence.
    numbers : mapping
        The numbers in the sentence, by name.
    """

    kind: str
    text: str
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text


def from_record(sentences: list[str], data: str) -> list[Note]:
    """The notes of a fit, from their sentences and their data, a JSON list in the same order."""
    return [_note(text, item) for text, item in zip(sentences, json.loads(data), strict=True)]


def _note(text: str, item: Any) -> Note:
    if not isinstance(item, dict):
        return Note("text", text)
    numbers = dict(item)
    return Note(str(numbers.pop("note", "text")), text, numbers)


def named(note: Note, x_names: Any, y_names: Any) -> Note:
    """The same note, with columns called by their names."""
    columns = note.numbers.get("columns")
    if note.kind != "shared-columns" or columns is None or (x_names is None and y_names is None):
        return note
    chosen = [
        {} if names is None else {pair[side]: str(names[pair[side]]) for pair in columns}
        for side, names in enumerate((x_names, y_names))
    ]
    (text,) = _lcca.note_sentences(json.dumps([{"note": note.kind, **note.numbers}]), *chosen)
    return Note(note.kind, text, note.numbers)


_OF_CROSS_VALIDATION = {
    "correlations-guaranteed": "; a larger ridge helps",
    "far-below-training": "; fewer components leave them out",
}
# Notes about how much a fit can be trusted on other rows.
_RISKS = ("inflated-by-noise", "correlations-guaranteed")
_VALIDATION = os.path.join(os.path.dirname(sklearn.__file__), "model_selection", "_validation.py")


def remedy(kind: str, *, cross_validates: bool = False) -> str:
    """What to do about a note, as the end of a sentence."""
    known = _REMEDIES | _OF_CROSS_VALIDATION if cross_validates else _REMEDIES
    return known.get(kind, "")


def is_moot(kind: str) -> bool:
    """Whether nobody needs a warning of this kind: scikit-learn is about to score this very fit on rows that
    it has not seen, and does so for each of many fits."""
    return kind in _RISKS and _is_being_validated()


def _is_being_validated() -> bool:
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == _VALIDATION:
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def warn(text: str, category: type[Warning] = LccaWarning) -> None:
    """Warns the caller of the package, however many functions of the package lie in between."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_between(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def _is_between(path: str) -> bool:
    """Whether code is of this package, or of scikit-learn, which wraps `transform`."""
    return path.startswith((_PACKAGE, _WRAPPERS))
