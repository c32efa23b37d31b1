"""Probability in pictures.

A card is drawn from 52, all alike. The probability of an event is the proportion of the cards that
belong to it: 13 of 52 are hearts, 12 show a face. To have both, a card must lie in the overlap (3
of 52); to have at least one, in the union, and the overlap must not be counted twice: 13 + 12 − 3 =
22 of 52. To learn that a card is red leaves 26 cards, of which 13 are hearts: conditioning is
counting in a smaller world. A face says nothing of the suit: 3 of 12 faces are hearts, just as 13
of 52 cards are. The two are independent, and then, only then, the probability of both is the
product.
"""

from itertools import product
from typing import Any

import numpy as np

from gaussbayes.base.types import FloatArray
from gaussbayes.lessons import figure_parts as parts
from gaussbayes.lessons.lesson import XUE, Lesson, Result
from gaussbayes.plots import style
from gaussbayes.plots.style import Look

SUITS, RANKS = ("hearts", "diamonds", "spades", "clubs"), range(1, 14)
CARDS = tuple(product(SUITS, RANKS))
EVENTS = {
    "heart": np.array([suit == "hearts" for suit, _ in CARDS]),
    "face": np.array([rank > 10 for _, rank in CARDS]),
    "red": np.array([suit in SUITS[:2] for suit, _ in CARDS]),
}
"""Which of the 52 cards belong to each event (52,)."""


def probability(event: Any, given: Any = True) -> float:
    """The proportion of cards of an event (52,), among those given."""
    world = np.broadcast_to(given, len(CARDS))
    return float(np.mean(event[world]))


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    heart, face, red = EVENTS.values()
    results = (
        Result("p(heart)", lambda: probability(heart), 13 / 52),
        Result("p(heart and face)", lambda: probability(heart & face), 3 / 52),
        Result("p(heart or face)", lambda: probability(heart | face), 22 / 52),
        Result("p(heart | red)", lambda: probability(heart, red), 1 / 2),
        Result("p(heart | face)", lambda: probability(heart, face), 1 / 4),
        Result("p(heart and red), not the product", lambda: probability(heart & red), 13 / 52),
    )
    figures = (joint_and_union, conditional, independence)
    return Lesson.of(__name__, __doc__, XUE, (), results, figures)


def _draw_cards(ax: Any, shade: FloatArray, words: str) -> None:
    """The cards, a row for each suit; `shade` (52,) is 0, 1 or 2."""
    from matplotlib.colors import ListedColormap

    blue = style.COLORS[0]
    colors = ListedColormap([style.lighter(blue, place) for place in (0.9, 0.55, 0.0)])
    look: Look = {"vmin": -0.5, "vmax": 2.5, "edgecolors": "white", "linewidth": 1.5}
    ax.pcolormesh(shade.reshape(len(SUITS), -1), cmap=colors, **look)
    ax.set_yticks(np.arange(len(SUITS)) + 0.5, SUITS)
    ax.set_xticks(np.array([1, 5, 10, 13]) - 0.5, ["A", "5", "10", "K"])
    ax.set_ylim(len(SUITS), 0)  # the first suit on top
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    parts.title(ax, words)


def joint_and_union() -> Any:
    """Hearts and faces: the overlap is the joint event, everything coloured is the union."""
    heart, face, _ = EVENTS.values()
    (ax,) = parts.panels(1, 1, (6.4, 2.6))
    overlap = np.count_nonzero(heart & face)
    either = np.count_nonzero(heart | face)
    words = f"both: {overlap} of 52; at least one: 13 + 12 − {overlap} = {either} of 52"
    _draw_cards(ax, 1.0 * heart + face, words)
    return ax


def conditional() -> Any:
    """Given that a card is red the others are gone: of the 26 that are left, 13 are hearts."""
    heart, _, red = EVENTS.values()
    left, right = axes = parts.panels(1, 2, (9.6, 2.6), "xy")
    _draw_cards(left, 2.0 * heart, f"p(heart) = {probability(heart):.2f}")
    _draw_cards(right, 2.0 * heart, f"p(heart | red) = {probability(heart, red):.2f}")
    right.axhspan(2, 4, color="white", alpha=0.85)
    return axes


def independence() -> Any:
    """As areas: faces are the same proportion of hearts as of all cards, so that the rectangle of
    both has the product of the sides; of hearts and red cards that does not hold."""
    axes = parts.panels(1, 2, (8.0, 3.4))
    heart = EVENTS["heart"]
    for ax, name in zip(axes, ("face", "red"), strict=True):
        event, start = EVENTS[name], 0.0
        groups = ("hearts", heart, style.COLORS[0]), ("others", ~heart, style.FAINT)
        for label, group, color in groups:
            width, height = probability(group), probability(event, group)
            ax.bar(start, height, width, align="edge", color=color, edgecolor="white")
            faint = style.lighter(color, 0.75)
            ax.bar(start, 1 - height, width, height, align="edge", color=faint, edgecolor="white")
            ax.text(start + width / 2, 1.03, label, ha="center", fontsize="small")
            start += width
        both, alone = probability(heart & event), probability(heart) * probability(event)
        sign = "=" if np.isclose(both, alone) else "≠"
        words = f"p(heart, {name}) = {both:.3f} {sign} p(heart) p({name}) = {alone:.3f}"
        ax.set_title(words, fontsize="medium", pad=22)
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="proportion of the cards", ylabel=f"p({name} | …)")
    return axes
