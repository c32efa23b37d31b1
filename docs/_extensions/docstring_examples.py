"""The examples of plotting functions are run for the reference, and their figures shown."""

import re
from typing import Any

from sphinx.application import Sphinx


def show_figure(
    _app: Sphinx, what: str, name: str, obj: Any, _options: Any, lines: list[str]
) -> None:
    """Put the examples of a function of `gaussbayes.plots` into a ``plot`` directive."""
    if not getattr(obj, "__module__", "").startswith("gaussbayes.plots") or what != "function":
        return
    start = next((at for at, line in enumerate(lines) if line == "Examples"), None)
    if start is not None:
        module, _, function = name.rpartition(".")
        code = [f">>> from {module} import {function}", *lines[start + 2 :]]
        summary = " ".join(lines[: lines.index("")]).replace("``", "").rstrip(".")
        summary = re.sub("^(Draw|Plot) ", "", summary)  # what the figure shows
        summary = summary[:1].upper() + summary[1:]
        options = [f":filename-prefix: {function}", f":alt: {summary}"]
        indented = [f"    {line}" if line else "" for line in [*options, "", *code]]
        lines[start + 2 :] = [".. plot::", *indented]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", show_figure, priority=400)  # before numpydoc
    return {"parallel_read_safe": True, "parallel_write_safe": True}
