"""Every figure has a text for those who do not see it; a figure without one is an error.

A cell of code has it in its settings (``mystnb: image: alt:``), an example of the gallery in
examples/alt.yaml, a plotting function in the first line of its docstring.
"""

from itertools import zip_longest
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx_gallery.directives import imgsgnode

GALLERY_TEXTS = Path(__file__).parents[2] / "examples" / "alt.yaml"

logger = logging.getLogger(__name__)


def add_gallery_texts(app: Sphinx, document: nodes.document) -> None:
    """The figures of an example as plain images, with their texts in order."""
    folder, _, name = app.env.docname.partition("/")
    figures = list(document.findall(imgsgnode))
    if folder == "gallery" and figures:
        app.env.note_dependency(str(GALLERY_TEXTS))
        texts = yaml.safe_load(GALLERY_TEXTS.read_text(encoding="utf-8")).get(name, [])
        if len(texts) != len(figures):
            counts = (name, len(figures), len(texts))
            logger.warning(
                "%s draws %d figures and has %d texts", *counts, location=app.env.docname
            )
        for figure, text in zip_longest(figures, texts[: len(figures)], fillvalue=""):
            image = nodes.image(uri=figure["uri"], alt=text, classes=["sphx-glr-single-img"])
            figure.replace_self(image)


def check_texts(app: Sphinx, document: nodes.document) -> None:
    """Warn of figures without a text, and name the code that drew them."""
    for image in document.findall(nodes.image):
        if "alt" not in image:  # thumbnails have an empty one, beside their titles
            logger.warning("a figure without a text: %s", _code(image), location=app.env.docname)


def _code(image: nodes.image) -> str:
    """The last line of the cell that drew a figure, or its file."""
    cell = image.parent
    while cell is not None and "cell" not in cell.get("classes", []):
        cell = cell.parent
    codes = [] if cell is None else list(cell.findall(nodes.literal_block))
    return codes[0].astext().strip().splitlines()[-1] if codes else image["uri"]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", add_gallery_texts, priority=300)  # before Sphinx collects images
    app.connect("doctree-read", check_texts, priority=310)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
