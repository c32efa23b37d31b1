"""The lessons' steps: every state can be asked for, and every number in the texts is right."""

import json
import re
from typing import Any

import pytest

from gaussbayes import lessons
from gaussbayes.apps.lab.messages import MessageError
from gaussbayes.apps.lab.work.lesson_steps import LESSONS, listed
from gaussbayes.apps.lab.work.steps.step import Step
from gaussbayes.lessons import diabetes, optimal_regions
from tests.lab.asking import Page

STEPS = [
    pytest.param(step, id=f"{lesson.name} {number}")
    for lesson in LESSONS.values()
    for number, step in enumerate(lesson.steps, 1)
]
MEMBERS = {
    "data",
    "split",
    "pair",
    "model",
    "neighbours",
    "layers",
    "view",
    "bounds",
    "hide",
    "at",
    "stream",
}
SINGULAR = "a full covariance cannot be inverted"


def model_of(state: dict[str, Any]) -> dict[str, Any]:
    model: dict[str, Any] = state["model"]
    if model["from"] == "neighbours":
        return {"from": "neighbours", "k": state["neighbours"]}
    return model if model["from"] == "hand" else model | {"first": state["stream"]}


def test_the_lessons_are_those_of_the_course() -> None:
    for one in listed():
        assert lessons.get(one["name"]).title == one["title"]
        assert 4 <= len(LESSONS[one["name"]].steps) <= 8
    needed = {"petals", "two_gaussians", "three_gaussians", "naive_bayes", "missing_data"}
    assert needed | {"covariance_pictures", "optimal_regions"} <= set(LESSONS)


@pytest.mark.parametrize("step", STEPS)
def test_every_state_can_be_shown(step: Step, page: Page) -> None:
    state = step.state
    assert set(state) <= MEMBERS
    assert 2 <= len(re.findall(r"[.:?](?:\s|$)", step.text)) <= 7
    json.dumps(state, allow_nan=False)
    data = page.ask("data", source=state["data"], split=state["split"]).head
    assert data["problem"] is None
    common = {"data": data["id"], "pair": state["pair"], "model": model_of(state)}
    layers, bounds = state["layers"], state["bounds"] or {}
    assert layers["regions"] in {"blend", "hard", "none"}
    scene = page.ask(
        "scene",
        **common,
        view={**bounds, "width": 20, "height": 15},
        layers=["label", "posterior"],
        hide=state["hide"],
        reject=layers["reject"],
        novelty=layers["novelty"],
        truth=layers["truth"],
    )
    assert (scene.head["problem"] is not None) == (SINGULAR in step.text)
    assert ("truth" in scene.arrays) == layers["truth"]
    if state["at"] is not None:
        page.ask("point", **common, at=state["at"], hide=state["hide"])
    if state["view"] == "line":
        line = page.ask("line", **common, feature=state["pair"][0], x=bounds.get("x"))
        assert line.head["problem"] is None
    if state["view"] == "surface":
        assert "evidence" in page.ask("surface", **common).arrays


def test_parameters_are_those_of_the_course() -> None:
    for name, module in (("diabetes", diabetes), ("missing_data", diabetes)):
        hand = [s.state["model"] for s in LESSONS[name].steps if s.state["model"]["from"] == "hand"]
        assert hand
        for model in hand:
            assert model["means"] == [list(mean) for mean in module.MEANS]
            assert model["covariances"] == [
                [list(row) for row in one] for one in module.COVARIANCES
            ]
    first = LESSONS["optimal_regions"].steps[0].state["model"]
    assert first["priors"] == list(optimal_regions.PRIORS)
    assert first["means"] == [list(mean) for mean in optimal_regions.MEANS]
    assert first["covariances"] == [[list(row) for row in optimal_regions.COVARIANCE]] * 3


def points_told(name: str, page: Page) -> list[tuple[Step, dict[str, Any]]]:
    """The steps of a lesson that look at a point, and what is told of it."""
    told = []
    for step in LESSONS[name].steps:
        state = step.state
        if state["at"] is not None:
            data = page.ask("data", source=state["data"], split=state["split"]).head["id"]
            answer = page.ask(
                "point",
                data=data,
                pair=state["pair"],
                model=model_of(state),
                at=state["at"],
                hide=state["hide"],
            )
            told.append((step, answer.head))
    return told


@pytest.mark.parametrize("name", ["missing_data", "diabetes"])
def test_probabilities_in_the_texts_are_those_on_the_page(name: str, page: Page) -> None:
    seen = 0
    for step, head in points_told(name, page):
        numbers = re.findall(r"0\.\d\d", step.text)
        if numbers:
            assert f"{head['posterior'][0]:.2f}" in numbers, step.text
            seen += 1
    assert seen >= 3


def test_numbers_of_parameters(page: Page) -> None:
    for step in LESSONS["covariance_pictures"].steps:
        for number in re.findall(r"(\d+) (?:free )?parameters", step.text):
            state = step.state
            data = page.ask("data", source=state["data"]).head["id"]
            head = page.ask("numbers", data=data, pair=[0, 1], model=state["model"]).head
            assert head["count"] == int(number)


def test_the_answer(page: Page) -> None:
    head = page.ask("lesson", name="petals").head
    assert head["title"] == "Two species by the length of a petal"
    assert all(set(step) == {"text", "state"} for step in head["steps"])


def test_unknown_lessons_are_named(page: Page) -> None:
    with pytest.raises(MessageError, match="no lesson 'petal' \\(did you mean 'petals'\\?\\)"):
        page.ask("lesson", name="petal")
