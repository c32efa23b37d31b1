"""Whatever comes, it is answered or refused with words; nothing else is ever raised."""

import json
import random
import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussbayes.apps.lab.answers import answer
from gaussbayes.apps.lab.messages import read
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.errors import GaussBayesError
from tests.lab.tables import open_page, people

PAGE, MIXED = open_page(people(40, missing=0.1, unlabelled=0.2))
COMMON: dict[str, Any] = {
    "data": PAGE.data("few_rows", n=30),
    "pair": [0, 1],
    "model": {
        "from": "hand",
        "priors": [0.5, 0.5],
        "means": [[0, 0], [1, 1]],
        "covariances": [[[1, 0], [0, 1]], [[2, 0.5], [0.5, 1]]],
    },
    "view": {"x": [-3, 3], "y": [-3, 3], "width": 5, "height": 4},
    "hide": 0,
}
FITTED = {
    "from": "data",
    "covariance": "diagonal",
    "shared": 0.5,
    "divisor": "mle",
    "shrinkage": 0.1,
    "priors": [0.5, 0.5],
    "smoothing": 0.5,
    "unlabelled_weight": 0.5,
    "first": 20,
}
REQUESTS: list[dict[str, Any]] = [
    COMMON
    | {
        "kind": "scene",
        "layers": ["label", "posterior", "margin", "evidence", "errors"],
        "reject": 0.5,
        "novelty": 0.5,
        "truth": True,
    },
    COMMON | {"kind": "scene", "model": FITTED},
    {name: COMMON[name] for name in ("data", "pair", "model")}
    | {"kind": "line", "feature": 1, "x": [0, 1], "points": 5},
    {name: COMMON[name] for name in ("data", "pair", "model", "hide")}
    | {"kind": "point", "at": [0.5, 0.5]},
    {"kind": "numbers", "data": COMMON["data"], "pair": [3, 4], "model": FITTED},
    {
        "kind": "point",
        "data": MIXED,
        "pair": [0, 2],
        "model": FITTED,
        "at": 3,
        "known_categories": [1, None],
    },
    {"kind": "scene", "data": MIXED, "pair": [0, 1], "model": FITTED, "layers": ["errors"]},
    {"kind": "take_away", "what": "model", "data": COMMON["data"], "pair": [0, 1], "model": FITTED},
    {
        "kind": "data",
        "source": {"from": "preset", "preset": "one", "seed": 3, "n": 20},
        "target": None,
        "split": {"test": 0.5, "seed": 1},
    },
    {
        "kind": "data",
        "source": {
            "from": "points",
            "points": [[0, 1, 0], [1, None, 1], [2, 2, 1]],
            "classes": ["p", "q"],
            "features": ["a", "b"],
        },
    },
    {"kind": "lesson", "name": "petals"},
    {
        "kind": "open",
        "format": "gaussbayes-lab",
        "version": 1,
        "state": {
            "source": {"from": "preset", "preset": "genetic_test"},
            "model": {"from": "categories", "priors": [0.5, 0.5], "probabilities": [[[0.5, 0.5]]]},
            "bounds": {"x": [0, 1], "y": [2, 3]},
            "layers": {"regions": "hard", "reject": 0.9},
            "lesson": ["petals", 2],
        },
    },
]

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(0, 3)
    | st.floats(allow_nan=True)
    | st.text(max_size=5)
    | st.sampled_from([0, -0.0, 1, 1e-320, 1e100, 1e308, "full", "uniform", "data"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to every value within a value."""
    found = [path] if path else []
    keys = value if isinstance(value, dict) else range(len(value) if isinstance(value, list) else 0)
    return found + [way for key in keys for way in places(value[key], (*path, key))]


@given(st.data())
def test_requests_with_one_value_changed(data: st.DataObject) -> None:
    request = json.loads(json.dumps(data.draw(st.sampled_from(REQUESTS)) | {"number": 1}))
    way = data.draw(st.sampled_from(places(request)))
    inner = request
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = data.draw(values)
    with suppress(GaussBayesError):
        answer(read(json.dumps(request)), PAGE.store)


def test_six_thousand_errors_can_be_read() -> None:
    """The field, what must be there, what came; none of the words of the library that reads."""
    generator = random.Random(0)
    scalars = [None, True, -1, 0.5, 7, 10**30, 1e101, "", "full", "x" * 500, "a`b"]
    others = [*scalars, [], {}, [0], [0, 1, 2], [None, None], {"a": 1}, {"from": "data"}]
    n_refused = 0
    for _ in range(6000):
        request = json.loads(json.dumps(generator.choice(REQUESTS) | {"number": 1}))
        way = generator.choice(places(request))
        inner = request
        for key in way[:-1]:
            inner = inner[key]
        action = generator.choice(["change", "change", "remove", "add"])
        if action == "remove":
            del inner[way[-1]]
        elif action == "add" and isinstance(inner, dict):
            inner["surprise"] = generator.choice(others)
        else:
            inner[way[-1]] = generator.choice(others)
        try:
            read(json.dumps(request))
        except MessageError as error:
            n_refused += 1
            text = str(error)
            assert re.search("must be|must have|needs the field|has no field|there twice", text), (
                text
            )
            assert not re.search("Expected|Object|Invalid|\\$|another value", text), text
            assert len(text) < 500, text
    assert n_refused > 5000


@given(st.text() | values.map(json.dumps))
def test_texts_that_are_no_requests(text: str) -> None:
    with pytest.raises(MessageError):
        answer(read(text), Store())
