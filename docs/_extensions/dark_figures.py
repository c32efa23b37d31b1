"""Figures for the dark theme: white becomes black and black white, and colours stay what they are.

Figures have transparent backgrounds (figure_style.py). Of each the page gets a second one, in which
the lightness of every pixel is inverted; the theme shows the one that fits. Opaque images, such as
photographs of the screen, stay alone.
"""

from pathlib import Path

import numpy as np
from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx


def darken(pixels: np.ndarray) -> np.ndarray:
    """Invert the lightness (max + min) / 2 of RGBA pixels; hue and chroma stay.

    >>> darken(np.array([[[255, 255, 255, 255], [255, 169, 14, 255]]], dtype=np.uint8)).tolist()
    [[[0, 0, 0, 255], [241, 155, 0, 255]]]
    """
    colours = pixels[..., :3].astype(np.int16)
    shift = 255 - colours.max(axis=-1) - colours.min(axis=-1)
    return np.dstack([(colours + shift[..., None]).astype(np.uint8), pixels[..., 3]])


def add_dark_figures(app: Sphinx, document: nodes.document) -> None:
    """Put a dark figure after each one that has a transparent background."""
    for image in list(document.findall(nodes.image)):
        path = Path(app.env.relfn2path(image["uri"], app.env.docname)[1])
        if path.suffix != ".png" or not path.is_file():
            continue
        with Image.open(path) as opened:
            if opened.mode != "RGBA" or opened.getextrema()[3][0] == 255:
                continue
            dark = Image.fromarray(darken(np.asarray(opened)))
        name = f"{path.stem}-dark.png"
        dark.save(path.with_name(name))
        twin = image.deepcopy()
        twin["uri"] = image["uri"].removesuffix(path.name) + name
        twin["classes"] = [*image["classes"], "only-dark"]
        image["classes"] = [*image["classes"], "only-light"]
        image.parent.insert(image.parent.index(image) + 1, twin)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", add_dark_figures, priority=320)  # before Sphinx collects images
    return {"parallel_read_safe": True, "parallel_write_safe": True}
