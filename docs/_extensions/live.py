"""Live figures: ``{live}``, which the page's own script draws, and words in the text tied to them.

The body of ``{live}`` is the specification of `gaussbayes.figure` in YAML. The role ``live-value``
is a number that follows the figure; ``live-set`` is a button in the text that changes it. A still
image replaces the figure in print and where there is no script; stills.py draws it after the build.
"""

import json
from html import escape
from typing import Any, ClassVar

import yaml
from docutils import nodes
from docutils.parsers.rst import directives
from specs import assignments, specification, still, value
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

logger = logging.getLogger(__name__)


class live_figure(nodes.General, nodes.Element):  # noqa: N801 - as docutils names nodes
    """A live figure; its caption is its only child."""


class live_caption(nodes.General, nodes.TextElement):  # noqa: N801
    """Its caption."""


class live_words(nodes.inline):  # noqa: N801
    """A number that follows a figure, or a button that sets it."""


class Live(SphinxDirective):
    """``{live} name``: a figure that the page's script draws."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "alt": directives.unchanged_required,
        "caption": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if "alt" not in self.options:
            msg = f"live figure {name} needs :alt:"
            raise self.error(msg)
        try:
            spec = specification("\n".join(self.content))
        except (ValueError, yaml.YAMLError) as error:
            msg = f"live figure {name}: {error}"
            raise self.error(msg) from None
        node = live_figure(name=name, spec=spec, alt=self.options["alt"], docname=self.env.docname)
        self.set_source_info(node)
        if "caption" in self.options:
            text, messages = self.parse_inline(self.options["caption"])
            node += [live_caption("", "", *text), *messages]
        return [node]


class LiveValue(SphinxRole):
    """A number in the text that follows a figure; its form decides how it is written."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        figure, quantity, shown = value(self.text)
        attributes = {"data-figure": f"live-{figure}", "data-live": quantity}
        node = live_words("", shown, tag="span", figure=figure, html=attributes)
        self.set_source_info(node)
        if not shown:
            logger.warning("live-value needs a figure, a quantity and a text", location=node)
        return [node], []


class LiveSet(SphinxRole):
    """Words in the text that set a figure."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            figure, changes, words = assignments(self.text)
        except ValueError as error:
            message = self.inliner.reporter.error(f"live-set: {error}", line=self.lineno)
            return [], [message]
        attributes = {"data-figure": f"live-{figure}", "data-set": json.dumps(changes)}
        node = live_words("", words, tag="button", figure=figure, html=attributes)
        self.set_source_info(node)
        return [node], []


def visit_figure(writer: Any, node: live_figure) -> None:
    """The element that the script turns into a figure, with the still that stands in for it."""
    spec = json.dumps({**node["spec"], "alt": node["alt"]}, ensure_ascii=False)
    alt, image = escape(node["alt"]), still(node["docname"], node["name"])
    writer.body.append(
        f'<figure class="live" id="live-{node["name"]}" data-spec="{escape(spec)}">\n'
        f'<img class="live-still" src="{writer.builder.imgpath}/{image}" alt="{alt}" />\n'
    )


def depart_figure(writer: Any, _node: live_figure) -> None:
    writer.body.append("</figure>\n")


def visit_caption(writer: Any, _node: live_caption) -> None:
    writer.body.append("<figcaption>")


def depart_caption(writer: Any, _node: live_caption) -> None:
    writer.body.append("</figcaption>\n")


def visit_words(writer: Any, node: live_words) -> None:
    kind = ' type="button" class="live-set"' if node["tag"] == "button" else ' class="live-value"'
    values = "".join(f' {name}="{escape(text)}"' for name, text in node["html"].items())
    writer.body.append(f"<{node['tag']}{kind}{values}>")


def depart_words(writer: Any, node: live_words) -> None:
    writer.body.append(f"</{node['tag']}>")


def check_names(_app: Sphinx, document: nodes.document) -> None:
    """Figures of a page have different names, and words name one of them."""
    names: set[str] = set()
    for figure in document.findall(live_figure):
        if figure["name"] in names:
            logger.warning("a second live figure %s", figure["name"], location=figure)
        names.add(figure["name"])
    for words in document.findall(live_words):
        if words["figure"] not in names:
            logger.warning("no live figure %s on this page", words["figure"], location=words)


def add_script(
    app: Sphinx, _name: str, _template: str, _context: Any, document: nodes.document | None
) -> None:
    """Load the script only on pages that have a live figure."""
    if document is not None and next(document.findall(live_figure), None) is not None:
        app.add_js_file("gaussbayes.js", loading_method="defer")
        app.add_js_file("live.js", loading_method="defer")
        app.add_css_file("gaussbayes.css")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(live_figure, html=(visit_figure, depart_figure))
    app.add_node(live_caption, html=(visit_caption, depart_caption))
    app.add_node(live_words, html=(visit_words, depart_words))
    app.add_directive("live", Live)
    app.add_role("live-value", LiveValue())
    app.add_role("live-set", LiveSet())
    app.connect("doctree-read", check_names)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
