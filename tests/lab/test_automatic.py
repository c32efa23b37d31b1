"""The automatic model: everywhere that of `GaussianClassifier.auto`, chosen once for some rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from gaussbayes import GaussianClassifier
from gaussbayes.apps.cli import gaussbayes
from gaussbayes.apps.lab import model_views
from tests.lab.page import Page
from tests.lab.tables import open_page, people

AUTO: dict[str, Any] = {"from": "auto"}
NUMBERS = ["height", "weight", "visits"]


def automatic(frame: pd.DataFrame) -> GaussianClassifier:
    return GaussianClassifier.auto().fit(frame.drop(columns="kind"), frame["kind"])


def skewed(n: int = 90) -> pd.DataFrame:
    """Numbers whose transform bends the outlines."""
    frame = people(n)[["height", "weight", "kind"]]
    return frame.assign(height=np.exp(frame["height"]))


def test_it_is_the_classifiers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Posteriors by all features are calibrated; Python, command and model file give the same."""
    frame = people(90)
    peer = automatic(frame)
    rows = frame.drop(columns="kind")
    page, data = open_page(frame)
    members: dict[str, Any] = {"data": data, "pair": [0, 1], "model": AUTO}
    numbers = page.ask("numbers", **members).head
    assert numbers["chosen"] == peer.selection_.choice
    log_posterior = peer.predict_log_proba(rows)
    codes = np.searchsorted(peer.classes_, frame["kind"])
    loss = -log_posterior[np.arange(len(frame)), codes].mean()
    assert numbers["train"]["log_loss"] == pytest.approx(loss)
    assert numbers["leave_one_out"]["log_loss"] > loss
    monkeypatch.chdir(tmp_path)
    for what in ("csv", "python", "command", "model"):
        head = page.ask("take_away", what=what, **members).head
        Path(head["file"]).write_text(head["text"], encoding="utf-8")
    taken = [GaussianClassifier.load("lab.json")]
    names: dict[str, Any] = {}
    exec(compile(Path("lab.py").read_text("utf-8"), "lab.py", "exec"), names)  # noqa: S102
    command = Path("lab.sh").read_text("utf-8").splitlines()[0]
    result = CliRunner().invoke(gaussbayes, command.split()[1:])
    assert f"chosen: {numbers['chosen']}" in result.output
    taken += [names["model"], GaussianClassifier.load("lab.json")]
    for each in taken:
        np.testing.assert_allclose(each.predict_log_proba(rows), log_posterior, rtol=1e-8)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_every_view_is_there(missing: float) -> None:
    """What the plane shows is the marginal, also of coded categories."""
    page, data = open_page(people(90, missing=missing, unlabelled=2 * missing))
    members: dict[str, Any] = {"data": data, "pair": [0, 1], "model": AUTO}
    layers = ["posterior", "label", "margin", "evidence", "joint", "density", "errors"]
    scene = page.ask("scene", **members, layers=layers, reject=0.9)
    assert scene.head["problem"] is None
    assert {*layers, "reject", "wrong"} - {"errors"} == set(scene.arrays)
    assert len(scene.head["ellipses"]) == 6
    for kind, more in (("line", {}), ("surface", {}), ("multiples", {}), ("point", {"at": 3})):
        head = page.ask(kind, **members, **more).head
        assert head.get("problem") is None, kind
    assert page.ask("multiples", **members).head["models"][0]["name"] == "automatic"
    point = page.ask("point", **members, at=[0.3, 0.8]).head
    odds = point["explanation"]["log_odds"]
    total = odds["at_reference"] + sum(each["amount"] for each in odds["contributions"])
    assert odds["value"] == pytest.approx(total)
    novel = page.ask("scene", **members, novelty=0.05)  # coded categories have no distances
    assert "label" in novel.arrays
    assert ("novel" in novel.arrays) is (novel.head["problem"] is None)


def test_outlines_follow_the_transform() -> None:
    """They are where the classifier has them: all points of one are equally far in its terms."""
    frame = skewed()
    peer = automatic(frame)
    assert peer.selection_.best.transform == "yeo-johnson"
    page, data = open_page(frame)
    scene = page.ask("scene", data=data, pair=[0, 1], model=AUTO).head
    for outline in scene["ellipses"]:
        points = np.column_stack([outline["x"], outline["y"]])
        distance = peer.mahalanobis(points)[:, outline["class"]]
        np.testing.assert_allclose(distance, distance[0], rtol=1e-4)


def test_one_feature_has_the_boundaries_of_calibrated_posteriors() -> None:
    frame = skewed()[["height", "kind"]]
    page, data = open_page(frame)
    head = page.ask("line", data=data, pair=[0, 0], model=AUTO).head
    assert head["boundaries"]
    peer = automatic(frame)
    for place in head["boundaries"]:
        step = 1e-6 * max(1.0, abs(place))  # one of them is far out
        near = peer.predict(pd.DataFrame({"height": [place - step, place + step]}))
        assert near[0] != near[1]


def test_priors_enter_afterwards(page: Page) -> None:
    """They are moved without another choice."""
    data = page.data("three", n=60)
    members: dict[str, Any] = {"data": data, "pair": [0, 1]}
    plain = page.ask("numbers", **members, model=AUTO).head
    moved = page.ask("numbers", **members, model=AUTO | {"priors": [0.1, 0.2, 0.7]}).head
    assert moved["chosen"] == plain["chosen"]
    assert moved["parameters"]["means"] == plain["parameters"]["means"]
    assert moved["parameters"]["priors"] == pytest.approx([0.1, 0.2, 0.7])
    text = page.ask("take_away", **members, model=AUTO | {"priors": "uniform"}, what="python").head
    assert "model = model.with_priors('uniform')" in text["text"]


def test_many_rows_are_chosen_by_some(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model learns from all of them."""
    monkeypatch.setattr(model_views, "MOST_CHOSEN_BY", 60)
    frame = people(300)[[*NUMBERS, "kind"]]
    page, data = open_page(frame)
    head = page.ask("numbers", data=data, pair=[0, 1], model=AUTO).head
    assert head["chosen"].endswith(" on rows left out, 60 of 300, drawn at random")
    means = [frame[frame["kind"] == kind]["weight"].mean() for kind in ("ill", "well")]
    spread = frame["weight"].std() / np.sqrt(150)
    np.testing.assert_allclose(np.array(head["parameters"]["means"])[:, 1], means, atol=spread)


def test_what_has_no_plain_model(page: Page) -> None:
    """A class without points is left out."""
    points = [[0, 0, 0], [1, 0, 0], [0, 1.5, 0], [5, 5, 1], [6, 5, 1], [5, 6.5, 1], [6, 7, 1]]
    data = page.points(points, ["a", "b", "c"])
    head = page.ask("scene", data=data, pair=[0, 1], model=AUTO).head
    assert head["problem"] is None
    assert head["parameters"]["priors"][2] == 0
    one = page.points(points[:3], ["a", "b"])
    head = page.ask("scene", data=one, pair=[0, 1], model=AUTO).head
    assert "rows of one class only" in head["problem"]
