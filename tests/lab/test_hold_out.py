"""Which rows are held out."""

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from gaussbayes.apps.lab.examples import example_table
from gaussbayes.apps.lab.lab_tables import number_table
from gaussbayes.apps.lab.messages import Split
from gaussbayes.apps.lab.store import hold_out


@pytest.mark.parametrize(("share", "seed"), [(0.3, 0), (0.5, 7)])
def test_rows_are_held_out_class_by_class(share: float, seed: int) -> None:
    table = example_table("imbalanced", 0, 200)
    test, problem = hold_out(table, Split(share, seed))
    labels = table.labels[table.codes]
    _, expected = train_test_split(
        np.arange(200), test_size=share, random_state=seed, stratify=labels
    )
    assert problem is None
    assert np.flatnonzero(test).tolist() == sorted(expected)
    counts, all_counts = np.bincount(table.codes[test]), np.bincount(table.codes)
    assert (abs(counts - share * all_counts) <= 1).all()


def test_nothing_is_held_out_unless_asked_for() -> None:
    test, problem = hold_out(example_table("xor", 0, 20), Split(0.0, 3))
    assert not test.any()
    assert problem is None


def test_too_few_rows_are_no_error() -> None:
    rows, labels = np.arange(6.0).reshape(3, 2), np.array(["a", "b", "c"])
    table = number_table("three", rows, np.arange(3, dtype=np.int32), labels, ("x", "y"))
    test, problem = hold_out(table, Split(0.5))
    assert not test.any()
    assert problem is not None
    assert problem.startswith("no rows are held out: every class has one row")


def test_the_only_row_of_a_class_is_learnt_from() -> None:
    rows, codes = np.arange(6.0).reshape(3, 2), np.array([0, 0, 1], np.int32)
    table = number_table("three", rows, codes, np.array(["a", "b"]), ("x", "y"))
    test, problem = hold_out(table, Split(0.5))
    assert problem is None
    assert test.tolist() in ([True, False, False], [False, True, False])


def test_no_rows_at_all() -> None:
    nothing, labels = np.empty((0, 2)), np.array(["a"])
    table = number_table("none", nothing, np.empty(0, np.int32), labels, ("x", "y"))
    assert hold_out(table, Split(0.5))[0].size == 0
