"""A rare defect and a good test: Bayes' rule without any Gaussian.

Prior and likelihood are given. People counted in these shares teach the classifier just that, and
a result that is not there is integrated out.
"""

from dataclasses import replace
from itertools import product
from math import prod

import numpy as np

from gaussbayes.analysis.bayes_rule import BayesRule
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.lesson import Figure, Lesson
from gaussbayes.lessons.pictures.genetic_test import pictures

DEFECT = 0.01
POSITIVE_IF_DEFECT = 0.9
NEGATIVE_IF_NONE = 0.9
SOURCE = "H. Xue, Generative Models for Classification, ITCS 6156/8156, UNC Charlotte, 2024"

_PRIOR = (1.0 - DEFECT, DEFECT)
_POSITIVE = (1.0 - NEGATIVE_IF_NONE, POSITIVE_IF_DEFECT)
_NEGATIVE = (NEGATIVE_IF_NONE, 1.0 - POSITIVE_IF_DEFECT)
_CLASSES = ("no defect", "defect")


def fit(n_tests: int = 1) -> GaussianClassifier:
    """The classifier of people who took so many independent tests, all results counted.

    Of 1000 people with one test 9 have the defect and test positive, and so on; each test more
    takes ten times as many people for whole numbers.

    Examples
    --------
    >>> fit().counts_.weight.tolist()  # defect and no defect, negative and positive
    [[1.0, 9.0], [891.0, 99.0]]
    """
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


def told(*results: bool) -> BayesRule:
    """Bayes' rule after independent tests, True for a positive one: no defect, then a defect.

    Without a test it is the prior.

    Examples
    --------
    >>> positive = told(True)
    >>> round(positive.evidence, 12), round(positive.classes[1].joint, 12)
    (0.108, 0.009)
    """
    rule = fit(len(results) or 1).explain(results or (None,)).bayes
    # Labels are sorted; here the usual comes first.
    return replace(rule, classes=rule.classes[::-1])


def probability_of_defect(*results: bool) -> float:
    """``p(defect | results)`` in per cent.

    Examples
    --------
    >>> round(probability_of_defect(True), 2)
    8.33
    """
    return 100.0 * told(*results).classes[1].posterior


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    positive = told(True).classes
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
        figures=(
            Figure(
                "probability of the defect after a positive test",
                lambda: probability_of_defect(True),
                right=8.33,
                decimals=2,
                sheet=8.33,
                unit="%",
            ),
            Figure(
                "after a negative test",
                lambda: probability_of_defect(False),
                right=0.1121,
                decimals=4,
                unit="%",
            ),
            Figure(
                "after two positive tests",
                lambda: probability_of_defect(True, True),
                right=45.0,
                decimals=12,
                unit="%",
            ),
        ),
        pictures=pictures(
            prior=np.array(_PRIOR),
            positive=np.array(_POSITIVE),
            joint=np.array([terms.joint for terms in positive]),
            posterior=np.array([terms.posterior for terms in positive]),
        ),
    )
