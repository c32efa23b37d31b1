"""Rare categories drawn more often than the model has them, and weighed down again."""

from itertools import product

import numpy as np

from gaussbayes.families.categorical import CategoricalParameters
from gaussbayes.families.categorical.rare import draw_widely


def test_weighted_shares_are_those_of_the_model() -> None:
    shares = np.array(
        [[[0.9, 0.1 - 1e-7, 1e-7], [0.5, 0.5, 0.0]], [[1e-4, 0.5, 0.4999], [0.2, 0.3, 0.5]]]
    )
    with np.errstate(divide="ignore"):
        letters = CategoricalParameters((("a", "b", "c"),) * 2, np.log(shares.reshape(2, 6)))
    codes = np.repeat([0, 1], 100_000).astype(np.int32)
    columns, weight = draw_widely(letters, codes, np.random.default_rng(0))
    assert weight.max() <= 2.0
    for c, (i, j) in product(range(2), product(range(3), repeat=2)):
        exact = shares[c, 0, i] * shares[c, 1, j]
        own = weight[codes == c] * (columns.codes[codes == c] == [i, j]).all(axis=1)
        error = own.std() / np.sqrt(own.size)
        assert abs(own.mean() - exact) <= 4 * error
        assert error <= 0.02 * exact


def test_impossible_categories_are_never_drawn_and_none_are_needed() -> None:
    with np.errstate(divide="ignore"):
        letters = CategoricalParameters((("a", "b"), ()), np.log([[0.0, 1.0]]))
    columns, weight = draw_widely(letters, np.zeros(500, np.int32), np.random.default_rng(0))
    assert (columns.codes[:, 0] == 1).all()
    np.testing.assert_allclose(weight, 1.0, rtol=1e-14)
