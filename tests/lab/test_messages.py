"""What the page may ask, and what is refused, with words."""

import json
from typing import Any

import numpy as np
import pytest

from gaussbayes.apps.lab.messages import (
    ByHand,
    DataRequest,
    FromData,
    MessageError,
    Neighbours,
    PointsSource,
    PresetSource,
    SceneRequest,
    Split,
    Window,
    read,
)

HAND = {
    "from": "hand",
    "priors": [0.5, 0.5],
    "means": [[0, 0], [1, 1]],
    "covariances": [[[1, 0], [0, 1]], [[2, 0.5], [0.5, 1]]],
}
COMMON: dict[str, Any] = {"data": "abc", "pair": [0, 1], "model": {"from": "data"}}
VALID: dict[str, dict[str, Any]] = {
    "data": {"source": {"preset": "xor"}},
    "scene": COMMON,
    "line": COMMON,
    "point": COMMON | {"at": [1, 2]},
    "numbers": COMMON,
    "multiples": COMMON,
    "surface": COMMON,
    "take_away": COMMON | {"what": "csv"},
    "lesson": {"name": "petals"},
}


def ask(kind: str, **members: Any) -> Any:
    return read(json.dumps({"number": 3, "kind": kind} | VALID[kind] | members))


@pytest.mark.parametrize("kind", VALID)
def test_what_is_left_out_has_a_default(kind: str) -> None:
    request = ask(kind)
    assert (request.kind, request.number) == (kind, 3)


@pytest.mark.parametrize("kind", VALID)
def test_every_member_without_default_is_needed(kind: str) -> None:
    for name in VALID[kind]:
        members = {"number": 3, "kind": kind} | VALID[kind]
        del members[name]
        with pytest.raises(MessageError, match=f"needs the member '{name}'"):
            read(json.dumps(members))


@pytest.mark.parametrize("kind", VALID)
def test_unknown_members_are_refused_by_name(kind: str) -> None:
    with pytest.raises(MessageError, match="a request has no member 'surprise'") as caught:
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
    assert request.layers == {"label", "margin"}
    assert (request.hide, request.reject, request.novelty, request.truth) == (1, 0.8, 0.01, True)
    assert request.model == FromData()


def test_models() -> None:
    settings = {"covariance": "diagonal", "shared": 0.25, "divisor": "unbiased"}
    more = {"shrinkage": "oas", "priors": [0.25, 0.75], "first": 9}
    assert ask("numbers", model={"from": "data"} | settings | more).model == FromData(
        "diagonal", 0.25, "unbiased", "oas", (0.25, 0.75), 9
    )
    assert ask("numbers", model={"from": "neighbours", "k": 3}).model == Neighbours(3)
    hand = ask("numbers", model=HAND).model
    assert isinstance(hand, ByHand)
    np.testing.assert_array_equal(hand.parameters.mean, [[0, 0], [1, 1]])
    np.testing.assert_array_equal(hand.covariances, HAND["covariances"])


def test_sources() -> None:
    request = ask("data", split={"test": 0.25, "seed": 4}, target="kind")
    assert request == DataRequest(3, PresetSource("xor", 0, None), "kind", Split(0.25, 4))
    source = {"points": [[1, None, 1], [0.5, 2, 0]], "classes": ["p", "q"], "features": ["a", "b"]}
    painted = ask("data", source=source).source
    assert isinstance(painted, PointsSource)
    np.testing.assert_array_equal(painted.rows, [[1, np.nan], [0.5, 2]])
    assert painted.codes.tolist() == [1, 0]
    empty = ask("data", source=source | {"points": []}).source
    assert empty.rows.shape == (0, 2)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "a request is JSON"),
        ("{", "a request is JSON"),
        ("[]", "a request is an object, got \\[\\]"),
        ("null", "a request is an object, got None"),
        ('{"number": 1, "number": 2}', "the member 'number' is there twice"),
        ('{"number": NaN}', "numbers are finite, got NaN"),
        ('{"number": -Infinity}', "numbers are finite, got -Infinity"),
        ('{"number": 1}', "needs the member 'kind'"),
        ('{"kind": "scene"}', "needs the member 'number'"),
        ('{"number": 1, "kind": "dance"}', "kind is one of 'data', .* got 'dance'"),
        ('{"number": 1.0, "kind": "scene"}', "number is a whole number"),
        ('{"number": true, "kind": "scene"}', "number is a whole number"),
        ('{"number": -1, "kind": "scene"}', "number is a whole number"),
        ("[" * 100_000, "nested too deep"),
        ('{"number": ' + "9" * 5000 + "}", "a request is JSON"),
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
        ({"data": 3}, "data is a text"),
        ({"data": ""}, "data is a text"),
        ({"data": "x" * 401}, "data is a text of 1 to 400"),
        ({"data": "\ud800"}, "half a character"),
        ({"pair": [0]}, "pair is two feature numbers"),
        ({"pair": [0, 1, 2]}, "pair is two feature numbers"),
        ({"pair": [0, -1]}, "pair is a whole number"),
        ({"pair": [0, 50]}, "pair is a whole number from 0 to 49"),
        ({"pair": [0, "1"]}, "pair is a whole number"),
        ({"view": []}, "view is an object"),
        ({"view": {"x": [1, 1]}}, "view.x begins below where it ends"),
        ({"view": {"x": [2, 1]}}, "view.x begins below where it ends"),
        ({"view": {"x": [0, 1e200]}}, "view.x\\[1\\] is a number"),
        ({"view": {"x": [0, None]}}, "view.x\\[1\\] is a number"),
        ({"view": {"x": 1}}, "view.x is \\[lowest, highest\\]"),
        ({"view": {"width": 401}}, "view.width is a whole number from 2 to 400"),
        ({"view": {"height": 1}}, "view.height is a whole number from 2 to 400"),
        ({"view": {"depth": 1}}, "view has no member 'depth'"),
        ({"layers": "label"}, "layers are a list"),
        ({"layers": ["colour"]}, "layers is one of 'label'"),
        ({"layers": [["label"]]}, "layers is one of"),
        ({"layers": ["label"] * 50}, "layers are a list"),
        ({"hide": 2}, "hide is a whole number from 0 to 1"),
        ({"reject": 1.5}, "reject is a number from 0 to 1"),
        ({"novelty": "0.1"}, "novelty is a number from 0 to 1"),
        ({"truth": 1}, "truth is true or false"),
        ({"model": None}, "model is an object"),
        ({"model": {}}, "model needs the member 'from'"),
        ({"model": {"from": "space"}}, "model.from is one of"),
    ],
)
def test_bad_scenes(members: dict[str, Any], complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        ask("scene", **members)


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ({"covariance": "round"}, "model.covariance is one of"),
        ({"covariance": ["full"]}, "model.covariance is one of"),
        ({"shared": "yes"}, "shared is True, False or a number"),
        ({"shared": 1.5}, "shared is True, False or a number"),
        ({"shared": [0.5]}, "model.shared is no list"),
        ({"divisor": 3}, "model.divisor is one of"),
        ({"shrinkage": 2}, "model: shrinkage"),
        ({"shrinkage": "auto"}, "model: shrinkage"),
        ({"shrinkage": {}}, "model.shrinkage is no list"),
        ({"priors": "equal"}, "model.priors are null"),
        ({"priors": []}, "model.priors are null"),
        ({"priors": [0.5, 0.4]}, "must sum to 1"),
        ({"priors": [1.5, -0.5]}, "not negative"),
        ({"priors": [0.5, None]}, "model.priors are numbers"),
        ({"priors": [1 / 60] * 60}, "model.priors are null"),
        ({"first": -1}, "model.first is a whole number"),
        ({"first": 2.5}, "model.first is a whole number"),
        ({"k": 3}, "model has no member 'k'"),
    ],
)
def test_bad_settings(members: dict[str, Any], complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        ask("numbers", model={"from": "data"} | members)


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ({"means": 1}, "model.means are a list"),
        ({"means": []}, "model.means are a list"),
        ({"means": [[0, 0]] * 13}, "1 to 12 classes, got 13"),
        ({"means": [[0, 0]] * 10_000}, "1 to 12 classes, got 10000"),
        ({"means": [[0, 0], [1]]}, "model.means are 2 × 2 numbers"),
        ({"means": [[0, 0], [1, None]]}, "model.means are numbers"),
        ({"means": [[0, 0], [1, True]]}, "model.means are numbers"),
        ({"means": [[0, 0], [1, 1e101]]}, "model.means are numbers"),
        ({"means": [[0, 0], [1, 10**400]]}, "model.means are numbers"),
        ({"means": [[0, 0]]}, "model.covariances are 1 × 2 × 2 numbers"),
        ({"priors": [1]}, "model.priors are 2 numbers"),
        ({"priors": [0.5, 0.6]}, "must sum to 1"),
        ({"covariances": [[[1, 2], [2, 1]], [[1, 0], [0, 1]]]}, "model: .*class 0"),
        ({"covariances": [[[1, 0], [0, 0]], [[1, 0], [0, 1]]]}, "model: .*class 0"),
        ({"covariances": [[[1, 0], [0, 1]], [[1, 0], [0, -1]]]}, "model: .*class 1"),
        ({"covariances": [[[1, 0.5], [0, 1]], [[1, 0], [0, 1]]]}, "not symmetric"),
        ({"first": 3}, "model has no member 'first'"),
    ],
)
def test_bad_models_by_hand(members: dict[str, Any], complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        ask("numbers", model=HAND | members)


@pytest.mark.parametrize("k", [0, 1.5, "5", None, True, 1001])
def test_bad_neighbours(k: object) -> None:
    with pytest.raises(MessageError, match="model.k is a whole number from 1 to 1000"):
        ask("numbers", model={"from": "neighbours", "k": k})


POINTS: dict[str, Any] = {"points": [[0, 0, 0]], "classes": ["p"], "features": ["a", "b"]}


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (None, "source is an object"),
        ({}, "source has one of the members"),
        ({"preset": "xor", "upload": "u"}, "source has one of the members"),
        ({"preset": 1}, "source.preset is a text"),
        ({"preset": "xor", "seed": -1}, "source.seed is a whole number"),
        ({"preset": "xor", "seed": 1 << 32}, "source.seed is a whole number"),
        ({"preset": "xor", "n": 0}, "source.n is a whole number from 1 to 200000"),
        ({"preset": "xor", "n": 1e6}, "source.n is a whole number"),
        ({"preset": "xor", "file": "/etc/passwd"}, "source has no member 'file'"),
        ({"upload": {}}, "source.upload is a text"),
        ({"upload": "u", "features": []}, "source.features are a list"),
        ({"upload": "u", "features": ["a", "a"]}, "'a' is there twice"),
        ({"given": 1}, "source.given is true or false"),
        ({"given": False}, "source.given is true, or not there"),
        (POINTS | {"points": {}}, "source.points are a list"),
        (POINTS | {"points": [[0, 0, 0]] * 200_001}, "at most 200,000 points, got 200,001"),
        (POINTS | {"points": [[0, 0]]}, "source.points\\[0\\] is \\[x, y, class number\\]"),
        (POINTS | {"points": [[0, 0, 0], [0, "1", 0]]}, "source.points\\[1\\] has coordinates"),
        (POINTS | {"points": [[0, 1e101, 0]]}, "source.points\\[0\\] has coordinates"),
        (POINTS | {"points": [[0, 0, 1]]}, "class number from 0 to 0"),
        (POINTS | {"points": [[0, 0, 0.0]]}, "class number from 0 to 0"),
        (POINTS | {"classes": []}, "source.classes are a list"),
        (POINTS | {"classes": [str(i) for i in range(51)]}, "list of 1 to 50 texts"),
        (POINTS | {"classes": ["p", "p"]}, "'p' is there twice"),
        (POINTS | {"features": ["a"]}, "source.features are two texts"),
    ],
)
def test_bad_sources(source: Any, complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        ask("data", source=source)


@pytest.mark.parametrize(
    ("kind", "members", "complaint"),
    [
        ("data", {"target": 3}, "target is a text"),
        ("data", {"split": None}, "split is an object"),
        ("data", {"split": {"test": 1}}, "split.test is a number from 0 to 0.9"),
        ("data", {"split": {"seed": "a"}}, "split.seed is a whole number"),
        ("data", {"split": {"train": 1}}, "split has no member 'train'"),
        ("line", {"feature": 99}, "feature is a whole number"),
        ("line", {"x": [3, 3]}, "x begins below where it ends"),
        ("line", {"points": 1}, "points is a whole number from 2 to 2000"),
        ("point", {"at": None}, "at is \\[x, y\\] or the number of a row"),
        ("point", {"at": [1]}, "at is \\[x, y\\] or the number of a row"),
        ("point", {"at": [1, "2"]}, "at\\[1\\] is a number"),
        ("point", {"at": -1}, "at is a whole number"),
        ("point", {"at": True}, "at is \\[x, y\\] or the number of a row"),
        ("multiples", {"neighbours": 0}, "neighbours is a whole number"),
        ("take_away", {"what": "money"}, "what is one of"),
        ("lesson", {"name": None}, "name is a text"),
    ],
)
def test_other_bad_members(kind: str, members: dict[str, Any], complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        ask(kind, **members)
