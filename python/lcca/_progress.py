"""Progress of a fit on standard error: a tqdm bar if tqdm is installed, also in notebooks,
else a plain line."""

import sys
import time
from collections.abc import Callable
from typing import Any

from lcca._types import TraceRow

_BETWEEN = 0.1  # seconds between two updates


class Progress:
    """Shows passes and iterations, without a total: the number of passes of a default fit
    is not known in advance.

    The name of the work may change while it runs, such as from one fold to the next.
    """

    def __init__(self, name: Callable[[], str]) -> None:
        self._bar = _tqdm(name) or _Line(name)
        self._total = ""

    def on_pass(self, passes: float) -> None:
        self._bar.show(passes, self._total)

    def on_iteration(self, row: TraceRow) -> None:
        self._total = f"captured {row['total']:.4f}"

    def close(self) -> None:
        self._bar.close()


class _Line:
    def __init__(self, name: Callable[[], str]) -> None:
        self._name = name
        self._start = self._drawn = time.monotonic()
        self._width = 0

    def show(self, passes: float, total: str) -> None:
        now = time.monotonic()
        if now - self._drawn < _BETWEEN:
            return
        self._drawn = now
        self._write(f"{self._name()}: {passes:g} passes  {total}  {now - self._start:.1f} s")

    def close(self) -> None:
        if self._width:
            self._write("")
            sys.stderr.write("\r")

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)


class _Tqdm:
    def __init__(self, bar: Any, name: Callable[[], str]) -> None:
        self._bar, self._name = bar, name

    def show(self, passes: float, total: str) -> None:
        self._bar.set_description_str(self._name(), refresh=False)
        self._bar.set_postfix_str(total, refresh=False)
        self._bar.update(passes - self._bar.n)

    def close(self) -> None:
        self._bar.close()


def _tqdm(name: Callable[[], str]) -> _Tqdm | None:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Tqdm(tqdm(desc=name(), unit=" passes", leave=False, mininterval=_BETWEEN), name)
