"""The lessons' steps: every state can be asked for, and every number in the texts is there."""

import json
import re
from typing import Any

import numpy as np
import pytest

from gaussbayes import lessons
from gaussbayes.apps.lab.answers import lessons as read_lessons
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.lessons.handouts import DEFECT_PRIOR, DIABETES, OPTIMAL_REGIONS, POSITIVE
from tests.lab.page import Page
from tests.lab.test_controls import controls

LESSONS = {lesson["name"]: lesson for lesson in read_lessons()}
STEPS = [
    pytest.param(step, id=f"{lesson['name']} {number}")
    for lesson in LESSONS.values()
    for number, step in enumerate(lesson["steps"], 1)
]
USUAL: dict[str, Any] = {  # as the page begins; see static/state.js
    "split": {},
    "layers": {},
    "view": "plane",
    "bounds": {},
    "hide": None,
    "at": None,
    "stream": None,
    "neighbours": 5,
    "categories": [],
}
SINGULAR = "a full covariance cannot be inverted"
# A change of the state that reaches each goal, and the numbers that a goal asks for, by derivation:
# of two classes in the plane that share a covariance there are 1 prior, 2 · 2 means, 3 covariances.
REACHED: dict[str, Any] = {
    "optimal_regions": {"means": [[0.0, 0.0], [2.0, 2.0], [-2.0, -2.0]]},
    "petals": {"priors": [0.05, 0.95]},
    "diabetes": {"priors": [0.928, 0.072]},
    "covariance_ellipses": {"shared": True},
    "rain": [1, 1],
    "genetic_test": {"probabilities": [[[0.995, 0.005], [0.1, 0.9]]] * 2},
    "two_gaussians": 8,
}
# Numbers of the handouts (`gaussbayes.lessons` tests them): lesson, step, place in its text, value.
OF_THE_COURSE = [
    ("three_gaussians", 4, 1, 0.0017, 4),
    ("optimal_regions", 3, 0, 0.0939, 3),
    ("two_gaussians", 2, 0, 0.072, 3),
    ("petals", 0, 0, 2.68, 2),
    ("petals", 0, 1, 6.5, 2),
    ("petals", 2, 0, 4.895, 3),
    ("petals", 3, 0, 15.3, 1),
    ("petals", 4, 0, 4.648, 3),
    ("petals", 5, 0, 0.667, 3),
    ("petals", 5, 1, 0.39, 3),
    ("naive_bayes", 0, 1, 11 / 6, 6),
    ("naive_bayes", 0, 3, 7.5, 6),
    ("covariance_ellipses", 0, 1, -2.0, 6),
    ("covariance_ellipses", 1, 2, 16.0, 6),  # the square of the distance 4
    ("covariance_ellipses", 3, 0, 17, 6),
    ("covariance_ellipses", 4, 0, 11, 6),
    ("covariance_ellipses", 5, 0, 14, 6),
    ("rain", 2, 0, 2 / 5, 6),
    ("genetic_test", 1, 0, 9 / 108, 6),
    ("genetic_test", 2, 0, 0.45, 6),
]


def state_of(step: dict[str, Any]) -> dict[str, Any]:
    """The state of the page in a step, with what it does not name."""
    state: dict[str, Any] = step["state"]
    assert set(state) <= {*USUAL, "data", "pair", "model"}
    return USUAL | state


def model_of(state: dict[str, Any]) -> dict[str, Any]:
    model: dict[str, Any] = {"from": "data"} | state["model"]
    if model["from"] == "neighbours":
        return {"from": "neighbours", "k": state["neighbours"]}
    by_hand = model["from"] in {"hand", "categories"}
    return model if by_hand else model | {"first": state["stream"]}


class Shown:
    """What the page shows of a state: the answers that it has asked for."""

    def __init__(self, page: Page, state: dict[str, Any]) -> None:
        self.page, self.state = page, state
        source = {"from": "preset", **state["data"]}
        self.data = page.ask("data", source=source, split=state["split"]).head
        assert self.data["problem"] is None
        self.common = {
            "data": self.data["id"],
            "pair": state["pair"],
            "model": model_of(state),
        }

    @property
    def is_flat(self) -> bool:
        return len(self.data["features"]) < 2

    def head(self, kind: str) -> Any:
        state, more = self.state, {}
        if kind == "figure":
            kind = "line" if self.is_flat or state["view"] == "line" else "scene"
        if kind in {"scene", "point"}:
            more = {"hide": state["hide"]}
        if kind == "point":
            unknown = [None] * len(self.data["categories"])
            more |= {"at": state["at"] or [0, 0]}
            more |= {"known_categories": (state["categories"] + unknown)[: len(unknown)]}
        return self.page.ask(kind, **self.common, **more).head

    def value(self, path: str) -> float:
        kind, *members = path.split(".")
        value = self.head(kind)
        for name in members:
            value = value[int(name) if name.isdigit() else name]
        assert np.isfinite(value)
        return float(value)


def paths(text: str) -> list[str]:
    return [each.partition(":")[0] for each in re.findall(r"\{([^}]*)\}", text)]


def test_the_lessons_are_those_of_the_course() -> None:
    for name, lesson in LESSONS.items():
        assert lessons.get(name).title == lesson["title"]
        assert 4 <= len(lesson["steps"]) <= 8
    needed = {"petals", "two_gaussians", "three_gaussians", "naive_bayes", "missing_data"}
    assert needed | {"covariance_ellipses", "optimal_regions"} <= set(LESSONS)
    assert {"rain", "genetic_test"} <= set(LESSONS)


@pytest.mark.parametrize("step", STEPS)
def test_every_state_can_be_shown(step: dict[str, Any], page: Page) -> None:
    state = state_of(step)
    assert 2 <= len(re.findall(r"[.:?](?:\s|$)", step["text"])) <= 7
    json.dumps(state, allow_nan=False)
    shown = Shown(page, state)
    layers, bounds = state["layers"], state["bounds"]
    assert layers.get("regions", "blend") in {"blend", "hard", "none"}
    if shown.data["features"]:
        scene = page.ask(
            "scene",
            **shown.common,
            view={**bounds, "width": 20, "height": 15},
            layers=["label", "posterior"],
            hide=state["hide"],
            reject=layers.get("reject"),
            novelty=layers.get("novelty"),
            truth=layers.get("truth", False),
        )
        assert (scene.head["problem"] is not None) == (SINGULAR in step["text"])
        assert ("truth" in scene.arrays) == layers.get("truth", False)
    if state["view"] == "line":
        line = page.ask("line", **shown.common, feature=state["pair"][0], x=bounds.get("x"))
        assert line.head["problem"] is None
    if state["view"] == "surface":
        assert "evidence" in page.ask("surface", **shown.common).arrays
    for path in paths(step["text"]):
        shown.value(path)


def test_controls_of_the_steps_are_those_of_the_page() -> None:
    names = set(controls())
    used = [control for step in STEPS for control in step.values[0]["controls"]]  # type: ignore[index]
    assert {each for each in used if isinstance(each, str)} <= names
    assert {f"tab-{each['panel']}" for each in used if "panel" in each} <= names


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_ends_with_a_goal_that_can_be_reached(name: str, page: Page) -> None:
    *before, last = LESSONS[name]["steps"]
    assert not any(step["goal"] for step in before)
    goal, state = last["goal"], state_of(last)
    assert {"ask", "done", "hint"} <= set(goal)
    shown = Shown(page, state)
    for path in paths(goal["done"] + goal["hint"]):
        shown.value(path)
    if "options" in goal:
        assert 0 <= goal["right"] < len(goal["options"])
        return
    if "answer" in goal:
        assert shown.value(goal["answer"]) == REACHED[name]
        return
    low, high = goal.get("above", -np.inf), goal.get("below", np.inf)
    assert not low < shown.value(goal["value"]) < high
    change = REACHED[name]
    key = "categories" if isinstance(change, list) else "model"
    reached = state | {key: change if key == "categories" else state["model"] | change}
    assert low < Shown(page, reached).value(goal["value"]) < high


@pytest.mark.parametrize(("name", "number", "place", "value", "digits"), OF_THE_COURSE)
def test_numbers_in_the_texts_are_those_of_the_course(
    name: str, number: int, place: int, value: float, digits: int, page: Page
) -> None:
    step = LESSONS[name]["steps"][number]
    path = paths(step["text"])[place]
    assert round(Shown(page, state_of(step)).value(path), digits) == round(value, digits)


def test_parameters_are_those_of_the_course() -> None:
    for name in ("diabetes", "missing_data"):
        models = [step["state"]["model"] for step in LESSONS[name]["steps"]]
        hand = [model for model in models if "means" in model]
        assert hand
        for model in hand:
            assert model["means"] == [list(mean) for mean in DIABETES.means]
            assert model["covariances"] == [
                [list(row) for row in one] for one in DIABETES.covariances
            ]
    first = LESSONS["optimal_regions"]["steps"][0]["state"]["model"]
    assert first["priors"] == list(OPTIMAL_REGIONS.priors or ())
    assert first["means"] == [list(mean) for mean in OPTIMAL_REGIONS.means]
    assert first["covariances"] == [[list(row) for row in OPTIMAL_REGIONS.covariances]] * 3
    test = LESSONS["genetic_test"]["steps"][0]["state"]["model"]
    assert test["priors"] == list(DEFECT_PRIOR)
    positive = [[row[1] for row in table] for table in test["probabilities"]]
    assert positive == [list(POSITIVE)] * 2


@pytest.mark.parametrize("name", ["missing_data", "diabetes"])
def test_probabilities_of_a_patient_are_those_of_the_lesson(name: str, page: Page) -> None:
    seen = set()
    for step in LESSONS[name]["steps"]:
        for path in paths(step["text"]):
            if path == "point.posterior.0":
                seen.add(f"{Shown(page, state_of(step)).value(path):.2f}")
    assert (
        seen
        == {
            "missing_data": {"0.24", "0.71", "0.89", "0.25"},
            "diabetes": {"0.38", "0.71", "0.24"},
        }[name]
    )


def test_the_answer(page: Page) -> None:
    head = page.ask("lesson", name="petals").head
    assert head["title"] == "Two species by the length of a petal"
    assert all(set(step) == {"text", "state", "controls", "goal"} for step in head["steps"])


def test_unknown_lessons_are_named(page: Page) -> None:
    with pytest.raises(MessageError, match="no lesson 'petal' \\(did you mean 'petals'\\?\\)"):
        page.ask("lesson", name="petal")
