"""Prediction sets: coverage on new rows, and bad input."""

import numpy as np
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError, ParameterError

CENTERS = np.array([[0.0, 0.0], [1.8, 0.0], [0.0, 1.8]])


def draw(generator, n):
    codes = generator.choice(3, n, p=[0.5, 0.3, 0.2])
    return CENTERS[codes] + generator.standard_t(5, size=(n, 2)), codes


@pytest.mark.parametrize("by_class", [False, True])
def test_coverage(by_class):
    """Of 40 tables with 200 rows: as often as is said, though rows are not Gaussian."""
    generator = np.random.default_rng(5)
    covered = np.zeros((40, 3))
    for draw_number in range(40):
        model = GaussianClassifier(calibration="leave_one_out").fit(*draw(generator, 200))
        X, y = draw(generator, 600)
        inside = model.predict_set(X, 0.9, by_class=by_class)[np.arange(600), y]
        covered[draw_number] = [inside[y == code].mean() for code in range(3)]
    error = covered.std(axis=0, ddof=1) / np.sqrt(40)
    if by_class:
        # With m rows of a class the next one is covered at least so often, and by 1/(m+1) more.
        smallest = 200 * np.array([0.5, 0.3, 0.2])
        assert (covered.mean(axis=0) > 0.9 - 3 * error).all()
        assert (covered.mean(axis=0) < 0.9 + 1.5 / smallest + 3 * error).all()
    else:
        overall = covered @ [0.5, 0.3, 0.2]
        assert abs(overall.mean() - 0.9) < 1 / 201 + 3 * overall.std() / np.sqrt(40)


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
        with pytest.raises(ParameterError, match="coverage must be"):
            model.predict_set(X, coverage)
    with pytest.raises(DataError, match="calibration='leave_one_out'"):
        GaussianClassifier().fit(X, y).predict_set(X)
    with pytest.raises(ParameterError, match="calibration must be None or 'leave_one_out'"):
        GaussianClassifier(calibration="sigmoid").fit(X, y)
