"""Tables with categories, missing values and rows without label: nothing of them is lost."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import multivariate_normal

from gaussbayes import GaussianClassifier
from gaussbayes.apps.lab.lab_tables import NamedTable
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.lessons import rain
from gaussbayes.lessons.handouts import DAYS
from tests.lab.page import FITTED, Page
from tests.lab.tables import open_page, people

HAND: dict[str, Any] = {
    "from": "hand",
    "priors": [0.5, 0.5],
    "means": [[0.0, 0.0], [1.0, 1.0]],
    "covariances": [[[1.0, 0.0], [0.0, 1.0]]] * 2,
}


def classifier(frame: pd.DataFrame, **settings: Any) -> GaussianClassifier:
    """The same model, by the classifier itself."""
    X = frame.drop(columns="kind").astype({"town": "category", "smoker": "category"})
    return GaussianClassifier(smoothing=1.0, **settings).fit(X, frame["kind"].to_numpy(object))


def by_hand(frame: pd.DataFrame, place: Any) -> tuple[Any, Any]:
    """Priors and densities of height and weight at some places, with SciPy."""
    priors, densities = [], []
    for kind in ("ill", "well"):
        rows = frame[frame["kind"] == kind]
        pair = rows[["height", "weight"]]
        covariance = np.cov(pair.T, bias=True)
        priors.append(len(rows) / len(frame))
        densities.append(multivariate_normal(pair.mean(), covariance).pdf(place))
    return np.array(priors), np.array(densities)


def shares(frame: pd.DataFrame, column: str, value: str) -> Any:
    """How probable a category is in each class, every one counted once more."""
    known = frame.dropna(subset=[column])
    counted = [known[known["kind"] == kind][column] for kind in ("ill", "well")]
    m = known[column].nunique()
    return np.array([((each == value).sum() + 1) / (len(each) + m) for each in counted])


def test_the_page_is_told_of_everything() -> None:
    frame = people(missing=0.1, unlabelled=0.3)
    page, data = open_page(frame)
    answer = page.ask("data", source={"from": "given"})
    head, arrays = answer.head, answer.arrays
    assert head["features"] == ("height", "weight", "visits")
    assert head["categories"] == [
        {"name": "town", "values": ["u", "v", "w"]},
        {"name": "smoker", "values": ["no", "yes"]},
    ]
    n = int(frame["kind"].isna().sum())
    assert (head["n"], head["unlabelled"], head["pair"]) == (150, n, (0, 2))
    assert (
        head["problem"] == f"{n} rows have no label in 'kind', and the model learns from them too"
    )
    np.testing.assert_array_equal(arrays["codes"] == 255, frame["kind"].isna())
    codes = frame["town"].map({"u": 0, "v": 1, "w": 2}).fillna(255)
    np.testing.assert_array_equal(arrays["categories"][:, 0], codes)
    points = frame[["height", "weight", "visits"]].astype(float)
    np.testing.assert_array_equal(arrays["points"], points)
    assert page.store.dataset(data).table.encoder.names == tuple(frame.columns[:-1])


def test_the_plane_shows_two_numbers_and_integrates_the_rest_out() -> None:
    frame = people()
    page, data = open_page(frame)
    view = {"x": [-2, 3], "y": [-3, 3], "width": 5, "height": 4}
    answer = page.ask(
        "scene", data=data, pair=[0, 1], model=FITTED, view=view, layers=["posterior", "density"]
    )
    across, up = np.meshgrid(np.linspace(-2, 3, 5), np.linspace(-3, 3, 4))
    priors, densities = by_hand(frame, np.stack([across, up], axis=-1))
    joint = priors[:, None, None] * densities
    np.testing.assert_allclose(answer.arrays["density"], np.log(densities), rtol=1e-5)
    expected = np.rint(255 * joint / joint.sum(axis=0))
    np.testing.assert_allclose(answer.arrays["posterior"], expected, atol=1)


@pytest.mark.parametrize("model", [FITTED, FITTED | {"shared": True, "covariance": "diagonal"}])
def test_missing_values_and_labels_are_those_of_the_classifier(model: dict[str, Any]) -> None:
    frame = people(missing=0.1, unlabelled=0.3)
    page, data = open_page(frame)
    head = page.ask("numbers", data=data, pair=[0, 1], model=model).head
    settings = {name: value for name, value in model.items() if name != "from"}
    peer = classifier(frame, **settings)
    assert head["problem"] is None
    assert head["iterations"] > 0
    assert head["count"] == peer.n_parameters_
    parameters = head["parameters"]
    np.testing.assert_allclose(parameters["priors"], peer.priors_, rtol=1e-9)
    np.testing.assert_allclose(parameters["means"], peer.means_, rtol=1e-9)
    covariances = np.broadcast_to(peer.covariances_, (2, 3, 3))
    np.testing.assert_allclose(parameters["covariances"], covariances, rtol=1e-9)
    for told, (name, table) in zip(
        head["categories"], peer.category_probabilities_.items(), strict=True
    ):
        assert told["feature"] == name
        np.testing.assert_allclose(told["probabilities"], table, rtol=1e-9)
    labelled = frame["kind"].notna()
    rows = frame[labelled].drop(columns="kind").astype({"town": "category", "smoker": "category"})
    error = 1 - peer.score(rows, frame["kind"][labelled])
    assert head["train"]["n"] == labelled.sum()
    assert head["train"]["error"] == pytest.approx(error)
    left_out = head["leave_one_out"]
    assert (left_out["folds"], left_out["n"]) == (10, labelled.sum())


def test_rows_without_label_count_by_their_weight() -> None:
    frame = people(unlabelled=0.5)
    page, data = open_page(frame)
    alone, only = open_page(frame.dropna())
    light = FITTED | {"unlabelled_weight": 0}
    for weight, expected in ((0, True), (0.5, False)):
        model = FITTED | {"unlabelled_weight": weight}
        head = page.ask("numbers", data=data, pair=[0, 1], model=model).head
        same = alone.ask("numbers", data=only, pair=[0, 1], model=FITTED).head
        assert (head["parameters"] == same["parameters"]) is expected
    scene = page.ask("scene", data=data, pair=[0, 1], model=light, layers=["errors"])
    assert not scene.arrays["wrong"][frame["kind"].isna()].any()
    labelled = frame["kind"].notna().to_numpy()
    assert scene.head["errors"]["train"] == scene.arrays["wrong"][labelled].mean()


def test_rows_without_label_are_never_held_out() -> None:
    frame = people(unlabelled=0.5)
    page, data = open_page(frame, test=0.4, seed=3)
    dataset = page.store.dataset(data)
    assert not dataset.test[frame["kind"].isna()].any()
    assert dataset.test.sum() == pytest.approx(0.4 * frame["kind"].notna().sum(), abs=1)
    head = page.ask("numbers", data=data, pair=[0, 1], model=FITTED).head
    assert head["test"]["n"] == dataset.test.sum()


def test_categories_of_a_point() -> None:
    frame = people(missing=0.05).dropna(subset=["height", "weight", "visits"])
    page, data = open_page(frame)

    def ask(**members: Any) -> dict[str, Any]:
        return page.ask("point", data=data, pair=[0, 1], model=FITTED, **members).head

    priors, densities = by_hand(frame, [0.3, 0.8])
    joint = priors * densities
    without = ask(at=[0.3, 0.8])
    np.testing.assert_allclose(without["posterior"], joint / joint.sum(), rtol=1e-9)
    assert without["categories"] == [None, None]
    joint *= shares(frame, "smoker", "yes")
    known = ask(at=[0.3, 0.8], known_categories=[None, 1])
    np.testing.assert_allclose(known["posterior"], joint / joint.sum(), rtol=1e-9)
    odds = known["explanation"]["log_odds"]
    contributions = {each["feature"]: each for each in odds["contributions"]}
    assert list(contributions) == ["height", "weight", "smoker"]
    ratio = np.log(shares(frame, "smoker", "yes"))
    sign = 1 if odds["of"] == "ill" else -1
    assert contributions["smoker"]["value"] == "yes"
    assert contributions["smoker"]["amount"] == pytest.approx(sign * (ratio[0] - ratio[1]))
    total = odds["at_reference"] + sum(each["amount"] for each in contributions.values())
    assert odds["value"] == pytest.approx(total)
    assert odds["value"] == pytest.approx(sign * np.log(joint[0] / joint[1]))

    row = int(np.flatnonzero(frame["town"].notna() & frame["smoker"].isna())[0])
    place = frame[["height", "weight"]].iloc[row].tolist()
    town = "uvw".index(str(frame["town"].iloc[row]))
    assert ask(at=row) == ask(at=place, known_categories=[town, None])


@pytest.mark.parametrize(
    ("categories", "complaint"),
    [
        ([1], "known_categories must be an array of 2 entries, .* got 1"),
        ([1, 2], "there is no category 2: they are numbered from 0 to 1"),
        ([1, -1], r"known_categories\[1\] must be"),
        (["u", None], r"known_categories\[0\] must be"),
    ],
)
def test_bad_categories_of_a_point(categories: Any, complaint: str) -> None:
    page, data = open_page(people())
    with pytest.raises(MessageError, match=complaint):
        page.ask(
            "point", data=data, pair=[0, 1], model=FITTED, at=[0, 0], known_categories=categories
        )


def test_by_hand_and_by_neighbours_the_numbers_count() -> None:
    frame = people(missing=0.1, unlabelled=0.2)
    page, data = open_page(frame)
    for model in (HAND, {"from": "neighbours", "k": 3}):
        members: dict[str, Any] = {"data": data, "pair": [0, 1], "model": model, "at": [0.5, 0.5]}
        plain = page.ask("point", **members).head
        known = page.ask("point", **members, known_categories=[0, 1]).head
        assert plain["posterior"] == known["posterior"]
    votes = page.ask("numbers", data=data, pair=[0, 1], model={"from": "neighbours", "k": 3}).head
    assert votes["features"] == ["height", "weight", "visits"]
    usable = frame.dropna(subset=["height", "weight", "visits", "kind"])
    assert votes["train"]["n"] == len(usable)


def test_all_structures_side_by_side() -> None:
    page, data = open_page(people(missing=0.05, unlabelled=0.2), test=0.2)
    head = page.ask("multiples", data=data, pair=[0, 1], model=FITTED).head
    assert len(head["models"]) == 7
    for model in head["models"]:
        assert model["problem"] is None
        assert {type(model[kind]) for kind in ("train", "test", "leave_one_out")} == {float}


def weather() -> tuple[Page, str]:
    """The course's fifteen days, of which humidity and wind are categories."""
    columns = {
        name: list(map(str, column))
        for name, column in zip(DAYS.features, DAYS.rows.T, strict=True)
    }
    table = pa.table({**columns, "rain": [int(label) for label in DAYS.labels]})
    for name in DAYS.features:
        table = table.set_column(
            table.schema.get_field_index(name), name, table[name].dictionary_encode()
        )
    page = Page(Store(NamedTable("weather", table, "rain")))
    return page, page.ask("data", source={"from": "given"}).head["id"]


def test_categories_alone_say_what_can_be_shown() -> None:
    page, data = weather()
    head = page.ask("data", source={"from": "given"}).head
    assert (head["features"], head["pair"]) == ((), (0, 0))
    members: dict[str, Any] = {"data": data, "pair": [0, 0], "model": FITTED}
    for kind in ("scene", "line", "surface"):
        problem = page.ask(kind, **members).head["problem"]
        assert problem.startswith("all features of this table hold categories"), kind
        assert "Point and Numbers" in problem
    parameters = page.ask("line", **members).head["parameters"]
    np.testing.assert_allclose(parameters["priors"], [5 / 15, 10 / 15])
    hand = page.ask("line", **members | {"model": HAND}).head
    assert hand["problem"].startswith("all features of this table hold categories")
    (model,) = page.ask("multiples", **members).head["models"]
    assert (model["name"], model["problem"]) == ("discrete naive Bayes", None)
    votes = page.ask("numbers", **members | {"model": {"from": "neighbours", "k": 3}}).head
    assert votes["problem"] == (
        "nearest neighbours need numbers: categories have no distances between them"
    )
    with pytest.raises(MessageError, match="there is no feature 1"):
        page.ask("scene", **members | {"pair": [0, 1]})


def test_categories_alone_have_the_handouts_numbers() -> None:
    page, data = weather()
    model = FITTED | {"smoothing": 0}
    days = pd.DataFrame({"h": DAYS.rows[:, 0], "w": DAYS.rows[:, 1], "rain": DAYS.labels})
    counts = days["rain"].value_counts().sort_index()
    tables = [pd.crosstab(days["rain"], days[name]).div(counts, axis=0) for name in ("h", "w")]
    joint = counts / len(days)
    for table, value in zip(tables, rain.QUERY, strict=True):
        joint = joint * table[value]
    known = page.store.dataset(data).table.categories
    query = [values.index(value) for values, value in zip(known, rain.QUERY, strict=True)]
    head = page.ask(
        "point", data=data, pair=[0, 0], model=model, at=[0, 0], known_categories=query
    ).head
    np.testing.assert_allclose(head["posterior"], joint / joint.sum(), rtol=1e-12)
    nothing = page.ask("point", data=data, pair=[0, 0], model=model, at=[0, 0]).head
    np.testing.assert_allclose(nothing["posterior"], counts / len(days), rtol=1e-12)
    assert (head["classes"], head["p_values"]) == (("-1", "1"), None)
    numbers = page.ask("numbers", data=data, pair=[0, 0], model=model).head
    for told, table in zip(numbers["categories"], tables, strict=True):
        assert told["values"] == table.columns.tolist()
        np.testing.assert_allclose(told["probabilities"], table)
    assert numbers["train"]["n"] == 15


def test_a_row_that_is_ruled_out_of_every_class_is_said() -> None:
    frame = pd.DataFrame({"x": ["a", "b", "c"] * 6, "y": ["u", "v", "w"] * 6})
    frame["kind"] = np.where(frame["x"] == "a", "p", "q")
    frame.loc[len(frame)] = ["a", "w", None]
    page, data = open_page(frame)
    members: dict[str, Any] = {"data": data, "pair": [0, 0]}
    strict = FITTED | {"smoothing": 0, "unlabelled_weight": 0}
    head = page.ask("point", **members, model=strict, at=len(frame) - 1).head
    assert "probability 0 in every class" in head["problem"] or "ruled out" in head["problem"]
    assert head["posterior"] is None
    smooth = page.ask("point", **members, model=FITTED, at=len(frame) - 1).head
    assert sum(smooth["posterior"]) == pytest.approx(1)


def test_points_may_be_painted_without_label(page: Page) -> None:
    points = [[0, 0, 0], [1, 0.5, 0], [0, 1, 0], [4, 4, 1], [5, 4.5, 1], [4, 5, 1], [2, 2, None]]
    data = page.points(points, ["p", "q"])
    answer = page.ask(
        "data",
        source={"from": "points", "points": points, "classes": ["p", "q"], "features": ["a", "b"]},
    )
    assert answer.arrays["codes"].tolist() == [0, 0, 0, 1, 1, 1, 255]
    assert (answer.head["unlabelled"], answer.head["problem"]) == (1, None)
    head = page.ask("numbers", data=data, pair=[0, 1], model=FITTED).head
    peer = GaussianClassifier().fit(
        np.array(points, float)[:, :2], ["p", "p", "p", "q", "q", "q", None]
    )
    np.testing.assert_allclose(head["parameters"]["means"], peer.means_, rtol=1e-9)
    unlabelled = page.points([[0, 0, None], [1, 1, None]], ["p", "q"])
    problem = page.ask("scene", data=unlabelled, pair=[0, 1], model=FITTED).head["problem"]
    assert problem.startswith("there are no rows to learn from")


def test_the_stream_takes_rows_as_they_come() -> None:
    frame = people(missing=0.05, unlabelled=0.3)
    page, data = open_page(frame)
    for first in (0, 1, 30, 150):
        head = page.ask("scene", data=data, pair=[0, 1], model=FITTED | {"first": first}).head
        assert (head["problem"] is None) == (first >= 30)
