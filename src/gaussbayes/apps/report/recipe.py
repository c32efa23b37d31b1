"""How to reproduce a report: the settings as Python code, the versions, a digest of the data."""

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pprint import pformat
from typing import Any

import numpy as np

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
"""How the digest of a table X and its labels y is computed; shown in the report."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What it takes to reproduce a report."""

    code: str  # Python
    versions: Mapping[str, str]
    digest: str  # SHA-256, in hexadecimal digits
    seed: int
    source: str | None  # where the rows came from, in the user's words
    command: str | None  # that wrote the report
    digest_code: str = DIGEST_CODE


def recipe(
    subject: Subject, held_out: Any, seed: int, source: str | None, command: str | None
) -> Recipe:
    """The recipe of a report about all rows of the subject."""
    versions = {"Python": platform.python_version()} | {name: version(name) for name in _PACKAGES}
    # Test rows themselves are not written out.
    how = "(X_test, y_test)" if isinstance(held_out, tuple) else repr(held_out)
    call = f'write_report(model, X, y, "report.html", held_out={how}, random_state={seed})'
    code = f"{_model_code(subject)}\n{call}"
    return Recipe(code, versions, data_digest(subject), seed, source, command)


def data_digest(subject: Subject) -> str:
    """SHA-256 of the rows as 64-bit floats, little end first, then of the labels, one a line."""
    digest = hashlib.sha256()
    for start in range(0, subject.codes.size, _BLOCK):
        block = subject.rows[start : start + _BLOCK]
        digest.update(np.ascontiguousarray(block, dtype="<f8").tobytes())
    labels = np.array([str(label) for label in subject.classes.tolist()], dtype=object)
    digest.update("\n".join(labels[subject.codes]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _model_code(subject: Subject) -> str:
    arguments = subject.arguments()
    written = ",\n".join(f"    {key}={_literal(value)}" for key, value in arguments.items())
    if subject.was_fitted:
        origin = "Fit to the rows that the model was fitted to:\n# a model does not keep them."
        model = f"GaussianClassifier(\n{written},\n).fit(X, y)"
    else:
        origin = "The model was not fitted: its parameters were given."
        model = f"GaussianClassifier.from_parameters(\n{written},\n)"
        if sum(value.size for value in arguments.values()) > _MOST_NUMBERS:
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
