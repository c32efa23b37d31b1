"""Rain from humidity and wind: naive Bayes on counts."""

import numpy as np

from gaussbayes.analysis.explanation import Explanation
from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Table
from gaussbayes.lessons.pictures.rain import pictures

HUMIDITY = "111112222233333"
WIND = "SMMSSSMMLLLMMLL"
RAIN = (-1, -1, 1, 1, -1, -1, 1, 1, 1, 1, 1, 1, 1, 1, -1)
QUERY = ("2", "S")
SOURCE = "H. Xue, Generative Models for Classification, ITCS 6156/8156, UNC Charlotte, 2024"


def table() -> Table:
    """Fifteen days: humidity 1 to 3, wind S(trong), M(edium) or L(ow), rain 1 or −1."""
    rows = np.array([HUMIDITY, WIND]).view("U1").reshape(2, -1).T
    return Table("days", rows, np.array(RAIN), ("humidity", "wind"), "listed by the sheet")


def fit() -> GaussianClassifier:
    """The classifier of the days. Both features hold categories, so that it has no Gaussian."""
    days = table()
    model = GaussianClassifier(categorical_features=[0, 1]).fit(days.rows, days.labels)
    return model.with_feature_names(days.features)


def told() -> Explanation:
    """Bayes' rule for humidity 2 and wind S, y = −1 first, and what either adds."""
    return fit().explain(QUERY)


def likelihood() -> FloatArray:
    """``p(humidity 2 | y)`` and ``p(wind S | y)`` (2, 2), y = −1 in the first row."""
    model = fit()
    shares, places = model.category_probabilities_, model.categories_
    own = [
        shares[name][:, places[name].index(value)]
        for name, value in zip(places, QUERY, strict=True)
    ]
    return np.stack(own, axis=1)


def joint() -> FloatArray:
    """``p(humidity 2, wind S, y)`` for y = −1 and y = 1 (2,)."""
    return np.array([terms.joint for terms in told().bayes.classes])


def posterior() -> FloatArray:
    """``p(y | humidity 2, wind S)`` for y = −1 and y = 1 (2,)."""
    return np.array([terms.posterior for terms in told().bayes.classes])


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    days = table()
    return Lesson(
        name="rain",
        title="Rain from humidity and wind",
        source=SOURCE,
        text=(
            "Discrete features need no Gaussian: the likelihood of a value is its share within the "
            "class. Of 15 days 10 were rainy; 4 of those had humidity 2 and 1 had strong wind, "
            "against 1 and 3 of the 5 dry ones. Taking the two features as independent within a "
            "class, the joint probabilities are 10/15 · 4/10 · 1/10 = 2/75 for rain and "
            "5/15 · 1/5 · 3/5 = 3/75 for none, so rain has probability 2/5: it will probably stay "
            "dry. Strong wind speaks against rain more than humidity and the prior speak for it. "
            "The classifier does the same with every feature that is named as categorical."
        ),
        data=(days,),
        figures=(
            Figure("joint for rain", lambda: joint()[1], 2 / 75, decimals=12, sheet=2 / 75),
            Figure("joint for no rain", lambda: joint()[0], 3 / 75, decimals=12, sheet=3 / 75),
            Figure("probability of rain", lambda: posterior()[1], 0.4, decimals=12),
        ),
        errata=(
            Erratum(
                where="posterior of no rain",
                printed="P(y = 0 | …)",
                right="P(y = −1 | …)",
                why="The table writes no rain as −1; no row has the label 0.",
            ),
        ),
        pictures=pictures(days, QUERY, likelihood(), told()),
    )
