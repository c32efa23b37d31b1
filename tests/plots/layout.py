"""Whether all that is written in a figure can be read: within the figure, nothing over another."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text

_SLACK = 2.0
"""Pixels by which boxes may touch: a box is a little larger than the ink in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """A text as it is drawn, and the corners (4, 2) of the rectangle around it, in pixels."""

    text: str
    corners: np.ndarray


def written_in(figure: Figure) -> list[Written]:
    """Every visible text of a figure."""
    figure.draw_without_rendering()
    found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    written = [Written(text.get_text(), _corners(text)) for text in found]
    beyond = _labels_beyond(figure)  # last: asking an axis for its ticks moves their labels
    return [one for text, one in zip(found, written, strict=True) if text not in beyond]


def assert_readable(figure: Figure) -> None:
    """No text leaves the figure, and no two overlap."""
    texts = written_in(figure)
    assert texts
    for one in texts:
        assert (one.corners >= figure.bbox.min - _SLACK).all(), one.text
        assert (one.corners <= figure.bbox.max + _SLACK).all(), one.text
    for one, other in _near(texts):
        assert not _overlap(one.corners, other.corners), (one.text, other.text)


def texts_of(figure: Figure) -> list[str]:
    """What is written."""
    return [one.text for one in written_in(figure)]


def legend_texts(ax: Any) -> list[str]:
    """The entries of the legend of axes."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


def _labels_beyond(figure: Figure) -> set[Text]:
    """Labels of ticks beyond the limits of their axis: they exist, but are not drawn."""
    beyond: set[Text] = set()
    for axes in figure.axes:
        for axis in axes._axis_map.values():
            every = {*axis.majorTicks, *axis.minorTicks}
            drawn = set(axis._update_ticks())
            beyond |= {label for tick in every - drawn for label in (tick.label1, tick.label2)}
    return beyond


def _corners(text: Text) -> np.ndarray:
    """The rectangle around a text, turned as the text is: a box along the axes is larger."""
    box, angle = text.get_window_extent(), text.get_rotation()
    text.set_rotation(0.0)
    flat = text.get_window_extent()
    text.set_rotation(angle)
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (flat.width / 2, flat.height / 2)
    cosine, sine = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    center = (box.min + box.max) / 2
    return np.asarray(center + half @ np.array([[cosine, sine], [-sine, cosine]]))


def _near(texts: list[Written]) -> list[tuple[Written, Written]]:
    """The pairs whose boxes along the axes meet: of all others, not even the boxes overlap."""
    corners = np.array([one.corners for one in texts])  # (n, 4, 2)
    low, high = corners.min(axis=1), corners.max(axis=1)
    meet = (low[:, None] <= high[None]).all(axis=2)
    first, second = np.nonzero(np.triu(meet & meet.T, 1))
    return [(texts[i], texts[j]) for i, j in zip(first, second, strict=True)]


def _overlap(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two rectangles do; if not, the direction of one of their sides separates them."""
    for corners in (one, other):
        for side in (corners[1] - corners[0], corners[2] - corners[1]):
            direction = side / np.hypot(*side)
            first, second = one @ direction, other @ direction
            if min(first.max(), second.max()) - max(first.min(), second.min()) <= _SLACK:
                return False
    return True
