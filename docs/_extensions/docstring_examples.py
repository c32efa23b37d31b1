"""Examples in the reference: those of plots are run and shown; names link to the gallery."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

EXAMPLES = Path(__file__).parents[2] / "examples"
_MOST_LINKS = 3


@cache
def _sources() -> dict[str, str]:
    """The code of each example, by its page."""
    return {
        f"/gallery/{path.relative_to(EXAMPLES).with_suffix('').as_posix()}": path.read_text("utf-8")
        for path in sorted(EXAMPLES.rglob("*.py"))
    }


def link_examples(
    _app: Sphinx, what: str, name: str, _obj: Any, _options: Any, lines: list[str]
) -> None:
    """Link the examples of the gallery that call a function, a method or a class."""
    called = rf"{'plots.' if '.plots.' in name else ''}{name.rpartition('.')[2]}\("
    called = rf"\.{called}" if what == "method" else rf"\b{called}"
    if what in {"function", "method", "class"} and ".sklearn." not in name:
        pages = [page for page, code in _sources().items() if re.search(called, code)]
        if pages:
            links = ", ".join(f":doc:`{page}`" for page in pages[:_MOST_LINKS])
            lines += ["", f"**Used in:** {links}", ""]


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
    app.connect("autodoc-process-docstring", link_examples, priority=600)  # after numpydoc
    return {"parallel_read_safe": True, "parallel_write_safe": True}
