"""Classes that have too few points yet, the learning curve, and figures of some categories."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from gaussbayes.apps.lab import model_views
from gaussbayes.apps.lab.lab_tables import NamedTable
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.wire_format import MessageError
from tests.lab.page import FITTED, Page
from tests.lab.tables import open_page, people

SQUARE = [[0, 0], [1, 0], [0, 1], [1, 1]]
TWO = [[*p, 0] for p in SQUARE] + [[x + 4, y, 1] for x, y in SQUARE]


def three_classes(page: Page, *new: list[float]) -> str:
    return page.points([*TWO, *([*point, 2] for point in new)], ["A", "B", "C"])


@pytest.mark.parametrize(("new", "more"), [([[2, 5]], 2), ([[2, 5], [3, 6]], 1)])
def test_a_class_that_needs_more_points(page: Page, new: list[list[float]], more: int) -> None:
    """The others are drawn as they would be without it, and remedies are offered."""
    data, view = three_classes(page, *new), {"x": [-1, 6], "y": [-1, 6]}
    common: dict[str, Any] = {"pair": [0, 1], "model": FITTED, "view": view}
    found = page.ask("scene", data=data, **common)
    needed = "2 more points" if more == 2 else "1 more point"
    assert found.head["waiting"] == [{"class": 2, "more": more}]
    assert found.head["problem"] == f"C needs {needed}; the other classes are drawn"
    assert found.head["remedies"]
    without = page.ask("scene", data=page.points(TWO, ["A", "B"]), **common)
    np.testing.assert_array_equal(found.arrays["label"], without.arrays["label"])
    assert found.head["ellipses"] == without.head["ellipses"]
    assert found.head["errors"]["train"] == 0  # its points count neither way
    numbers = page.ask("numbers", data=data, pair=[0, 1], model=FITTED).head
    assert numbers["problem"] == found.head["problem"]
    assert numbers["train"]["n"] == len(TWO)
    with pytest.raises(MessageError, match="there is no model to take away"):
        page.ask("take_away", data=data, pair=[0, 1], model=FITTED, what="model")


def test_with_enough_points_nothing_waits(page: Page) -> None:
    for model in (FITTED | {"covariance": "diagonal"}, FITTED | {"shared": True}):
        head = page.ask(
            "scene", data=three_classes(page, [2, 5], [3, 6.5]), pair=[0, 1], model=model
        )
        assert (head.head["waiting"], head.head["problem"]) == ([], None)


def test_two_classes_of_which_one_waits(page: Page) -> None:
    """There is no classifier of a single class: that it is singular is said."""
    data = page.points([*TWO[:4], [5, 5, 1]], ["A", "B"])
    head = page.ask("scene", data=data, pair=[0, 1], model=FITTED).head
    assert head["waiting"] == []
    assert "B" in head["problem"]


def test_the_learning_curve(page: Page) -> None:
    data = page.data("three", n=200, split={"test": 0.25})
    curve = page.ask("curve", data=data, pair=[0, 1], model=FITTED, steps=6).head
    assert curve["n"][-1] == 150
    assert curve["n"] == sorted(set(curve["n"]))
    whole = page.ask("scene", data=data, pair=[0, 1], model=FITTED).head["errors"]
    assert (curve["train"][-1], curve["test"][-1]) == (whole["train"], whole["test"])
    assert curve["train"][0] is None  # of two points there is no model
    assert (curve["of"], curve["tested"]) == ("of all 2 features", "rows held out")
    later = page.ask("curve", data=page.data("three", n=200), pair=[0, 1], model=FITTED).head
    assert later["tested"] == "rows that come later"
    assert later["test"][-1] is None
    by_votes = page.ask("curve", data=data, pair=[0, 1], model={"from": "neighbours", "k": 1}).head
    assert "choose Fitted or Automatic" in by_votes["problem"]


def test_a_plane_of_some_categories() -> None:
    """Bayes' rule with p(town | class) beside the densities; errors of the rows from that town."""
    frame = people()
    page, data = open_page(frame)
    common = {"data": data, "pair": [0, 1], "model": FITTED}
    view = {"x": [-2, 3], "y": [-4, 4], "width": 6, "height": 5}
    asked = {"layers": ["posterior"], "known_categories": [1, None], "view": view}
    found = page.ask("scene", **common, **asked)
    x, y = -2 + 5 * 2.5 / 6, -4 + 8 * 3.5 / 5
    at = page.ask("point", **common, at=[x, y], known_categories=[1, None]).head
    assert found.arrays["posterior"].shape == (2, 5, 6)
    bounds = found.head["bounds"]
    assert bounds == {"x": [-2, 3], "y": [-4, 4]}
    rows = frame[frame["town"] == "v"]
    assert found.head["errors"]["of"] == "of these 2 features where town = v"
    assert found.head["errors"]["all"]["of"] == "of all 5 features"
    wrong = page.ask("scene", **common, layers=["errors"], known_categories=[1, None])
    assert wrong.arrays["wrong"].sum() == round(found.head["errors"]["train"] * len(rows))
    assert not wrong.arrays["wrong"][frame["town"] != "v"].any()
    line = page.ask("line", **common, feature=0, x=[-2, 3], points=3, known_categories=[1, None])
    middle = page.ask("point", **common, at=[0.5, 0], hide=1, known_categories=[1, None]).head
    np.testing.assert_allclose(line.arrays["posterior"][:, 1], middle["posterior"], rtol=1e-6)
    assert at["categories"] == [1, None]


def test_a_file_opens_on_the_features_that_separate_best() -> None:
    rng = np.random.default_rng(0)
    code = np.arange(200) % 2
    columns = {f"x{j}": rng.normal(size=200) for j in range(6)}
    columns["x2"] += 2 * code
    columns["x5"] += 2 * code
    for missing in (False, True):
        if missing:
            columns["x0"][:5] = np.nan
        table = pa.table({**columns, "kind": np.array(["a", "b"])[code]})
        page = Page(Store(NamedTable("t.csv", table, "kind")))
        assert page.ask("data", source={"from": "given"}).head["pair"] == (2, 5)
    assert page.ask("data", source={"from": "preset", "preset": "irises"}).head["pair"] == (0, 1)


def test_large_tables_are_sampled_and_that_is_said(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_views, "MOST_VOTERS", 60)
    data, votes = page.data("three", n=200), {"from": "neighbours", "k": 3}
    for kind in ("scene", "numbers"):
        head = page.ask(kind, data=data, pair=[0, 1], model=votes).head
        assert head["sampled"] == (
            "60 of 200 rows, drawn at random, are the neighbours that vote; "
            "errors are counted among 30 rows"
        )
    assert head["train"]["n"] == 30
    assert head["leave_one_out"]["n"] == 60
    models = page.ask("multiples", data=data, pair=[0, 1], model=FITTED).head["models"]
    assert [each["sampled"] is None for each in models] == [True] * 6 + [False]
