"""NumPy's array files: every type, order, version and dimension, and headers that other programs write."""

import gzip
import io
from pathlib import Path

import numpy as np

from differential import refusals, tables
from differential.case import Case, Expected, PeerRefuses
from differential.tables import chance, pick

_TYPES = ["f2", "f4", "f8", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
_OTHER_TYPES = ["c8", "c16", "S3", "U2", "M8[s]", "i4,f8", "O"]


def file(random: np.random.Generator, folder: Path) -> Case:
    """A file as NumPy or another program writes it."""
    array = _array(random)
    written = io.BytesIO()
    version = pick(random, [(1, 0), (2, 0), (3, 0), None])
    np.lib.format.write_array(written, array, version=version, allow_pickle=True)
    content = written.getvalue()
    if chance(random, 0.4):
        content = _with_another_header(random, content)
    packed = chance(random, 0.15)
    path = folder / ("t.npy.gz" if packed else "t.npy")
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    return Case(path, lambda: _expected(content), {"missing": pick(random, ["error", "drop", "mean"])})


def _array(random: np.random.Generator) -> np.ndarray:
    shape = tuple(random.integers(1, 20, pick(random, [1, 2, 2, 2, 2, 2, 2, 3, 0])))
    if chance(random, 0.03):
        shape = (0, 3)
    if chance(random, 0.06):
        return np.zeros(shape, pick(random, _OTHER_TYPES))
    kind, size = np.dtype(pick(random, _TYPES)), int(np.prod(shape))
    if kind.kind == "f":
        values = tables.floats(random, kind.name, size) if size else np.zeros(0)
    elif kind.kind == "b":
        values = random.random(size) < 0.5
    else:
        values = tables.integers(random, kind.name, size)
    array = np.asarray(values, kind).reshape(shape)
    array = array.astype(kind.newbyteorder(">")) if chance(random, 0.3) else array
    return np.asfortranarray(array) if chance(random, 0.4) else array


def _with_another_header(random: np.random.Generator, content: bytes) -> bytes:
    """The same array behind a header in other words: other quotes, order, spaces, a field twice,
    one more, one less."""
    start = 10 if content[6] == 1 else 12
    length = int.from_bytes(content[8:start], "little")
    text = content[start : start + length].decode("latin1").strip()
    kind = pick(
        random,
        ["quotes", "order", "spaces", "lines", "twice", "more", "less", "inside", "long", "comma", "number"],
    )
    body = text[1:-1].strip().rstrip(",")
    if kind == "quotes":
        text = text.replace("'", '"')
    elif kind == "order" and "[" not in text:
        first, rest = body.split(", ", 1)
        text = "{" + rest + ", " + first + "}"
    elif kind == "spaces":
        text = text.replace(":", " :  ").replace("(", "( ")
    elif kind == "lines":
        text = text.replace(", ", ",\n\t")
    elif kind == "twice":
        text = (
            "{"
            + body
            + ", "
            + pick(random, ["'fortran_order': True", "'shape': (1, 1)", "'descr': '<i2'"])
            + "}"
        )
    elif kind == "more":
        text = "{" + body + ", 'note': \"'shape': (1, 1)\"}"
    elif kind == "inside":
        text = "{'descr': \"'shape': (1, 1)\", " + body.split(", ", 1)[1] + "}"
    elif kind == "less":
        text = text.replace("'fortran_order': False, ", "")
    elif kind == "long" and content[6] < 3:
        text = text.replace(",)", "L,)").replace("), }", "L), }").replace(",L)", ",)").replace("(L)", "()")
    elif kind == "comma":
        text = "{" + body + "}"
    elif kind == "number":
        text = text.replace(",)", ")")
    header = text.encode("latin1")
    header += b" " * (-(start + len(header) + 1) % 64) + b"\n"
    size = 2 if start == 10 else 4
    return content[:8] + len(header).to_bytes(size, "little") + header + content[start + length :]


def _expected(content: bytes) -> Expected:
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except Exception as error:  # noqa: BLE001 -- NumPy hands on whatever the tokenizer of Python raises
        raise PeerRefuses(str(error)) from error
    if array.dtype.kind not in "fiub" or array.ndim not in (1, 2):
        raise PeerRefuses(f"an array of type {array.dtype} and shape {array.shape}")
    # NumPy takes the last of several fields of one name.
    header = content[: content.index(b"}")]
    twice = any(header.count(key) > 1 for key in (b"'descr':", b"'fortran_order':", b"'shape':"))
    numbers = array.astype(float).reshape(len(array), -1 if array.size else 1)
    return Expected(numbers, refusals={refusals.TWICE} if twice else set())
