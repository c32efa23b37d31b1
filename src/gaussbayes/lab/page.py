"""The page as one self-contained file: to be saved, opened in a browser, or shown in a notebook."""

import json
import webbrowser
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from os import PathLike
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from gaussbayes.base.atomic import replace_file
from gaussbayes.lab.script import STATIC, script

Payload = dict[str, Any]
"""The data of the page: columns, labels and a model as plain values; see `lab.payload`."""

_POLICY = (
    "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
"""Only the page's script runs, and the page makes no requests."""

_FRAME = (
    '<iframe title="gaussbayes lab" srcdoc="{}" style="width: 100%; height: 760px; border: 0" '
    'sandbox="allow-scripts allow-downloads" allow="clipboard-write; fullscreen"></iframe>'
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lab:
    """The interactive page with some rows and a model; a notebook shows it in a frame.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from gaussbayes import GaussianClassifier, datasets
    >>> iris = datasets.load_iris()
    >>> lab = GaussianClassifier().fit(iris.rows, iris.labels).lab(iris.rows, iris.labels)
    >>> lab.save(mkdtemp() + "/iris.html").name
    'iris.html'
    """

    data: Payload | None = None  #: the rows
    model: Payload | None = None  #: the fitted model

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file, completely or not at all.

        Parameters
        ----------
        path : the file, which is replaced if it exists; name it ``.html``

        Returns
        -------
        The path
        """
        place = Path(path)
        replace_file(place, page(self.data, self.model).encode(), "the page")
        return place

    def open(self) -> Path:
        """Open the page in the browser from a temporary file, which only you can read.

        If no browser can be opened, the path is printed.

        Returns
        -------
        The path of that file
        """
        path = self.save(Path(mkdtemp(prefix="gaussbayes-lab-")) / "lab.html")
        if not show(path):
            print(f"No browser could be opened; open this file yourself: {path}")  # noqa: T201
        return path

    def _repr_html_(self) -> str:
        """The page in a frame without access to the notebook around it."""
        return _FRAME.format(escape(page(self.data, self.model)))


def show(path: Path) -> bool:
    """Open a file in the browser; return whether this succeeded."""
    try:
        return webbrowser.open(path.resolve().as_uri())
    except (webbrowser.Error, OSError):
        return False


def page(data: Payload | None = None, model: Payload | None = None) -> str:
    """Assemble the page: its text, style, script and data.

    Parameters
    ----------
    data : columns and labels; without them the page starts with an example
    model : parameters or grids of posteriors; without them the page fits its own model

    Returns
    -------
    HTML that makes no request to any address

    Examples
    --------
    >>> "https://" in page()
    False
    """
    code = f"\n{script()}"
    digest = b64encode(sha256(code.encode()).digest()).decode()
    # A `<` in a name or a label must not end the element that holds them.
    payload = json.dumps({"data": data, "model": model}, separators=(",", ":"), allow_nan=False)
    contents = {
        "policy": _POLICY.format(digest),
        "style": "\n".join(_text(f"{name}.css") for name in ("figure", "lab")),
        "payload": payload.replace("<", "\\u003c"),
        "script": code,
    }
    before, *pieces = _text("page.html").split("{{")
    for piece in pieces:
        name, _, after = piece.partition("}}")
        before += contents[name] + after
    return before


def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
