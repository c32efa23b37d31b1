"""P-values of many distances, which come from tables, against scipy's and mpmath's."""

import mpmath
import numpy as np
import pytest
from scipy.stats import chi2, f

from gaussbayes import GaussianClassifier

ERROR, LEAST = 1e-9, 1e-270  # relative error, and from which probability on, as documented


@pytest.mark.parametrize("d", [1, 2, 3, 40, 384, 2048])
def test_chi_square(d: int) -> None:
    model = GaussianClassifier.from_parameters(
        [0.5, 0.5], means=np.zeros((2, d)), covariances=np.ones(d), covariance="diagonal"
    )
    squares = np.linspace(0.0, d + 60.0 * d**0.5 + 1700.0, 9001)
    rows = np.zeros((squares.size, d))
    rows[:, 0] = np.sqrt(squares)
    found = model.scores(rows).p_value
    expected = chi2.sf(np.square(rows[:, 0]), d)
    normal = expected > LEAST
    assert (found[-1] == 0).all()
    np.testing.assert_allclose(found[normal], np.stack([expected] * 2, 1)[normal], rtol=ERROR)
    with mpmath.workdps(40):
        for row in np.flatnonzero(normal)[:: normal.sum() // 9]:
            square = mpmath.mpf(float(np.square(rows[row, 0])))
            exact = mpmath.gammainc(mpmath.mpf(d) / 2, square / 2, mpmath.inf, regularized=True)
            assert abs(found[row, 0] / exact - 1) < ERROR
    far = model.scores(np.full((9000, d), 1e160)).p_value
    same = model.scores(np.zeros((9000, d))).p_value
    assert (far == 0).all()
    assert (same == 1).all()


@pytest.mark.parametrize(("d", "more"), [(1, 3000), (2, 1), (2, 40), (30, 1), (30, 20), (30, 3000)])
@pytest.mark.parametrize("shared", [False, True])
def test_estimates(d: int, more: int, *, shared: bool) -> None:
    rng = np.random.default_rng([d, more])
    y = np.repeat([0, 1], [d + more, d + more + 5])
    model = GaussianClassifier(shared=shared).fit(rng.normal(size=(y.size, d)), y)
    away = rng.normal(size=(9000, d))
    rows = away * np.geomspace(1e-4, 30, 9000)[:, None]
    found = model.scores(rows).p_value
    squares = model.scores(rows).squared_distance
    n = np.bincount(y)
    divide = y.size if shared else n
    freedom = (y.size - 2 if shared else n - 1) - d + 1
    w = squares / divide * (n / (n + 1))
    expected = f.sf(w * freedom / d, d, freedom)
    seen = expected > LEAST
    np.testing.assert_allclose(found[seen], expected[seen], rtol=ERROR)
    with mpmath.workdps(40):
        for row in range(0, 9000, 997):
            b, a = mpmath.mpf(d) / 2, mpmath.mpf(int(np.broadcast_to(freedom, 2)[0])) / 2
            exact = mpmath.betainc(a, b, 0, 1 / (1 + mpmath.mpf(w[row, 0])), regularized=True)
            assert abs(found[row, 0] - exact) <= ERROR * exact + LEAST


def test_missing_values_and_few_rows() -> None:
    """Rows of some features have the probabilities that they have alone."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    model = GaussianClassifier().fit(rng.normal(size=(400, 3)), y)
    rows = rng.normal(size=(30_000, 3))
    rows[rng.random(rows.shape) < 0.2] = np.nan
    rows[0] = np.nan
    found = model.scores(rows).p_value
    few = np.concatenate([model.scores(part).p_value for part in np.split(rows[:3000], 30)])
    np.testing.assert_allclose(found[:3000], few, rtol=ERROR)
    assert (found[0] == 1).all()
