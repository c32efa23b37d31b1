"""How to make the page again: the settings as Python code, the versions, a digest of the data."""

import hashlib
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pprint import pformat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import LabelArray, RealArray
from gaussbayes.classifier import GaussianClassifier

_MOST_NUMBERS = 400
"""Parameters that are written out in the code; more would be a page of their own."""

_BLOCK = 1 << 16

DIGEST_CODE = """\
import hashlib

digest = hashlib.sha256(np.ascontiguousarray(X, dtype="<f8").tobytes())
digest.update("\\n".join(map(str, y)).encode())
print(digest.hexdigest())"""
"""How the digest of a table X and its labels y is computed; shown on the page."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What it takes to make the page again."""

    code: str  # Python
    versions: tuple[tuple[str, str], ...]  # (name, version)
    digest: str  # SHA-256, in hexadecimal digits
    seed: int
    source: str | None  # where the rows came from, in the user's words
    command: str | None  # that made the page


def recipe(
    model: GaussianClassifier,
    digest: str,
    held_out: Any,
    seed: int,
    source: str | None,
    command: str | None,
) -> Recipe:
    """Gather it."""
    packages = ("gaussbayes", "numpy", "scipy", "scikit-learn", "matplotlib")
    versions = (
        ("Python", platform.python_version()),
        *((name, version(name)) for name in packages),
    )
    code = f"{_model_code(model)}\n{_call(held_out, seed)}"
    return Recipe(code, versions, digest, seed, source, command)


def data_digest(rows: RealArray, codes: NDArray[np.intp], classes: LabelArray) -> str:
    """SHA-256 of the rows as 64-bit floats, little end first, then of the labels, one a line.

    Examples
    --------
    >>> rows = np.array([[1.0], [2.0]])
    >>> data_digest(rows, np.array([0, 1]), np.array(["no", "yes"])) == hashlib.sha256(
    ...     rows.tobytes() + b"no\\nyes"
    ... ).hexdigest()
    True
    """
    digest = hashlib.sha256()
    for start in range(0, rows.shape[0], _BLOCK):
        digest.update(np.ascontiguousarray(rows[start : start + _BLOCK], dtype="<f8").tobytes())
    texts = np.array([str(label) for label in classes.tolist()], dtype=object)
    digest.update("\n".join(texts[codes]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _model_code(model: GaussianClassifier) -> str:
    lines = ["import numpy as np", "from gaussbayes import GaussianClassifier, write_report", ""]
    if hasattr(model, "moments_"):
        settings = {key: value for key, value in model.get_params().items() if key != "n_jobs"}
        written = ",\n".join(f"    {key}={_literal(value)}" for key, value in settings.items())
        lines += [
            "# X: the rows, y: their labels. Fit to the rows that the model was fitted to:",
            "# a model does not keep them.",
            f"model = GaussianClassifier(\n{written},\n).fit(X, y)",
        ]
        return "\n".join(lines)
    lines += [
        "# X: the rows, y: their labels. The model was not fitted: its parameters were given."
    ]
    parts = {
        "priors": model.priors_,
        "means": model.means_,
        "covariances": model.covariances_,
        "classes": model.classes_,
    }
    if sum(part.size for part in parts.values()) > _MOST_NUMBERS:
        lines += ["# There are too many to write out here.", "model = ...  # from_parameters(...)"]
        return "\n".join(lines)
    written = ",\n".join(f"    {key}={_literal(value)}" for key, value in parts.items())
    lines += [f"model = GaussianClassifier.from_parameters(\n{written},\n)"]
    return "\n".join(lines)


def _call(held_out: Any, seed: int) -> str:
    # Test rows themselves are not written out.
    how = "(X_test, y_test)" if isinstance(held_out, tuple) else repr(held_out)
    return f'write_report(model, X, y, "report.html", held_out={how}, random_state={seed})'


def _literal(value: Any) -> str:
    """A setting as Python writes it, arrays as lists."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return pformat(value, width=88, compact=True, sort_dicts=False).replace("\n", "\n    ")
