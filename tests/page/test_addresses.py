"""The address holds the state: links, the Back button, and addresses that somebody has damaged."""

import json
import re
from typing import Any

from playwright.sync_api import Browser

from tests.page.driving import Lab, encoded, opened
from tests.page.test_journeys import iris_csv

PARAMETERS = {
    "classes": ["A", "B"],
    "priors": [0.5, 0.5],
    "means": [[0, 0], [1, 1]],
    "covariances": [[[1, 0], [0, 1]], [[1, 0], [0, 1]]],
}


def nested(depth: int) -> str:
    return '{"layers":' * depth + "1" + "}" * depth


def with_parameters(**changed: Any) -> str:
    return encoded("play", {"model": {"parameters": {**PARAMETERS, **changed}}})


NOT_POSITIVE = [[1, 2], [2, 1]]
HOSTILE = {
    "not a place": "nowhere",
    "script": "<script>window.hacked=1</script>",
    "script, encoded": "%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E",
    "javascript": "javascript:window.hacked=1",
    "unknown lesson": "learn/no-such-lesson/1",
    "path": "play/../../etc/passwd",
    "not base64": "play:!!!!",
    "not JSON": encoded("play", "{"),
    "not text": "play:_-_-_-8",
    "truncated": encoded("play", {"query": [0.123456, 0.654321]})[:-9],
    "list": encoded("play", [1, 2]),
    "null": encoded("play", "null"),
    "deep": encoded("play", nested(4_000)),
    "deep list": encoded("play", '{"query":' + "[" * 9_000 + "]" * 9_000 + "}"),
    "huge": "play:" + "A" * 2_000_000,
    "long query": encoded("play", {"query": [0] * 1_000}),
    "NaN": encoded("play", '{"query":[NaN,0]}'),
    "1e300": encoded("play", {"query": [1e300, 0]}),
    "1e999": encoded("play", '{"query":[1e999,0]}'),
    "unknown member": encoded("play", {"onload": "window.hacked=1"}),
    "prototype": encoded("play", '{"__proto__":{"hacked":1}}'),
    "constructor": encoded("play", {"constructor": {"prototype": {"hacked": 1}}}),
    "unknown example": encoded("play", {"data": {"example": "__proto__"}}),
    "example toString": encoded("play", {"data": {"example": "toString"}}),
    "unknown view": encoded("play", {"view": "<img src=x onerror=window.hacked=1>"}),
    "no such column": encoded("play", {"features": [0, 7]}),
    "negative column": encoded("play", {"features": [-1, 0]}),
    "one column": encoded("play", {"features": [0], "view": "plane"}),
    "hidden column": encoded("play", {"hidden": [99]}),
    "empty window": encoded("play", {"window": {"x": [1, 1], "y": [0, 1]}}),
    "window of a hair": encoded("play", {"window": {"x": [1, "1"], "y": [0, 1]}}),
    "priors": with_parameters(priors=[0.9, 0.9]),
    "negative prior": with_parameters(priors=[-1, 2]),
    "not positive definite": with_parameters(covariances=[NOT_POSITIVE, NOT_POSITIVE]),
    "zero covariance": with_parameters(covariances=[[[0, 0], [0, 0]]] * 2),
    "too few means": with_parameters(means=[[0, 0]]),
    "means of three features": with_parameters(means=[[0, 0, 0], [1, 1, 1]]),
    "no classes": with_parameters(classes=[], priors=[], means=[], covariances=[]),
    "rows that do not fit": encoded(
        "data", {"data": {"rows": [[1, 2], [3]], "labels": ["a", "b"], "features": ["p", "q"]}}
    ),
    "grid": encoded("data", {"model": {"grid": {}}}),
    "data of another page": encoded("data", {"data": {"given": True}}),
    "shared": encoded("play", {"model": {"shared": 7}}),
    "neighbours": encoded("play", {"neighbours": 1e9}),
    "proportion": encoded("play", {"test": {"proportion": 1}}),
}


_TRY_ALL = """async (addresses) => {
    const { app } = gaussbayes, found = [];
    const go = async (hash) => {
        const heard = new Promise((go) => addEventListener("hashchange", go, { once: true }));
        location.hash = hash;
        await heard;
        return [app.message.textContent, app.place.mode, JSON.stringify(app.figure.state)];
    };
    for (const hash of addresses) {
        found.push(await go(hash));
        await new Promise((go) => requestAnimationFrame(() => setTimeout(go))); // it is drawn
        await go("play"); // without a message
    }
    return found;
}"""


def test_damaged_addresses_open_the_start_page_with_a_sentence(lab: Lab) -> None:
    start = lab.get("JSON.stringify(figure.state)")
    found = lab.page.evaluate(_TRY_ALL, list(HOSTILE.values()))
    for name, (message, mode, state) in zip(HOSTILE, found, strict=True):
        assert SENTENCE.fullmatch(message), (name, message)
        assert mode == "start", name
        assert state == start, name
    assert lab.get("({}).hacked === undefined")


SENTENCE = re.compile(r"The address [^.]{8,100}(start page instead|open that page instead)\.")

NAME = '<img src=x onerror="window.hacked=1">'
GOOD: dict[str, tuple[str, dict[str, Any]]] = {
    "lesson": ("learn/shapes/3", {}),
    "settings": (
        "play",
        {
            "data": {"example": "three", "seed": 5},
            "model": {"covariance": "diagonal", "shared": 0.25, "shrinkage": 0.1},
            "query": [0.5, -0.25],
            "hidden": [1],
            "test": {"proportion": 0.25},
        },
    ),
    "by hand": (
        "play",
        {"model": {"parameters": PARAMETERS}, "window": {"x": [-3, 4], "y": [-3, 4]}},
    ),
    "rows": (
        "data",
        {
            "data": {
                "rows": [[i % 5, i % 7] for i in range(20)],
                "labels": [NAME if i % 2 else "עברית" for i in range(20)],
                "features": [NAME, '"quoted", \u202ertl\u202c'],
                "target": NAME,
                "name": NAME,
            },
            "features": [0, 1],
            "model": {},
            "query": [2, 3],
        },
    ),
    "neighbours": ("play", {"layers": {"neighbours": True}, "neighbours": 9}),
    "surface": ("play", {"view": "surface", "data": {"example": "iris"}, "model": {}}),
}


def test_links_show_the_same_to_anybody(browser: Browser, address: str) -> None:
    with opened(browser, address) as one, opened(browser, address) as other:
        for name, (place, spec) in GOOD.items():
            one.open(encoded(place, spec) if spec else place)
            assert one.message == "", name
            for member, value in spec.items():
                if member != "model" or "parameters" in value:
                    assert one.state[member] == value, (name, member)
            assert one.page.locator("img").count() == 0, name
            if one.page.locator("[data-handle=query]").count():
                one.drag(one.middle("query"), (25, 15))
            other.open(one.page.url.partition("#")[2])
            assert other.state == one.state, name
            assert other.card() == one.card(), name
            panels = [each.page.locator(".lab-panel").inner_text() for each in (one, other)]
            assert panels[0] == panels[1], name


def test_the_back_button_undo_and_redo_go_through_the_states(lab: Lab) -> None:
    def shown() -> tuple[str, str, str]:
        lab.settle()
        return json.dumps(lab.state), lab.get("app.place.mode"), lab.get("location.hash")

    states = [shown()]
    lab.drag(lab.middle("mean-0"), (40, 30))
    states.append(shown())
    lab.tab("play")
    states.append(shown())
    lab.slide("prior of B", 0.8)
    states.append(shown())
    lab.page.mouse.click(*lab.place(2, 1))
    states.append(shown())
    lab.drop("iris.csv", iris_csv())
    states.append(shown())
    lab.press("Line")
    states.append(shown())
    assert len(set(states)) == len(states)
    for state in states[-2::-1]:
        lab.page.go_back()
        assert shown() == state
    for state in states[1:]:
        lab.page.go_forward()
        assert shown() == state
    for state in states[-2::-1]:
        lab.page.keyboard.press("Control+z")
        assert shown()[:2] == state[:2]
    assert lab.find("Undo (Ctrl + Z)").is_disabled()
    for state in states[1:]:
        lab.page.keyboard.press("Control+y")
        assert shown()[:2] == state[:2]
    assert lab.find("Redo (Ctrl + Y)").is_disabled()


def test_a_link_to_a_file_asks_for_it(browser: Browser, address: str) -> None:
    with opened(browser, address) as one, opened(browser, address) as other:
        one.drop("iris.csv", iris_csv())
        one.slide("pooled", 0.6)
        other.page.goto(one.page.url)
        other.settle()
        assert other.message == "The address shows iris.csv: drop that file on this page to see it."
        other.drop("iris.csv", iris_csv())
        assert other.card() == one.card()
        assert other.get("figure.state.model") == one.get("figure.state.model")
