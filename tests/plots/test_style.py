"""Colours, markers, text and legends that all figures share."""

from itertools import combinations
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import is_color_like, to_rgb
from matplotlib.lines import Line2D

from gaussbayes import GaussianClassifier, plots
from gaussbayes.plots import style
from gaussbayes.plots.style import styled
from tests.plots.layout import assert_readable, legend_texts


def test_seventy_classes_look_different() -> None:
    styles = style.class_styles(np.arange(70))
    assert len({(own.color, own.marker) for own in styles}) == 70
    assert all(is_color_like(own.color) for own in styles)


def test_classes_look_the_same_in_every_figure() -> None:
    few, many = style.class_styles(np.array(["a", "b"])), style.class_styles(np.array(list("abcd")))
    assert few == many[:2]


# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
# deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (2009), complete
# deficiency: what protanopes and deuteranopes see of linear red, green and blue.
SEEN = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "normal": np.eye(3).tolist(),
}


def lab(color: str, matrix: np.ndarray) -> np.ndarray:
    """A colour in CIE L*a*b* (D65), as eyes that see through this matrix see it."""
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(matrix @ linear, 0, 1)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    ratio = to_xyz @ seen / [0.9505, 1.0, 1.089]
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eyes", SEEN)
def test_the_first_six_colours_stay_apart(eyes: str) -> None:
    # A difference of 2.3 is just noticeable (Mahy, Van Eycken and Oosterlinck 1994); points of two
    # classes should differ by several times that.
    matrix = np.array(SEEN[eyes])
    colors = [lab(color, matrix) for color in style.COLORS[:6]]
    assert min(np.linalg.norm(a - b) for a, b in combinations(colors, 2)) > 4 * 2.3


def test_text_is_wrapped_and_shortened() -> None:
    lines = style.text("word " * 100).split("\n")
    assert len(lines) == 5
    assert max(map(len, lines)) <= 24
    assert lines[-1].endswith(" …")
    assert style.text("x" * 200).count("\n") == 4
    assert style.text("short") == "short"
    assert style.text(7) == "7"
    assert style.text("two\nlines") == "two lines"


@pytest.mark.parametrize("label", ["$x^2$", "$", "100 $ or $$", "_hidden", "", "   ", "a_b^c\\d"])
def test_labels_that_mean_something_to_matplotlib(label: str) -> None:
    ax = style.axes_for(None)
    ax.plot([0], [0], label=style.text(label))
    legend = style.legend_beside(ax)
    assert legend is not None
    assert len(legend.get_texts()) == 1  # neither hidden nor left out
    ax.figure.draw_without_rendering()  # nor read as a formula that may not be one
    written = legend.get_texts()[0]
    assert "^2" not in label or written.get_window_extent().width > 20


def test_text_in_any_script_is_drawn_without_a_warning() -> None:
    @styled
    def draw() -> None:
        ax = style.axes_for(None)
        style.name_axes(ax, ["Länge, größer", "Ελληνικά и Кириллица"])
        assert_readable(ax.figure)

    draw()


def test_the_users_settings_are_left_alone() -> None:
    before = dict(mpl.rcParams)

    @styled
    def fail() -> None:
        msg = "no figure"
        raise RuntimeError(msg)

    with pytest.raises(RuntimeError, match="no figure"):
        fail()
    assert dict(mpl.rcParams) == before


def test_what_a_backend_sets_while_something_is_drawn_stays() -> None:
    """The backend of notebooks, loaded by the first figure, shows others if this is still set."""

    @styled
    def draw() -> None:
        mpl.interactive(True)

    draw()
    assert mpl.is_interactive()
    mpl.interactive(False)


def test_a_legend_stands_beside_the_axes() -> None:
    ax = style.axes_for(None)
    handles = [Line2D([], [], label=style.text(f"class {i} " + 5 * "long ")) for i in range(20)]
    legend = style.legend_beside(ax, handles)
    assert_readable(ax.figure)
    assert legend is not None
    assert legend.get_window_extent().x0 >= ax.get_window_extent().x1
    assert ax.get_window_extent().width >= 200  # the axes are not crushed


def test_no_entries_no_legend() -> None:
    assert style.legend_beside(style.axes_for(None), []) is None


def test_a_second_figure_adds_to_the_legend() -> None:
    ax = style.axes_for(None)
    style.legend_beside(ax, [Line2D([], [], label="a"), Line2D([], [], label="b")], "classes")
    style.legend_beside(ax, [Line2D([], [], label="b"), Line2D([], [], label="level")])
    assert legend_texts(ax) == ["a", "b", "level"]
    assert ax.get_legend().get_title().get_text() == "classes"


def test_a_legend_below_all_panels() -> None:
    figure = style.figure_for(None, (8.0, 3.0))
    panels = [figure.add_subplot(1, 2, i) for i in (1, 2)]
    handles = [Line2D([], [], label=style.text("a name of some length")) for _ in range(12)]
    legend = style.legend_below(figure, handles)
    assert_readable(figure)
    top = legend.get_window_extent().y1
    assert all(top <= ax.get_tightbbox().y0 + 1 for ax in panels)


def test_axes_and_figures_given_are_used() -> None:
    figure, ax = plt.subplots()
    assert style.axes_for(ax) is ax
    assert style.figure_for(figure, (1, 1)) is figure


def test_legends_can_be_left_out_and_do_not_reach_the_next_panel() -> None:
    model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    figure, axes = plt.subplots(1, 3)  # without a layout that makes room
    drawn = [plots.regions(model, resolution=20, ax=ax) for ax in axes[:2]]
    figure.draw_without_rendering()
    for ax in drawn:
        legend: Any = ax.get_legend()
        assert ax.get_window_extent().overlaps(legend.get_window_extent())  # within its own axes
        assert legend.get_window_extent().x1 < ax.get_window_extent().x1
    for draw in (plots.regions, plots.ellipses, plots.evidence):
        assert draw(model, legend=False).get_legend() is None
    assert plots.dataset([[1], [2]], [0, 1], legend=False).get_legend() is None
    assert plots.densities(model, feature=0, legend=False).get_legend() is None
    assert plots.posterior(model, features=[0], legend=False).get_legend() is None
    assert plots.predictions(model, [[0, 0]], [0], legend=False).get_legend() is None
    assert plots.evidence(model, surface=True, resolution=10, legend=False).get_legend() is None


def test_few_rows_of_one_feature_are_on_a_line() -> None:
    for n, on_a_line in ((8, True), (200, False)):
        ax = plots.dataset(np.arange(n)[:, None], np.arange(n) % 2)
        heights = [np.unique(np.asarray(each.get_offsets())[:, 1]) for each in ax.collections]
        assert all((each.size == 1) == on_a_line for each in heights)
