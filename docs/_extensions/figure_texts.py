"""Figures of code cells that were given no text get a plain one."""

from docutils import nodes
from sphinx.application import Sphinx


def add_texts(_app: Sphinx, document: nodes.document) -> None:
    for image in document.findall(nodes.image):
        image.attributes.setdefault("alt", "what the code above draws")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", add_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
