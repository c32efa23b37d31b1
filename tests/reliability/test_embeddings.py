"""Many features: float32 against float64, and both against mpmath, also near the means."""

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from gaussbayes import AutoClassifier, DataError, GaussianClassifier, SingularCovarianceError

FLOAT32_ERROR = 2e-6  # relative, of squared distances and log evidences


def embeddings(
    d: int, power: float, apart: float
) -> tuple[GaussianClassifier, NDArray[np.float64], NDArray[np.float32]]:
    """A model of classes at a distance, whose variances fall along rotated axes, and rows."""
    rng = np.random.default_rng([d, int(power)])
    axes = np.linalg.qr(rng.normal(size=(d, d)))[0] * (1.0 + np.arange(d)) ** (-0.5 * power)
    means = 3.0 + apart * rng.normal(size=(5, d)) @ axes.T / np.sqrt(d)
    covariance = axes @ axes.T
    model = GaussianClassifier.from_parameters(
        np.full(5, 0.2), means=means, covariances=(covariance + covariance.T) / 2, shared=True
    )
    rows = means[np.arange(100) % 5] + rng.normal(size=(100, d)) @ axes.T
    rows[:5] = means
    return model, means, rows.astype(np.float32)


@pytest.mark.parametrize("d", [16, 384])
@pytest.mark.parametrize("power", [0.0, 1.0, 3.0])  # the last is too ill-conditioned for float32
@pytest.mark.parametrize("apart", [1.0, 20.0, 2000.0])
def test_float32(d: int, power: float, apart: float) -> None:
    model, means, rows = embeddings(d, power, apart)
    single, double = model.scores(rows), model.scores(rows.astype(np.float64))
    exact = double.squared_distance
    # Of a row at a mean, what the rounding of the row makes of a distance of 0.
    noise = 1e-6 * np.square(np.abs(means).max()) * np.abs(exact).max() * 1e-8
    np.testing.assert_allclose(single.squared_distance, exact, FLOAT32_ERROR, noise)
    size = np.abs(double.log_evidence).max()
    np.testing.assert_allclose(
        single.log_evidence, double.log_evidence, FLOAT32_ERROR, FLOAT32_ERROR * size
    )
    assert np.abs(single.posterior - double.posterior).max() < 1e-4
    assert single.posterior.dtype == single.log_evidence.dtype == np.float32


@pytest.mark.parametrize("apart", [0.0, 1.0, 1e3, 1e8])
def test_float64_near_the_means(apart: float) -> None:
    """Squares are those of mpmath also at, and within a rounding of, a mean."""
    model, means, _ = embeddings(16, 2.0, apart)
    away = np.concatenate([np.zeros((5, 16)), np.eye(16)[:5] * 1e-6, np.eye(16)[:5]])
    rows = np.tile(means, (3, 1)) + away
    found = model.scores(rows).squared_distance
    with mpmath.workdps(60):
        precision = mpmath.inverse(mpmath.matrix(model.covariances_.tolist()))
        for row, squares in zip(rows, found, strict=True):
            for mean, square in zip(model.means_, squares, strict=True):
                gap = mpmath.matrix(row.tolist()) - mpmath.matrix(mean.tolist())
                exact = (gap.T * precision * gap)[0]
                assert abs(square - exact) <= 1e-9 * exact + 1e-20


def test_equal_means() -> None:
    """Posteriors do not need the square of a row; distances and evidence do."""
    model = GaussianClassifier.from_parameters(
        [0.25, 0.75], means=np.ones((2, 3)), covariances=np.eye(3) * 4.0, shared=True
    )
    scores = model.scores([[1.0, 1.0, 1.0], [1.0, 5.0, 1.0]])
    np.testing.assert_allclose(scores.squared_distance, [[0, 0], [4, 4]], atol=1e-15)
    density = -1.5 * np.log(2 * np.pi * 4)
    np.testing.assert_allclose(scores.log_evidence, [density, density - 2], rtol=1e-14)


def test_forms_of_several_purposes_and_priors_share_matrices() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    X = rng.normal(size=(120, 5)) + y[:, None]
    for shared in (True, False):
        model = GaussianClassifier(shared=shared).fit(X, y)
        other = GaussianClassifier(shared=shared, priors=[0.7, 0.2, 0.1]).fit(X, y)
        for _ in range(2):  # the second time from what is kept
            scores = model.scores(X)
            expected = scores.log_likelihood + np.log(model.priors_)
            np.testing.assert_allclose(scores.log_joint, expected, rtol=1e-12)
            log_det = np.linalg.slogdet(np.broadcast_to(model.covariances_, (3, 5, 5)))[1]
            density = -0.5 * (scores.squared_distance + log_det + 5 * np.log(2 * np.pi))
            np.testing.assert_allclose(scores.log_likelihood, density, rtol=1e-12)
            changed = model.with_priors([0.7, 0.2, 0.1])
            np.testing.assert_allclose(changed.predict_proba(X), other.predict_proba(X), rtol=1e-12)


def test_bad_input() -> None:
    """Embeddings that cannot be fitted say why; those that can are fitted."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 16)).astype(np.float32), np.arange(60) % 6
    with pytest.raises(SingularCovarianceError, match="needs a class with at least two rows"):
        GaussianClassifier(shared=True).fit(X[:6], y[:6])
    alone = np.r_[6, y[1:]]
    with pytest.raises(SingularCovarianceError, match="class 6 does not vary .* in 1 row"):
        GaussianClassifier(shrinkage=0.1).fit(X, alone)
    assert GaussianClassifier(shared=True).fit(X, alone).classes_.size == 7
    wide = rng.normal(size=(4, 20_001)).astype(np.float32)
    with pytest.raises(DataError, match=r"20,001 features need one matrix: 3\.2 GB"):
        GaussianClassifier(shared=True).fit(wide, [0, 0, 1, 1])
    X[:, 3], X[:, 5] = 1.5, X[:, 4]  # constant, and twice the same
    for model in (GaussianClassifier(shared=True, shrinkage="oas"), AutoClassifier()):
        half = model.fit(X.astype(np.float16), y).predict_proba(X.astype(np.float16))
        assert half.dtype == np.float32
        assert np.isfinite(half).all()
    holes = rng.normal(size=(60, 16))
    holes[7, 2] = holes[8] = np.nan
    found = GaussianClassifier(shared=True, shrinkage=0.1).fit(holes, y).predict_proba(holes)
    np.testing.assert_allclose(found[8], 1 / 6, atol=0.01)


@pytest.mark.parametrize("per_class", [40, 100])
def test_novelty_level(per_class: int) -> None:
    """A calibrated model rejects about the proportion of known rows that the level says, or less.

    The standard error of the proportion of 4000 rows is at most 0.0035 for a level of 0.05.
    """
    rng = np.random.default_rng(per_class)
    d, k = 128, 20
    axes = np.linalg.qr(rng.normal(size=(d, d)))[0] / np.sqrt(1.0 + np.arange(d))[:, None]
    means = 0.4 * rng.normal(size=(k, d)) @ axes
    y, new = np.arange(k * per_class) % k, np.arange(4000) % k
    X, rows = (
        (means[codes] + rng.standard_t(8, size=(codes.size, d)) @ axes).astype(np.float32)
        for codes in (y, new)
    )
    model = GaussianClassifier(shared=True, shrinkage="oas", calibrate=True).fit(X, y)
    assert 0.01 < model.decide(rows, novelty=0.05).novel.mean() < 0.06
    assert model.decide(rows + 3.0, novelty=0.05).novel.mean() > 0.99
