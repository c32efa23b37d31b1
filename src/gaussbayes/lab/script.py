"""The page's ES modules joined into one classic script, which also works from ``file://``."""

import re
from functools import cache
from pathlib import Path

from gaussbayes.base.errors import GaussBayesError

STATIC = Path(__file__).parent / "static"

_IMPORT = re.compile(r'(?m)^(?:import|export)\s*(?:\{[^}]*\}\s*from\s*)?"(\./|\.\./)([^"]+)";\n')
_EXPORT = re.compile(r"(?m)^export (?=(?:async )?(?:function|class|const|let)\b)")
_COMMENT = re.compile(r"(?m)^\s*(?:/\*\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)\n")
_NAME = re.compile(r"(?m)^(?:export )?(?:async )?(?:function\*?|class|const|let) ([\w$]+)")


@cache
def script(entry: str = "main.js") -> str:
    """Join a module and all modules that it imports, each once, in the order of their imports.

    Modules import names without renaming them, and no two modules have a top-level name in common,
    so joining them only removes their import and export statements, and their comments.

    Parameters
    ----------
    entry : file name of the module, relative to the folder ``static``

    Returns
    -------
    The text of the script, one function that is called at once

    Examples
    --------
    >>> "globalThis.gaussbayes" in script()
    True
    """
    texts: dict[Path, str] = {}
    _collect((STATIC / entry).resolve(), texts)
    _check_names(texts)
    joined = "".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts.values())
    joined = _COMMENT.sub("", joined)  # a sixth of the page
    return f'(() => {{\n"use strict";\n{joined}}})();\n'


def _collect(path: Path, texts: dict[Path, str]) -> None:
    """Add the text of a module after those of the modules that it imports."""
    text = path.read_text(encoding="utf-8")
    for start, address in _IMPORT.findall(text):
        imported = (path.parent / start / address).resolve()
        if imported not in texts:
            _collect(imported, texts)
    texts[path] = text


def _check_names(texts: dict[Path, str]) -> None:
    """Raise for modules that share a top-level name: one would hide the other."""
    homes: dict[str, Path] = {}
    for path, text in texts.items():
        for name in _NAME.findall(text):
            if homes.setdefault(name, path) != path:
                msg = f"{path.name} and {homes[name].name} both define {name}: rename one of them"
                raise GaussBayesError(msg)
