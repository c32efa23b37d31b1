"""What the sections share: classes with their colours, pictures in cards, notes on samples."""

from collections.abc import Sequence
from dataclasses import dataclass

from gaussbayes.apps.report.contents import Contents
from gaussbayes.apps.report.markup import Html, join, name, tag
from gaussbayes.apps.report.numbers import count
from gaussbayes.plots.style import class_styles

MOST = 12
"""Features or classes in the columns of a table; of more, the first are shown."""

BLUE, ORANGE = "63,144,218", "255,169,14"
"""What tinted cells are tinted with: the first two colours of the classes."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """How classes are written: with a patch of the colour they have in the pictures."""

    classes: dict[str, Html]

    def __getitem__(self, label: object) -> Html:
        return self.classes[str(label)]


def look_of(contents: Contents) -> Look:
    """The classes of a page."""
    styles = class_styles(contents.model.classes_)
    return Look(
        {
            label: tag(
                "span",
                tag("span", class_="patch", style=f"background:{own.color}", aria_hidden="true"),
                tag("span", name(label)),
                class_="class",
            )
            for label, own in zip(contents.classes, styles, strict=True)
        }
    )


def first_of(n: int, things: str, most: int = MOST) -> str:
    """A note that only the first of many are shown; nothing if all are.

    Examples
    --------
    >>> first_of(30, "features"), first_of(3, "features")
    ('The first 12 of 30 features are shown.', '')
    """
    return f"The first {most} of {count(n)} {things} are shown." if n > most else ""


def tint(strength: float, color: str = BLUE) -> str | None:
    """A colour as strong as a share from 0 to 1; none for what is not a number."""
    return f"rgba({color},{0.65 * strength:.3f})" if strength > 0 else None


def figures(contents: Contents, names: Sequence[str]) -> Html:
    """Those of the pictures that there are, each in a card."""
    there = [contents.pictures[name] for name in names if name in contents.pictures]
    cards = [
        tag("figure", tag("div", one.element, class_="card"), tag("figcaption", one.caption))
        for one in there
    ]
    return join(cards)


def paragraph(*pieces: object) -> Html:
    """A paragraph of the pieces that are not empty; nothing if all are."""
    there = [piece for piece in pieces if piece]
    words = [word for piece in there for word in (piece, " ")][:-1]
    return tag("p", *words) if there else Html("")


def section(name: str, title: str, *pieces: object) -> Html:
    """A part of the page with its heading."""
    return tag(
        "section",
        tag("h2", title, id=f"{name}-title"),
        *pieces,
        id=name,
        aria_labelledby=f"{name}-title",
    )
