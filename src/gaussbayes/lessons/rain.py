"""Rain from humidity and wind.

Discrete features need no Gaussian: the likelihood of a value is its proportion within the class. Of
15 days 10 were rainy; 4 of those had humidity 2 and 1 had strong wind, against 1 and 3 of the 5 dry
ones. Taking the two features as independent within a class, the joint probabilities are 10/15 ·
4/10 · 1/10 = 2/75 for rain and 5/15 · 1/5 · 3/5 = 3/75 for none, so rain has probability 2/5: it
will probably stay dry. Strong wind speaks against rain more than humidity and the prior speak for
it. The classifier does the same with every feature that is named as categorical.
"""

from typing import Any

import numpy as np

from gaussbayes import plots
from gaussbayes.analysis.explanation import Explanation
from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import figure_parts as parts
from gaussbayes.lessons.handouts import DAYS
from gaussbayes.lessons.lesson import XUE, Erratum, Lesson, Result
from gaussbayes.plots import style

QUERY = ("2", "S")
_CLASSES = ("no rain (−1)", "rain (1)")


def fit() -> GaussianClassifier:
    """The classifier of the days. Both features hold categories, so that it has no Gaussian."""
    return DAYS.fit(categorical_features=[0, 1]).with_feature_names(DAYS.features)


def explanation() -> Explanation:
    """Bayes' rule for humidity 2 and wind S, y = −1 first, and what either adds."""
    explained: Explanation = fit().explain(QUERY)
    return explained


def likelihood() -> FloatArray:
    """``p(humidity 2 | y)`` and ``p(wind S | y)`` (2, 2), y = −1 in the first row."""
    model = fit()
    probabilities, categories = model.category_probabilities_, model.categories_
    columns = [
        probabilities[name][:, categories[name].index(value)]
        for name, value in zip(categories, QUERY, strict=True)
    ]
    return np.stack(columns, axis=1)


def of_classes(term: str) -> FloatArray:
    """A number of Bayes' rule, such as ``"joint"``, for y = −1 and y = 1 (2,)."""
    return np.array([getattr(terms, term) for terms in explanation().bayes.classes])


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    results = (
        Result("joint for rain", lambda: of_classes("joint")[1], 2 / 75, handout=2 / 75),
        Result("joint for no rain", lambda: of_classes("joint")[0], 3 / 75, handout=3 / 75),
        Result("probability of rain", lambda: of_classes("posterior")[1], 0.4),
    )
    erratum = Erratum(
        where="posterior of no rain",
        printed="P(y = 0 | …)",
        right="P(y = −1 | …)",
        why="The table writes no rain as −1; no row has the label 0.",
    )
    figures = (counts, bayes_rule, log_odds)
    return Lesson.of(__name__, __doc__, XUE, [DAYS], results, figures, errata=[erratum])


def counts() -> Any:
    """The fifteen days, counted: dry and rainy ones by humidity and by wind. The queried values are
    outlined."""
    styles = style.class_styles(np.array(_CLASSES, dtype=object))
    axes = parts.panels(1, 2, (7.2, 3.6), "y")
    by_class = [DAYS.rows[DAYS.labels == label] for label in (-1, 1)]
    for j, ax in enumerate(axes):
        values = list(dict.fromkeys(DAYS.rows[:, j].tolist()))
        for look, days, shift in zip(styles, by_class, (-0.2, 0.2), strict=True):
            heights = [int((days[:, j] == value).sum()) for value in values]
            edges = [style.INK if value == QUERY[j] else look.color for value in values]
            places = np.arange(len(values)) + shift
            bars = ax.bar(places, heights, 0.36, color=look.color, edgecolor=edges, lw=1.8)
            ax.bar_label(bars, fontsize="small")
        ax.set_xticks(range(len(values)), values)
        ax.set_xlabel(DAYS.features[j])
    axes[0].set_ylabel("days")
    handles = [
        style.patch(f"{look.label}: {len(days)} days", color=look.color)
        for look, days in zip(styles, by_class, strict=True)
    ]
    style.legend_below(axes[0].figure, handles)
    return axes


def bayes_rule() -> Any:
    """Bayes' rule for humidity 2 and strong wind: the wind decides."""

    def step(values: FloatArray, *of: int) -> tuple[Any, list[str]]:
        """Proportions, and the same as fractions with these denominators."""
        parts = zip(values.tolist(), of, strict=True)
        return values, [f"{whole * part:.0f}/{whole}" for part, whole in parts]

    # The rows of a class are counted in its size, the days in theirs.
    humidity, wind = likelihood().T
    steps = {
        "prior": step(of_classes("prior"), 15, 15),
        "× p(humidity 2 | y)": step(humidity, 5, 10),
        "× p(wind S | y)": step(wind, 5, 10),
        "= joint": step(of_classes("joint"), 75, 75),
        "÷ evidence =\n posterior": step(of_classes("posterior"), 5, 5),
    }
    return parts.bayes_rule_bars(_CLASSES, steps)


def log_odds() -> Any:
    """The same in logarithms, −1 against 1: the prior and humidity 2 speak for rain, strong wind
    against it, and more."""
    return plots.explanation(explanation())
