"""Training is counting and averaging."""

from gaussbayes.apps.lab.work.steps.step import GuidedLesson, Step, data, fitted, state

_ROWS = data("three_gaussians", 600)
_LATER = data("three_gaussians", 600, seed=1)


LESSON = GuidedLesson(
    "three_gaussians",
    "Three Gaussians, fitted and tested",
    (
        Step(
            "Training a Gaussian classifier is counting and averaging. The prior of a class is its "
            "share of the points, its mean is their average, its covariance the average product of "
            "their deviations.",
            state(_ROWS, fitted(divisor="unbiased"), layers={"regions": "none"}),
        ),
        Step(
            "Watch it learn: with the first twenty points the ellipses are still rough. Press play "
            "in the stream and see them settle; the true shapes are found to within a few per "
            "cent after some hundred points.",
            state(_ROWS, fitted(divisor="unbiased"), layers={"truth": True}, stream=20),
        ),
        Step(
            "Each place belongs to the class with the largest posterior. The three regions meet "
            "in a point, and far away from all points they go on for ever: a model says something "
            "everywhere, whether or not it has seen anything there.",
            state(_ROWS, fitted(divisor="unbiased"), layers={"regions": "hard"}),
        ),
        Step(
            "So mark what is like no class: here a place is called novel where fewer than one in "
            "a hundred points of every class would lie as far out.",
            state(
                _ROWS,
                fitted(divisor="unbiased"),
                layers={"regions": "hard", "novelty": 0.01},
            ),
        ),
        Step(
            "Half of the points are held out now. The handout counts 4 errors in 1500; the best "
            "rule there is errs in 0.17 %, so that among a few hundred test points none or one "
            "is to be expected. Another seed gives another draw.",
            state(_LATER, fitted(divisor="unbiased"), layers={"truth": True}, test=0.5),
        ),
    ),
)
