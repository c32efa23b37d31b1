"""The figure of the rows: every row is there, in the colour and marker of its class."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from gaussbayes.plots import dataset
from gaussbayes.plots.style import class_styles
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable, legend_texts

NAMES = ["sepal length (cm)", "petal width (cm)"]


def drawn(ax: object) -> list[tuple[np.ndarray, tuple, tuple]]:
    """Places, face and edge colour of each cloud of points."""
    return [
        (
            np.asarray(cloud.get_offsets()),
            tuple(cloud.get_facecolor()[0]) if len(cloud.get_facecolor()) else (),
            tuple(cloud.get_edgecolor()[0]),
        )
        for cloud in ax.collections  # type: ignore[attr-defined]
    ]


def test_every_row_is_drawn_in_its_class(iris: Case) -> None:
    ax = dataset(iris.X, iris.y, features=NAMES)
    styles = class_styles(np.unique(iris.y))
    for own, label, (places, face, _) in zip(styles, np.unique(iris.y), drawn(ax), strict=True):
        np.testing.assert_array_equal(places, iris.X.loc[iris.y == label, NAMES].to_numpy())
        assert face == pytest.approx(to_rgba(own.color))
    assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(NAMES)
    assert legend_texts(ax) == ["setosa", "versicolor", "virginica"]
    assert_readable(ax.figure)


def test_test_rows_are_hollow(iris: Case) -> None:
    test = np.arange(150) % 3 == 0
    X = iris.X.to_numpy()
    ax = dataset(X[~test], iris.y[~test], test=(X[test], iris.y[test]), features=[0, 3])
    clouds = drawn(ax)
    assert [len(face) for _, face, _ in clouds] == [4, 4, 4, 0, 0, 0]
    hollow = np.concatenate([places for places, _, _ in clouds[3:]])
    assert sorted(map(tuple, hollow)) == sorted(map(tuple, X[test][:, [0, 3]]))
    assert ax.get_xlabel() == "feature 0"
    assert legend_texts(ax)[-2:] == ["training", "test"]


def test_one_feature_gives_a_strip_for_each_class(one_feature: Case) -> None:
    ax = dataset(one_feature.X, one_feature.y)
    for rank, (places, _, _) in enumerate(drawn(ax)):
        own = one_feature.X.to_numpy()[one_feature.y == np.unique(one_feature.y)[rank], 0]
        np.testing.assert_array_equal(places[:, 0], own)
        assert np.abs(places[:, 1] - (2 - rank)).max() < 0.5  # strips stay apart
    assert_readable(ax.figure)


def test_classes_of_train_and_test_may_differ() -> None:
    ax = dataset([[0, 0], [1, 1]], ["b", "b"], test=([[2, 2], [3, 3]], ["a", "c"]))
    colors = [own.color for own in class_styles(np.array(["a", "b", "c"]))]
    faces = [face or edge for _, face, edge in drawn(ax)]
    assert faces == [pytest.approx(to_rgba(colors[i])) for i in (1, 0, 2)]


def test_the_axes_given_are_used(two_classes: Case) -> None:
    ax = dataset(two_classes.X, two_classes.y)
    assert dataset(two_classes.X, two_classes.y, ax=ax) is ax
    assert legend_texts(ax) == ["versicolor", "virginica"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2, 3], [4, 5, 6]], [0, 1]), "one or two features, but X has 3: choose"),
        (([[1, 2], [4, 5]], [0]), "X has 2 rows, but y has 1"),
        (([[1, np.inf], [4, 5]], [0, 1]), "infinity"),
        (([[1, np.nan], [4, np.nan]], [0, 1]), "limits of the figure are not known: give rows"),
        ((np.empty((0, 2)), []), "minimum of 1 is required"),
        (([[1, 2], [4, 5]], [[0.5, 0.5], [0.1, 0.9]]), "one label for each row"),
    ],
)
def test_bad_rows(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataset(*arguments)


def test_bad_choices() -> None:
    X, y = pd.DataFrame({"age": [1, 2], "size": [3, 4]}), ["a", "b"]
    with pytest.raises(ValueError, match="no feature 'sizes' \\(did you mean 'size'\\?\\)"):
        dataset(X, y, features=["sizes"])
    with pytest.raises(ValueError, match="X has 1 features, but 2 are expected: 'age', 'size'"):
        dataset(X, y, test=([[1], [2]], y))
    with pytest.raises(ValueError, match="must be a pair \\(X_test, y_test\\), got DataFrame"):
        dataset(X, y, test=X)
