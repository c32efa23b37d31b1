"""Arguments in Python and options of every command, from the tables of the package."""

import re
from collections.abc import Iterator, Sequence
from inspect import cleandoc
from textwrap import dedent
from typing import ClassVar

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from gaussbayes.cli import gaussbayes
from gaussbayes.model import options as tables

PYTHON = (
    ("GaussianClassifier", "OPTIONS"),
    ("Columns", "COLUMN_OPTIONS"),
    ("read", "READ_OPTIONS"),
)
"""What takes arguments, and the table of them."""


class OptionTables(SphinxDirective):
    """``{option-tables}``: a section for each table of arguments in Python."""

    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        text = "\n".join(_tables())
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def _tables() -> Iterator[str]:
    for name, table in PYTHON:
        yield from (f"## {name}", "", "| argument | default | values | |", "|---|---|---|---|")
        for option in getattr(tables, table):
            cells = (f"`{option.name}`", f"`{option.default!r}`", option.expected, option.help)
            yield f"| {' | '.join(cells[:2])} | {' | '.join(map(escaped, cells[2:]))} |"
        yield ""


class CommandOptions(SphinxDirective):
    """``{command-options} NAME ...``: a section for each of these commands."""

    required_arguments: ClassVar[int] = 1
    final_argument_whitespace: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        text = "\n".join(_lines(gaussbayes, self.arguments[0].split()))
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def _lines(group: click.Group, names: Sequence[str]) -> Iterator[str]:
    """The text: usage, what it does, and a list of options for each command."""
    root = click.Context(group, info_name="gaussbayes")
    for name in names:
        command = group.get_command(root, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=root)
        usage = " ".join(command.collect_usage_pieces(context))
        yield from (f"## gaussbayes {name}", "", *fenced("text", f"gaussbayes {name} {usage}"))
        for paragraph in cleandoc(command.help or "").partition("\f")[0].split("\n\n"):
            as_it_stands = paragraph.startswith("\b\n")  # click does not wrap such a paragraph
            text = dedent(paragraph.removeprefix("\b\n"))
            yield from fenced("sh", text) if as_it_stands else (escaped(text), "")
        for parameter in command.params:
            record = parameter.get_help_record(context)
            if record is not None and record[1]:
                option, purpose = record
                yield from (f"`{option}`", f": {escaped(purpose)}", "")


def fenced(language: str, text: str) -> tuple[str, ...]:
    return f"```{language}", text, "```", ""


def escaped(text: str) -> str:
    """Plain text as Markdown that shows it."""
    return re.sub(r"([*_<\[\]$`|])", r"\\\1", text)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("option-tables", OptionTables)
    app.add_directive("command-options", CommandOptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
