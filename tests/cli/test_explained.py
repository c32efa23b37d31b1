"""The tables of an explanation where features hold categories."""

import io

import pytest
from rich.console import Console

from gaussbayes import GaussianClassifier
from gaussbayes.apps.cli import explained


@pytest.fixture
def model() -> GaussianClassifier:
    X = [["a", 1.0, True], ["b", 2.0, False], ["a", 4.0, False], ["b", 5.0, True], ["b", 7.5, True]]
    fitted = GaussianClassifier(shared=True, categorical_features=[0, 2])
    fitted.fit(X, ["low", "low", "low", "top", "top"])
    return fitted.with_feature_names(["letter", "size", "a name that is longer than its column"])


def lines(model: GaussianClassifier, row: list[object]) -> list[str]:
    """What is printed on a terminal of 80 columns."""
    written = io.StringIO()
    told = model.explain(row, ("top", "low"))
    explained.show(Console(file=written, width=80), told, "what the model says")
    found = [line.rstrip() for line in written.getvalue().splitlines()]
    assert max(map(len, found)) <= 80
    return found


def test_categories_stand_beside_numbers(model: GaussianClassifier) -> None:
    found = lines(model, ["b", 3.0, True])
    (letter,) = (line.split() for line in found if line.startswith("letter"))
    # log 1 − log 1/3; compared with a letter that is not known.
    assert letter[:3] == ["letter", "b", "+1.0986"]
    (size,) = (line.split() for line in found if line.startswith("size"))
    assert size[:3] == ["size", "3", "3.9"]
    (long,) = (line for line in found if line.startswith("a name that"))
    assert " True " in long
    assert "distance²" in "".join(found)


def test_a_category_that_rules_a_class_out(model: GaussianClassifier) -> None:
    found = lines(model, ["a", 3.0, True])
    (letter,) = (line.split() for line in found if line.startswith("letter"))
    assert letter == ["letter", "a", "−∞", "rules", "out", "top"]
    assert [line.split() for line in found if line.startswith("this row")] == [
        ["this", "row", "−∞"]
    ]
    top = [line.split() for line in found if line.startswith("top")]
    assert top[0][2:5] == ["0", "0", "0"]
    assert top[1][2:] == ["−∞", "−∞", "−∞"]


def test_what_is_not_known_is_named(model: GaussianClassifier) -> None:
    found = lines(model, ["new", 3.0, None])
    assert "Never seen in training, so that they add nothing: letter = new." in found
    text = " ".join(found)
    assert "Missing, so that they add nothing: a name that is longer than its column." in text
    assert not any(line.startswith("letter") for line in found)


def test_without_numbers_there_is_no_distance(model: GaussianClassifier) -> None:
    found = lines(model.marginal(["letter"]), ["b"])
    assert not any("distance" in line or "nan" in line for line in found)
