"""Fenced blocks of a page in MyST: cells of code, live figures, exercises.

Sphinx reads them as directives; notebooks, tests and checks read the same text without it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

_FENCE = re.compile(r"(?P<fence>`{3,}|:{3,})(?:\{(?P<name>[\w-]+)\}(?P<argument>.*))?")


@dataclass(frozen=True, slots=True)
class Block:
    """A directive at the top level of a page, and where it stands in the text."""

    name: str
    argument: str
    options: dict[str, Any]
    body: str
    start: int
    end: int

    @property
    def tags(self) -> list[str]:
        return list(self.options.get("tags") or [])


def blocks(text: str, *names: str) -> Iterator[Block]:
    r"""Directives of these names, or of all names, in order.

    >>> [block] = blocks("Text\n\n```{live} petals\n:alt: bells\nview: line\n```\n")
    >>> block.name, block.argument, block.options, block.body
    ('live', 'petals', {'alt': 'bells'}, 'view: line\n')
    """
    at, opened, found = 0, "", None
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        match = _FENCE.match(line)
        if not opened and match:
            opened, found = match["fence"], (match, start, at)
        elif opened and match and match["fence"].startswith(opened) and not match["name"]:
            opening, first, inside = found
            if opening["name"] and (not names or opening["name"] in names):
                options, body = _options(text[inside:start])
                argument = opening["argument"].strip()
                yield Block(opening["name"], argument, options, body, first, at)
            opened = ""


def _options(content: str) -> tuple[dict[str, Any], str]:
    """The options at the head of a block, and the text after them."""
    if head := re.match(r"---\n(.*?)^---\n", content, re.DOTALL | re.MULTILINE):
        return yaml.safe_load(head[1]) or {}, content[head.end() :]
    head = re.match(r"(?::(?!::)[^\n]*\n)*", content)
    lines = head[0].splitlines()
    pairs = [line[1:].partition(":") for line in lines]
    return {key: _value(value.strip()) for key, _, value in pairs}, content[head.end() :]


def _value(text: str) -> Any:
    """An option's text; lists such as ``[solution]`` are lists."""
    return yaml.safe_load(text) if text.startswith("[") else text.strip("\"'")
