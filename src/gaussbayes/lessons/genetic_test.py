"""A genetic test.

One person in a hundred has the defect, and the test is right for nine in ten. Of 1000 people 10
have the defect and 9 of them test positive; of the 990 others 99 test positive too. So a positive
result means 9 in 108, not 9 in 10: the prior weighs as much as the test. A second, independent
positive result brings it to 45 %.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from gaussbayes.analysis.explanation import BayesRule
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import figure_parts as parts
from gaussbayes.lessons.handouts import DEFECT_PRIOR, POSITIVE
from gaussbayes.lessons.lesson import XUE, Lesson, Result
from gaussbayes.plots import style
from gaussbayes.plots.style import Look

_CLASSES = ("no defect", "defect")

_HAVE, _TEST_POSITIVE = (990, 10), (99, 9)
"""Of 1,000 people in the figures: in each class, and those of them that test positive."""
_N_HIGH = 20  # squares in a column


def model(n_tests: int = 1) -> GaussianClassifier:
    """The classifier of people who took so many independent tests."""
    results = {True: POSITIVE, False: [1.0 - positive for positive in POSITIVE]}
    tests = {f"test {number + 1}": results for number in range(n_tests)}
    return GaussianClassifier.from_parameters(
        DEFECT_PRIOR, classes=_CLASSES, category_probabilities=tests
    )


def bayes_rule_after(*results: bool) -> BayesRule:
    """Bayes' rule after tests, True for a positive one; without any it is the prior."""
    rule: BayesRule = model(len(results) or 1).explain(results or (None,)).bayes
    # Labels are sorted; here no defect, the usual, comes first.
    return replace(rule, classes=rule.classes[::-1])


def probability_of_defect(*results: bool) -> float:
    """``p(defect | results)`` in per cent."""
    return 100.0 * bayes_rule_after(*results).classes[1].posterior


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    defect = probability_of_defect
    name = "probability of the defect after a positive test"
    results = (
        Result(name, lambda: defect(True), 8.33, 2, handout=8.33, unit="%"),
        Result("after a negative test", lambda: defect(False), 0.1121, 4, unit="%"),
        Result("after two positive tests", lambda: defect(True, True), 45.0, unit="%"),
    )
    return Lesson.of(__name__, __doc__, XUE, (), results, (people, tree, bayes_rule))


def _group(code: int, is_positive: bool) -> tuple[int, str, Any]:
    """How many people of a class have a result, what they are called, and their colour."""
    color = style.COLORS[code]
    if is_positive:
        return _TEST_POSITIVE[code], f"{_CLASSES[code]}, positive", color
    count = _HAVE[code] - _TEST_POSITIVE[code]
    return count, f"{_CLASSES[code]}, negative", style.lighter(color, 0.7)


def people() -> Any:
    """1,000 people, a square each. The strong colours test positive; few of them have the
    defect."""
    from matplotlib.colors import ListedColormap

    groups = (_group(1, False), _group(1, True), _group(0, True), _group(0, False))
    counts, _, colors = zip(*groups, strict=True)
    ax = style.axes_for(None, (9.0, 3.1))
    squares = np.repeat(np.arange(4), counts).reshape(-1, _N_HIGH).T
    look: Look = {"vmin": -0.5, "vmax": 3.5, "edgecolors": "white", "linewidth": 1.0}
    ax.pcolormesh(squares, cmap=ListedColormap(colors), rasterized=True, **look)
    ax.set_aspect("equal")
    ax.invert_yaxis()
    ax.set_axis_off()
    names = [style.patch(f"{count:,} {words}", color=color) for count, words, color in groups]
    style.legend_beside(ax, names, "of 1,000 people")
    return ax


def tree() -> Any:
    """The same people, divided first by the defect and then by the test: of the 108 who test
    positive 9 have it."""
    ax = style.axes_for(None, (8.2, 4.0))
    ax.set_axis_off()
    ax.set(xlim=(-0.15, 2.2), ylim=(3.6, -0.6))
    text: Look = {"ha": "center", "va": "center", "fontsize": "small"}

    def box(depth: int, height: float, count: int, words: str, color: Any = "white") -> None:
        around = {"boxstyle": "round,pad=0.4", "facecolor": color, "edgecolor": style.INK}
        ax.text(depth, height, f"{count:,}\n{words}", bbox=around, zorder=3, **text)

    def branch(depth: int, start: float, end: float, proportion: float) -> None:
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        ax.plot([depth, depth + 1], [start, end], color=style.FAINT, zorder=1)
        words = f"{100 * proportion:g} %"
        middle = depth + 0.5, (start + end) / 2
        ax.text(*middle, words, color=style.INK, bbox=ground, zorder=2, **text)

    box(0, 1.5, 1000, "people")
    for code, height in ((1, 0.5), (0, 2.5)):
        branch(0, 1.5, height, DEFECT_PRIOR[code])
        box(1, height, _HAVE[code], _CLASSES[code])
        for is_positive, end in ((True, height - 0.5), (False, height + 0.5)):
            branch(1, height, end, POSITIVE[code] if is_positive else 1.0 - POSITIVE[code])
            box(2, end, *_group(code, is_positive))
    return ax


def bayes_rule() -> Any:
    """The same in probabilities: the test speaks for the defect, the prior against it."""
    names = {
        "prior": "prior",
        "likelihood": "× p(positive | class)",
        "joint": "= joint",
        "posterior": "÷ evidence =\n posterior",
    }
    steps = {}
    for term, name in names.items():
        values = [getattr(each, term) for each in bayes_rule_after(True).classes]
        steps[name] = values, [f"{100 * value:.3g} %" for value in values]
    return parts.bayes_rule_bars(_CLASSES, steps)
