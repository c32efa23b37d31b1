"""Pictures of fifteen days: the counts, Bayes' rule on them, and what each feature adds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.analysis.explanation import Explanation
from gaussbayes.base.types import FloatArray
from gaussbayes.lessons.drawings.bars import Step, bayes_rule
from gaussbayes.lessons.drawings.counts import counts
from gaussbayes.lessons.drawings.panels import figure_of
from gaussbayes.lessons.lesson import Picture, Table
from gaussbayes.plots import explanation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASSES = ("no rain (−1)", "rain (1)")


def pictures(
    table: Table,
    query: Sequence[str],
    likelihood: FloatArray,
    told: Explanation,
) -> tuple[Picture, ...]:
    """The pictures; `likelihood` is (2, 2), a class by row and a feature by column."""
    terms = told.bayes.classes
    prior, joint, posterior = (
        np.array([getattr(one, name) for one in terms]) for name in ("prior", "joint", "posterior")
    )

    def days() -> "Figure":
        return counts(table, CLASSES, query)

    def steps() -> "Figure":
        # The rows of a class are counted in its size, the days in theirs.
        sizes = np.unique(table.labels, return_counts=True)[1].tolist()
        n = table.labels.size
        names = [
            f"p({name} {value} | y)" for name, value in zip(table.features, query, strict=True)
        ]
        return bayes_rule(
            CLASSES,
            [
                _step("prior", prior, [n, n]),
                *(_step(name, likelihood[:, j], sizes, "×") for j, name in enumerate(names)),
                _step("joint", joint, [75, 75], "="),
                _step("posterior", posterior, [5, 5], "÷ evidence =\n"),
            ],
        )

    def adds() -> "Figure":
        return figure_of(explanation(told))

    return (
        Picture(
            "counts",
            "The fifteen days, counted: dry and rainy ones by humidity and by wind. The queried "
            "values are outlined.",
            days,
        ),
        Picture(
            "bayes_rule",
            "Bayes' rule for humidity 2 and strong wind: the wind decides.",
            steps,
        ),
        Picture(
            "log_odds",
            "The same in logarithms, −1 against 1: the prior and humidity 2 speak for rain, strong "
            "wind against it, and more.",
            adds,
        ),
    )


def _step(name: str, values: FloatArray, of: Sequence[int], operator: str = "") -> Step:
    """Shares written as fractions with these denominators."""
    parts = zip(values.tolist(), of, strict=True)
    return Step(
        name, values, tuple(f"{whole * part:.0f}/{whole}" for part, whole in parts), operator
    )
