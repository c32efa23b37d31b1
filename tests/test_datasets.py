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
