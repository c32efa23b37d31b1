"""How to reproduce a report: the versions and a digest of the data; the template has the code."""

import hashlib
import platform
from collections.abc import Iterable
from importlib.metadata import version
from pprint import pformat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.report.subject import Subject

_BLOCK = 1 << 16
_PACKAGES = ("gaussbayes", "numpy", "scipy", "scikit-learn", "matplotlib")


def versions() -> dict[str, str]:
    """Of whatever the numbers depend on."""
    return {"Python": platform.python_version()} | {name: version(name) for name in _PACKAGES}


def is_plain(subject: Subject) -> bool:
    """Whether the digest is that of a table of numbers and their labels, without more ado."""
    return not subject.table.categories and bool((subject.codes >= 0).all())


def data_digest(subject: Subject) -> str:
    """SHA-256 of the numbers as 64-bit floats, little end first, of categories, and of labels.

    Categories and labels are strings, one a line; that of a missing one is empty.
    """
    digest = hashlib.sha256()
    rows = subject.table
    for start in range(0, subject.codes.size, _BLOCK):
        block = rows[start : start + _BLOCK].matrix
        digest.update(np.ascontiguousarray(block, dtype="<f8").tobytes())
    for codes, categories in zip(rows.codes.T, rows.categories, strict=True):
        digest.update(_lines(codes, map(_text, categories)))
    text = str if is_plain(subject) else _text
    digest.update(_lines(subject.codes, map(text, subject.classes.tolist())))
    return digest.hexdigest()


def _lines(codes: NDArray[Any], values: Iterable[str]) -> bytes:
    """The values that codes (n,) stand for, one a line; negative codes stand for none."""
    known = np.array([*values, "", ""], dtype=object)  # −1 and −2 are the last ones
    return "\n".join(known[codes]).encode("utf-8", "surrogatepass")


def _text(value: Any) -> str:
    return f"{float(value):g}" if isinstance(value, int | float) else str(value)


def literal(value: Any) -> str:
    """A setting as Python writes it, arrays as lists."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return pformat(value, width=88, compact=True, sort_dicts=False).replace("\n", "\n    ")
