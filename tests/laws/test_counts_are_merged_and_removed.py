"""Counts merge in any order and grouping, removal undoes it, and names are only names."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gaussbayes.base.schema import Schema
from gaussbayes.families.categorical import (
    ClassCounts,
    code_columns,
    count,
    estimate,
    log_likelihood,
)
from gaussbayes.families.categorical.counts import empty

CLASSES = 3
LETTERS = [*"abcd", None]
Row = tuple[object, object, int, float]

row = st.tuples(
    st.sampled_from(LETTERS),
    st.sampled_from([1, 2, 30, None]),
    st.integers(0, CLASSES - 1),
    st.integers(0, 5).map(float),
)
rows = st.lists(row, max_size=12)


def counted(some: list[Row]) -> ClassCounts:
    columns = [np.fromiter((row[j] for row in some), object, len(some)) for j in range(2)]
    codes = np.array([row[2] for row in some], dtype=np.int32)
    weights = np.array([row[3] for row in some])
    return count(code_columns(columns, ["0", "1"]), codes, weights, CLASSES)


def assert_same(a: ClassCounts, b: ClassCounts) -> None:
    assert a.categories == b.categories
    np.testing.assert_array_equal(a.weight, b.weight)
    np.testing.assert_array_equal(a.missing, b.missing)


@given(a=rows, b=rows)
def test_order_does_not_matter(a: list[Row], b: list[Row]) -> None:
    assert_same(counted(a) + counted(b), counted(b) + counted(a))
    assert_same(counted(a) + counted(b), counted(a + b))


@given(a=rows, b=rows, c=rows)
def test_grouping_does_not_matter(a: list[Row], b: list[Row], c: list[Row]) -> None:
    x, y, z = counted(a), counted(b), counted(c)
    assert_same((x + y) + z, x + (y + z))


@given(a=rows, b=rows)
def test_removal_undoes_addition(a: list[Row], b: list[Row]) -> None:
    assert_same((counted(a) + counted(b)) - counted(b), counted(a))


@given(a=rows)
def test_nothing_is_the_identity(a: list[Row]) -> None:
    nothing = empty(((), ()), CLASSES)
    assert_same(counted(a) + nothing, counted(a))
    assert_same(nothing + counted(a), counted(a))
    assert_same(counted(a) - counted(a), nothing)


@given(a=rows, turned=st.permutations(range(CLASSES)))
def test_classes_may_be_permuted(a: list[Row], turned: list[int]) -> None:
    renumbered = [(x, y, turned[c], w) for x, y, c, w in a]
    assert_same(counted(renumbered), counted(a).aligned(turned, CLASSES).that_occur())


@given(a=st.lists(row, min_size=1, max_size=12), turned=st.permutations("abcd"))
def test_names_of_categories_do_not_matter(a: list[Row], turned: list[str]) -> None:
    new = dict(zip("abcd", turned, strict=True)) | {None: None}
    told = []
    for some in (a, [(new[x], y, c, w) for x, y, c, w in a]):
        counts = counted(some)
        parameters = estimate(counts, Schema(np.arange(CLASSES), 2), smoothing=0.5)
        columns = [np.fromiter((row[j] for row in some), object, len(some)) for j in range(2)]
        told.append(
            log_likelihood(parameters, code_columns(columns, ["0", "1"], counts.categories))
        )
    np.testing.assert_array_equal(told[0], told[1])
