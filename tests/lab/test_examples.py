"""Examples: their sizes, their seeds, and what they are said to be drawn from."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from gaussbayes.analysis.class_moments import class_covariances, class_means
from gaussbayes.apps.lab.examples import EXAMPLES, example_table
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.lessons.handouts import (
    DEFECT_PRIOR,
    OPTIMAL_REGIONS,
    POSITIVE,
    THREE_GAUSSIANS,
    TWO_GAUSSIANS,
    Gaussians,
)

DRAWN = [name for name, example in EXAMPLES.items() if example.is_drawn]
WITHOUT_TRUTH = {"xor", "petals", "naive_bayes", "clouds", "irises", "rain", "genetic_test"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_what_its_record_says(name: str) -> None:
    record = EXAMPLES[name].record
    table = example_table(name, seed=0, n=None)
    n, d = table.X.shape
    assert (n, table.labels.size) == (record["n"], record["classes"])
    assert table.codes.shape == (n,)
    assert table.codes.dtype == np.int32
    assert len(table.features) == d
    assert np.unique(table.codes).tolist() == list(range(table.labels.size))
    assert (table.truth is None) == (name in WITHOUT_TRUTH)
    if table.truth is not None:
        assert class_means(table.truth).shape == (table.labels.size, d)
    assert record["about"].endswith(".")


@pytest.mark.parametrize("name", DRAWN)
def test_the_seed_decides(name: str) -> None:
    first, again, other = (example_table(name, seed, 37) for seed in (1, 1, 2))
    assert first.X.shape[0] == 37
    one, same, another = (np.hstack([table.X, table.rows.codes]) for table in (first, again, other))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, another)


@pytest.mark.parametrize(
    "name", [name for name in DRAWN if name not in WITHOUT_TRUTH | {"outlier", "gaps"}]
)
def test_rows_come_from_the_truth(name: str) -> None:
    table = example_table(name, seed=3, n=20_000)
    truth = table.truth
    assert truth is not None
    k = table.labels.size
    d = table.X.shape[1]
    covariances = np.broadcast_to(class_covariances(truth), (k, d, d))
    means = class_means(truth)
    for code, prior in enumerate(truth.prior.tolist()):
        rows = table.X[table.codes == code]
        n = rows.shape[0]
        assert abs(n / 20_000 - prior) < 5 * np.sqrt(prior * (1 - prior) / 20_000)
        deviation = np.sqrt(np.diagonal(covariances[code]))
        assert (abs(rows.mean(axis=0) - means[code]) < 5 * deviation / np.sqrt(n)).all()
        gap = np.cov(rows.T).reshape(covariances[code].shape) - covariances[code]
        # The standard error of an entry is at most √2 σᵢ σⱼ / √n.
        assert (abs(gap) < 5 * np.sqrt(2 / n) * np.multiply.outer(deviation, deviation)).all()


def test_people_test_positive_as_the_handout_says() -> None:
    table = example_table("genetic_test", seed=3, n=200_000)
    for code, rate in enumerate(POSITIVE):
        results = table.rows.codes[table.codes == code]
        n = results.shape[0]
        prior = DEFECT_PRIOR[code]
        assert abs(n / 200_000 - prior) < 5 * np.sqrt(prior * (1 - prior) / 200_000)
        assert (abs(results.mean(axis=0) - rate) < 5 * np.sqrt(rate * (1 - rate) / n)).all()


@pytest.mark.parametrize(
    ("name", "truth"), [("two_gaussians", TWO_GAUSSIANS), ("three_gaussians", THREE_GAUSSIANS)]
)
def test_the_courses_truths(name: str, truth: Gaussians) -> None:
    table = example_table(name, 0, 50)
    assert table.truth is not None
    np.testing.assert_array_equal(class_means(table.truth), truth.means)
    np.testing.assert_array_equal(class_covariances(table.truth), truth.covariances)


def test_optimal_regions_share_a_covariance() -> None:
    truth = example_table("optimal_regions", 0, 50).truth
    assert truth is not None
    np.testing.assert_array_equal(truth.prior, OPTIMAL_REGIONS.priors)
    np.testing.assert_array_equal(class_covariances(truth), OPTIMAL_REGIONS.covariances)


def test_xor_has_classes_in_opposite_corners() -> None:
    table = example_table("xor", 0, 4000)
    product = np.sign(table.X[:, 0] * table.X[:, 1])
    agree = np.mean(product == np.where(table.codes == 0, 1, -1))
    assert agree > 0.97


def test_the_outlier_is_the_last_row() -> None:
    table = example_table("outlier", 0, 60)
    assert table.X.shape == (60, 2)
    others = table.X[:-1]
    reach = abs(others - others.mean(axis=0)).max()
    assert abs(table.X[-1]).max() > 3 * reach


def test_missing_values_depend_on_what_is_there() -> None:
    table, whole = example_table("gaps", 5, 400), example_table("diabetes", 5, 400)
    missing = np.isnan(table.X)
    np.testing.assert_array_equal(missing[:, 1], whole.X[:, 0] > 48)
    assert not missing[:, 0].any()
    np.testing.assert_array_equal(table.X[~missing], whole.X[~missing])


def test_few_rows_are_fewer_than_features() -> None:
    table = example_table("few_rows", 0, None)
    assert np.bincount(table.codes).max() <= table.X.shape[1]


def test_unknown_examples_are_named() -> None:
    with pytest.raises(MessageError, match="no example 'unequel' \\(did you mean 'unequal'\\?\\)"):
        example_table("unequel", 0, None)


def test_irises_are_all_there_and_mixed() -> None:
    table = example_table("irises", seed=0, n=None)
    data = load_iris()
    mixed = [*map(tuple, np.column_stack([table.X, table.codes]).tolist())]
    listed = [*map(tuple, np.column_stack([data.data, data.target]).tolist())]
    assert sorted(mixed) == sorted(listed)
    assert np.unique(table.codes[:20]).tolist() == [0, 1, 2]
