"""The rows as the page draws them."""

import numpy as np
import pytest

from gaussbayes.apps.lab.examples import example_table
from gaussbayes.apps.lab.wire_format import MessageError
from tests.lab.page import Page


def test_a_drawn_example(page: Page) -> None:
    found = page.ask(
        "data",
        source={"from": "preset", "preset": "three", "seed": 4, "n": 90},
        split={"test": 0.2, "seed": 1},
    )
    table = example_table("three", 4, 90)
    head, arrays = found.head, found.arrays
    assert head["classes"] == ("A", "B", "C")
    assert head["features"] == ("x1", "x2")
    assert (head["n"], head["pair"], head["target"]) == (90, (0, 1), "class")
    np.testing.assert_array_equal(arrays["points"], table.X)
    np.testing.assert_array_equal(arrays["codes"], table.codes)
    assert arrays["test"].sum() == 18
    assert {name: one.dtype.name for name, one in arrays.items()} == {
        "points": "float64",
        "codes": "uint8",
        "test": "uint8",
        "categories": "uint8",
    }
    assert np.shape(head["truth"]["covariances"]) == (3, 2, 2)


def test_one_feature(page: Page) -> None:
    found = page.ask("data", source={"from": "preset", "preset": "petals"})
    assert found.head["pair"] == (0, 0)
    assert found.head["truth"] is None
    assert found.arrays["points"].shape == (8, 1)


def test_missing_coordinates_are_nan(page: Page) -> None:
    source = {
        "from": "points",
        "points": [[1, None, 0], [2, 3, 1]],
        "classes": ["p", "q"],
        "features": ["a", "b"],
    }
    found = page.ask("data", source=source)
    np.testing.assert_array_equal(found.arrays["points"], [[1, np.nan], [2, 3]])
    assert found.head["columns"] == ("a", "b", "class")


def test_no_points_at_all(page: Page) -> None:
    source = {"from": "points", "points": [], "classes": ["p"], "features": ["a", "b"]}
    found = page.ask("data", source=source, split={"test": 0.5})
    assert found.arrays["points"].shape == (0, 2)


def test_a_split_that_cannot_be_made_is_told(page: Page) -> None:
    source = {
        "from": "points",
        "points": [[0, 0, 0], [1, 1, 1]],
        "classes": ["p", "q"],
        "features": ["a", "b"],
    }
    found = page.ask("data", source=source, split={"test": 0.5})
    assert found.head["problem"].startswith("no rows are held out")


def test_an_unknown_example(page: Page) -> None:
    with pytest.raises(MessageError, match="there is no example 'nothing'"):
        page.ask("data", source={"from": "preset", "preset": "nothing"})
