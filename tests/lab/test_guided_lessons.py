"""The lessons' steps: every state can be asked for, and every number in the texts is right."""

import json
import re
from typing import Any

import pytest

from gaussbayes import lessons
from gaussbayes.apps.lab.answers import lessons as read_lessons
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.lessons.handouts import DIABETES, OPTIMAL_REGIONS
from tests.lab.page import Page

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
}
SINGULAR = "a full covariance cannot be inverted"


def state_of(step: dict[str, Any]) -> dict[str, Any]:
    """The state of the page in a step, with what it does not name."""
    state: dict[str, Any] = step["state"]
    assert set(state) <= {*USUAL, "data", "pair", "model"}
    return USUAL | state


def source_of(state: dict[str, Any]) -> dict[str, Any]:
    return {"from": "preset", **state["data"]}


def model_of(state: dict[str, Any]) -> dict[str, Any]:
    model: dict[str, Any] = {"from": "data"} | state["model"]
    if model["from"] == "neighbours":
        return {"from": "neighbours", "k": state["neighbours"]}
    return model if model["from"] == "hand" else model | {"first": state["stream"]}


def test_the_lessons_are_those_of_the_course() -> None:
    for name, lesson in LESSONS.items():
        assert lessons.get(name).title == lesson["title"]
        assert 4 <= len(lesson["steps"]) <= 8
    needed = {"petals", "two_gaussians", "three_gaussians", "naive_bayes", "missing_data"}
    assert needed | {"covariance_ellipses", "optimal_regions"} <= set(LESSONS)


@pytest.mark.parametrize("step", STEPS)
def test_every_state_can_be_shown(step: dict[str, Any], page: Page) -> None:
    state = state_of(step)
    assert 2 <= len(re.findall(r"[.:?](?:\s|$)", step["text"])) <= 7
    json.dumps(state, allow_nan=False)
    data = page.ask("data", source=source_of(state), split=state["split"]).head
    assert data["problem"] is None
    common = {"data": data["id"], "pair": state["pair"], "model": model_of(state)}
    layers, bounds = state["layers"], state["bounds"]
    assert layers.get("regions", "blend") in {"blend", "hard", "none"}
    scene = page.ask(
        "scene",
        **common,
        view={**bounds, "width": 20, "height": 15},
        layers=["label", "posterior"],
        hide=state["hide"],
        reject=layers.get("reject"),
        novelty=layers.get("novelty"),
        truth=layers.get("truth", False),
    )
    assert (scene.head["problem"] is not None) == (SINGULAR in step["text"])
    assert ("truth" in scene.arrays) == layers.get("truth", False)
    if state["at"] is not None:
        page.ask("point", **common, at=state["at"], hide=state["hide"])
    if state["view"] == "line":
        line = page.ask("line", **common, feature=state["pair"][0], x=bounds.get("x"))
        assert line.head["problem"] is None
    if state["view"] == "surface":
        assert "evidence" in page.ask("surface", **common).arrays


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


def points_told(name: str, page: Page) -> list[tuple[str, dict[str, Any]]]:
    """The texts of steps that look at a point, and what is told of it."""
    told = []
    for step in LESSONS[name]["steps"]:
        state = state_of(step)
        if state["at"] is not None:
            data = page.ask("data", source=source_of(state), split=state["split"]).head["id"]
            answer = page.ask(
                "point",
                data=data,
                pair=state["pair"],
                model=model_of(state),
                at=state["at"],
                hide=state["hide"],
            )
            told.append((step["text"], answer.head))
    return told


@pytest.mark.parametrize("name", ["missing_data", "diabetes"])
def test_probabilities_in_the_texts_are_those_on_the_page(name: str, page: Page) -> None:
    seen = 0
    for text, head in points_told(name, page):
        numbers = re.findall(r"0\.\d\d", text)
        if numbers:
            assert f"{head['posterior'][0]:.2f}" in numbers, text
            seen += 1
    assert seen >= 3


def test_numbers_of_parameters(page: Page) -> None:
    for step in LESSONS["covariance_ellipses"]["steps"]:
        for number in re.findall(r"(\d+) (?:free )?parameters", step["text"]):
            state = state_of(step)
            data = page.ask("data", source=source_of(state)).head["id"]
            head = page.ask("numbers", data=data, pair=[0, 1], model=model_of(state)).head
            assert head["count"] == int(number)


def test_the_answer(page: Page) -> None:
    head = page.ask("lesson", name="petals").head
    assert head["title"] == "Two species by the length of a petal"
    assert all(set(step) == {"text", "state"} for step in head["steps"])


def test_unknown_lessons_are_named(page: Page) -> None:
    with pytest.raises(MessageError, match="no lesson 'petal' \\(did you mean 'petals'\\?\\)"):
        page.ask("lesson", name="petal")
