"""What part of the plane is shown, and the points over it."""

import numpy as np
import pytest

from gaussbayes.analysis.grid import Grid, limits, line_over
from gaussbayes.base.errors import OptionError
from gaussbayes.model.model import Model
from tests.gaussians import model_of


def model() -> Model:
    covariances = [[[4.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 9.0]]]
    return model_of("uniform", [[0, 0], [10, 5]], covariances)


def test_rows_and_arrange_are_inverse() -> None:
    grid = Grid(np.linspace(0.0, 3.0, 4), np.linspace(10.0, 14.0, 4))
    image = grid.arrange(grid.rows)
    assert image.shape == (4, 4, 2)
    for i, y in enumerate(grid.y):
        for j, x in enumerate(grid.x):
            assert image[i, j].tolist() == [x, y]
    assert grid.extent == (0.0, 3.0, 10.0, 14.0)


def test_a_grid_need_not_be_square() -> None:
    grid = Grid(np.arange(5.0), np.arange(3.0))
    assert grid.rows.shape == (15, 2)
    assert grid.arrange(np.arange(30).reshape(15, 2)).shape == (3, 5, 2)


def test_without_rows_three_standard_deviations_are_shown() -> None:
    low, high = limits(model())
    assert low.tolist() == [-6.0, -4.0]  # 0 − 3·2, and 5 − 3·3
    assert high.tolist() == [13.0, 14.0]  # 10 + 3·1, and 5 + 3·3


def test_rows_are_shown_whole_and_means_with_them() -> None:
    rows = np.array([[-1.0, 2.0], [4.0, 3.0]])
    low, high = limits(model(), rows)
    # The means reach from 0 to 10 and from 0 to 5; the rows only add −1. 6 % of the span on top.
    np.testing.assert_allclose(low, [-1 - 0.06 * 11, 0 - 0.06 * 5], rtol=1e-14)
    np.testing.assert_allclose(high, [10 + 0.06 * 11, 5 + 0.06 * 5], rtol=1e-14)


def test_several_sets_of_rows_and_empty_ones() -> None:
    low, high = limits(None, np.empty((0, 1)), np.array([[0.0]]), np.array([[100.0]]))
    assert (low.tolist(), high.tolist()) == ([-6.0], [106.0])


@pytest.mark.parametrize("value", [0.0, 7.0, -1e12, 1e300])
def test_a_constant_feature_is_given_room(value: float) -> None:
    low, high = limits(None, np.full((3, 1), value))
    assert low[0] < value < high[0]
    assert np.unique(line_over(low[0], high[0], 100)).size == 100


def test_missing_values_are_left_out() -> None:
    low, high = limits(None, np.array([[0.0, np.nan], [100.0, 7.0], [np.nan, 7.0]]))
    assert (low.tolist(), high.tolist()) == ([-6.0, 6.5], [106.0, 7.5])
    with pytest.raises(OptionError, match="give rows .* with a value of each feature"):
        limits(None, np.array([[0.0, np.nan], [1.0, np.nan]]))


def test_nothing_to_show_and_too_few_points() -> None:
    with pytest.raises(OptionError, match="limits of the figure are not known: give rows"):
        limits(None, np.empty((0, 2)))
    with pytest.raises(OptionError, match="at least 2 points a side, got 1"):
        line_over(0.0, 1.0, 1)
