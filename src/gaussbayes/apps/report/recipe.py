"""How to reproduce a report: the settings as Python code, the versions, a digest of the data."""

import hashlib
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pprint import pformat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.report.subject import Subject

_MOST_NUMBERS = 400
"""Parameters that are written out in the code; more would be a page of their own."""

_BLOCK = 1 << 16

_PACKAGES = ("gaussbayes", "numpy", "scipy", "scikit-learn", "matplotlib")

DIGEST_CODE = """\
import hashlib

digest = hashlib.sha256(np.ascontiguousarray(X, dtype="<f8").tobytes())
digest.update("\\n".join(map(str, y)).encode())
print(digest.hexdigest())"""
"""How the digest of a table X of numbers and its labels y is computed; shown in the report."""

_DIGEST_CODE = """\
import hashlib

def text(value):
    if value is None or value != value:
        return ""
    numbers = (int, float, np.number, np.bool_)
    return f"{{float(value):g}}" if isinstance(value, numbers) else str(value)

table, categories = np.asarray(X, dtype=object), {categories}
numbers = [j for j in range(table.shape[1]) if j not in categories]
digest = hashlib.sha256(np.ascontiguousarray(table[:, numbers], dtype="<f8").tobytes())
for column in (*table[:, categories].T, {labels}):
    digest.update("\\n".join(map(text, column)).encode())
print(digest.hexdigest())"""
"""The same for tables with categories or missing labels."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What it takes to reproduce a report."""

    code: str  # Python
    versions: Mapping[str, str]
    digest: str  # SHA-256, in hexadecimal digits
    seed: int
    source: str | None  # where the rows came from, in the user's words
    command: str | None  # that wrote the report
    digest_code: str  # Python, which computes the digest


def recipe(
    subject: Subject, held_out: Any, seed: int, source: str | None, command: str | None
) -> Recipe:
    """The recipe of a report about all rows of the subject."""
    versions = {"Python": platform.python_version()} | {name: version(name) for name in _PACKAGES}
    # Test rows themselves are not written out.
    how = "(X_test, y_test)" if isinstance(held_out, tuple) else repr(held_out)
    call = f'write_report(model, X, y, "report.html", held_out={how}, random_state={seed})'
    code = f"{_model_code(subject)}\n{call}"
    return Recipe(
        code, versions, data_digest(subject), seed, source, command, _digest_code(subject)
    )


def data_digest(subject: Subject) -> str:
    """SHA-256 of the numbers as 64-bit floats, little end first, of categories, and of labels.

    Categories and labels are strings, one a line; that of a missing one is empty.
    """
    digest = hashlib.sha256()
    rows = subject.table
    for start in range(0, subject.codes.size, _BLOCK):
        block = rows[start : start + _BLOCK].matrix
        digest.update(np.ascontiguousarray(block, dtype="<f8").tobytes())
    plain = _is_plain(subject)
    for codes, categories in zip(rows.codes.T, rows.categories, strict=True):
        digest.update(_lines(codes, map(_text, categories)))
    digest.update(_lines(subject.codes, map(str if plain else _text, subject.classes.tolist())))
    return digest.hexdigest()


def _is_plain(subject: Subject) -> bool:
    """Whether there are neither categories nor missing labels."""
    return not subject.table.categories and bool((subject.codes >= 0).all())


def _lines(codes: NDArray[Any], values: Iterable[str]) -> bytes:
    """The values that codes (n,) stand for, one a line; negative codes stand for none."""
    known = np.array([*values, "", ""], dtype=object)  # −1 and −2 are the last ones
    return "\n".join(known[codes]).encode("utf-8", "surrogatepass")


def _text(value: Any) -> str:
    return f"{float(value):g}" if isinstance(value, int | float) else str(value)


def _digest_code(subject: Subject) -> str:
    if _is_plain(subject):
        return DIGEST_CODE
    mark = getattr(subject.classifier, "unlabelled", None)
    labels = "y" if mark is None else f"[None if label == {mark!r} else label for label in y]"
    return _DIGEST_CODE.format(labels=labels, categories=list(subject.model.schema.categorical))


def _model_code(subject: Subject) -> str:
    arguments = subject.arguments()
    written = ",\n".join(f"    {key}={_literal(value)}" for key, value in (arguments or {}).items())
    if subject.was_fitted:
        origin = "Fit to the rows that the model was fitted to:\n# a model does not keep them."
        model = f"GaussianClassifier(\n{written},\n).fit(X, y)"
    else:
        origin = "The model was not fitted: its parameters were given."
        model = f"GaussianClassifier.from_parameters(\n{written},\n)"
        if arguments is None:
            model = "GaussianClassifier.load(...)  # from its file"
        elif sum(value.size for value in arguments.values()) > _MOST_NUMBERS:
            origin += "\n# There are too many to write out here."
            model = "...  # from_parameters(...)"
    return f"""\
import numpy as np
from gaussbayes import GaussianClassifier, write_report

# X: the rows, y: their labels. {origin}
model = {model}"""


def _literal(value: Any) -> str:
    """A setting as Python writes it, arrays as lists."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return pformat(value, width=88, compact=True, sort_dicts=False).replace("\n", "\n    ")
