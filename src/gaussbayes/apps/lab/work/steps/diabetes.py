"""A prior that is not the share of the rows."""

from gaussbayes.apps.lab.work.steps.step import GuidedLesson, Step, by_hand, data, state

_ROWS = data("diabetes", 250)
_MEANS = ((40.0, 95.0), (52.0, 130.0))
_COVARIANCES = (((36.0, 12.0), (12.0, 144.0)), ((64.0, 48.0), (48.0, 484.0)))
_COUNT = [48.0, 125.0]


LESSON = GuidedLesson(
    "diabetes",
    "Diabetes and a doctor's prior",
    (
        Step(
            "Healthy patients have a lower blood count, patients with diabetes a higher one, and "
            "the curves overlap. With equal priors a count of 48 speaks for diabetes: healthy has "
            "probability 0.38.",
            state(
                _ROWS,
                by_hand((0.5, 0.5), _MEANS, _COVARIANCES),
                view="line",
                at=_COUNT,
                hide=1,
            ),
        ),
        Step(
            "The doctor knows that four of five patients are healthy. A prior is a factor: it "
            "multiplies the odds by four, and healthy now has probability 0.71. The curves "
            "themselves are the same.",
            state(
                _ROWS,
                by_hand((0.8, 0.2), _MEANS, _COVARIANCES),
                view="line",
                layers={"joint": True},
                at=_COUNT,
                hide=1,
            ),
        ),
        Step(
            "Measure the glucose as well: at 125 it speaks for diabetes, and healthy falls to "
            "0.24. The bars show how much each of the two measurements adds to the log-odds.",
            state(_ROWS, by_hand((0.8, 0.2), _MEANS, _COVARIANCES), at=_COUNT),
        ),
        Step(
            "A doctor may want to decide only what is sure. Where no class reaches a probability "
            "of 0.9 the decision is left open, and another test is made.",
            state(
                _ROWS,
                by_hand((0.8, 0.2), _MEANS, _COVARIANCES),
                layers={"reject": 0.9},
                at=_COUNT,
            ),
        ),
    ),
)
