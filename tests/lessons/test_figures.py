"""Every figure of every lesson: it draws, it can be read, and its numbers are the course's."""

import subprocess
import sys
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure as MatplotlibFigure
from numpy.typing import NDArray

from gaussbayes import lessons
from gaussbayes.lessons import Figure, Lesson, three_gaussians, two_gaussians
from tests.plots.layout import assert_readable

ALL = lessons.all_lessons()
FIGURES = [(lesson, figure) for lesson in ALL for figure in lesson.figures]


def draw(lesson: str, name: str) -> MatplotlibFigure:
    (found,) = [p for one, p in FIGURES if (one.name, p.name) == (lesson, name)]
    return found.draw()


def marked(figure: MatplotlibFigure, gid: str) -> list[NDArray[np.float64]]:
    """The points (n, 2) of every line that goes by this name."""
    lines = [line for ax in figure.axes for line in ax.lines if line.get_gid() == gid]
    return [np.asarray(line.get_xydata()) for line in lines]


def vertical_lines(figure: MatplotlibFigure) -> list[list[float]]:
    """Where the boundaries of each axes are, as `plots` draws them in one dimension."""
    found = []
    for ax in figure.axes:
        named = [drawn for drawn in ax.collections if drawn.get_label() == "decision boundary"]
        found.append([float(part[0, 0]) for drawn in named for part in drawn.get_segments()])
    return found


def printed(code: str) -> list[str]:
    """The words that a new process prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_handouts_need_neither_classifier_nor_plots() -> None:
    loaded = printed("import sys, gaussbayes.lessons.handouts; print(*sys.modules)")
    assert "gaussbayes.lessons.handouts" in loaded
    heavy = {"scipy", "sklearn", "matplotlib", "gaussbayes.plots", "gaussbayes.classifier"}
    assert not heavy & set(loaded)


def test_nothing_is_drawn_when_lessons_are_made() -> None:
    code = "import sys, gaussbayes.lessons as lessons; lessons.all_lessons(); print(*sys.modules)"
    assert "matplotlib" not in printed(code)


@pytest.mark.parametrize(
    "figure",
    [figure for _, figure in FIGURES],
    ids=[f"{one.name}: {figure.name}" for one, figure in FIGURES],
)
def test_a_figure_can_be_read(figure: Figure) -> None:
    drawn = figure.draw()
    assert [plt.figure(number) for number in plt.get_fignums()] == [drawn]
    assert_readable(drawn)


@pytest.mark.parametrize("lesson", ALL, ids=lessons.names())
def test_every_lesson_has_figures_with_captions(lesson: Lesson) -> None:
    names = [figure.name for figure in lesson.figures]
    assert len(set(names)) == len(names) > 0
    for figure in lesson.figures:
        assert figure.name.isidentifier()  # it becomes the name of a file
        assert figure.caption.endswith(".")


def test_ellipses_lie_at_1_2_and_3_standard_deviations() -> None:
    for name, figure, module, divisor in [
        ("three_gaussians", "ellipses", three_gaussians, "unbiased"),
        ("two_gaussians", "contours", two_gaussians, "mle"),
    ]:
        model = module.tables(0)[0].fit(divisor=divisor)
        drawn = marked(draw(name, figure), "ellipse")
        expected = [(code, radius) for code in range(len(model.classes_)) for radius in (1, 2, 3)]
        assert len(drawn) == len(expected)
        for points, (code, radius) in zip(drawn, expected, strict=True):
            away = points - model.means_[code]
            inverse = np.linalg.inv(model.covariances_[code])
            distance = np.sqrt(np.einsum("ni,ij,nj->n", away, inverse, away))
            np.testing.assert_allclose(distance, radius, rtol=1e-9)


def test_the_optimal_boundaries_are_the_two_lines() -> None:
    (ax,) = draw("optimal_regions", "regions").axes
    cell = 16 / 399  # from −8 to 8 in 400 points
    found = set()
    for drawn in ax.collections:
        for path in drawn.get_paths():
            # Of x1 + x2, each point is one of the two; the third line bounds nothing.
            total = path.vertices.sum(axis=1)
            for line in (2.0, -2 + np.log(2) / 2):
                if (abs(total - line) <= cell).all() and len(total) > 100:
                    found.add(line)
    assert len(found) == 2


def test_the_petals_boundaries_are_drawn_at_the_roots() -> None:
    lines = marked(draw("petals", "posteriors"), "boundary")
    whole = [4.894721, 15.365512, 4.944434, 15.315800]
    details = [4.894721, 4.944434, 15.365512, 15.315800]
    drawn = [line[:, 0] for line in lines]
    np.testing.assert_allclose(drawn, [[at, at] for at in whole + details], rtol=0, atol=5e-7)
    # Also where the figure ends before the second of them.
    for name, expected in [
        ("densities", [[4.894721]]),
        ("weighted_densities", [[4.944434]]),
        ("own_and_shared", [[4.944434], [4.647635]]),
    ]:
        np.testing.assert_allclose(vertical_lines(draw("petals", name)), expected, atol=5e-7)


def test_the_petals_boundaries_are_written() -> None:
    figure = draw("petals", "posteriors")
    titles = "\n".join(ax.get_title() for ax in figure.axes)
    for number in ("4.894721", "15.365512", "4.944434", "15.315800"):
        assert number in titles


def test_the_likelihood_is_largest_at_the_estimates() -> None:
    axes = draw("petals", "likelihood").axes
    for ax, least, at in zip(
        axes, [5.2925059, 7.7606258, 7.7606258], [0.375, 2.68, 0.5336], strict=True
    ):
        curve, dot = (np.asarray(line.get_xydata()) for line in ax.lines[:2])
        np.testing.assert_allclose(dot, [[at, least]], rtol=0, atol=5e-8)
        assert curve[:, 1].min() >= least - 5e-8
        assert curve[:, 1].max() > least + 1


@pytest.mark.parametrize(
    ("lesson", "n", "handouts"),
    [("two_gaussians", 1000, [90, 85, 5]), ("three_gaussians", 1000, [0.267])],
)
def test_histograms_count_every_draw(lesson: str, n: int, handouts: list[float]) -> None:
    for ax, handout in zip(draw(lesson, "draws").axes, handouts, strict=True):
        assert sum(bar.get_height() for bar in ax.patches) == n
        _, line = ax.lines
        assert line.get_xdata()[0] == handout


def test_one_square_a_person() -> None:
    (ax,) = draw("genetic_test", "people").axes
    (mesh,) = [drawn for drawn in ax.collections if isinstance(drawn, QuadMesh)]
    assert np.bincount(mesh.get_array().astype(int).ravel()).tolist() == [1, 9, 99, 891]
    written = [text.get_text() for text in draw("genetic_test", "tree").axes[0].texts]
    for words in ("9\ndefect, positive", "99\nno defect, positive", "1,000\npeople"):
        assert words in written


def bars(figure: MatplotlibFigure) -> list[list[float]]:
    return [[bar.get_width() for bar in ax.patches] for ax in figure.axes]


def test_bayes_rule_in_bars() -> None:
    figure = draw("rain", "bayes_rule")
    words = [text.get_text() for ax in figure.axes for text in ax.texts]
    expected = ["5/15", "10/15", "1/5", "4/10", "3/5", "1/10", "3/75", "2/75", "3/5", "2/5"]
    assert words == expected
    drawn = np.ravel(bars(figure))
    np.testing.assert_allclose(drawn, [float(Fraction(one)) for one in expected], rtol=1e-13)
    expected_proportions = [[0.99, 0.01], [0.1, 0.9], [0.099, 0.009], [11 / 12, 1 / 12]]
    np.testing.assert_allclose(bars(draw("genetic_test", "bayes_rule")), expected_proportions)


def test_naive_bayes_in_logarithms() -> None:
    prior, first, second, joint, posterior = np.array(bars(draw("naive_bayes", "steps")))
    np.testing.assert_allclose(prior, np.log(0.5))
    np.testing.assert_allclose(first + second, [-97.25548, -38.96977], rtol=0, atol=5e-6)
    np.testing.assert_allclose(joint, prior + first + second, rtol=1e-14)
    np.testing.assert_allclose(posterior, [-58.285714, -np.exp(-408 / 7)], rtol=1e-8)


def test_counts_of_days() -> None:
    humidity, wind = draw("rain", "counts").axes
    assert [bar.get_height() for bar in humidity.patches] == [3, 1, 1, 2, 4, 4]
    assert [bar.get_height() for bar in wind.patches] == [3, 1, 1, 1, 5, 4]


def test_the_doctors_prior_at_48() -> None:
    written = [text.get_text() for text in draw("diabetes", "posteriors").axes[0].texts]
    assert written[0] == "x = 48"
    proportion, doctor = (float(words.split(",")[0]) for words in written[1:])
    # The same odds, four times as large; written to three decimals.
    assert doctor / (1 - doctor) == pytest.approx(4 * proportion / (1 - proportion), rel=0.01)
    assert proportion < 0.5 < doctor


def test_two_points_one_circle_two_ellipses() -> None:
    figure = draw("covariance_ellipses", "distances")
    inner, outer = marked(figure, "ellipse")
    inverse = np.linalg.inv([[2.5, 2.0], [2.0, 2.5]])
    for points, radius in [(inner, 4 / 3), (outer, 4)]:
        distance = np.sqrt(np.einsum("ni,ij,nj->n", points, inverse, points))
        np.testing.assert_allclose(distance, radius, rtol=1e-9)


def test_parameter_counts_at_50_features() -> None:
    (ax,) = draw("covariance_ellipses", "parameter_counts").axes
    assert [line.get_ydata()[-1] for line in ax.lines] == [3977, 302, 155, 1427, 202, 153]


def test_the_shaded_area_is_the_expected_error() -> None:
    figure = draw("diabetes", "errors")
    (shade,) = figure.axes[0].collections
    outline = shade.get_paths()[0].vertices
    # The shoelace formula; the model is fitted, so the area is near that of the parameters.
    x, y = outline.T
    area = abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2
    assert 100 * area == pytest.approx(11.675, abs=4 * 100 * np.sqrt(0.117 * 0.883 / 500))
