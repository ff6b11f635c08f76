"""What the user should know: notes of a fit as typed records, and the categories of warnings."""

import json
import os
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_PACKAGE = os.path.dirname(__file__) + os.sep


class LccaWarning(UserWarning):
    """A warning of lcca. Filter this class to silence or to raise all of them at once."""


class DataWarning(LccaWarning):
    """A remark about the data: what was guessed, aligned, left out or filled in while the views were read."""


class ResultWarning(LccaWarning):
    """A remark about a result: what its numbers do not mean, or which of them are missing. `notes_` has the same remarks."""


@dataclass(frozen=True)
class Note:
    """One remark about a result. `str(note)` is its sentence.

    Attributes
    ----------
    kind : str
        What it is about, such as "fewer-pairs". A file of an earlier version holds sentences only: their kind is "text".
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


def warn(text: str, category: type[Warning] = LccaWarning) -> None:
    """Warns the caller of the package, however many functions of the package lie in between."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_between(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def _is_between(path: str) -> bool:
    """Whether code is of this package, or of scikit-learn, which wraps `transform`."""
    return path.startswith(_PACKAGE) or f"{os.sep}sklearn{os.sep}" in path
