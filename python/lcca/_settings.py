"""The parameters of an estimator, checked and converted for the engine."""

import os
import re
from numbers import Integral, Real
from typing import Any

import joblib
import numpy as np
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils._param_validation import InvalidParameterError

from lcca import _lcca

_UNITS = {"": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12}
_SAME = "method ridge ridge_y center tol max_passes structure oversample power".split()
_UNITS |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}

# Checking fewer numbers takes less time than starting another thread.
WORTH_A_THREAD = 1 << 20

# Pairs that are tried if their number is left to the data.
_MOST_TRIED = 50


def invalid(name: str, expected: str, value: Any) -> InvalidParameterError:
    """The error of a parameter of a wrong kind, in scikit-learn's words.
    It is a ValueError and a TypeError."""
    return InvalidParameterError(f"The {name!r} parameter of CCA must be {expected}. Got {value!r} instead.")


def number(
    value: Any, name: str, kind: type = Integral, least: float = 0, expected: str | None = None
) -> Any:
    """A number that is at least `least`. Python counts Booleans as integers; here they are a mistake."""
    if isinstance(value, (bool, np.bool_)):
        words = expected or ("an integer" if kind is Integral else "a number")
        raise invalid(name, words, value)
    return check_scalar(value, name, kind, min_val=least)


def flag(value: Any, name: str) -> None:
    """Refuses what is neither True nor False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}")


def threads(n_jobs: int | None) -> int:
    """The number of threads, as scikit-learn understands `n_jobs`:
    None is 1 unless in a joblib context, -1 is all processors."""
    if isinstance(n_jobs, (bool, np.bool_)):
        raise invalid("n_jobs", "an integer or None", n_jobs)
    return int(joblib.effective_n_jobs(n_jobs))


def worthwhile(threads: int, numbers: int) -> int:
    """Of so many threads, as many as are worth starting to check so many numbers."""
    return min(threads, 1 + numbers // WORTH_A_THREAD)


def seed(random_state: Any) -> int:
    """The engine's seed: an integer is used as it is, so that the program gives the same bits;
    a generator is drawn from."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        return int(check_scalar(int(random_state), "random_state", Integral, min_val=0, max_val=2**64 - 1))
    return int(check_random_state(random_state).randint(2**31 - 1))


def memory(size: int | str | None, name: str = "memory") -> int:
    """The allowed bytes, from a number or a size such as "8GiB";
    half of the machine's memory if none is given."""
    if size is None:
        return _half_of_memory()
    if isinstance(size, str):
        parts = re.fullmatch(r"([0-9.]+)\s*([a-z]*)", size.strip().lower())
        if parts is None or parts[2] not in _UNITS or parts[1].count(".") > 1 or parts[1] == ".":
            raise ValueError(f'{name} == {size!r}, expected a size such as "500MB" or "8GiB"')
        return int(float(parts[1]) * _UNITS[parts[2]])
    return int(number(size, name))


def device(name: Any, size: int | str | None) -> dict[str, Any]:
    """Where a fit runs, and the memory of a GPU that it may take; the engine knows the names."""
    if not isinstance(name, str):
        raise invalid("device", "'cpu', 'cuda', 'cuda:N' or 'auto'", name)
    if name == "cpu" and size is not None:
        raise ValueError(
            f"device_memory == {size!r} is the memory of a GPU, "
            'expected device="cuda" or device="auto" with it'
        )
    return {"device": name, "device_memory": None if size is None else memory(size, "device_memory")}


def _half_of_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # not available on every system
        return 4 << 30


def components(
    requested: int | str | None, rows: int, x_cols: int, y_cols: int, *, auto: bool = False
) -> int:
    """The number of pairs: the requested one, or 20 or as many as the data allow if none is requested.

    With `auto`, "auto" may be requested: then it is the number of pairs to try.
    """
    limit = min(rows, x_cols, y_cols)
    if requested is None:
        return min(20, limit)
    if isinstance(requested, str) and requested == "auto":
        if not auto:
            raise ValueError(
                'n_components="auto" holds rows out and needs all rows in this process, in one call of `fit`'
            )
        return min(_MOST_TRIED, limit)
    count = int(
        number(requested, "n_components", least=1, expected='an int in the range [1, inf), "auto" or None')
    )
    if count > limit:
        raise ValueError(
            f"`n_components` upper bound is {limit}. Got {requested} instead. Reduce `n_components`: there "
            f"are no more pairs than the smallest of {rows} rows, {x_cols} columns of X and {y_cols} of y."
        )
    return count


def options(params: dict[str, Any], n_components: int) -> dict[str, Any]:
    """The parameters of an estimator, checked one by one, in the types that the engine takes."""
    _check_numbers(params)
    _check_manners(params)
    for name in ("center", "structure", "copy"):
        flag(params[name], name)
    if not isinstance(params["method"], str):
        raise TypeError(f"method must be a string, got {params['method']!r}")
    same = {name: params[name] for name in _SAME}
    return same | {
        "max_passes": _most_passes(params["max_passes"], params["max_iter"]),
        "n_components": n_components,
        "metrics": metrics(params["metric"]),
        "normalize": normalization(params["normalize_rows"]),
        "scale": _scale(params["scale"]),
        "variables": _variables(params["variables"]),
        "hold_out": _hold_out(params["hold_out"]),
        "cross_validated": None,
        "parameters": _method_parameters(params),
        "memory": memory(params["memory"]),
        "device": device(params["device"], params["device_memory"]),
        "seed": seed(params["random_state"]),
    }


def columns(options: dict[str, Any]) -> int:
    """The approximate width of the widest panels in a fit: LOBPCG carries half as
    many extra columns along."""
    k = options["n_components"]
    extra = options["oversample"] if options["oversample"] is not None else max(k // 2, 4)
    # The engine names numbers of components with a "k" in front, such as k_pc.
    components = [int(value) for name, value in options["parameters"].items() if name.startswith("k_")]
    return int(max(k, *components, 0) + extra)


def _method_parameters(params: dict[str, Any]) -> dict[str, str]:
    """The parameters of methods that were given, as texts. The engine knows which method has which,
    and their ranges."""
    given = {}
    for parameter in _lcca.method_parameters():
        name = parameter["name"]
        value = params.get(name)
        if value is None:
            continue
        if parameter["choices"] is None:
            given[name] = str(int(number(value, name)))
        elif isinstance(value, str):
            given[name] = value
        else:
            raise TypeError(f"{name} must be a string, got {value!r}")
    return given


def _check_numbers(params: dict[str, Any]) -> None:
    for name in ("ridge", "ridge_y", "tol", "max_passes"):
        if params[name] is not None or name in ("ridge", "tol"):
            number(params[name], name, Real)
    for name in ("oversample", "power"):
        if params[name] is not None or name == "power":
            number(params[name], name)


def normalization(how: Any) -> list[str]:
    """How rows of X and of y are normalized, from one way for both or one each, in the engine's words."""
    both = list(how) if isinstance(how, (list, tuple)) else [how, how]
    names = ("length", "sum", "log1p")
    if len(both) != 2 or any(one is not None and one not in names for one in both):
        raise invalid(
            "normalize_rows", "None, 'length', 'sum', 'log1p' or a pair of these, one per view", how
        )
    return ["no" if one is None else one for one in both]


def metrics(metric: Any) -> list[str]:
    """The metrics of X and y, from one for both or one each."""
    both = [metric, metric] if isinstance(metric, str) else metric
    names = ("cca", "pls", "diagonal")
    if not isinstance(both, (list, tuple)) or len(both) != 2 or any(one not in names for one in both):
        raise invalid("metric", "'cca', 'pls', 'diagonal' or a pair of these, one per view", metric)
    return list(both)


def _scale(scale: Any) -> str:
    """Whether columns are divided by their standard deviations, in the engine's words."""
    if isinstance(scale, str) and scale == "auto":
        return "auto"
    if not isinstance(scale, (bool, np.bool_)):
        raise invalid("scale", "'auto', True or False", scale)
    return "yes" if scale else "no"


def _variables(variables: Any) -> str:
    """What canonical variables are scaled to, in the engine's words."""
    if variables not in ("unit-variance", "unit-length"):
        raise invalid("variables", "'unit-variance' or 'unit-length'", variables)
    return str(variables)


def _most_passes(max_passes: float | None, max_iter: Any) -> float | None:
    """The limit on passes: scikit-learn calls it a number of iterations."""
    if max_iter is None:
        return max_passes
    number(max_iter, "max_iter", least=1)
    return float(max_iter) if max_passes is None else min(float(max_iter), max_passes)


def _hold_out(share: Any) -> float | None:
    if share is None:
        return None
    if isinstance(share, (bool, np.bool_)) or not isinstance(share, Real) or not 0 < float(share) < 1:
        raise invalid("hold_out", "None or a share of the rows between 0 and 1", share)
    return float(share)


def _check_manners(params: dict[str, Any]) -> None:
    """The parameters that say how a fit behaves while it runs."""
    verbose, callback, resume = (params.get(name) for name in ("verbose", "callback", "resume"))
    if not isinstance(verbose, (bool, np.bool_, Integral)) or verbose < 0:
        raise invalid("verbose", "a bool or an int in the range [0, inf)", verbose)
    if callback is not None and not callable(callback):
        raise invalid("callback", "a callable or None", callback)
    if resume is not None and not isinstance(resume, (str, os.PathLike)):
        raise invalid("resume", "a str, a path or None", resume)
