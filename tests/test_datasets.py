"""The bundled tables are the published ones."""

import numpy as np
import sklearn.datasets

from gaussbayes.datasets import load_iris


def test_iris_equals_the_table_in_scikit_learn() -> None:
    ours, theirs = load_iris(), sklearn.datasets.load_iris()
    np.testing.assert_array_equal(ours.rows, theirs.data)
    np.testing.assert_array_equal(ours.labels, theirs.target_names[theirs.target])
    assert list(ours.feature_names) == theirs.feature_names
    assert list(ours.class_names) == theirs.target_names.tolist()


def test_iris_has_the_two_flowers_that_the_uci_copy_gets_wrong() -> None:
    # Flowers 35 and 38 of Fisher (1936), Table I; the UCI repository's description gives these
    # corrections of its own copy.
    rows = load_iris().rows
    assert rows[34].tolist() == [4.9, 3.1, 1.5, 0.2]
    assert rows[37].tolist() == [4.9, 3.6, 1.4, 0.1]
