"""What rows teach, labelled or not: sums, differences, and the limits of rows that are kept."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.data.rows import LabelledRows, Rows
from gaussbayes.model import statistics
from gaussbayes.model.model import learnt_model
from gaussbayes.model.statistics import Learnt
from tests.model.tables import (
    CATEGORIES,
    CLASSES,
    SCHEMA,
    learnt_of,
    model_of,
    settings_of,
    taken,
    weather,
)

SETTINGS = settings_of()
TABLE = weather(90, missing=0.15, unlabelled=0.4, weighted=True)
PARTS = (slice(0, 40), slice(40, 41), slice(41, 90))


def keys_of(table: LabelledRows) -> list[tuple[Any, ...]]:
    """The unlabelled rows with their weights, as values that can be sorted."""
    rows, weights = table.rows, table.targets.total_weights()
    keys = [
        (
            *map(repr, numbers),
            *(rows.categories[j][c] if c >= 0 else "" for j, c in enumerate(codes)),
        )
        for numbers, codes in zip(rows.matrix.tolist(), rows.codes.tolist(), strict=True)
    ]
    unlabelled = np.flatnonzero(~table.targets.labelled)
    return sorted((weights[i], *keys[i]) for i in unlabelled)


def kept_keys(learnt: Learnt) -> list[tuple[Any, ...]]:
    """The same of those that are kept."""
    assert learnt.unlabelled is not None
    assert learnt.unlabelled.rows is not None
    rows, weights = learnt.unlabelled.rows.rows, learnt.unlabelled.rows.weights
    targets = replace(TABLE.targets, labels=np.full(rows.n_rows, -1, np.int32), weights=weights)
    return keys_of(LabelledRows(rows, targets, CLASSES))


def assert_is(learnt: Learnt, table: LabelledRows) -> None:
    """What was learnt is what NumPy says of the rows of a table."""
    labels, weights = table.targets.codes, table.targets.total_weights()
    counts = table.rows.matrix[:, 2]
    np.testing.assert_allclose(learnt.weight, [weights[labels == c].sum() for c in range(3)])
    gaussian, categorical, poisson = learnt.parts
    for c in range(3):
        of_class = labels == c
        there = of_class & ~np.isnan(counts)
        assert poisson.observed[c, 0] == pytest.approx(weights[there].sum(), rel=1e-12)
        assert poisson.total[c, 0] == pytest.approx(weights[there] @ counts[there], rel=1e-12)
        numbers = table.rows.matrix[of_class, :2]
        complete = ~np.isnan(numbers).any(axis=1)
        mean = np.average(numbers[complete], axis=0, weights=weights[of_class][complete])
        np.testing.assert_allclose(gaussian.moments.mean[c], mean, rtol=1e-11)
        for j, names in enumerate(table.rows.categories):
            for code, name in enumerate(names):
                expected = weights[of_class & (table.rows.codes[:, j] == code)].sum()
                place = categorical.categories[j].index(name)
                count = categorical.of(j)[c, place]
                assert count == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert kept_keys(learnt) == keys_of(table)
    assert learnt.unlabelled is not None
    assert learnt.unlabelled.n_rows == table.targets.n_unlabelled


def test_parts_are_the_whole_in_any_order() -> None:
    assert_is(learnt_of(TABLE), TABLE)
    parts = [learnt_of(taken(TABLE, part)) for part in PARTS]
    for a, b, c in permutations(parts):
        assert_is(a + b + c, TABLE)
        assert_is(a + (b + c), TABLE)


def test_classes_and_categories_are_united() -> None:
    """A part knows those only that its rows have."""
    seen = taken(TABLE, TABLE.targets.codes != 1)
    wind = np.where(seen.rows.codes[:, :1] == 0, -2, seen.rows.codes[:, :1] - 1)
    codes = np.column_stack([np.maximum(wind, -2), seen.rows.codes[:, 1]]).astype(np.int32)
    poorer = Rows(seen.rows.matrix, codes, (("high", "low"), ("april", "may")))
    labels = np.array([0, -1, 1, -1])[seen.targets.codes].astype(np.int32)
    part = LabelledRows(
        poorer, replace(seen.targets, labels=labels, n_classes=2), np.array(["dry", "wet"])
    )
    schema = replace(SCHEMA, classes=part.classes)
    first = statistics.observe(part, SETTINGS, schema)
    rest = learnt_of(taken(TABLE, TABLE.targets.codes == 1))
    for both in (first + rest, rest + first):
        assert both.classes.tolist() == ["dry", "mild", "wet"]
        assert both.parts[1].categories == (("gale", "high", "low"), ("april", "may"))
        assert both.unlabelled is not None
        assert both.unlabelled.n_rows == TABLE.targets.n_unlabelled
    assert (first.plus(rest, SETTINGS, schema)).weight[1] == pytest.approx(rest.weight.sum())


def test_removal_leaves_what_never_came() -> None:
    whole = learnt_of(TABLE)
    for part in PARTS:
        others = np.delete(np.arange(90), np.arange(90)[part])
        left = whole.without(learnt_of(taken(TABLE, part)), SETTINGS, SCHEMA)
        assert_is(left, taken(TABLE, others))
    rows = taken(TABLE, ~TABLE.targets.labelled)
    alone = whole.without(learnt_of(rows), SETTINGS, SCHEMA)
    assert alone.unlabelled is None
    np.testing.assert_array_equal(alone.weight, whole.weight)


def test_unlabelled_rows_are_told_apart_by_values_and_weight() -> None:
    table = weather(12, unlabelled=1.0)
    table.rows.matrix[3, 0], table.rows.matrix[4] = -0.0, table.rows.matrix[5]
    table.rows.codes[4] = table.rows.codes[5]
    table.rows.matrix[6, 1] = -np.nan
    labelled = weather(9)
    whole = learnt_of(labelled) + learnt_of(table)
    equal = taken(table, [3, 4, 6])
    equal.rows.matrix[0, 0], equal.rows.matrix[2, 1] = 0.0, np.nan
    left = whole.without(learnt_of(equal), SETTINGS, SCHEMA)
    assert kept_keys(left) == keys_of(taken(table, [0, 1, 2, 5, 7, 8, 9, 10, 11]))
    # One of the two that are alike is left; it can be removed once more, but not twice.
    twin = learnt_of(taken(table, [5]))
    left = left.without(twin, SETTINGS, SCHEMA)
    with pytest.raises(DataError, match="unlabelled row 0 is not among those"):
        left.without(twin, SETTINGS, SCHEMA)


@pytest.mark.parametrize(
    "change",
    ["number", "missing number", "category", "missing category", "weight", "too often"],
)
def test_rows_that_were_never_there_are_not_forgotten(change: str) -> None:
    table = weather(30, unlabelled=0.5)
    whole = learnt_of(table)
    some = taken(table, np.flatnonzero(~table.targets.labelled)[[2, 0, 1]])
    if change == "number":
        some.rows.matrix[1, 0] += 1e-9
    elif change == "missing number":
        some.rows.matrix[1, 0] = np.nan
    elif change == "category":
        some.rows.codes[1, 0] = (some.rows.codes[1, 0] + 1) % 3
    elif change == "missing category":
        some.rows.codes[1, 1] = -2
    elif change == "weight":
        some = replace(some, targets=replace(some.targets, weights=np.array([1.0, 1.5, 1.0])))
    else:
        some = taken(some, [0, 0, 1])
    with pytest.raises(
        DataError, match="unlabelled row 1 is not among those .* remove only rows that were"
    ):
        whole.without(learnt_of(some), SETTINGS, SCHEMA)


def test_labelled_rows_and_classes_that_were_never_there() -> None:
    table = weather(30)
    whole = learnt_of(table)
    with pytest.raises(DataError, match="there are no unlabelled rows to be removed"):
        whole.without(learnt_of(weather(6, unlabelled=0.5)), SETTINGS, SCHEMA)
    strange = replace(table, classes=np.array(["dry", "hot", "wet"]))
    schema = replace(SCHEMA, classes=strange.classes)
    other = statistics.observe(strange, SETTINGS, schema)
    with pytest.raises(DataError, match="there are no rows of class 'hot' to be removed"):
        whole.without(other, SETTINGS, SCHEMA)
    with pytest.raises(DataError, match="'dry'"):
        whole.without(learnt_of(weather(60)), SETTINGS, SCHEMA)
    assert_same_weights(whole, table)


def assert_same_weights(learnt: Learnt, table: LabelledRows) -> None:
    np.testing.assert_array_equal(learnt.weight, np.bincount(table.targets.codes))


def test_a_class_of_which_no_row_is_left_is_gone() -> None:
    table = weather(30)
    wet = taken(table, table.targets.codes == 2)
    left = learnt_of(table).without(learnt_of(wet), SETTINGS, SCHEMA)
    assert left.classes.tolist() == ["dry", "mild"]
    np.testing.assert_array_equal(left.weight, [10.0, 10.0])


def test_unlabelled_rows_that_weigh_nothing_are_none() -> None:
    table = weather(30, unlabelled=0.5)
    weights = table.targets.labelled.astype(float)
    light = replace(table, targets=replace(table.targets, weights=weights))
    assert learnt_of(light).unlabelled is None
    weights[np.flatnonzero(~table.targets.labelled)[0]] = 2.0
    unlabelled = learnt_of(light).unlabelled
    assert unlabelled is not None
    assert unlabelled.n_rows == 1


def test_more_rows_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """They help to estimate the parameters; what needs them again says what is lost."""
    whole = model_of(TABLE)
    part, rest = learnt_of(taken(TABLE, slice(0, 45))), learnt_of(taken(TABLE, slice(45, 90)))
    assert part.unlabelled is not None
    assert part.unlabelled.rows is not None
    monkeypatch.setattr(statistics, "MOST_KEPT_BYTES", part.unlabelled.rows.n_bytes)
    both = part + rest
    assert both.unlabelled is not None
    assert both.unlabelled.rows is None
    assert both.unlabelled.n_rows == TABLE.targets.n_unlabelled
    together = both.unlabelled.together[2]
    counts, unknown = TABLE.rows.matrix[:, 2], ~TABLE.targets.labelled
    weights = TABLE.targets.total_weights()
    assert together.total[0, 0] == pytest.approx(np.nansum((weights * counts)[unknown]))
    settings = settings_of()
    model = replace(learnt_model(settings, SCHEMA, both), solution=whole.solution)
    message = (
        rf"needs the {TABLE.targets.n_unlabelled} unlabelled rows that this model has learnt from, "
        r"but they are not kept: .* Without them it can predict, but not be updated or merged, nor "
        "forget rows: fit it again"
    )
    for step in (
        lambda: model.updated(part),
        lambda: model.without(part),
        lambda: model.merged(whole),
        lambda: whole.merged(model),
        lambda: model.with_class(replace(part, classes=np.array(["a", "b", "c"]))),
        lambda: model.without_class("wet"),
        lambda: model.with_settings(settings, "fit"),
        lambda: replace(model, solution=None).solved(),
    ):
        with pytest.raises(DataError, match=message):
            step()
    np.testing.assert_array_equal(model.posterior(TABLE.rows), whole.posterior(TABLE.rows))
    np.testing.assert_array_equal(model.with_priors("uniform").prior, [1 / 3] * 3)
    marginal = model.marginal(["storms", "wind"])
    rows = Rows(np.array([[3.0]]), np.array([[2]], np.int32), CATEGORIES[:1])
    np.testing.assert_array_equal(
        marginal.posterior(rows), whole.marginal(["storms", "wind"]).posterior(rows)
    )


def test_a_table_is_kept_whole_until_its_model_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "MOST_KEPT_BYTES", 10)
    kept = statistics.observe(TABLE, SETTINGS, SCHEMA, keep_all=True)
    assert kept_keys(kept) == keys_of(TABLE)
    trimmed = kept.trimmed().unlabelled
    assert trimmed is not None
    assert trimmed.rows is None


def test_columns_are_cut_out_of_statistics_and_of_rows() -> None:
    model = model_of(TABLE)
    part = model.marginal(["month", "warmth"])
    assert part.learnt is not None
    assert part.learnt.unlabelled is not None
    assert part.learnt.unlabelled.rows is not None
    kept = part.learnt.unlabelled.rows.rows
    unknown = ~TABLE.targets.labelled
    np.testing.assert_array_equal(kept.matrix[:, 0], TABLE.rows.matrix[unknown, 1])
    np.testing.assert_array_equal(kept.codes[:, 0], TABLE.rows.codes[unknown, 1])
    assert [type(own) for own in part.learnt.parts] == [
        type(own) for own in learnt_of(TABLE).parts[:2]
    ]


def test_scaled_rows_are_rows_of_other_weights() -> None:
    table = weather(30, weighted=True)
    assert table.targets.weights is not None
    half = replace(table, targets=replace(table.targets, weights=table.targets.weights * 0.5))
    scaled = [part.scaled(0.5) for part in learnt_of(table).parts]
    expected = learnt_of(half).parts
    np.testing.assert_array_equal(scaled[0].weight, expected[0].weight)
    np.testing.assert_allclose(scaled[0].moments.scatter, expected[0].moments.scatter, rtol=1e-12)
    np.testing.assert_array_equal(scaled[1].count, expected[1].count)
    np.testing.assert_array_equal(scaled[2].sums, expected[2].sums)


def test_rows_of_other_families_are_not_added() -> None:
    other = statistics.observe(weather(30), settings_of(families=None), SCHEMA)
    with pytest.raises(DataError, match="rows of 3 families and of 2 are not of the same table"):
        _ = learnt_of(weather(30)) + other
