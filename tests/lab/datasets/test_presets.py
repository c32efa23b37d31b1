"""Examples: their sizes, their seeds, and what they are said to be drawn from."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from gaussbayes.apps.lab.datasets import presets
from gaussbayes.apps.lab.messages import MessageError
from gaussbayes.lessons import optimal_regions, three_gaussians, two_gaussians

DRAWN = [name for name, one in presets.PRESETS.items() if one.drawn]
WITHOUT_TRUTH = {"xor", "petals", "naive_bayes", "clouds", "irises"}


@pytest.mark.parametrize("name", presets.PRESETS)
def test_every_preset_is_what_its_listing_says(name: str) -> None:
    (told,) = [one for one in presets.listed() if one["name"] == name]
    table = presets.made(name, seed=0, n=None)
    n, d = table.X.shape
    assert (n, table.labels.size) == (told["n"], told["classes"])
    assert table.codes.shape == (n,)
    assert table.codes.dtype == np.int32
    assert len(table.features) == d
    assert np.unique(table.codes).tolist() == list(range(table.labels.size))
    assert (table.truth is None) == (name in WITHOUT_TRUTH)
    if table.truth is not None:
        assert table.truth.mean.shape == (table.labels.size, d)
    assert told["about"].endswith(".")


@pytest.mark.parametrize("name", DRAWN)
def test_the_seed_decides(name: str) -> None:
    first, again, other = (presets.made(name, seed, 37) for seed in (1, 1, 2))
    assert first.X.shape[0] == 37
    np.testing.assert_array_equal(first.X, again.X)
    assert not np.array_equal(first.X, other.X)


@pytest.mark.parametrize("name", [name for name in DRAWN if name not in {"xor", "outlier", "gaps"}])
def test_rows_come_from_the_truth(name: str) -> None:
    table = presets.made(name, seed=3, n=20_000)
    truth = table.truth
    assert truth is not None
    k = table.labels.size
    covariances = np.broadcast_to(
        truth.covariance.dense(), (k, *truth.covariance.dense().shape[1:])
    )
    for code in range(k):
        own = table.X[table.codes == code]
        n = own.shape[0]
        share = truth.prior[code]
        assert abs(n / 20_000 - share) < 5 * np.sqrt(share * (1 - share) / 20_000)
        deviation = np.sqrt(np.diagonal(covariances[code]))
        assert (abs(own.mean(axis=0) - truth.mean[code]) < 5 * deviation / np.sqrt(n)).all()
        gap = np.cov(own.T).reshape(covariances[code].shape) - covariances[code]
        # The standard error of an entry is at most √2 σᵢ σⱼ / √n.
        assert (abs(gap) < 5 * np.sqrt(2 / n) * np.multiply.outer(deviation, deviation)).all()


@pytest.mark.parametrize("lesson", [two_gaussians, three_gaussians])
def test_the_courses_truths(lesson: "type[two_gaussians]") -> None:
    table = presets.made(lesson.__name__.rpartition(".")[2], 0, 50)
    assert table.truth is not None
    np.testing.assert_allclose(table.truth.mean, lesson.MEANS, atol=1e-12)
    np.testing.assert_allclose(table.truth.covariance.dense(), lesson.COVARIANCES)


def test_optimal_regions_share_a_covariance() -> None:
    truth = presets.made("optimal_regions", 0, 50).truth
    assert truth is not None
    np.testing.assert_array_equal(truth.prior, optimal_regions.PRIORS)
    np.testing.assert_array_equal(truth.covariance.dense(), [optimal_regions.COVARIANCE])


def test_xor_has_classes_in_opposite_corners() -> None:
    table = presets.made("xor", 0, 4000)
    product = np.sign(table.X[:, 0] * table.X[:, 1])
    agree = np.mean(product == np.where(table.codes == 0, 1, -1))
    assert agree > 0.97


def test_the_outlier_is_the_last_row() -> None:
    table = presets.made("outlier", 0, 60)
    assert table.X.shape == (60, 2)
    others = table.X[:-1]
    reach = abs(others - others.mean(axis=0)).max()
    assert abs(table.X[-1]).max() > 3 * reach


def test_gaps_depend_on_what_is_there() -> None:
    table, whole = presets.made("gaps", 5, 400), presets.made("diabetes", 5, 400)
    missing = np.isnan(table.X)
    np.testing.assert_array_equal(missing[:, 1], whole.X[:, 0] > 48)
    assert not missing[:, 0].any()
    np.testing.assert_array_equal(table.X[~missing], whole.X[~missing])


def test_few_rows_are_fewer_than_features() -> None:
    table = presets.made("few_rows", 0, None)
    assert np.bincount(table.codes).max() <= table.X.shape[1]


def test_unknown_presets_are_named() -> None:
    with pytest.raises(MessageError, match="no example 'unequel' \\(did you mean 'unequal'\\?\\)"):
        presets.made("unequel", 0, None)


def test_irises_are_all_there_and_mixed() -> None:
    table = presets.made("irises", seed=0, n=None)
    data = load_iris()
    mixed = [*map(tuple, np.column_stack([table.X, table.codes]).tolist())]
    listed = [*map(tuple, np.column_stack([data.data, data.target]).tolist())]
    assert sorted(mixed) == sorted(listed)
    assert np.unique(table.codes[:20]).tolist() == [0, 1, 2]
