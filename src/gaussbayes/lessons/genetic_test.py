"""A rare defect and a good test: Bayes' rule without any Gaussian.

Prior and likelihood are given. People counted in these proportions teach the classifier just that,
and a result that is not there is integrated out.
"""

from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.analysis.explanation import BayesRule
from gaussbayes.base.types import FloatArray
from gaussbayes.lessons.lesson import Figure, Lesson, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as MatplotlibFigure

    from gaussbayes.classifier import GaussianClassifier

DEFECT = 0.01
POSITIVE_IF_DEFECT = 0.9
NEGATIVE_IF_NONE = 0.9
SOURCE = "H. Xue, Generative Models for Classification, ITCS 6156/8156, UNC Charlotte, 2024"

_PRIOR = (1.0 - DEFECT, DEFECT)
_POSITIVE = (1.0 - NEGATIVE_IF_NONE, POSITIVE_IF_DEFECT)
_NEGATIVE = (NEGATIVE_IF_NONE, 1.0 - POSITIVE_IF_DEFECT)
_CLASSES = ("no defect", "defect")

N_PEOPLE = 1000
"""In the figures, a square each."""
_N_HIGH = 20
"""Squares in a column."""


def fit(n_tests: int = 1) -> "GaussianClassifier":
    """The classifier of people who took so many independent tests, all results counted.

    Of 1000 people with one test 9 have the defect and test positive, and so on; each test more
    takes ten times as many people for integers.

    Examples
    --------
    >>> fit().counts_.count.tolist()  # defect and no defect, negative and positive
    [[1.0, 9.0], [891.0, 99.0]]
    """
    from gaussbayes.classifier import GaussianClassifier

    n_people = 100 * 10**n_tests
    results = list(product((True, False), repeat=n_tests))
    rows, labels, people = [], [], []
    for code, label in enumerate(_CLASSES):
        for seen in results:
            each = [(_POSITIVE if result else _NEGATIVE)[code] for result in seen]
            rows.append(seen)
            labels.append(label)
            people.append(round(n_people * _PRIOR[code] * prod(each)))
    model = GaussianClassifier(categorical_features=range(n_tests))
    return model.fit(np.array(rows), labels, sample_weight=people)


def bayes_rule(*results: bool) -> BayesRule:
    """Bayes' rule after independent tests, True for a positive one: no defect, then a defect.

    Without a test it is the prior.

    Examples
    --------
    >>> positive = bayes_rule(True)
    >>> round(positive.evidence, 12), round(positive.classes[1].joint, 12)
    (0.108, 0.009)
    """
    rule: BayesRule = fit(len(results) or 1).explain(results or (None,)).bayes
    # Labels are sorted; here the usual comes first.
    return replace(rule, classes=rule.classes[::-1])


def probability_of_defect(*results: bool) -> float:
    """``p(defect | results)`` in per cent.

    Examples
    --------
    >>> round(probability_of_defect(True), 2)
    8.33
    """
    return 100.0 * bayes_rule(*results).classes[1].posterior


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    positive = bayes_rule(True).classes
    return Lesson(
        name="genetic_test",
        title="A genetic test",
        source=SOURCE,
        text=(
            "One person in a hundred has the defect, and the test is right for nine in ten. Of "
            "1000 people 10 have the defect and 9 of them test positive; of the 990 others 99 test "
            "positive too. So a positive result means 9 in 108, not 9 in 10: the prior weighs as "
            "much as the test. A second, independent positive result brings it to 45 %."
        ),
        data=(),
        results=(
            Result(
                "probability of the defect after a positive test",
                lambda: probability_of_defect(True),
                right=8.33,
                decimals=2,
                handout=8.33,
                unit="%",
            ),
            Result(
                "after a negative test",
                lambda: probability_of_defect(False),
                right=0.1121,
                decimals=4,
                unit="%",
            ),
            Result(
                "after two positive tests",
                lambda: probability_of_defect(True, True),
                right=45.0,
                decimals=12,
                unit="%",
            ),
        ),
        figures=_figures(
            prior=np.array(_PRIOR),
            positive=np.array(_POSITIVE),
            joint=np.array([terms.joint for terms in positive]),
            posterior=np.array([terms.posterior for terms in positive]),
        ),
    )


CLASSES = ("no defect", "defect")
N_PEOPLE = 1000


def _figures(
    prior: FloatArray, positive: FloatArray, joint: FloatArray, posterior: FloatArray
) -> tuple[Figure, ...]:
    """The figures; every array is (2,), no defect first; `positive` is p(positive | class)."""
    have = np.rint(N_PEOPLE * prior).astype(int).tolist()
    test_positive = np.rint(N_PEOPLE * joint).astype(int).tolist()

    def group(code: int, is_positive: bool) -> _Group:
        from matplotlib.colors import to_hex

        from gaussbayes.plots import style

        color = style.COLORS[code]
        if is_positive:
            return _Group(f"{_CLASSES[code]}, positive", test_positive[code], color)
        count = have[code] - test_positive[code]
        return _Group(f"{_CLASSES[code]}, negative", count, to_hex(style.lighter(color, 0.7)))

    def people() -> "MatplotlibFigure":
        return _population((group(1, False), group(1, True), group(0, True), group(0, False)))

    def tree() -> "MatplotlibFigure":
        parts = [
            _Branch(
                _Group(_CLASSES[code], have[code], "white"),
                f"{100 * prior[code]:g} %",
                (
                    _Branch(group(code, True), f"{100 * positive[code]:g} %"),
                    _Branch(group(code, False), f"{100 * (1.0 - positive[code]):g} %"),
                ),
            )
            for code in (1, 0)
        ]
        return _tree(_Branch(_Group("people", N_PEOPLE, "white"), parts=tuple(parts)))

    def steps() -> "MatplotlibFigure":
        from gaussbayes.lessons.figure_parts import RuleStep, bayes_rule_bars

        def step(title: str, values: FloatArray, operator: str = "") -> RuleStep:
            words = tuple(f"{100 * value:.3g} %" for value in values.tolist())
            return RuleStep(title, values, words, operator)

        return bayes_rule_bars(
            _CLASSES,
            [
                step("prior", prior),
                step("p(positive | class)", positive, "×"),
                step("joint", joint, "="),
                step("posterior", posterior, "÷ evidence =\n"),
            ],
        )

    return (
        Figure(
            "people",
            f"{N_PEOPLE:,} people, a square each. The strong colours test positive; few of them "
            "have the defect.",
            people,
        ),
        Figure(
            "tree",
            f"The same people, divided first by the defect and then by the test: of the "
            f"{sum(test_positive):,} who test positive {test_positive[1]} have it.",
            tree,
        ),
        Figure(
            "bayes_rule",
            "The same in probabilities: the test speaks for the defect, the prior against it.",
            steps,
        ),
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """People who have something in common."""

    words: str
    count: int
    color: str


@dataclass(frozen=True, slots=True)
class _Branch:
    """A box of the tree: who is in it, and the branches that it divides into."""

    group: _Group
    proportion: str = ""  # of the box it comes from
    parts: tuple["_Branch", ...] = ()

    @property
    def n_leaves(self) -> int:
        return sum(part.n_leaves for part in self.parts) or 1


def _population(groups: tuple[_Group, ...]) -> "MatplotlibFigure":
    """One square a person, group after group."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    from gaussbayes.lessons.figure_parts import figure_of
    from gaussbayes.plots import style

    ax = style.axes_for(None, (9.0, 3.1))
    each = np.repeat(np.arange(len(groups)), [group.count for group in groups])
    ax.pcolormesh(
        each.reshape(-1, _N_HIGH).T,
        cmap=ListedColormap([group.color for group in groups]),
        vmin=-0.5,
        vmax=len(groups) - 0.5,
        edgecolors="white",
        linewidth=1.0,
        rasterized=True,
    )
    ax.set_aspect("equal")
    ax.invert_yaxis()
    ax.set_axis_off()
    names = [Patch(color=group.color, label=f"{group.count:,} {group.words}") for group in groups]
    style.legend_beside(ax, names, f"of {each.size:,} people")
    return figure_of(ax)


def _tree(root: _Branch) -> "MatplotlibFigure":
    """Boxes from left to right, each joined to those it divides into."""
    from gaussbayes.lessons.figure_parts import figure_of
    from gaussbayes.plots import style

    ax = style.axes_for(None, (8.2, 4.0))
    ax.set_axis_off()
    ax.set_xlim(-0.15, 2.2)
    _draw_branch(ax, root, 0, 0.0)
    ax.set_ylim(root.n_leaves - 0.4, -0.6)
    return figure_of(ax)


def _draw_branch(ax: "Axes", branch: _Branch, depth: int, top: float) -> float:
    """Draw a branch whose leaves begin at `top`; return the height it stands at."""
    from gaussbayes.plots import style

    heights = []
    below = top
    for part in branch.parts:
        heights.append(_draw_branch(ax, part, depth + 1, below))
        below += part.n_leaves
    height = sum(heights) / len(heights) if heights else top
    text: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": "small"}
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    for part, end in zip(branch.parts, heights, strict=True):
        ax.plot([depth, depth + 1], [height, end], color=style.FAINT, zorder=1)
        middle = depth + 0.5, (height + end) / 2
        ax.text(*middle, part.proportion, color=style.INK, bbox=ground, zorder=2, **text)
    group = branch.group
    box = {"boxstyle": "round,pad=0.4", "facecolor": group.color, "edgecolor": style.INK}
    ax.text(depth, height, f"{group.count:,}\n{group.words}", bbox=box, zorder=3, **text)
    return height
