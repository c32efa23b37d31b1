"""Pictures of missing data: a hidden feature, incomplete rows, few labels, and hidden values."""

from functools import cache
from typing import TYPE_CHECKING

from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import incomplete
from gaussbayes.lessons.drawings import gaps
from gaussbayes.lessons.lesson import Picture, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_TEST = 100_000
"""Rows of each class, so that the first decimal of an error is right."""


def pictures(
    doctor: GaussianClassifier,
    best: GaussianClassifier,
    known: tuple[float, float],
    tables: tuple[Table, Table, Table, Table],
    seed: int,
) -> tuple[Picture, ...]:
    """The pictures, in the order of the lesson's text.

    Parameters
    ----------
    doctor : of count and glucose
    best : the rule that knows the parameters of the rows with few labels
    known : a count, and the glucose that is filled in beside it
    tables : apples, few labels, and patients whose glucose is hidden by the count and by itself
    """
    apples, few, by_count, by_glucose = tables

    @cache
    def fitted() -> tuple[GaussianClassifier, GaussianClassifier]:
        return incomplete.fit(incomplete.without_unlabelled(few)), incomplete.fit(few)

    def hidden() -> "Figure":
        return gaps.hidden_feature(doctor, *known, by_count.features)

    def trees() -> "Figure":
        ways = {
            "maximum likelihood": apples.rows,
            "without the six": incomplete.complete(apples.rows),
            "mean filled in": incomplete.filled(apples.rows),
        }
        found = {name: incomplete.one_gaussian(rows) for name, rows in ways.items()}
        return gaps.estimates(apples, found)

    def climbs() -> "Figure":
        one = incomplete.climb(apples.rows)
        return gaps.climbs({"apples": one, "few labels": fitted()[1].convergence_})

    def labels() -> "Figure":
        errors = incomplete.errors(few, seed, n_test=N_TEST)
        n = incomplete.without_unlabelled(few).labels.size
        names = (
            f"{n} labelled rows: {errors.labelled:.1f} % wrong",
            f"and {few.labels.size - n} without label: {errors.all_rows:.1f} %",
        )
        return gaps.few_labels(dict(zip(names, fitted(), strict=True)), best, few)

    def hidden_values() -> "Figure":
        shown = {"hidden by the count": by_count, "hidden by itself": by_glucose}
        found = {name: incomplete.one_gaussian(table.rows) for name, table in shown.items()}
        return gaps.hidden_values(shown, found, incomplete.true_patients())

    return (
        Picture(
            "hidden_feature",
            "Of a patient the count is known and the glucose is not. The exact answer is the mean "
            "over all glucoses, each as probable as it is beside this count; a glucose filled in "
            "is one point of the curve.",
            hidden,
        ),
        Picture(
            "apples",
            "Eighteen apple trees, six without a share of wormy fruits, all with small crops. "
            "Without them the mean moves down along the slope; with means filled in the slope "
            "itself is lost.",
            trees,
        ),
        Picture(
            "climbs",
            "EM makes the likelihood larger with every step, until its digits end.",
            climbs,
        ),
        Picture(
            "few_labels",
            "The boundary by the labelled rows alone, and with the rows that have no label; dashed "
            "the boundary of the rule that knows the parameters.",
            labels,
        ),
        Picture(
            "hidden_values",
            "The same patients twice. Left the glucose is missing where the count is high, and the "
            "most likely Gaussian is nearly the true one; right it is missing where it is high "
            "itself, and no row is left to tell of it.",
            hidden_values,
        ),
    )
