"""Prediction sets: coverage on new rows, and bad input."""

import numpy as np
import pytest
from scipy.stats import binomtest

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.prediction_sets import conformal_p_values
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.model.calibration import Calibration

CENTERS = np.array([[0.0, 0.0], [1.8, 0.0], [0.0, 1.8]])


def draw(generator, n):
    codes = generator.choice(3, n, p=[0.5, 0.3, 0.2])
    return CENTERS[codes] + generator.standard_t(5, size=(n, 2)), codes


def test_coverage():
    """Of 60 tables with 150 rows: as often as is said, though rows are not Gaussian.

    Of one new row of each table and class, so many are covered as is likely for a probability of
    0.9; and the mean of many new rows, whose error is smaller, is above 0.9 by less than the half
    of 1 / (m + 1) that the usual rule adds for m rows of a class, and by what a row more changes.
    """
    generator, proportions = np.random.default_rng(5), np.array([0.5, 0.3, 0.2])
    overall, within, single = np.zeros(60), np.zeros((60, 3)), np.zeros((60, 3), dtype=bool)
    for number in range(60):
        model = GaussianClassifier(calibration="leave_one_out").fit(*draw(generator, 150))
        X, y = draw(generator, 600)
        overall[number] = model.predict_set(X, 0.9)[np.arange(600), y].mean()
        inside = model.predict_set(X, 0.9, by_class=True)[np.arange(600), y]
        within[number] = [inside[y == code].mean() for code in range(3)]
        single[number] = [inside[y == code][0] for code in range(3)]
    assert abs(overall.mean() - 0.9) < 3 * overall.std(ddof=1) / np.sqrt(60)
    assert all(binomtest(int(count), 60, 0.9).pvalue > 0.01 for count in single.sum(axis=0))
    excess, error = within.mean(axis=0) - 0.9, within.std(axis=0, ddof=1) / np.sqrt(60)
    assert (excess > -3 * error).all()
    assert (excess < 0.5 / (1 + 150 * proportions) + 3 * error).all()


@pytest.mark.parametrize("n", [3, 10, 57])
def test_p_values_are_those_of_interpolated_quantiles(n):
    """A class is in the set if its posterior is above NumPy's quantile at j / (n + 1)."""
    generator = np.random.default_rng(n)
    scores, posterior = np.sort(generator.random(n)), generator.random((200, 1))
    calibration = Calibration(1.0, np.zeros(1), left_out=(np.log(scores),))
    usual = conformal_p_values(np.log(posterior), calibration, by_class=True)
    for level in (0.05, 0.1, 0.3, 0.5):
        quantile = np.quantile(scores, level, method="weibull")
        expected = posterior > (quantile if level * (n + 1) >= 1 else -1.0)
        assert ((usual > level) == expected).all()


def test_equal_posteriors_are_usual():
    """As unusual as all others are all: a tie counts as if the row were above."""
    calibration = Calibration(1.0, np.zeros(2), left_out=(np.log(np.full(30, 0.5)), np.empty(0)))
    assert conformal_p_values(np.log([[0.5, 0.5]]), calibration, by_class=True).tolist() == [[1, 1]]


def test_sets_grow_with_coverage():
    generator = np.random.default_rng(6)
    model = GaussianClassifier(calibration="leave_one_out").fit(*draw(generator, 150))
    X, _ = draw(generator, 200)
    small, large = model.predict_set(X, 0.5), model.predict_set(X, 0.99)
    assert (small <= large).all()
    assert small.sum() < large.sum()


def test_bad_input():
    X, y = draw(np.random.default_rng(7), 60)
    model = GaussianClassifier(calibration="leave_one_out").fit(X, y)
    for coverage in (0.0, 1.0, -0.1, 90, float("nan"), "0.9", True):
        with pytest.raises(OptionError, match="coverage must be"):
            model.predict_set(X, coverage)
    with pytest.raises(DataError, match="calibration='leave_one_out'"):
        GaussianClassifier().fit(X, y).predict_set(X)
    with pytest.raises(OptionError, match="calibration must be None or 'leave_one_out'"):
        GaussianClassifier(calibration="sigmoid").fit(X, y)
