"""Pictures of a test for a rare defect: people, a tree, and Bayes' rule."""

from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.base.types import FloatArray
from gaussbayes.lessons.drawings.bars import Step, bayes_rule
from gaussbayes.lessons.drawings.people import Branch, Group, population, tree
from gaussbayes.lessons.lesson import Picture
from gaussbayes.plots import style
from gaussbayes.plots.plane import lighter

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASSES = ("no defect", "defect")
N_PEOPLE = 1000


def pictures(
    prior: FloatArray, positive: FloatArray, joint: FloatArray, posterior: FloatArray
) -> tuple[Picture, ...]:
    """The pictures; every array is (2,), no defect first; `positive` is p(positive | class)."""
    have = np.rint(N_PEOPLE * prior).astype(int).tolist()
    test_positive = np.rint(N_PEOPLE * joint).astype(int).tolist()

    def group(code: int, found: bool) -> Group:
        from matplotlib.colors import to_hex

        color = style.COLORS[code]
        result = "positive" if found else "negative"
        count = test_positive[code] if found else have[code] - test_positive[code]
        return Group(
            f"{CLASSES[code]}, {result}", count, color if found else to_hex(lighter(color, 0.7))
        )

    def people() -> "Figure":
        return population((group(1, False), group(1, True), group(0, True), group(0, False)))

    def branches() -> "Figure":
        parts = [
            Branch(
                Group(CLASSES[code], have[code], "white"),
                f"{100 * prior[code]:g} %",
                tuple(
                    Branch(group(code, found), f"{100 * share:g} %")
                    for found, share in ((True, positive[code]), (False, 1.0 - positive[code]))
                ),
            )
            for code in (1, 0)
        ]
        return tree(Branch(Group("people", N_PEOPLE, "white"), parts=tuple(parts)))

    def steps() -> "Figure":
        def step(title: str, values: FloatArray, operator: str = "") -> Step:
            words = tuple(f"{100 * value:.3g} %" for value in values.tolist())
            return Step(title, values, words, operator)

        return bayes_rule(
            CLASSES,
            [
                step("prior", prior),
                step("p(positive | class)", positive, "×"),
                step("joint", joint, "="),
                step("posterior", posterior, "÷ evidence =\n"),
            ],
        )

    return (
        Picture(
            "people",
            f"{N_PEOPLE:,} people, a square each. The strong colours test positive; few of them "
            "have the defect.",
            people,
        ),
        Picture(
            "tree",
            f"The same people, divided first by the defect and then by the test: of the "
            f"{sum(test_positive):,} who test positive {test_positive[1]} have it.",
            branches,
        ),
        Picture(
            "bayes_rule",
            "The same in probabilities: the test speaks for the defect, the prior against it.",
            steps,
        ),
    )
