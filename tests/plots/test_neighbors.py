"""Error against k: the numbers of the comparison, the Gaussian models as lines."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest

from gaussbayes import plots
from gaussbayes.analysis.comparison import Comparison, compare
from gaussbayes.base.errors import OptionError
from tests.models import iris, trees


@pytest.fixture(scope="module")
def compared() -> Comparison:
    return compare(*iris(), held_out=5, neighbors=(1, 3, 15), automatic=False)


def test_points_and_bars(compared: Comparison) -> None:
    ax = plots.neighbors_error(compared)
    (drawn,) = ax.containers
    line, _, (bars,) = drawn.lines
    voting = [each for each in compared.candidates if each.neighbors]
    errors = np.array([candidate.evaluation.error for candidate in voting])
    np.testing.assert_array_equal(line.get_xydata(), np.c_[[1, 3, 15], errors])
    spread = np.sqrt(errors * (1 - errors) / 150)  # of a share among 150 rows
    for (low, high), error, half in zip(bars.get_segments(), errors, spread, strict=True):
        assert low[1] == pytest.approx(error - half, rel=1e-12)
        assert high[1] == pytest.approx(error + half, rel=1e-12)
    assert ax.get_xticks().tolist() == [1, 3, 15]
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylabel() == "error on 150 held-out rows"


def test_the_gaussian_models_are_lines_of_their_own_kind(compared: Comparison) -> None:
    ax = plots.neighbors_error(compared)
    lines = {line.get_label().partition(":")[0]: line for line in ax.lines if len(line.get_xdata())}
    kinds = set()
    for candidate in compared.candidates[:3]:
        line = lines[candidate.name]
        assert set(line.get_ydata()) == {candidate.evaluation.error}
        kinds.add(line.get_linestyle() + str(line._dash_pattern))
    assert len(kinds) == 3
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    error = 100 * compared.candidates[0].evaluation.error
    assert texts[1] == f"QDA: {error:.1f} %"


def test_wide_ranges_have_a_logarithmic_axis() -> None:
    ax = plots.neighbors_error(compare(*trees(n=200), held_out=2, neighbors=(1, 10, 100)))
    assert ax.get_xscale() == "log"
    ax.figure.canvas.draw()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "10", "100"]


@pytest.mark.parametrize("step", [2, 5])
def test_many_numbers_have_few_whole_ticks(step: int) -> None:
    ax = plots.neighbors_error(compare(*trees(n=200), held_out=2, neighbors=range(1, 90, step)))
    ax.figure.canvas.draw()
    boxes = [tick.get_window_extent() for tick in ax.get_xticklabels() if tick.get_text()]
    assert not any(one.overlaps(two) for one, two in pairwise(boxes))
    assert all(float(tick).is_integer() for tick in ax.get_xticks() if 1 <= tick <= 90)


def test_candidates_with_a_problem_are_left_out() -> None:
    X, y = trees()
    compared = compare(np.c_[X, np.ones(40)], y, held_out=2, neighbors=(1, 30))
    ax = plots.neighbors_error(compared)
    assert ax.containers[0].lines[0].get_xdata().tolist() == [1]
    assert len(ax.get_legend().get_texts()) == 1


def test_without_neighbours_there_is_nothing_to_draw() -> None:
    with pytest.raises(OptionError, match="call compare with neighbors="):
        plots.neighbors_error(compare(*trees(), held_out=2, neighbors=()))
    with pytest.raises(OptionError, match="draw: there are only 20 rows"):
        plots.neighbors_error(compare(*trees(), held_out=2, neighbors=(30,)))
    assert plt.get_fignums() == []


def test_axes_that_are_given_are_drawn_on(compared: Comparison) -> None:
    figure, ax = plt.subplots()
    assert plots.neighbors_error(compared, ax=ax) is ax
    assert plt.get_fignums() == [figure.number]
