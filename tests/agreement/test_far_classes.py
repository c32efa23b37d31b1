"""Classes that share a covariance and lie far from one another: scores near the means are exact."""

import mpmath as mp
import numpy as np
import pytest

from gaussbayes import GaussianClassifier

D = 6


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-9), (np.float32, 1e-6)])
@pytest.mark.parametrize("far", [1e1, 1e2, 1e3, 3e3, 1e4, 1e5])
def test_two_neighbours_far_from_a_third_class(dtype: type, tolerance: float, far: float) -> None:
    generator = np.random.default_rng(3)
    covariance = np.cov(generator.normal(size=(30, D)), rowvar=False)
    covariance = (covariance + covariance.T) / 2
    means = np.zeros((3, D))
    means[1:] = far
    means[2] += generator.normal(size=D)
    model = GaussianClassifier.from_parameters([0.8, 0.1, 0.1], means, covariance)
    rows = (means[[1, 1, 2, 2]] + generator.normal(size=(4, D))).astype(dtype)

    mp.mp.dps = 40
    precision = mp.matrix(covariance.tolist()) ** -1
    away = [
        [mp.matrix([mp.mpf(float(a)) - mp.mpf(b) for a, b in zip(row, mean.tolist(), strict=True)])
         for mean in means]
        for row in rows
    ]  # fmt: skip
    squares = [[(z.T * precision * z)[0] for z in of_row] for of_row in away]
    joint = [
        [mp.log(prior) - square / 2 for prior, square in zip((0.8, 0.1, 0.1), of_row, strict=True)]
        for of_row in squares
    ]
    totals = [mp.fsum(mp.exp(value) for value in of_row) for of_row in joint]
    log_posterior = [
        [float(value - mp.log(total)) for value in of_row]
        for of_row, total in zip(joint, totals, strict=True)
    ]
    table = model.scores(rows)
    expected = np.array([[float(square) for square in of_row] for of_row in squares])
    np.testing.assert_allclose(table.squared_distance, expected, rtol=tolerance)
    np.testing.assert_allclose(table.posterior, np.exp(log_posterior), atol=tolerance)
    found = model.predict_log_proba(rows)[:, 1:]
    np.testing.assert_allclose(
        found, np.array(log_posterior)[:, 1:], rtol=tolerance, atol=tolerance
    )
