"""What is not known is integrated out, in predicting and in learning."""

from gaussbayes.apps.lab.work.steps.step import GuidedLesson, Step, by_hand, data, fitted, state

_ROWS = data("diabetes", 250)
_GAPS = data("gaps", 250)
_DOCTOR = by_hand(
    (0.8, 0.2),
    ((40.0, 95.0), (52.0, 130.0)),
    (((36.0, 12.0), (12.0, 144.0)), ((64.0, 48.0), (48.0, 484.0))),
)
_PATIENT = [48.0, 125.0]


LESSON = GuidedLesson(
    "missing_data",
    "Missing features and missing labels",
    (
        Step(
            "Patients by blood count and glucose; the model is the doctor's, who knows that 80 % "
            "of the patients are healthy. Of a patient with count 48 and glucose 125 both are "
            "known: healthy has probability 0.24.",
            state(_ROWS, _DOCTOR, at=_PATIENT),
        ),
        Step(
            "Now the glucose was not measured. What is left of each Gaussian is the Gaussian of "
            "the count, so that nothing needs to be filled in: healthy has probability 0.71.",
            state(_ROWS, _DOCTOR, at=_PATIENT, hide=1),
        ),
        Step(
            "Filling in the mean glucose of 102 instead would say 0.89, as sure as if it had been "
            "measured. A guess is not a measurement.",
            state(_ROWS, _DOCTOR, at=[48.0, 102.0]),
        ),
        Step(
            "If only the glucose is known, the count is integrated out: 0.25. The regions depend "
            "on the coordinate that is there, and on nothing else.",
            state(_ROWS, _DOCTOR, at=_PATIENT, hide=0),
        ),
        Step(
            "Learning can do without values, too. Here the glucose is missing wherever the count "
            "is above 48: those patients cannot be drawn in the plane, but their counts are learnt "
            "from, and so is, through the correlation, what their glucose may have been.",
            state(_GAPS, fitted(), layers={"truth": True}),
        ),
        Step(
            "Compare with the true boundary: the fitted ellipses reach up to where no point is to "
            "be seen, for the most likely Gaussian of what is there is not that of the complete "
            "rows. This asks that values are missing for reasons that the others tell.",
            state(_GAPS, fitted(), layers={"truth": True, "regions": "hard"}),
        ),
    ),
)
