"""Models that learn, merge and forget: what is refused, and what unlabelled rows need."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import DataError, GaussianClassifier, OptionError
from gaussbayes.model import statistics
from tests.model.tables import CLASSES, fitted, weather

TABLE, LABELS = weather(90, missing=0.15, unlabelled=0.4)


def close(model: GaussianClassifier, other: GaussianClassifier, tolerance: float = 1e-7) -> None:
    table = weather(30, seed=9)[0]
    np.testing.assert_allclose(
        model.predict_log_proba(table), other.predict_log_proba(table), atol=tolerance
    )


def test_unlabelled_rows_are_told_apart_by_values_and_weight() -> None:
    weights = np.where(np.arange(90) % 2, 1.0, 2.0)
    unknown = np.flatnonzero([label is None for label in LABELS])
    some, rest = unknown[[2, 0, 1]], np.setdiff1d(np.arange(90), unknown[:3])
    expected = fitted(TABLE.iloc[rest], LABELS[rest], weights[rest])
    whole = fitted(TABLE, LABELS, weights)
    close(whole.forget(TABLE.iloc[some], LABELS[some], weights[some]), expected)
    twice = fitted(pd.concat([TABLE, TABLE.iloc[unknown[:1]]]), [*LABELS, None], [*weights, 2.0])
    first = TABLE.iloc[unknown[:1]]
    for _ in range(2):  # of two that are alike each is removed once, but not a third
        twice.forget(first, [None], [weights[unknown[0]]])
    with pytest.raises(DataError, match="unlabelled row 0 is not among those"):
        twice.forget(first, [None], [weights[unknown[0]]])


@pytest.mark.parametrize(
    "change",
    [
        {"pressure": 0.123},
        {"pressure": np.nan},
        {"wind": pd.Categorical(["gale"] * 3)},
        {"month": pd.Categorical([None] * 3)},
        "weight",
    ],
    ids=str,
)
def test_rows_that_were_never_there_are_not_forgotten(change: Any) -> None:
    table, labels = weather(90, unlabelled=0.4)
    table["wind"] = pd.Categorical(["low", "high"] * 45)
    model = fitted(table, labels)
    unknown = np.flatnonzero([label is None for label in labels])[:3]
    some = table.iloc[unknown]
    changed = some if change == "weight" else some.assign(**change)
    weights = np.full(3, 1.5) if change == "weight" else None
    with pytest.raises(DataError, match="unlabelled row . is not among those .*remove only rows"):
        model.forget(changed, [None] * 3, weights)
    np.testing.assert_array_equal(model.means_, fitted(table, labels).means_)
    complete = weather(30)
    for rows, y, problem in (
        (some, [None] * 3, "there are no unlabelled rows to be removed"),
        (table[:3], ["hot"] * 3, "there are no rows of class 'hot' to be removed"),
        (table[:60], ["dry"] * 60, "class 'dry'"),
    ):
        with pytest.raises(DataError, match=problem):
            fitted(*complete).forget(rows, y)


def test_more_unlabelled_rows_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """They help to estimate the parameters; what needs them again says what is lost."""
    whole = fitted(TABLE, LABELS)
    monkeypatch.setattr(statistics, "MOST_KEPT_BYTES", 100)
    model = fitted(TABLE, LABELS)
    close(model, whole, 1e-12)
    close(model.with_priors("uniform"), whole.with_priors("uniform"), 1e-12)
    part = model.marginal(["storms", "wind"])
    assert part.predict_proba(TABLE[["storms", "wind"]]).shape == (90, 3)
    for step in (
        lambda: model.partial_fit(TABLE, LABELS),
        lambda: model.forget(TABLE[:2], LABELS[:2]),
        lambda: model.merge(whole),
        lambda: whole.merge(model),
        lambda: model.remove_class("wet"),
    ):
        with pytest.raises(
            DataError, match=r"unlabelled rows .*not kept.* can predict, but cannot"
        ):
            step()


def given() -> GaussianClassifier:
    return GaussianClassifier.from_parameters([0.5, 0.5], [[0.0], [1.0]], [[1.0]])


def test_refusals() -> None:
    table, labels = weather()
    numbers = table[["pressure", "warmth"]]
    model = GaussianClassifier().fit(numbers, labels)
    other = GaussianClassifier().fit(numbers.rename(columns={"warmth": "cold"}), labels)
    counts = GaussianClassifier(families={"storms": "poisson"}).fit(table[["storms"]], labels)
    plain = GaussianClassifier().fit(table[["storms"]], labels)
    for step, error, problem in (
        (
            lambda: model.merge(other),
            DataError,
            r"cannot be merged: \('pressure', 'warmth'\) .*cold",
        ),
        (lambda: counts.merge(plain), DataError, "models of different features cannot be merged"),
        (lambda: given().merge(given()), DataError, "merge needs the statistics.*were given"),
        (lambda: given().partial_fit([[1.0]], [0]), DataError, "its parameters were given; fit a"),
        (lambda: given().forget([[1.0]], [0]), DataError, "its parameters were given; fit a model"),
        (lambda: given().remove_class(0), DataError, "its parameters were given; fit a model to"),
        (
            lambda: (
                GaussianClassifier().fit([[1.0], [2.0], [3.0], [5.0]], [0, 1, 0, 1]).merge(given())
            ),
            DataError,
            "its parameters were given",
        ),
        (lambda: model.forget(numbers[:9]), OptionError, "needs the labels of the rows"),
        (lambda: model.remove_class("hot"), DataError, r"no class 'hot': the classes are \['dry'"),
        (
            lambda: (
                GaussianClassifier(priors=[0.2, 0.3, 0.5]).fit(numbers, labels).remove_class("dry")
            ),
            OptionError,
            "2 priors are needed; got 3",
        ),
        (
            lambda: GaussianClassifier().fit(numbers[::3], labels[::3]),
            DataError,
            "at least two classes",
        ),
        (lambda: model.partial_fit(numbers, labels, decay=0.0), OptionError, "decay must be"),
        (lambda: model.partial_fit(numbers, labels, decay=1.5), OptionError, "decay must be above"),
    ):
        with pytest.raises(error, match=problem):
            step()
    close_to = GaussianClassifier().fit(numbers, labels)
    np.testing.assert_array_equal(model.means_, close_to.means_)  # nothing has changed


def test_a_marginal_goes_on_learning() -> None:
    columns = ["month", "warmth", "storms"]
    part = fitted(TABLE[:60], LABELS[:60]).marginal(columns)
    more = part.partial_fit(TABLE[60:][columns], LABELS[60:])
    whole = fitted(TABLE[columns], LABELS)
    table = weather(30, seed=9)[0][columns]
    np.testing.assert_allclose(more.predict_proba(table), whole.predict_proba(table), atol=1e-6)


# Priors


def test_priors_are_not_those_of_the_caller() -> None:
    mine = np.array([0.2, 0.5, 0.3])
    model = fitted(*weather()).with_priors(mine)
    mine[:] = 1 / 3
    assert model.priors_.tolist() == [0.2, 0.5, 0.3]
    assert model.classes_.tolist() == CLASSES.tolist()
