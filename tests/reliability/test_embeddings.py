"""Many features: float32 against float64, and both against mpmath, also near the means."""

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from gaussbayes import GaussianClassifier

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
