"""The name of the second view: it is `y`, and scikit-learn took it as `Y` too, up to version 1.6."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


def also_called_Y(method: Method) -> Method:  # noqa: N802
    """Lets callers name the argument after X `Y` as well. The signature stays the same,
    as scikit-learn reads it."""

    @functools.wraps(method)
    def named(*arguments: Any, Y: Any = None, **others: Any) -> Any:
        if Y is None:
            return method(*arguments, **others)
        # The first two are the estimator and X.
        if len(arguments) > 2 or others.get("y") is not None:
            raise TypeError(f"{method.__name__} got y and Y, which are the same view: pass y alone")
        return method(*arguments, **{**others, "y": Y})

    return named  # type: ignore[return-value]
