"""Rain from humidity and wind: naive Bayes on counts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.analysis.explanation import Explanation
from gaussbayes.base.types import FloatArray
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Result, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

    from gaussbayes.classifier import GaussianClassifier

HUMIDITY = "111112222233333"
WIND = "SMMSSSMMLLLMMLL"
RAIN = (-1, -1, 1, 1, -1, -1, 1, 1, 1, 1, 1, 1, 1, 1, -1)
QUERY = ("2", "S")
_CLASSES = ("no rain (−1)", "rain (1)")
SOURCE = "H. Xue, Generative Models for Classification, ITCS 6156/8156, UNC Charlotte, 2024"


def table() -> Table:
    """Fifteen days: humidity 1 to 3, wind S(trong), M(edium) or L(ow), rain 1 or −1."""
    rows = np.array([HUMIDITY, WIND]).view("U1").reshape(2, -1).T
    return Table("days", rows, np.array(RAIN), ("humidity", "wind"), "listed by the handout")


def fit() -> "GaussianClassifier":
    """The classifier of the days. Both features hold categories, so that it has no Gaussian."""
    from gaussbayes.classifier import GaussianClassifier

    days = table()
    model = GaussianClassifier(categorical_features=[0, 1]).fit(days.rows, days.labels)
    return model.with_feature_names(days.features)


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


def joint() -> FloatArray:
    """``p(humidity 2, wind S, y)`` for y = −1 and y = 1 (2,)."""
    return np.array([terms.joint for terms in explanation().bayes.classes])


def posterior() -> FloatArray:
    """``p(y | humidity 2, wind S)`` for y = −1 and y = 1 (2,)."""
    return np.array([terms.posterior for terms in explanation().bayes.classes])


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    days = table()
    return Lesson(
        name="rain",
        title="Rain from humidity and wind",
        source=SOURCE,
        text=(
            "Discrete features need no Gaussian: the likelihood of a value is its proportion "
            "within the class. Of 15 days 10 were rainy; 4 of those had humidity 2 and 1 had "
            "strong wind, against 1 and 3 of the 5 dry ones. Taking the two features as "
            "independent within a class, the joint probabilities are 10/15 · 4/10 · 1/10 = 2/75 "
            "for rain and 5/15 · 1/5 · 3/5 = 3/75 for none, so rain has probability 2/5: it will "
            "probably stay dry. Strong wind speaks against rain more than humidity and the prior "
            "speak for it. The classifier does the same with every feature that is named as "
            "categorical."
        ),
        data=(days,),
        results=(
            Result("joint for rain", lambda: joint()[1], 2 / 75, decimals=12, handout=2 / 75),
            Result("joint for no rain", lambda: joint()[0], 3 / 75, decimals=12, handout=3 / 75),
            Result("probability of rain", lambda: posterior()[1], 0.4, decimals=12),
        ),
        errata=(
            Erratum(
                where="posterior of no rain",
                printed="P(y = 0 | …)",
                right="P(y = −1 | …)",
                why="The table writes no rain as −1; no row has the label 0.",
            ),
        ),
        figures=_figures(days),
    )


CLASSES = ("no rain (−1)", "rain (1)")


def _figures(days: Table) -> tuple[Figure, ...]:
    """The figures, in the order of the lesson's text."""

    def steps() -> "MatplotlibFigure":
        from gaussbayes.lessons.figure_parts import RuleStep, bayes_rule_bars

        def step(name: str, values: FloatArray, of: Sequence[int], operator: str = "") -> RuleStep:
            """Proportions written as fractions with these denominators."""
            parts = zip(values.tolist(), of, strict=True)
            texts = tuple(f"{whole * part:.0f}/{whole}" for part, whole in parts)
            return RuleStep(name, values, texts, operator)

        # The rows of a class are counted in its size, the days in theirs.
        sizes = np.unique(days.labels, return_counts=True)[1].tolist()
        n = days.labels.size
        terms = explanation().bayes.classes
        names = [f"p({name} {value} | y)" for name, value in zip(days.features, QUERY, strict=True)]
        return bayes_rule_bars(
            _CLASSES,
            [
                step("prior", np.array([each.prior for each in terms]), [n, n]),
                *(step(name, likelihood()[:, j], sizes, "×") for j, name in enumerate(names)),
                step("joint", joint(), [75, 75], "="),
                step("posterior", posterior(), [5, 5], "÷ evidence =\n"),
            ],
        )

    def log_odds() -> "MatplotlibFigure":
        from gaussbayes import plots
        from gaussbayes.lessons.figure_parts import figure_of

        return figure_of(plots.explanation(explanation()))

    return (
        Figure(
            "counts",
            "The fifteen days, counted: dry and rainy ones by humidity and by wind. The queried "
            "values are outlined.",
            lambda: _draw_counts(days),
        ),
        Figure(
            "bayes_rule",
            "Bayes' rule for humidity 2 and strong wind: the wind decides.",
            steps,
        ),
        Figure(
            "log_odds",
            "The same in logarithms, −1 against 1: the prior and humidity 2 speak for rain, strong "
            "wind against it, and more.",
            log_odds,
        ),
    )


def _draw_counts(days: Table) -> "MatplotlibFigure":
    """How often each value occurs within each class; the queried values are outlined."""
    from matplotlib.patches import Patch

    from gaussbayes.lessons.figure_parts import panels
    from gaussbayes.plots import style

    classes, codes = np.unique(days.labels, return_inverse=True)
    styles = style.class_styles(np.array(_CLASSES, dtype=object))
    d = len(days.features)
    figure, axes = panels(1, d, (3.6 * d, 3.6), share_y=True)
    width = 0.8 / classes.size
    for j, ax in enumerate(axes[0]):
        values = list(dict.fromkeys(days.rows[:, j].tolist()))
        for code, look in enumerate(styles):
            within = days.rows[codes == code, j]
            heights = [int((within == value).sum()) for value in values]
            places = np.arange(len(values)) + (code - (classes.size - 1) / 2) * width
            edges = [style.INK if value == QUERY[j] else look.color for value in values]
            bars = ax.bar(places, heights, 0.9 * width, color=look.color, edgecolor=edges, lw=1.8)
            ax.bar_label(bars, fontsize="small")
        ax.set_xticks(range(len(values)), values)
        ax.set_xlabel(days.features[j])
    axes[0, 0].set_ylabel("days")
    handles = [
        Patch(color=look.color, label=f"{look.label}: {(codes == code).sum()} days")
        for code, look in enumerate(styles)
    ]
    style.legend_below(figure, handles)
    return figure
