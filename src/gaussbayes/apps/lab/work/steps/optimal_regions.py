"""Regions that follow from parameters alone."""

from gaussbayes.apps.lab.work.steps.step import GuidedLesson, Step, by_hand, data, state

_ROWS = data("optimal_regions", 300)
_MEANS = ((0.0, 0.0), (2.0, 2.0), (-2.0, -2.0))
_COVARIANCE = ((4.0, -3.0), (-3.0, 4.0))
_PRIORS = (0.25, 0.25, 0.5)


def _model(priors: tuple[float, ...] = _PRIORS) -> dict[str, object]:
    return by_hand(priors, _MEANS, (_COVARIANCE,) * 3)


LESSON = GuidedLesson(
    "optimal_regions",
    "Optimal regions from given parameters",
    (
        Step(
            "With the parameters known there is nothing to fit: the regions follow from Bayes' "
            "rule. Three classes share one covariance, so that the squares cancel in the log-odds "
            "and every boundary is a straight line.",
            state(_ROWS, _model(), layers={"errors": False}),
        ),
        Step(
            "The lines are parallel: x1 + x2 = 2 between classes 0 and 1, and x1 + x2 = −1.65 "
            "between classes 0 and 2. With equal priors the second one would lie at −2: the "
            "larger prior of class 2 pushes it by ½ log 2.",
            state(_ROWS, _model((1 / 3, 1 / 3, 1 / 3)), layers={"errors": False, "truth": True}),
        ),
        Step(
            "The evidence is the density of all classes together. The peak of class 2 is the "
            "highest, twice as high as the others, because of its prior. Turn it around.",
            state(_ROWS, _model(), view="surface", layers={"evidence": True, "errors": False}),
        ),
        Step(
            "Even the optimal rule errs in 9.39 % of all cases. The ringed points are on the "
            "wrong side of a boundary, and no other boundary would do better on average.",
            state(_ROWS, _model(), layers={"regions": "hard"}),
        ),
        Step(
            "Take the model by the hand: drag a mean, or turn an ellipse by the end of its axis. "
            "As soon as the covariances differ the boundaries bend. The dashed lines are the true "
            "ones.",
            state(
                _ROWS,
                by_hand(_PRIORS, _MEANS, (((4.0, 1.5), (1.5, 2.0)), _COVARIANCE, _COVARIANCE)),
                layers={"truth": True},
            ),
        ),
    ),
)
