"""One length, two species, Bayes' rule."""

from gaussbayes.apps.lab.work.steps.step import GuidedLesson, Step, data, fitted, state

_ROWS = data("petals", 8)
_FAR = {"x": [0.0, 18.0], "y": [0.0, 1.0]}


LESSON = GuidedLesson(
    "petals",
    "Two species by the length of a petal",
    (
        Step(
            "Five petals of species A and three of species B, each by its length alone. A bell "
            "curve is fitted to each species: its mean is the average of the lengths, 2.68 cm and "
            "6.5 cm, and its variance their average squared deviation.",
            state(_ROWS, pair=(0, 0), view="line"),
        ),
        Step(
            "Bayes' rule weighs each curve by its prior, 5/8 and 3/8, and divides by the sum of "
            "both. At 4.9 cm the two products are nearly equal: look at the numbers in the formula "
            "and move the point left and right.",
            state(_ROWS, pair=(0, 0), view="line", layers={"joint": True}, at=[4.9, 0.5]),
        ),
        Step(
            "Where the products are equal the decision changes: at 4.944 cm. With equal priors it "
            "changes at 4.895 cm: species A was the more frequent one, and no longer is.",
            state(
                _ROWS,
                fitted(priors=[0.5, 0.5]),
                pair=(0, 0),
                view="line",
                at=[4.92, 0.5],
            ),
        ),
        Step(
            "Look further to the right. Species A has the wider curve, so that beyond 15.3 cm it "
            "is once more the higher one, although no petal was ever seen there. A posterior is "
            "only as good as the curves are so far out.",
            state(_ROWS, pair=(0, 0), view="line", bounds=_FAR, at=[16.0, 0.5]),
        ),
        Step(
            "With one variance for both species the squares cancel in the log-odds, and a single "
            "boundary is left, at 4.648 cm. The second crossing is gone.",
            state(_ROWS, fitted(shared=True), pair=(0, 0), view="line", bounds=_FAR),
        ),
        Step(
            "The variances were divided by the number of petals, which is maximum likelihood: "
            "0.5336 and 0.26. Divided by one less they are 0.667 and 0.39, and the curves are a "
            "little wider. With so few rows the difference can be seen.",
            state(_ROWS, fitted(divisor="unbiased"), pair=(0, 0), view="line"),
        ),
    ),
)
