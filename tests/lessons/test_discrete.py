"""Course, document 004: Bayes' rule on a genetic test, and naive Bayes on counts."""

from fractions import Fraction

import numpy as np
import pytest

from gaussbayes.lessons import genetic_test, rain
from gaussbayes.lessons.handouts import DAYS


def test_genetic_test_in_fractions() -> None:
    positive = Fraction(9, 10) * Fraction(1, 100), Fraction(1, 10) * Fraction(99, 100)
    proportion = positive[0] / sum(positive)
    assert proportion == Fraction(1, 12)
    assert genetic_test.probability_of_defect(True) == pytest.approx(100 / 12, rel=1e-14)


def test_every_number_of_bayes_rule_for_the_genetic_test() -> None:
    rule = genetic_test.bayes_rule_after(True)
    none, defect = rule.classes
    assert [terms.label for terms in rule.classes] == ["no defect", "defect"]
    # Of 1000 people 99 + 9 test positive.
    assert rule.evidence == pytest.approx(0.108, rel=1e-14)
    assert rule.log_evidence == pytest.approx(np.log(0.108), rel=1e-14)
    for terms, expected in ((none, (0.99, 0.1, 0.099)), (defect, (0.01, 0.9, 0.009))):
        numbers = (terms.prior, terms.likelihood, terms.joint)
        assert numbers == pytest.approx(expected, rel=1e-14)
        assert terms.posterior == pytest.approx(terms.joint / 0.108, rel=1e-14)
        logarithms = (terms.log_prior, terms.log_likelihood, terms.log_joint, terms.log_posterior)
        assert logarithms == pytest.approx(np.log([*numbers, terms.posterior]).tolist(), rel=1e-13)
        assert np.isnan(terms.squared_distance)


def test_a_negative_test_and_a_second_positive_one() -> None:
    # 0.001 / 0.892 and 0.0081 / 0.018.
    assert genetic_test.probability_of_defect(False) == pytest.approx(100 / 892, rel=1e-13)
    assert genetic_test.probability_of_defect(True, True) == pytest.approx(45, rel=1e-13)


def test_without_a_test_there_is_the_prior() -> None:
    assert genetic_test.probability_of_defect() == pytest.approx(1, rel=1e-14)


def test_results_that_cancel_leave_the_prior() -> None:
    assert genetic_test.probability_of_defect(True, False) == pytest.approx(1, rel=1e-13)


def test_rain_in_fractions() -> None:
    days = list(zip(*DAYS.rows.T.tolist(), DAYS.labels.tolist(), strict=True))
    assert len(days) == 15
    joint = []
    for label in (-1, 1):
        own = [day for day in days if day[2] == label]
        humid = Fraction(sum(day[0] == "2" for day in own), len(own))
        strong = Fraction(sum(day[1] == "S" for day in own), len(own))
        joint.append(Fraction(len(own), 15) * humid * strong)
    assert joint == [Fraction(3, 75), Fraction(2, 75)]
    np.testing.assert_allclose(rain.of_classes("joint"), [3 / 75, 2 / 75], rtol=1e-14)
    np.testing.assert_allclose(rain.of_classes("posterior"), [0.6, 0.4], rtol=1e-14)


def test_erratum_no_rain_is_minus_1() -> None:
    model = rain.fit()
    assert model.classes_.tolist() == [-1, 1]
    np.testing.assert_allclose(model.priors_, [5 / 15, 10 / 15])
    np.testing.assert_allclose(rain.likelihood(), [[1 / 5, 3 / 5], [4 / 10, 1 / 10]])


def test_what_humidity_and_wind_add() -> None:
    odds = rain.explanation().log_odds
    assert odds is not None
    assert (odds.of, odds.against) == (-1, 1)
    expected = [("humidity", "2", np.log(1 / 2)), ("wind", "S", np.log(6))]
    for one, (name, value, amount) in zip(odds.contributions, expected, strict=True):
        assert (one.feature, one.value) == (name, value)
        assert one.amount == pytest.approx(amount, rel=1e-14)
    assert odds.at_reference == pytest.approx(np.log(5 / 10), rel=1e-14)
    assert odds.value == pytest.approx(np.log(3 / 2), rel=1e-14)


def test_the_table_of_days() -> None:
    assert DAYS.rows[0].tolist() == ["1", "S"]
    assert DAYS.rows[9].tolist() == ["2", "L"]
    assert DAYS.labels[14] == -1
