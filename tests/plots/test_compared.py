"""The figure of a comparison: four panels, every number in its place, infinity an arrow."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest

from gaussbayes import plots
from gaussbayes.analysis.comparison import Comparison, compare
from tests.models import iris, trees


@pytest.fixture(scope="module")
def compared() -> Comparison:
    return compare(*iris(), held_out=5, automatic=True)


def widths(ax: plt.Axes) -> dict[int, float]:
    """How long the bar of each row is."""
    return {round(bar.get_y() + bar.get_height() / 2): bar.get_width() for bar in ax.patches}


def test_bars_are_the_numbers(compared: Comparison) -> None:
    panels = plots.comparison(compared)
    assert panels.shape == (4,)
    for row, candidate in enumerate(compared.candidates):
        seen = candidate.evaluation
        assert seen is not None
        assert widths(panels[0])[row] == pytest.approx(100 * seen.error, rel=1e-14)
        assert widths(panels[2])[row] == pytest.approx(seen.brier, rel=1e-14)
        if np.isfinite(seen.log_loss):
            assert widths(panels[1])[row] == pytest.approx(seen.log_loss, rel=1e-14)


def test_infinity_is_an_arrow_within_the_panel(compared: Comparison) -> None:
    panel = plots.comparison(compared)[1]
    infinite = [row for row, c in enumerate(compared.candidates) if np.isinf(c.evaluation.log_loss)]
    assert infinite  # one neighbour errs with certainty
    arrows = [line for line in panel.lines if line.get_marker() == ">"]
    assert [line.get_ydata()[0] for line in arrows] == infinite
    texts = {text.xy[1]: text.get_text() for text in panel.texts}
    assert [texts[row] for row in infinite] == ["∞"] * len(infinite)
    assert max(widths(panel).values()) < panel.get_xlim()[1]
    finite = [c.evaluation.log_loss for c in compared.candidates]
    longest = max(value for value in finite if np.isfinite(value))
    assert min(widths(panel)[row] for row in infinite) > longest


def test_times_are_markers_on_a_logarithmic_axis(compared: Comparison) -> None:
    panel = plots.comparison(compared)[3]
    assert panel.get_xscale() == "log"
    marks = [line for line in panel.lines if line.get_marker() == "o"]
    times = [line.get_xdata()[0] for line in marks]
    expected = [
        1000 * seconds
        for candidate in compared.candidates
        for seconds in (candidate.fit_seconds, candidate.predict_seconds)
    ]
    np.testing.assert_allclose(times, expected, rtol=1e-14)


def test_names_with_parameters_in_one_order(compared: Comparison) -> None:
    panels = plots.comparison(compared)
    names = [label.get_text() for label in panels[0].get_yticklabels()]
    assert names[0] == "QDA\n44 parameters"
    assert names[-1] == "15 nearest neighbours"
    assert panels[0].get_ylim()[0] > panels[0].get_ylim()[1]  # the first at the top
    assert panels[0].figure.get_suptitle() == compared.how


def test_nothing_is_cut_off_and_no_numbers_overlap(compared: Comparison) -> None:
    panels = plots.comparison(compared)
    figure = panels[0].figure
    figure.canvas.draw()
    for panel in panels:
        edge = panel.get_window_extent().x1
        assert all(text.get_window_extent().x1 <= edge + 1 for text in panel.texts)
        low, high = panel.get_xlim()
        ticks = [t for t in panel.xaxis.get_major_ticks() if low <= t.get_loc() <= high]
        boxes = [tick.label1.get_window_extent() for tick in ticks]
        assert len(boxes) >= 2
        assert not any(one.overlaps(two) for one, two in pairwise(boxes))
    names = [label.get_window_extent() for label in panels[0].get_yticklabels()]
    assert all(box.x0 >= 0 for box in names)
    assert not any(one.overlaps(two) for one, two in pairwise(names))


def test_a_problem_is_said() -> None:
    X, y = trees()
    compared = compare(np.c_[X, np.ones(40)], y, held_out=2, neighbors=(1, 30))
    panels = plots.comparison(compared)
    texts = {text.xy[1]: text.get_text() for text in panels[0].texts}
    failed = [row for row, c in enumerate(compared.candidates) if c.problem is not None]
    assert 0 in failed
    assert [texts[row] for row in failed] == ["could not be fitted"] * len(failed)
    assert not set(widths(panels[0])) & set(failed)


def test_nothing_could_be_fitted() -> None:
    X, y = trees()
    panels = plots.comparison(compare(np.ones_like(X), y, held_out=2, neighbors=(30,)))
    panels[0].figure.canvas.draw()
    assert len(panels[0].texts) == 6 + 3  # the automatic choice, logistic regression, neighbours


def test_a_figure_that_is_given_is_filled(compared: Comparison) -> None:
    figure = plt.figure(layout="constrained", figsize=(11, 6))
    panels = plots.comparison(compared, figure=figure)
    assert all(panel.figure is figure for panel in panels)
    assert plt.get_fignums() == [figure.number]
