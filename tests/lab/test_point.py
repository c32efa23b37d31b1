"""Bayes' rule at a place: the course's patients, rows, gaps, votes."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.lessons import diabetes, missing_data
from gaussbayes.lessons.handouts import DIABETES
from tests.lab.page import FITTED, Page

DOCTOR: dict[str, Any] = {
    "from": "hand",
    "priors": [0.8, 0.2],
    "means": DIABETES.means,
    "covariances": DIABETES.covariances,
}


@pytest.mark.parametrize(
    ("hide", "healthy"),
    [
        (None, diabetes.HEALTHY_WITH_GLUCOSE),
        (1, missing_data.HEALTHY_BY_COUNT),
        (0, missing_data.HEALTHY_BY_GLUCOSE),
    ],
)
def test_the_doctors_patient(page: Page, hide: int | None, healthy: float) -> None:
    head = page.ask(
        "point", data=page.data("diabetes"), pair=[0, 1], model=DOCTOR, at=[48, 125], hide=hide
    ).head
    first = head["explanation"]["classes"][0]
    assert first["posterior"] == pytest.approx(healthy, abs=1e-6)
    assert first["class"] == "healthy"
    assert head["posterior"][0] == first["posterior"]
    assert head["prediction"] == ("healthy" if healthy > 0.5 else "ill")
    assert head["hidden"] == hide
    expected = (
        [48, 125]
        if hide is None
        else [None if axis == hide else (48, 125)[axis] for axis in (0, 1)]
    )
    assert head["at"] == expected
    contributions = head["explanation"]["log_odds"]["contributions"]
    assert [one["feature"] for one in contributions] == list(DIABETES.features)
    assert [one["missing"] for one in contributions] == [axis == hide for axis in (0, 1)]


def test_p_values(page: Page) -> None:
    head = page.ask(
        "point", data=page.data("diabetes"), pair=[0, 1], model=DOCTOR, at=[48, 125]
    ).head
    for p_value, mean, covariance in zip(
        head["p_values"], DIABETES.means, DIABETES.covariances, strict=True
    ):
        apart = np.array([48, 125]) - mean
        expected = chi2.sf(apart @ np.linalg.solve(covariance, apart), 2)
        assert p_value == pytest.approx(expected, rel=1e-9)


def test_a_row_by_its_number(page: Page) -> None:
    data = page.data("irises")
    row = page.store.dataset(data).table.X[70]
    by_number = page.ask("point", data=data, pair=[3, 0], model=FITTED, at=70).head
    by_place = page.ask("point", data=data, pair=[3, 0], model=FITTED, at=row[[3, 0]].tolist()).head
    assert by_number == by_place
    for number in (-1, 150):
        with pytest.raises(MessageError, match=f"no row {number}: there are 150"):
            page.ask("point", data=data, pair=[3, 0], model=FITTED, at=number)


def test_a_row_that_lacks_a_coordinate(page: Page) -> None:
    data = page.data("gaps")
    number = int(np.flatnonzero(np.isnan(page.store.dataset(data).table.X[:, 1]))[0])
    head = page.ask("point", data=data, pair=[0, 1], model=FITTED, at=number).head
    assert head["at"][1] is None
    assert head["explanation"]["log_odds"]["contributions"][1]["missing"]
    votes = page.ask(
        "point", data=data, pair=[0, 1], model={"from": "neighbours", "k": 3}, at=number
    ).head
    assert len(votes["neighbours"]) == 3
    nothing = page.ask(
        "point", data=data, pair=[0, 1], model={"from": "neighbours", "k": 3}, at=number, hide=0
    ).head
    assert nothing["problem"] == "nothing is known of this point"


def test_nothing_known_leaves_the_prior(page: Page) -> None:
    data = page.points([[None, None, 0], [1, 2, 1]], ["p", "q"])
    head = page.ask("point", data=data, pair=[0, 1], model=DOCTOR, at=0).head
    assert head["posterior"] == pytest.approx([0.8, 0.2])


def test_a_class_that_cannot_occur(page: Page) -> None:
    model = DOCTOR | {"priors": [0.0, 1.0]}
    head = page.ask("point", data=page.data("diabetes"), pair=[0, 1], model=model, at=[40, 95]).head
    assert (head["prediction"], head["posterior"]) == ("ill", [0, 1])


def test_neighbours_by_their_numbers(page: Page) -> None:
    data = page.data("xor", n=50, split={"test": 0.4})
    dataset = page.store.dataset(data)
    head = page.ask(
        "point", data=data, pair=[0, 1], model={"from": "neighbours", "k": 3}, at=[1, 1]
    ).head
    train = np.flatnonzero(~dataset.test)
    nearest = train[np.argsort(np.linalg.norm(dataset.table.X[train] - 1, axis=1))[:3]]
    assert head["neighbours"] == nearest.tolist()
    shares = np.bincount(dataset.table.codes[nearest], minlength=2) / 3
    np.testing.assert_allclose(head["posterior"], shares)
    assert head["explanation"] is None


def test_one_feature(page: Page) -> None:
    head = page.ask(
        "point", data=page.data("petals"), pair=[0, 0], model=FITTED, at=[4.944434, 0]
    ).head
    assert head["posterior"] == pytest.approx([0.5, 0.5], abs=1e-5)
    assert len(head["explanation"]["log_odds"]["contributions"]) == 1


def test_a_problem(page: Page) -> None:
    head = page.ask("point", data=page.data("few_rows"), pair=[0, 1], model=FITTED, at=[0, 0]).head
    assert "class 'A'" in head["problem"]
    assert head["explanation"] is None
