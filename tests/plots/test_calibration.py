"""Reliability diagrams and histograms of posteriors show the numbers of scikit-learn and NumPy."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.calibration import calibration_curve

from gaussbayes import plots
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.plots import style
from tests.plots.conftest import Case


@pytest.mark.parametrize("n_groups", [4, 10])
def test_markers_stand_where_scikit_learn_puts_them(three_classes: Case, n_groups: int) -> None:
    model, X, y = three_classes.model, three_classes.X, three_classes.y
    ax = plots.calibration(model, X, y, n_groups=n_groups)
    posterior = model.predict_proba(X)
    for code, (marks, look) in enumerate(
        zip(ax.collections, style.class_styles(model.classes_), strict=True)
    ):
        true = y == model.classes_[code]
        observed, stated = calibration_curve(true, posterior[:, code], n_bins=n_groups)
        places = np.asarray(marks.get_offsets())
        np.testing.assert_allclose(places, np.c_[stated, observed], rtol=1e-12, atol=1e-15)
        assert to_hex(marks.get_facecolor()[0]) == look.color
        line = ax.lines[1 + code]
        np.testing.assert_allclose(line.get_xydata(), places, rtol=1e-15)


def test_the_area_of_a_marker_grows_with_its_rows(three_classes: Case) -> None:
    model, X, y = three_classes.model, three_classes.X, three_classes.y
    ax = plots.calibration(model, X, y, n_groups=10)
    posterior = model.predict_proba(X)
    counts = [np.histogram(column, np.linspace(0, 1, 11))[0] for column in posterior.T]
    most = max(count.max() for count in counts)
    for marks, count in zip(ax.collections, counts, strict=True):
        areas, there = marks.get_sizes(), count[count > 0]
        assert (np.argsort(areas, kind="stable") == np.argsort(there, kind="stable")).all()
    assert ax.get_title() == f"150 rows; the largest marker stands for {most}"


def test_the_diagonal_is_there(two_classes: Case) -> None:
    ax = plots.calibration(two_classes.model, two_classes.X, two_classes.y)
    assert ax.lines[0].get_xydata().tolist() == [[0, 0], [1, 1]]


def test_the_legend_gives_the_calibration_error(two_classes: Case) -> None:
    model, X, y = two_classes.model, two_classes.X, two_classes.y
    stated, true = model.predict_proba(X)[:, 1], y == model.classes_[1]
    # Σ over groups of n_g/n · |mean stated − share true|
    group = np.minimum((stated * 10).astype(int), 9)
    gaps = [
        abs((stated[group == g] - true[group == g]).mean()) * (group == g).mean()
        for g in np.unique(group)
    ]
    legend = plots.calibration(model, X, y).get_legend()
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == [f"{name}: {sum(gaps):.3f}" for name in ("versicolor", "virginica")]


def test_the_histogram_counts_right_and_wrong_apart(three_classes: Case) -> None:
    model, X, y = three_classes.model, three_classes.X, three_classes.y
    ax = plots.posterior_histogram(model, X, y)
    posterior = model.predict_proba(X)
    wrong = model.predict(X) != y
    edges = np.linspace(1 / 3, 1, 21)
    for bars, chosen in zip(ax.containers, (~wrong, wrong), strict=True):
        expected = np.histogram(posterior.max(axis=1)[chosen], edges)[0]
        assert [bar.get_height() for bar in bars] == expected.tolist()
        assert sum(bar.get_height() for bar in bars) == chosen.sum()
        middles = [bar.get_x() + bar.get_width() / 2 for bar in bars]
        np.testing.assert_allclose(middles, (edges[1:] + edges[:-1]) / 2, rtol=1e-12)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [f"right ({(~wrong).sum()})", f"wrong ({wrong.sum()})"]
    assert ax.get_title() == f"150 rows, {wrong.sum()} of them predicted wrongly"


def test_a_model_that_never_errs_has_a_histogram(iris: Case) -> None:
    setosa = iris.y == "setosa"
    ax = plots.posterior_histogram(iris.model, iris.X[setosa], iris.y[setosa])
    ax.figure.canvas.draw()
    assert ax.get_title() == "50 rows, 0 of them predicted wrongly"


def test_a_class_without_rows_is_never_true(three_classes: Case) -> None:
    there = three_classes.y != "setosa"
    ax = plots.calibration(three_classes.model, three_classes.X[there], three_classes.y[there])
    assert (np.asarray(ax.collections[0].get_offsets())[:, 1] == 0).all()


def test_axes_that_are_given_are_drawn_on(two_classes: Case) -> None:
    figure, (left, right) = plt.subplots(1, 2)
    arguments = (two_classes.model, two_classes.X, two_classes.y)
    assert plots.calibration(*arguments, ax=left) is left
    assert plots.posterior_histogram(*arguments, ax=right) is right
    assert plt.get_fignums() == [figure.number]


def test_what_cannot_be_drawn(two_classes: Case) -> None:
    model, X, y = two_classes.model, two_classes.X, two_classes.y
    with pytest.raises(OptionError, match="at least one group, got 0"):
        plots.calibration(model, X, y, n_groups=0)
    for draw in (plots.calibration, plots.posterior_histogram):
        with pytest.raises(DataError):
            draw(model, X[:0], y[:0])
    assert plt.get_fignums() == []
