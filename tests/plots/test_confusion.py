"""The confusion matrix shows the counts and shares of scikit-learn, whatever the labels."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from gaussbayes import GaussianClassifier, plots
from gaussbayes.base.errors import DataError
from tests.plots.conftest import Case


def many(k: int) -> tuple[np.ndarray, np.ndarray]:
    """`k` overlapping classes in three features, 30 rows each."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(k), 30)
    return rng.normal(size=(k, 3))[codes] * 2 + rng.normal(size=(30 * k, 3)), codes


def cells(ax: plt.Axes, k: int) -> list[list[str]]:
    """What the cells say, row by row."""
    texts = {text.get_position(): text.get_text() for text in ax.texts}
    return [[texts[column, row] for column in range(k)] for row in range(k)]


def test_cells_say_counts_and_shares(three_classes: Case) -> None:
    model, X, y = three_classes.model, three_classes.X, three_classes.y
    ax = plots.confusion(model, X, y)
    expected = confusion_matrix(y, model.predict(X))
    shown = cells(ax, 3)
    assert [[int(cell.split("\n")[0]) for cell in row] for row in shown] == expected.tolist()
    (image,) = ax.images
    share = confusion_matrix(y, model.predict(X), normalize="true")
    np.testing.assert_allclose(image.get_array(), share, rtol=1e-15)
    assert image.get_clim() == (0, 1)
    assert shown[0] == ["50\n100 %", "0", "0"]
    wrong = int(expected.sum() - np.trace(expected))
    assert shown[1][2] == f"{expected[1, 2]}\n{100 * share[1, 2]:.0f} %"
    assert ax.get_title() == f"error {100 * wrong / 150:.1f} % ({wrong} of 150)"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted class", "true class")


def test_the_first_class_is_at_the_top_and_all_are_named(three_classes: Case) -> None:
    ax = plots.confusion(three_classes.model, three_classes.X, three_classes.y)
    names = ["setosa", "versicolor", "virginica"]
    assert [text.get_text() for text in ax.get_xticklabels()] == names
    assert [text.get_text() for text in ax.get_yticklabels()] == names
    assert ax.get_ylim() == (2.5, -0.5)


def test_a_class_without_rows_has_no_shares(three_classes: Case) -> None:
    there = three_classes.y != "versicolor"
    ax = plots.confusion(three_classes.model, three_classes.X[there], three_classes.y[there])
    assert cells(ax, 3)[1] == ["–", "–", "–"]
    assert np.ma.getmaskarray(ax.images[0].get_array())[1].all()


def test_shares_are_not_rounded_to_nothing_or_all() -> None:
    model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    X = np.r_[np.full(999, 4.0), 0.0, np.zeros(5)][:, None]
    ax = plots.confusion(model, X, ["high"] * 1000 + ["low"] * 5)
    assert cells(ax, 2) == [["999\n> 99 %", "1\n< 1 %"], ["0", "5\n100 %"]]


@pytest.mark.parametrize("k", [2, 9, 20])
@pytest.mark.parametrize("length", [1, 120])
def test_nothing_overlaps_or_is_cut_off(k: int, length: int) -> None:
    X, codes = many(k)
    words = ("Größe Ελληνικά Кириллица $5 und _x " * 10)[:length]
    names = np.array([f"{words}{code:02}" for code in range(k)])
    labelled = GaussianClassifier().fit(X, names[codes])
    ax = plots.confusion(labelled, X, names[codes])
    figure = ax.figure
    figure.canvas.draw()
    whole = figure.bbox
    for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
        boxes = [label.get_window_extent() for label in labels]
        assert all(whole.x0 <= box.x0 and box.x1 <= whole.x1 for box in boxes)
        assert all(whole.y0 <= box.y0 and box.y1 <= whole.y1 for box in boxes)
        assert not any(one.overlaps(two) for one, two in pairwise(boxes))
    width, height = ax.get_window_extent().size / k
    for text in ax.texts:
        box = text.get_window_extent()
        assert box.width <= width
        assert box.height <= height
        assert text.get_fontsize() >= 6


def test_axes_that_are_given_are_drawn_on(two_classes: Case) -> None:
    figure, ax = plt.subplots(figsize=(2.5, 2.5))
    assert plots.confusion(two_classes.model, two_classes.X, two_classes.y, ax=ax) is ax
    figure.canvas.draw()
    width = ax.get_window_extent().width / 2
    assert all(text.get_window_extent().width <= width for text in ax.texts)
    assert plt.get_fignums() == [figure.number]


def test_what_cannot_be_drawn(two_classes: Case) -> None:
    model, X, y = two_classes.model, two_classes.X, two_classes.y
    with pytest.raises(DataError, match="unknown labels: \\['setosa'\\]"):
        plots.confusion(model, X[:1], ["setosa"])
    with pytest.raises(DataError):
        plots.confusion(model, X[:0], y[:0])
    assert plt.get_fignums() == []  # nothing is left open
