"""Two classes in the plane, and a vote of neighbours beside them."""

from gaussbayes.apps.lab.work.steps.step import GuidedLesson, Step, data, fitted, state, voting

_ROWS = data("two_gaussians", 200)


LESSON = GuidedLesson(
    "two_gaussians",
    "Two Gaussians against nearest neighbours",
    (
        Step(
            "Two classes drawn from Gaussians: class 1 around (0, 0), falling to the right, and "
            "class 2 around (2, 2), round. The ellipses are the Gaussians fitted to the points, at "
            "1, 2 and 3 standard deviations.",
            state(_ROWS, layers={"regions": "none", "boundary": False, "errors": False}),
        ),
        Step(
            "Colour every place by the posterior. The boundary is where both classes are equally "
            "probable; as the covariances differ it is a curve. Points that the rule gets wrong "
            "are ringed.",
            state(_ROWS),
        ),
        Step(
            "We know what the points were drawn from, so that the best boundary is known, too: it "
            "is the dashed line. Even this rule is right for only 92.8 % of all points; what is "
            "left is the Bayes error, and no classifier avoids it.",
            state(_ROWS, layers={"truth": True}),
        ),
        Step(
            "Errors on the points that were learnt from flatter a model. Hold out a third of them: "
            "the test error is that of points which the model has never seen. Draw new points with "
            "another seed and see how much it varies.",
            state(_ROWS, layers={"truth": True}, test=0.33),
        ),
        Step(
            "Three nearest neighbours ask no model: each place takes the majority of the three "
            "points next to it. The boundary is ragged, for single points make islands, and the "
            "test error is a little higher.",
            state(_ROWS, voting(), layers={"truth": True}, test=0.33, neighbours=3),
        ),
        Step(
            "With one covariance for both classes the boundary becomes a straight line. That is "
            "wrong for these data, but not by much; compare the errors of all six structures side "
            "by side.",
            state(
                _ROWS,
                fitted(shared=True),
                layers={"truth": True, "multiples": True},
                test=0.33,
                neighbours=3,
            ),
        ),
    ),
)
