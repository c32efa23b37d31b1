"""A figure of matplotlib as a piece of a page: inline SVG, or a PNG where that is smaller."""

import re
import warnings
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

from gaussbayes.apps.report.markup import Html, tag

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LARGE = 300_000
"""Characters of SVG from which on a PNG may be smaller; below, lines stay lines."""

_RESOLUTION = 160
"""Dots an inch of what is drawn as an image."""

_WIDEST = 1800
"""Dots from side to side; twice what a page is wide."""

_HEAD = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
_STYLE = re.compile(r"<style\b.*?</style>", re.DOTALL)
_NAMESPACE = re.compile(r'\s+(xmlns(:\w+)?|version)="[^"]*"')
_ID = re.compile(r'\s+id="([^"]*)"')
_REFERENCE = re.compile(r'(?<=href="#)[^"]+|(?<=url\(#)[^)]+')
_ROOT = re.compile(r"<svg\b([^>]*)>")


@contextmanager
def even_handed(name: str) -> Iterator[None]:
    """Draw with matplotlib's own settings, whatever the user's are, and without a window.

    The same figure gives the same text: `name` is what its identifiers are made from. Letters stay
    letters, which the reader's browser draws: it has fonts for scripts that matplotlib has not.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from matplotlib import style

    with style.context("default"), plt.ioff(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcParams.update({"svg.hashsalt": name, "svg.fonttype": "none"})
        yield


def inline(figure: "Figure", name: str, description: str) -> Html:
    """The figure as an element that needs nothing from outside.

    Parameters
    ----------
    name : begins every identifier in it, so that they differ from those of other figures
    description : said in words, for those who cannot see it
    """
    resolution = min(_RESOLUTION, _WIDEST / figure.get_figwidth())
    written = BytesIO()
    figure.savefig(written, format="svg", dpi=resolution, metadata={"Date": None})
    drawing = clean(written.getvalue().decode("utf-8"), name, description)
    if len(drawing) <= _LARGE:
        return drawing
    written = BytesIO()
    figure.set_layout_engine("none")  # everything has found its place
    figure.savefig(written, format="png", dpi=resolution, metadata={"Software": None})
    data = f"data:image/png;base64,{b64encode(written.getvalue()).decode('ascii')}"
    width, height = (round(96 * side) for side in figure.get_size_inches())
    image = tag("img", src=data, alt=description, width=width, height=height)
    return min(drawing, image, key=len)


def clean(svg: str, name: str, description: str) -> Html:
    """SVG of matplotlib without what a page does not need, and with identifiers of its own.

    Document type, metadata and namespaces go (HTML knows them); so does the style element, which
    would apply to the whole page. Identifiers that nothing refers to go, the others are renamed.

    Examples
    --------
    >>> clean('<svg xmlns="x"><g id="a"/><use href="#a"/><g id="b"/></svg>', "p", "A & B")
    '<svg role="img" aria-label="A &amp; B"><g id="p-0"/><use href="#p-0"/><g/></svg>'
    """
    svg = _NAMESPACE.sub("", _STYLE.sub("", _HEAD.sub("", svg))).strip()
    used = dict.fromkeys(_REFERENCE.findall(svg))
    renamed = {old: f"{name}-{number}" for number, old in enumerate(used)}
    svg = _ID.sub(lambda m: f' id="{renamed[m[1]]}"' if m[1] in renamed else "", svg)
    svg = _REFERENCE.sub(lambda m: renamed[m[0]], svg)
    label = f'role="img" aria-label="{escape(description)}"'
    return Html(_ROOT.sub(lambda m: f"<svg{m[1]} {label}>", svg, count=1))
