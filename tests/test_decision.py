"""Margins and rejection against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.decision import margins, rejected
from gaussbayes.errors import ParameterError


@given(st.integers(2, 5), st.data())
def test_margins_by_the_definition(k: int, data: st.DataObject) -> None:
    # Few values, so that ties are frequent.
    values = hnp.arrays(np.float64, (6, k), elements=st.sampled_from([-3.0, -1.0, -0.5, -np.inf]))
    scores = data.draw(values)
    scores[:, 0] = np.where(np.isinf(scores).all(axis=1), 0.0, scores[:, 0])
    found = margins(scores)
    for row, own in zip(found, scores, strict=True):
        for c in range(k):
            assert row[c] == own[c] - max(own[b] for b in range(k) if b != c) or (
                np.isinf(own[c]) and row[c] == -np.inf
            )


def test_exactly_one_class_is_ahead_off_the_boundaries() -> None:
    scores = np.log(np.random.default_rng(0).dirichlet(np.ones(4), size=200))
    found = margins(scores)
    assert ((found > 0).sum(axis=1) == 1).all()
    np.testing.assert_array_equal(found.argmax(axis=1), scores.argmax(axis=1))
    assert margins(scores.astype(np.float32)).dtype == np.float32


def test_margins_are_zero_for_the_best_of_equals() -> None:
    assert margins(np.array([[-1.0, -1.0, -2.0]])).tolist() == [[0.0, 0.0, -1.0]]


def test_two_classes_have_opposite_margins() -> None:
    scores = np.log(np.random.default_rng(1).dirichlet(np.ones(2), size=50))
    found = margins(scores)
    np.testing.assert_array_equal(found[:, 0], -found[:, 1])
    np.testing.assert_array_equal(found[:, 0], scores[:, 0] - scores[:, 1])


def test_the_arguments_are_left_alone() -> None:
    scores = np.log([[0.5, 0.3, 0.2]])
    before = scores.copy()
    margins(scores)
    np.testing.assert_array_equal(scores, before)


def test_rejected() -> None:
    posterior = np.array([[0.5, 0.5], [0.8, 0.2], [1.0, 0.0]])
    assert rejected(posterior, 0.8).tolist() == [True, False, False]  # 0.8 is not below 0.8
    assert rejected(posterior, 0.0).tolist() == [False] * 3
    assert rejected(posterior, 1.0).tolist() == [True, True, False]


@pytest.mark.parametrize("threshold", [-0.1, 1.5, np.nan, 80])
def test_a_threshold_is_a_probability(threshold: float) -> None:
    with pytest.raises(ParameterError, match=f"from 0 to 1, got {threshold}"):
        rejected(np.array([[0.5, 0.5]]), threshold)
