"""Every result of every lesson, and the records they stand in."""

import dataclasses

import numpy as np
import pytest

from gaussbayes import lessons
from gaussbayes.base.errors import ParameterError
from gaussbayes.lessons import Lesson, Result, Spread

ALL = lessons.all_lessons()
RESULTS = [(lesson, result) for lesson in ALL for result in lesson.results]

HANDOUT_ERRS = {
    ("naive_bayes", "means"),
    ("naive_bayes", "covariance of class 1"),
    ("naive_bayes", "covariance of class 2"),
    ("naive_bayes", "densities at the query"),
    ("naive_bayes", "posterior of class 1"),
}
"""Results that a handout prints wrongly; each has its erratum."""


@pytest.mark.parametrize(
    ("lesson", "result"), RESULTS, ids=[f"{one.name}: {result.name}" for one, result in RESULTS]
)
def test_result(lesson: Lesson, result: Result) -> None:
    value = result.value()
    assert result.agrees(value), f"{lesson.name}, {result.name}: {value} is not {result.right}"


@pytest.mark.parametrize(
    ("lesson", "result"),
    [(one, result) for one, result in RESULTS if result.handout is not None],
)
def test_the_handout_is_right_unless_it_errs(lesson: Lesson, result: Result) -> None:
    assert result.handout is not None
    # A handout may print fewer decimals than are known: compare to its own last one.
    near = np.abs(np.asarray(result.handout) - np.asarray(result.right))
    agrees = bool((near <= np.maximum(result.tolerance, 0.005)).all())
    assert agrees != ((lesson.name, result.name) in HANDOUT_ERRS)


# From the course's figures, written out once more so that no record can drift.
PRINTED = {
    ("petals", "means of A and B"): [2.68, 6.5],
    ("petals", "variances, divided by N"): [0.5336, 0.26],
    ("petals", "variances, divided by N − 1"): [0.667, 0.39],
    ("petals", "φ, the prior of B"): 3 / 8,
    ("petals", "boundaries with equal priors"): [4.894721, 15.365512],
    ("petals", "boundaries with the prior φ"): [4.944434, 15.315800],
    ("petals", "negative log-likelihood: labels, features, together"): [
        5.2925059,
        7.7606258,
        13.0531317,
    ],
    ("naive_bayes", "priors"): [0.5, 0.5],
    ("naive_bayes", "means"): [[8.5, 1.8333], [1.8333, 7.5]],
    ("naive_bayes", "covariance of class 1"): [[0.1667, 0.1667], [0.1667, 0.3889]],
    ("naive_bayes", "covariance of class 2"): [[0.3889, -0.1667], [-0.1667, 0.1667]],
    ("naive_bayes", "log-likelihoods of the query"): [-97.25548, -38.96977],
    ("naive_bayes", "log-odds of class 2"): 58.285714,
    ("naive_bayes", "posterior of class 1"): 4.9e-26,
    ("naive_bayes", "label of the query, as the handout counts classes"): 2,
    ("genetic_test", "probability of the defect after a positive test"): 8.33,
    ("rain", "joint for rain"): 2 / 75,
    ("rain", "joint for no rain"): 3 / 75,
    ("rain", "probability of rain"): 0.4,
}

PRINTED_BY_THE_HANDOUT = {
    ("three_gaussians", "test error"): 0.267,
    ("two_gaussians", "means"): [[0.1600, -0.0031], [1.9633, 2.0848]],
    ("two_gaussians", "covariances, divided by N"): [
        [[1.9749, -1.0334], [-1.0334, 2.1867]],
        [[0.8095, 0.0047], [0.0047, 0.9766]],
    ],
    ("two_gaussians", "confusion matrix, true class by row"): [[47, 3], [7, 43]],
    ("two_gaussians", "accuracy"): 90,
    ("two_gaussians", "confusion matrix of 3 nearest neighbours"): [[46, 4], [11, 39]],
    ("two_gaussians", "accuracy of 3 nearest neighbours"): 85,
    ("naive_bayes", "means"): [[8.5, 1.83], [1.83, 6.84]],
    ("naive_bayes", "covariance of class 1"): [[0.21, 0.14], [0.14, 0.40]],
    ("naive_bayes", "densities at the query"): [8.95e-3, 0.238],
    ("naive_bayes", "posterior of class 1"): 0.036,
}


def find(place: tuple[str, str]) -> Result:
    (found,) = [f for one, f in RESULTS if (one.name, f.name) == place]
    return found


@pytest.mark.parametrize("place", PRINTED)
def test_right_values_are_the_courses(place: tuple[str, str]) -> None:
    np.testing.assert_array_equal(find(place).right, PRINTED[place])


@pytest.mark.parametrize("place", PRINTED_BY_THE_HANDOUT)
def test_handout_values_are_the_courses(place: tuple[str, str]) -> None:
    np.testing.assert_array_equal(find(place).handout, PRINTED_BY_THE_HANDOUT[place])


def test_the_lessons_are_in_the_order_of_the_course() -> None:
    assert lessons.names() == (
        "one_gaussian",
        "three_gaussians",
        "optimal_regions",
        "two_gaussians",
        "petals",
        "naive_bayes",
        "genetic_test",
        "diabetes",
        "covariance_ellipses",
        "rain",
        "missing_data",
        "probability",
        "independence",
        "generative",
    )
    assert tuple(lesson.name for lesson in ALL) == lessons.names()


@pytest.mark.parametrize("lesson", ALL, ids=lessons.names())
def test_a_lesson_is_complete(lesson: Lesson) -> None:
    assert lesson.title
    assert lesson.source
    assert 2 <= lesson.text.count(". ") + 1 <= 8
    assert len({result.name for result in lesson.results}) == len(lesson.results) > 0
    for table in lesson.data:
        assert table.rows.shape == (table.labels.shape[0], len(table.features))
        assert table.source
    for erratum in lesson.errata:
        assert all(dataclasses.astuple(erratum))


def test_another_seed_draws_other_rows_and_agrees_as_well() -> None:
    seed = 1
    for name in ("three_gaussians", "two_gaussians", "diabetes", "missing_data"):
        lesson, again, other = (lessons.get(name, one) for one in (seed, seed, 0))
        drawn = [i for i, table in enumerate(lesson.data) if f"seed {seed}" in table.source]
        assert drawn
        for i in drawn:
            assert (lesson.data[i].rows != other.data[i].rows).all()
            np.testing.assert_array_equal(lesson.data[i].rows, again.data[i].rows)
        for result in lesson.results:
            assert result.agrees(result.value())


def test_an_unknown_lesson_is_an_error_with_a_hint() -> None:
    with pytest.raises(ParameterError, match=r"no lesson 'petal' \(did you mean 'petals'\?\); the"):
        lessons.get("petal")
    with pytest.raises(ParameterError, match="no lesson 'x'; the lessons are one_gaussian, three"):
        lessons.get("x")


def test_a_result_compares_to_its_decimals_and_its_spread() -> None:
    result = Result("f", lambda: 1.0, right=(1.0, 2.0), decimals=2, standard_error=(0.0, 0.1))
    assert result.agrees((1.004, 2.4))
    assert not result.agrees((1.006, 2.0))
    assert not result.agrees((1.0, 2.41))
    assert not result.agrees(1.0)
    assert not result.agrees((np.nan, 2.0))


def test_a_spread_holds_what_lies_between_its_smallest_and_largest() -> None:
    spread = Spread("s", lambda: [1, 2, 4], handout=1)
    values = spread.values()
    assert values.dtype == np.float64
    assert spread.holds(values)
    assert not spread.holds(values[1:])
    assert not spread.holds(values - 4)
