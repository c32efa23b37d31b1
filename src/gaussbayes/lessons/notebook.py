"""Lessons as pages to read and run: Markdown with cells of code, and the same as a notebook.

A page is ``pages/NAME.md``, in the form that MyST-NB reads: text and formulas in Markdown, and code
in fences that begin with ``{code-cell}``. Tags in a line ``:tags: [hide-cell]`` mark solutions of
exercises, which are shown on demand.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from gaussbayes.base.atomic import replace_file

_CELL = re.compile(
    r"^```\{code-cell\}[^\n]*\n(?::tags: \[(?P<tags>[^\]\n]*)\]\n)?(?P<code>.*?)^```$\n?",
    re.MULTILINE | re.DOTALL,
)
_HEAD = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)  # what tells MyST-NB about the kernel
_BOX = re.compile(r"^:::\{admonition\} (.*?)\n(.*?)^:::$\n?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class PageCell:
    """Text, or code and its tags."""

    text: str
    is_code: bool = False
    tags: tuple[str, ...] = ()


def page(name: str) -> str:
    """The page of a lesson, as Markdown."""
    return (files(__package__) / "pages" / f"{name}.md").read_text(encoding="utf-8")


def cells(text: str) -> Iterator[PageCell]:
    r"""The cells of a page, in order.

    >>> list(cells("Add:\n\n```{code-cell}\n1 + 1\n```\n"))
    [PageCell(text='Add:', is_code=False, tags=()), PageCell(text='1 + 1', is_code=True, tags=())]
    """
    text, end = _HEAD.sub("", text), 0
    for cell in _CELL.finditer(text):
        yield from _prose(text[end : cell.start()])
        tags = tuple(tag.strip() for tag in (cell["tags"] or "").split(",") if tag.strip())
        yield PageCell(cell["code"].strip("\n"), True, tags)
        end = cell.end()
    yield from _prose(text[end:])


def _prose(text: str) -> Iterator[PageCell]:
    """Markdown that every notebook shows: a box becomes a quotation with a bold title."""

    def quoted(box: re.Match[str]) -> str:
        lines = [f"**{box[1]}**", "", *box[2].strip().splitlines()]
        return "\n".join(f"> {line}".rstrip() for line in lines) + "\n"

    written = _BOX.sub(quoted, text).strip()
    if written:
        yield PageCell(written)


def notebook(name: str) -> dict[str, Any]:
    """The page of a lesson in Jupyter's format, version 4.5, without outputs."""
    return {
        "cells": [_record(number, cell) for number, cell in enumerate(cells(page(name)))],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _record(number: int, cell: PageCell) -> dict[str, Any]:
    source = cell.text.splitlines(keepends=True)
    if not cell.is_code:
        return {"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}, "source": source}
    metadata: dict[str, Any] = {"tags": list(cell.tags)} if cell.tags else {}
    if "hide-cell" in cell.tags:
        metadata["jupyter"] = {"source_hidden": True}
    code = {"cell_type": "code", "id": f"cell-{number}", "metadata": metadata, "source": source}
    return code | {"execution_count": None, "outputs": []}


def write_notebook(name: str, path: str | Path) -> Path:
    """Write the page of a lesson as a notebook, which replaces a file of that name."""
    written = Path(path)
    document = json.dumps(notebook(name), indent=1, ensure_ascii=False) + "\n"
    replace_file(written, document.encode(), "the notebook")
    return written
