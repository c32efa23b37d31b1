"""Exercises that the page checks: ``{exercise} name`` with ``:answer:`` or ``:choice:``.

The cell of code after an exercise, tagged ``solution``, is folded and assigns `answer`. A cell that
readers do not see follows it and fails the build where the two answers differ.
"""

import re
from html import escape
from typing import Any, ClassVar

from answers import check, choices, form
from blocks import blocks
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)


class exercise(nodes.General, nodes.Element):  # noqa: N801 - as docutils names nodes
    """A question and the form that checks its answer."""


class exercise_text(nodes.General, nodes.Element):  # noqa: N801
    """A part of it: the hint, the reason, or a choice."""


class Exercise(SphinxDirective):
    """``{exercise} name``: a question with a field for a number, or with choices."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = dict.fromkeys(
        ("answer", "tolerance", "choice", "hint", "why"), directives.unchanged_required
    )

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        name, chosen = self.arguments[0], self.options.get("choice")
        question, given = choices("\n".join(self.content))
        if chosen is not None and chosen not in given:
            msg = f"exercise {name}: choice {chosen} is not one of {', '.join(given)}"
            raise self.error(msg)
        if (chosen is None) == ("answer" not in self.options):
            msg = f"exercise {name} needs :answer: or :choice:"
            raise self.error(msg)
        count = self.env.temp_data["exercises"] = self.env.temp_data.get("exercises", 0) + 1
        chapter = re.match(r"\d+", self.env.docname.rpartition("/")[2])
        title = f"{int(chapter[0])}.{count}" if chapter else str(count)
        node = exercise(name=name, title=f"Exercise {title}", options=dict(self.options))
        self.set_source_info(node)
        node += self.parse_text_to_nodes(question if chosen else "\n".join(self.content))
        texts = [("choice", letter, text) for letter, text in given.items() if chosen]
        texts += [
            (kind, "", self.options[kind]) for kind in ("hint", "why") if kind in self.options
        ]
        for kind, letter, text in texts:
            inline, messages = self.parse_inline(text)
            node += [exercise_text("", *inline, kind=kind, letter=letter, name=name), *messages]
        return [node]


def visit_exercise(writer: Any, node: exercise) -> None:
    name = escape(node["name"])
    writer.body.append(
        f'<div class="exercise" id="exercise-{name}" role="group" aria-labelledby="title-{name}">\n'
        f'<p class="exercise-title" id="title-{name}">{node["title"]}</p>\n'
    )


def depart_exercise(writer: Any, node: exercise) -> None:
    """The form follows the question; the script in exercise.js checks it."""
    writer.body.append(f"{form(node['name'], node['options'])}</div>\n")


def visit_text(writer: Any, node: exercise_text) -> None:
    """Hint and reason are kept for the script; choices belong to the form that follows."""
    name, letter = escape(node["name"]), node["letter"]
    if node["kind"] == "choice":
        writer.body.append(
            f'<label class="exercise-choice"><input type="radio" form="form-{name}"'
            f' name="choice-{name}" value="{letter}" /> <span>{letter})</span> <span>'
        )
    else:
        writer.body.append(f'<template class="exercise-{node["kind"]}">')


def depart_text(writer: Any, node: exercise_text) -> None:
    writer.body.append("</span></label>\n" if node["kind"] == "choice" else "</template>\n")


def add_checks(_app: Sphinx, name: str, source: list[str]) -> None:
    """Fold solutions, and follow each by a cell that checks it and is not shown."""
    text, pending, changes = source[0], None, []
    for block in blocks(text, "exercise", "code-cell"):
        is_solution = block.name == "code-cell" and "solution" in block.tags
        if pending and not is_solution and "answer" in pending.options:
            logger.warning("exercise %s has no solution", pending.argument, location=name)
        if is_solution and not pending:
            logger.warning("a solution without an exercise before it", location=name)
        if is_solution and pending:
            why = f"exercise {pending.argument}: the solution's answer differs from the page's"
            cell = f"\n```{{code-cell}}\n:tags: [remove-cell]\n{check(pending, why)}\n```\n"
            changes.append((block.start, block.end, cell))
        pending = block if block.name == "exercise" else None
    if pending and "answer" in pending.options:
        logger.warning("exercise %s has no solution", pending.argument, location=name)
    for start, end, cell in reversed(changes):
        folded = re.sub(r"\bsolution\b", "solution, hide-cell", text[start:end], count=1)
        text = text[:start] + folded + cell + text[end:]
    source[0] = text


def add_script(
    app: Sphinx, _name: str, _template: str, _context: Any, document: nodes.document | None
) -> None:
    if document is not None and next(document.findall(exercise), None) is not None:
        app.add_js_file("exercise.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(exercise, html=(visit_exercise, depart_exercise))
    app.add_node(exercise_text, html=(visit_text, depart_text))
    app.add_directive("exercise", Exercise)
    app.connect("source-read", add_checks)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
