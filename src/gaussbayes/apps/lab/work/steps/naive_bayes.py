"""Six rows, by hand."""

from gaussbayes.apps.lab.work.steps.step import GuidedLesson, Step, data, fitted, state

_ROWS = data("naive_bayes", 6)
_QUERY = [3.0, 4.0]


LESSON = GuidedLesson(
    "naive_bayes",
    "Naive Bayes by hand",
    (
        Step(
            "Six rows, three of each class: small enough to check every number by hand. The means "
            "are (8.5, 1.83) and (1.83, 7.5); the handout prints 6.84 for the last of them, but "
            "8, 7.5 and 7 average to 7.5.",
            state(_ROWS, fitted("diagonal"), layers={"regions": "none", "boundary": False}),
        ),
        Step(
            "Naive Bayes takes the features as independent within each class: it keeps the "
            "variances and drops the covariances, so that the axes of all ellipses are level and "
            "upright.",
            state(_ROWS, fitted("diagonal")),
        ),
        Step(
            "A new point at (3, 4). It is 14 standard deviations from class 1 and 9 from class 2, "
            "so that both likelihoods are tiny; yet only their ratio counts, and it is e^58 in "
            "favour of class 2. The bars show what each feature adds.",
            state(_ROWS, fitted("diagonal"), at=_QUERY),
        ),
        Step(
            "A posterior of practically 1, for a point that is like neither class: the p-values "
            "say so, and the zone of novelty covers it. Probabilities compare the classes with "
            "each other, not with anything else that might have been.",
            state(_ROWS, fitted("diagonal"), layers={"novelty": 0.001}, at=_QUERY),
        ),
        Step(
            "Hide the second feature. What is left of a Gaussian is the Gaussian of the other "
            "feature: the prediction at 3 uses the first feature alone, and nothing needs to be "
            "fitted again.",
            state(_ROWS, fitted("diagonal"), at=_QUERY, hide=1),
        ),
        Step(
            "With full covariances the ellipses lean. Three points a class are just enough for "
            "that: take one away and the covariance is singular, as the message then says.",
            state(_ROWS, fitted("full"), at=_QUERY),
        ),
    ),
)
