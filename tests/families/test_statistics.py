"""Statistics of every family are a group under +, whatever the rows, classes and columns are."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.data.rows import Targets
from tests.families.cases import CASES, Case, Table, assert_same, random_table, tables, written

pytestmark = pytest.mark.parametrize("case", CASES, ids=str)
few = settings(max_examples=12)


@few
@given(data=st.data())
def test_sums_do_not_depend_on_order_or_grouping(case: Case, data: st.DataObject) -> None:
    tables_of = data.draw(tables(case, parts=3))
    a, b, c = (table.statistics for table in tables_of)
    assert_same(case, (a + b) + c, a + (b + c))
    assert_same(case, a + b, b + a)
    assert_same(case, a + b, (tables_of[0] + tables_of[1]).statistics)
    assert_same(case, a.plus(b, tables_of[0].names), a + b)


@few
@given(data=st.data())
def test_removal_undoes_addition_and_nothing_is_the_identity(
    case: Case, data: st.DataObject
) -> None:
    first, second = data.draw(tables(case, parts=2))
    a, b, names = first.statistics, second.statistics, first.names
    empty = first.taken([]).statistics
    assert_same(case, (a + b).without(b, names), a)
    assert_same(case, a + empty, a)
    assert_same(case, empty + a, a)
    assert_same(case, a.without(empty, names), a)
    assert not a.without(a, names).weight.any()


@few
@given(data=st.data())
def test_weight_is_repetition(case: Case, data: st.DataObject) -> None:
    (table,) = data.draw(tables(case))
    repeated = np.repeat(np.arange(len(table.codes)), [int(w) for w in table.weights]).tolist()
    ones = Table(
        case,
        table.n_classes,
        table.n_columns,
        tuple(table.values[i] for i in repeated),
        tuple(table.codes[i] for i in repeated),
        (1.0,) * len(repeated),
    )
    assert_same(case, table.statistics, ones.statistics)
    assert_same(case, table.statistics.scaled(2.0), table.statistics + table.statistics)
    assert_same(case, (table + table).statistics.scaled(0.5), table.statistics)
    unweighted = Targets(ones.targets.codes, table.n_classes)
    assert_same(case, table.family.observe(ones.rows, unweighted, table.names), ones.statistics)


@few
@given(data=st.data())
def test_classes_and_columns_are_only_numbered(case: Case, data: st.DataObject) -> None:
    (table,) = data.draw(tables(case))
    k, d, statistics = table.n_classes, table.n_columns, table.statistics
    order = data.draw(st.permutations(range(k)))
    turned = Table(
        case, k, d, table.values, tuple(order[code] for code in table.codes), table.weights
    )
    assert_same(case, statistics.aligned(order, k), turned.statistics)
    assert_same(case, statistics.aligned(order, k).selected(order), statistics)
    assert_same(case, statistics.aligned(order, k + 1).selected(range(k)), turned.statistics)
    as_one = Table(case, 1, d, table.values, (0,) * len(table.codes), table.weights)
    assert_same(case, statistics.together(), as_one.statistics)
    only = table.taken([i for i, code in enumerate(table.codes) if code == 0])
    assert_same(case, statistics.selected([0]), only.statistics.selected([0]))
    columns = data.draw(st.permutations(range(d)))[: data.draw(st.integers(1, d))]
    cut = Table(
        case,
        k,
        len(columns),
        tuple(tuple(row[j] for j in columns) for row in table.values),
        table.codes,
        table.weights,
    )
    assert_same(case, statistics.of_columns(columns), cut.statistics)


@few
@given(data=st.data())
def test_one_hot_soft_labels_are_labels(case: Case, data: st.DataObject) -> None:
    (table,) = data.draw(tables(case, least=1))
    targets = table.targets
    soft = Targets(np.eye(table.n_classes)[targets.codes], table.n_classes, targets.weights)
    assert_same(case, table.family.observe(table.rows, soft, table.names), table.statistics)
    halves = Targets(np.full((len(table.codes), 2), 0.5), 2, targets.weights)
    shared = table.family.observe(table.rows, halves, table.names)
    assert_same(case, shared.selected([0]), shared.selected([1]))
    together = Table(case, 1, table.n_columns, table.values, (0,) * len(table.codes), table.weights)
    assert_same(case, shared.selected([0]).scaled(2.0), together.statistics)


def test_weight_size_and_completeness(case: Case) -> None:
    table = random_table(case, k=3, n=30, missing=0.2)
    statistics = table.statistics
    assert statistics.weight.tolist() == [10, 10, 10]
    assert statistics.is_complete == case.observes_missing
    complete = [i for i, row in enumerate(table.values) if None not in row]
    assert table.taken(complete).statistics.is_complete
    assert statistics.n_bytes >= statistics.weight.nbytes
    assert_same(case, table.family.adapted(statistics), statistics)


def test_parts_are_the_whole_to_the_bit(case: Case) -> None:
    """In a fixed tree neither the order of arrival nor the number of threads matters."""
    random = np.random.default_rng(1)
    few_rows = random_table(case, k=3, n=60, missing=0.1)
    which = random.integers(0, 60, 150_000)
    rows = few_rows.rows[which]
    targets = Targets(few_rows.targets.codes[which], 3, random.random(which.size))
    observed = [few_rows.family.observe(rows, targets, few_rows.names, t) for t in (1, 3)]
    assert written(case, "statistics", observed[0]) == written(case, "statistics", observed[1])
    blocks = [slice(start, start + 20_000) for start in range(0, which.size, 20_000)]
    parts = [few_rows.family.observe(rows[b], targets[b], few_rows.names) for b in blocks]

    def merged(order: Any) -> bytes:
        tree: MergeTree[Any] = MergeTree()
        for number in order:
            tree.add(number, parts[number])
        return written(case, "statistics", tree.result())

    assert len({merged(random.permutation(len(parts))) for _ in range(4)}) == 1


def test_what_was_never_added_cannot_be_removed(case: Case) -> None:
    table = random_table(case, k=2, n=20)
    more = (table + table).statistics
    with pytest.raises(DataError, match="remove only rows that were added"):
        table.statistics.without(more, table.names)
    of_other_class = Table(case, 2, 2, table.values, (0,) * 20, table.weights).statistics
    with pytest.raises(DataError, match="class 0.*remove only rows that were added"):
        table.statistics.without(of_other_class, table.names)


def test_statistics_of_unlike_shape(case: Case) -> None:
    first, second = random_table(case, k=2), random_table(case, k=3)
    with pytest.raises(DataError, match="2 classes"):
        first.statistics + second.statistics
