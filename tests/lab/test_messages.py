"""What the page may ask, and what is refused, with words."""

import gc
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from gaussbayes.apps.lab.messages import (
    DataRequest,
    FitSettings,
    GaussiansByHand,
    Neighbours,
    PointsSource,
    PresetSource,
    SceneRequest,
    Split,
    Window,
    read,
    schema_text,
)
from gaussbayes.apps.lab.wire_format import MessageError
from tests.lab.page import Page

DOCS = Path(__file__).parents[2] / "docs"
HAND = {
    "from": "hand",
    "priors": [0.5, 0.5],
    "means": [[0, 0], [1, 1]],
    "covariances": [[[1, 0], [0, 1]], [[2, 0.5], [0.5, 1]]],
}
COMMON: dict[str, Any] = {"data": "abc", "pair": [0, 1], "model": {"from": "data"}}
VALID: dict[str, dict[str, Any]] = {
    "data": {"source": {"from": "preset", "preset": "xor"}},
    "scene": COMMON,
    "line": COMMON,
    "point": COMMON | {"at": [1, 2]},
    "numbers": COMMON,
    "multiples": COMMON,
    "curve": COMMON,
    "surface": COMMON,
    "take_away": COMMON | {"what": "csv"},
    "lesson": {"name": "petals"},
    "open": {
        "format": "gaussbayes-lab",
        "version": 1,
        "state": {"source": {"from": "preset", "preset": "xor"}, "model": HAND},
    },
    "cancel": {"of": "multiples"},
}


def ask(kind: str, **members: Any) -> Any:
    return read(json.dumps({"number": 3, "kind": kind} | VALID[kind] | members))


@pytest.mark.parametrize("kind", VALID)
def test_what_is_left_out_has_a_default(kind: str) -> None:
    request = ask(kind)
    assert (request.kind, request.number) == (kind, 3)


@pytest.mark.parametrize("kind", VALID)
def test_every_field_without_default_is_needed(kind: str) -> None:
    for name in VALID[kind]:
        members = {"number": 3, "kind": kind} | VALID[kind]
        del members[name]
        with pytest.raises(MessageError, match=f"needs the field '{name}'"):
            read(json.dumps(members))


@pytest.mark.parametrize("kind", VALID)
def test_unknown_fields_are_refused_by_name(kind: str) -> None:
    with pytest.raises(MessageError, match="a request has no field 'surprise'") as caught:
        ask(kind, surprise=1)
    assert (caught.value.kind, caught.value.number) == (kind, 3)


def test_a_scene_in_full() -> None:
    request = ask(
        "scene",
        view={"x": [0, 1], "y": [-1, 2.5], "width": 40, "height": 30},
        layers=["label", "margin", "novel", "label"],
        hide=1,
        reject=0.8,
        novelty=0.01,
        truth=True,
    )
    assert isinstance(request, SceneRequest)
    assert request.view == Window((0.0, 1.0), (-1.0, 2.5), 40, 30)
    assert request.layers == {"label", "margin", "novel"}
    assert (request.hide, request.reject, request.novelty, request.truth) == (1, 0.8, 0.01, True)
    assert request.model == FitSettings()


def test_models() -> None:
    settings = {"covariance": "diagonal", "shared": 0.25, "divisor": "unbiased"}
    more: dict[str, Any] = {"shrinkage": "oas", "priors": [0.25, 0.75], "first": 9}
    more |= {"smoothing": 0.5, "unlabelled_weight": 0.25}
    assert ask("numbers", model={"from": "data"} | settings | more).model == FitSettings(
        "diagonal", 0.25, "unbiased", "oas", (0.25, 0.75), 0.5, 0.25, 9
    )
    assert ask("numbers", model={"from": "neighbours", "k": 3}).model == Neighbours(3)
    hand = ask("numbers", model=HAND).model
    assert isinstance(hand, GaussiansByHand)
    np.testing.assert_array_equal(hand.means, [[0, 0], [1, 1]])
    np.testing.assert_array_equal(hand.covariances, HAND["covariances"])


def test_sources() -> None:
    request = ask("data", split={"test": 0.25, "seed": 4}, target="kind")
    assert request == DataRequest(3, PresetSource("xor", 0, None), "kind", Split(0.25, 4))
    source = {
        "from": "points",
        "points": [[1, None, 1], [0.5, 2, 0], [3, 4, None]],
        "classes": ["p", "q"],
        "features": ["a", "b"],
    }
    painted = ask("data", source=source).source
    assert isinstance(painted, PointsSource)
    assert painted.points == ((1, None, 1), (0.5, 2, 0), (3, 4, None))
    assert ask("data", source=source | {"points": []}).source.points == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "a request must be JSON"),
        ("{", "a request must be JSON"),
        ("[]", "a request must be an object, got \\[\\]"),
        ("null", "a request must be an object, got null"),
        ('{"number": NaN}', "a request must be JSON, got .*NaN"),
        ('{"number": -Infinity}', "a request must be JSON, got .*-Infinity"),
        ('{"number": 1}', "needs the field 'kind'"),
        ('{"kind": "scene"}', "needs the field 'number'"),
        ('{"number": 1, "kind": "dance"}', 'kind must be one of the values .* got "dance"'),
        ('{"number": 1.0, "kind": "scene"}', "number must be an integer"),
        ('{"number": true, "kind": "scene"}', "number must be an integer"),
        ('{"number": -1, "kind": "scene"}', "number must be an integer"),
        ("[" * 100_000, "a request must be an object"),
        ('{"x": ' + "[" * 100_000, "nested too deep"),
        ('{"kind": "scene", "data": ' + "[" * 100_000, "data must be a string"),
        ('{"kind": "scene", "number": ' + "9" * 5000 + "}", "number must be a smaller number"),
        ("\ud800", "half a character"),
        (" " * (4 << 20) + "{}", "at most 4,194,304 bytes"),
        ("é" * (3 << 20), "at most 4,194,304 bytes"),
    ],
)
def test_what_is_no_request(text: str, complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        read(text)


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ({"data": 3}, "data must be a string"),
        ({"data": ""}, "data must be a string"),
        ({"data": "x" * 401}, "data must be a string of length <= 400"),
        ({"data": "\ud800"}, "a request must be JSON"),
        ({"pair": [0]}, "pair must be an array of length 2"),
        ({"pair": [0, 1, 2]}, "pair must be an array of length 2"),
        ({"pair": [0, -1]}, "pair\\[1\\] must be an integer >= 0, got -1"),
        ({"pair": [0, 50]}, "pair\\[1\\] must be an integer <= 49, got 50"),
        ({"pair": [0, "1"]}, "pair\\[1\\] must be an integer"),
        ({"view": []}, "view must be an object or null"),
        ({"view": {"x": [1, 1]}}, "view.x must begin below where it ends"),
        ({"view": {"x": [2, 1]}}, "view.x must begin below where it ends"),
        ({"view": {"x": [0, 1e200]}}, "view.x\\[1\\] must be a number"),
        ({"view": {"x": [0, None]}}, "view.x\\[1\\] must be a number"),
        ({"view": {"x": 1}}, "view.x must be an array or null, got 1"),
        ({"view": {"width": 401}}, "view.width must be an integer <= 400, got 401"),
        ({"view": {"height": 1}}, "view.height must be an integer >= 2, got 1"),
        ({"view": {"widht": 1}}, "view has no field 'widht'"),
        ({"layers": "label"}, "layers must be an array"),
        ({"layers": ["colour"]}, 'layers.0. must be one of the values .* got "colour"'),
        ({"layers": [["label"]]}, "layers\\[0\\] must be a string"),
        ({"hide": 2}, "hide must be one of the values that the schema of requests lists, got 2"),
        ({"reject": 1.5}, "reject must be a number <= 1.0, got 1.5"),
        ({"novelty": "0.1"}, "novelty must be a number or null, got"),
        ({"truth": 1}, "truth must be a boolean"),
        ({"model": None}, "model must be an object, got null"),
        ({"model": {}}, "model needs the field 'from'"),
        ({"model": {"from": "space"}}, "model.from must be one of"),
    ],
)
def test_bad_scenes(members: dict[str, Any], complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        ask("scene", **members)


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ({"covariance": "round"}, "model.covariance must be one of"),
        ({"covariance": ["full"]}, "model.covariance must be a string"),
        ({"shared": "yes"}, "model.shared must be a boolean or a number, got"),
        ({"shared": 1.5}, "model.shared must be a number <= 1.0, got 1.5"),
        ({"shared": [0.5]}, "model.shared must be a boolean or a number, got"),
        ({"divisor": 3}, "model.divisor must be a string, got 3"),
        ({"shrinkage": 2}, "model.shrinkage must be a number <= 1.0, got 2"),
        ({"shrinkage": "auto"}, "model.shrinkage must be"),
        ({"shrinkage": {}}, "model.shrinkage must be"),
        ({"priors": "equal"}, "model.priors must be one of the values that the schema"),
        ({"priors": []}, "model.priors must be"),
        ({"priors": [1.5, -0.5]}, "model.priors\\[0\\] must be a number <= 1.0, got 1.5"),
        ({"priors": [0.5, None]}, "model.priors\\[1\\] must be a number"),
        ({"priors": [1 / 60] * 60}, "model.priors must be an array of length <= 50"),
        ({"first": -1}, "model.first must be an integer"),
        ({"first": 2.5}, "model.first must be an integer"),
        ({"k": 3}, "model has no field 'k'"),
    ],
)
def test_bad_settings(members: dict[str, Any], complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        ask("numbers", model={"from": "data"} | members)


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ({"means": 1}, "model.means must be an array"),
        ({"means": []}, "model.means must be an array"),
        ({"means": [[0, 0]] * 13}, "model.means must be an array of length <= 12, got"),
        ({"means": [[0, 0]] * 10_000}, "model.means must be an array of length <= 12, got .*…$"),
        ({"means": [[0, 0], [1]]}, "model.means\\[1\\] must be an array of length 2"),
        ({"means": [[0, 0], [1, None]]}, "model.means\\[1\\]\\[1\\] must be a number"),
        ({"means": [[0, 0], [1, True]]}, "model.means\\[1\\]\\[1\\] must be a number"),
        ({"means": [[0, 0], [1, 1e101]]}, "model.means\\[1\\]\\[1\\] must be a number"),
        ({"means": [[0, 0], [1, 10**400]]}, "model.means\\[1\\]\\[1\\] must be a smaller"),
        ({"means": [[0, 0]]}, "model.priors must be those of 1 class"),
        ({"priors": [1]}, "model.priors must be those of 2 classes"),
        ({"first": 3}, "model has no field 'first'"),
    ],
)
def test_bad_models_by_hand(members: dict[str, Any], complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        ask("numbers", model=HAND | members)


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ({"priors": [0.5, 0.6]}, "must sum to 1"),
        ({"covariances": [[[1, 2], [2, 1]], [[1, 0], [0, 1]]]}, "model: .*class 0"),
        ({"covariances": [[[1, 0], [0, 0]], [[1, 0], [0, 1]]]}, "model: .*class 0"),
        ({"covariances": [[[1, 0], [0, 1]], [[1, 0], [0, -1]]]}, "model: .*class 1"),
        ({"covariances": [[[1, 0.5], [0, 1]], [[1, 0], [0, 1]]]}, "must be symmetric"),
    ],
)
def test_what_is_no_model_by_hand(members: dict[str, Any], complaint: str, page: Page) -> None:
    """Types cannot say what a covariance is: the core does."""
    with pytest.raises(MessageError, match=complaint):
        page.ask("numbers", data=page.data("unequal"), pair=[0, 1], model=HAND | members)


@pytest.mark.parametrize("k", [0, 1.5, "5", None, True, 1001])
def test_bad_neighbours(k: object) -> None:
    with pytest.raises(MessageError, match="model.k must be an integer"):
        ask("numbers", model={"from": "neighbours", "k": k})


POINTS: dict[str, Any] = {
    "from": "points",
    "points": [[0, 0, 0]],
    "classes": ["p"],
    "features": ["a", "b"],
}
XOR = {"from": "preset", "preset": "xor"}


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (None, "source must be an object, got null"),
        ({}, "source needs the field 'from'"),
        (XOR | {"upload": "u"}, "source has no field 'upload'"),
        (XOR | {"preset": 1}, "source.preset must be a string"),
        (XOR | {"seed": -1}, "source.seed must be an integer"),
        (XOR | {"seed": 1 << 32}, "source.seed must be an integer"),
        (XOR | {"n": 0}, "source.n must be an integer >= 1, got 0"),
        (XOR | {"n": 1e6}, "source.n must be an integer"),
        (XOR | {"file": "/etc/passwd"}, "source has no field 'file'"),
        ({"from": "upload", "upload": {}}, "source.upload must be a string"),
        (
            {"from": "upload", "upload": "u", "features": []},
            "source.features must be an array of length >= 1",
        ),
        ({"from": "upload", "upload": "u", "features": ["a", "a"]}, "'a' is there twice"),
        ({"from": "given", "features": 1}, "source.features must be an array or null, got 1"),
        (POINTS | {"points": {}}, "source.points must be an array"),
        (
            POINTS | {"points": [[0, 0, 0]] * 200_001},
            "source.points must be an array of length <= 200000, got",
        ),
        (POINTS | {"points": [[0, 0]]}, "source.points\\[0\\] must be an array of length 3"),
        (
            POINTS | {"points": [[0, 0, 0], [0, "1", 0]]},
            "source.points\\[1\\]\\[1\\] must be a number",
        ),
        (POINTS | {"points": [[0, 1e101, 0]]}, "source.points\\[0\\]\\[1\\] must be a number"),
        (POINTS | {"points": [[0, 0, 1]]}, "points\\[0\\] must have a class code from 0 to 0"),
        (POINTS | {"points": [[0, 0, 0.0]]}, "points\\[0\\]\\[2\\] must be an integer"),
        (
            POINTS | {"classes": []},
            "source.classes must be an array of length >= 1",
        ),
        (POINTS | {"classes": [str(i) for i in range(51)]}, "must be an array of length <= 50"),
        (POINTS | {"classes": ["p", "p"]}, "'p' is there twice"),
        (POINTS | {"features": ["a"]}, "source.features must be an array of length 2"),
    ],
)
def test_bad_sources(source: Any, complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        ask("data", source=source)


@pytest.mark.parametrize(
    ("kind", "members", "complaint"),
    [
        ("data", {"target": 3}, "target must be a string"),
        ("data", {"split": None}, "split must be an object, got null"),
        ("data", {"split": {"test": 1}}, "split.test must be a number <= 0.9, got 1"),
        ("data", {"split": {"seed": "a"}}, "split.seed must be an integer"),
        ("data", {"split": {"train": 1}}, "split has no field 'train'"),
        ("line", {"feature": 99}, "feature must be an integer"),
        ("line", {"x": [3, 3]}, "^x must begin below where it ends, got \\[3, 3\\]"),
        ("line", {"points": 1}, "points must be an integer >= 2, got 1"),
        ("point", {"at": None}, "at must be an integer or an array, got null"),
        ("point", {"at": [1]}, "at must be an array of length 2"),
        ("point", {"at": [1, "2"]}, "at\\[1\\] must be a number"),
        ("point", {"at": True}, "at must be an integer or an array, got true"),
        ("multiples", {"neighbours": 0}, "neighbours must be an integer"),
        ("take_away", {"what": "money"}, "what must be one of"),
        ("lesson", {"name": None}, "name must be a string"),
        ("open", {"version": 2}, "version must be one of"),
        ("open", {"state": {"source": {"from": "given"}}}, "state needs the field 'model'"),
    ],
)
def test_other_bad_members(kind: str, members: dict[str, Any], complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        ask(kind, **members)


def test_the_schema_in_the_documents_is_that_of_the_types() -> None:
    written = (DOCS / "lab-messages.schema.json").read_text("utf-8")
    assert written == schema_text(), "python -m gaussbayes.apps.lab.messages > docs/lab-messages…"


@pytest.mark.parametrize("kind", VALID)
def test_the_schema_says_what_is_read(kind: str) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    request = {"number": 3, "kind": kind} | VALID[kind]
    validator.validate(request)
    for wrong in ({"surprise": 1}, {"number": -1}, {"kind": "dance"}):
        assert not validator.is_valid(request | wrong)
        with pytest.raises(MessageError):
            read(json.dumps(request | wrong))


def test_the_document_describes_every_kind() -> None:
    schema = json.loads(schema_text())
    _, _, table = (DOCS / "lab.md").read_text("utf-8").partition("| Kind | Fields |\n|---|---|\n")
    lines = [line.split("|")[1:3] for line in table.partition("\n\n")[0].splitlines()]
    described = {kind.strip(" `"): set(re.findall("`(\\w+)`", fields)) for kind, fields in lines}
    for kind, reference in schema["discriminator"]["mapping"].items():
        fields = schema["$defs"][reference.rpartition("/")[2]]["properties"]
        assert described[kind] == set(fields) - {"kind", "number"}, kind
    assert set(described) == set(VALID)


def test_types_survive_the_garbage_collector() -> None:
    """Some unions of tuples and bounded numbers crash msgspec 0.22 here."""
    gc.collect()
    assert ask("point").kind == "point"
