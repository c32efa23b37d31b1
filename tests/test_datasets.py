"""The bundled tables are the published ones."""

import numpy as np
import sklearn.datasets

from gaussbayes.datasets import load_iris, load_sentences


def test_iris_equals_the_table_in_scikit_learn() -> None:
    ours, theirs = load_iris(), sklearn.datasets.load_iris()
    np.testing.assert_array_equal(ours.rows, theirs.data)
    np.testing.assert_array_equal(ours.labels, theirs.target_names[theirs.target])
    assert list(ours.feature_names) == theirs.feature_names
    assert list(ours.class_names) == theirs.target_names.tolist()


def test_sentences_are_vectors_of_length_1() -> None:
    requests = load_sentences()
    assert requests.rows.shape == (480, len(requests.feature_names))
    assert {requests.labels.tolist().count(name) for name in requests.class_names} == {20}
    np.testing.assert_allclose(np.linalg.norm(requests.rows, axis=1), 1.0, atol=1e-3)
