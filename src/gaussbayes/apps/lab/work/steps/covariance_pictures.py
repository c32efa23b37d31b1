"""Covariance, correlation, distance, and how many parameters they take."""

from gaussbayes.apps.lab.work.steps.step import GuidedLesson, Step, data, fitted, state

_CLOUDS = data("clouds", 12)
_THREE = data("three", 300)
_FEW = data("few_rows", 16)
_BARE = {"regions": "none", "boundary": False, "errors": False}


LESSON = GuidedLesson(
    "covariance_pictures",
    "Covariance, correlation and distance in pictures",
    (
        Step(
            "Three clouds of four points around the same mean, with the same variances of 2.5. "
            "They differ in one number: the covariance is −2, 0 or 2, which makes the correlation "
            "−0.8, 0 or 0.8.",
            state(_CLOUDS, layers=_BARE),
        ),
        Step(
            "With a ruler (2, 2) and (2, −2) are equally far from the mean. In standard deviations "
            "of the rising cloud the first is 4/3 away and the second 4: that is the Mahalanobis "
            "distance, and the ellipses are its circles.",
            state(_CLOUDS, layers=_BARE, at=[2.0, -2.0]),
        ),
        Step(
            "Shrink the covariances half way to a circle: the covariance of the rising cloud falls "
            "from 2 to 1, its variances stay. All the way, and the three clouds are alike.",
            state(_CLOUDS, fitted(shrinkage=0.5), layers=_BARE),
        ),
        Step(
            "Three classes, each with a covariance of its own: 17 free parameters, and boundaries "
            "that are curves.",
            state(_THREE),
        ),
        Step(
            "One shared covariance: 11 parameters, and every boundary is a straight line, for the "
            "squares cancel. The slider between own and shared goes through everything between.",
            state(_THREE, fitted(shared=True)),
        ),
        Step(
            "Without correlations, as naive Bayes has it: 14 parameters. The axes of the ellipses "
            "are level and upright, whatever the points say. Compare all six structures by their "
            "errors.",
            state(_THREE, fitted("diagonal"), layers={"multiples": True}),
        ),
        Step(
            "Why save parameters? Here are twelve features and about eight rows of each class: a "
            "full covariance cannot be inverted, and the message says so.",
            state(_FEW),
        ),
        Step(
            "Shrunk a little towards a circle it can. Naive Bayes and a shared covariance are "
            "other ways out: try them, and compare their errors on rows left out.",
            state(_FEW, fitted(shrinkage=0.3)),
        ),
    ),
)
