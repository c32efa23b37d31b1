"""Six structures and neighbours side by side."""

import numpy as np
import pytest

from tests.lab.page import FITTED, Page

VIEW = {"width": 12, "height": 8}


def test_each_is_what_it_is_alone(page: Page) -> None:
    data = page.data("three", n=90, split={"test": 0.3})
    found = page.ask("multiples", data=data, pair=[0, 1], model=FITTED, view=VIEW, neighbours=3)
    assert found.arrays["label"].shape == (7, 8, 12)
    names = [one["name"] for one in found.head["models"]]
    assert names[:3] == ["QDA", "LDA", "Gaussian naive Bayes"]
    assert names[-1] == "3 nearest neighbours"
    for one, labels in zip(found.head["models"], found.arrays["label"], strict=True):
        model = FITTED | (one["structure"] or {})
        if one["neighbours"]:
            model = {"from": "neighbours", "k": one["neighbours"]}
        scene = page.ask("scene", data=data, pair=[0, 1], model=model, view=VIEW, layers=["label"])
        np.testing.assert_array_equal(labels, scene.arrays["label"])
        numbers = page.ask("numbers", data=data, pair=[0, 1], model=model).head
        for part in ("train", "test", "leave_one_out"):
            assert one[part] == pytest.approx(numbers[part]["error"])
        assert one["problem"] is None


def test_those_that_cannot_be_fitted_say_so(page: Page) -> None:
    data = page.data("few_rows")
    found = page.ask("multiples", data=data, pair=[0, 1], model=FITTED, view=VIEW, neighbours=40)
    problems = {one["name"]: one["problem"] for one in found.head["models"]}
    assert "class 'A'" in problems["QDA"]
    assert problems["Gaussian naive Bayes"] is None
    assert "only 16 rows" in problems["40 nearest neighbours"]
    assert (found.arrays["label"][0] == 255).all()
    assert (found.arrays["label"][2] < 2).all()


def test_by_hand_compares_the_usual_ones(page: Page) -> None:
    hand = {
        "from": "hand",
        "priors": [0.5, 0.5],
        "means": [[0, 0], [1, 1]],
        "covariances": [[[1, 0], [0, 1]]] * 2,
    }
    data = page.data("unequal")
    by_hand = page.ask("multiples", data=data, pair=[0, 1], model=hand, view=VIEW, neighbours=1)
    fitted = page.ask("multiples", data=data, pair=[0, 1], model=FITTED, view=VIEW, neighbours=1)
    assert by_hand.head == fitted.head
    assert by_hand.head["models"][-1]["name"] == "1 nearest neighbour"
