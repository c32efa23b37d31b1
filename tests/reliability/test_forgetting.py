"""`forget` gives the model of the other rows, or refuses and says what to do."""

from typing import Any

import numpy as np
import pytest

from gaussbayes import DataError, GaussianClassifier
from gaussbayes.base.types import FloatArray
from tests.oracles import exact_scatter

STRUCTURES: list[dict[str, Any]] = [{}, {"covariance": "diagonal"}, {"shared": True}]


def exact_variances(X: FloatArray, y: FloatArray, *, shared: bool) -> FloatArray:
    """Variances (k, d) by maximum likelihood, by exact sums of the rows."""
    scatters = [exact_scatter(X[y == c])[1] for c in (0, 1)]
    squares = [[scatter[j][j] for j in range(X.shape[1])] for scatter in scatters]
    if shared:
        return np.array([[float((a + b) / y.size) for a, b in zip(*squares, strict=True)]] * 2)
    sizes = [int((y == c).sum()) for c in (0, 1)]
    return np.array([[float(s / n) for s in own] for own, n in zip(squares, sizes, strict=True)])


def variances(model: GaussianClassifier) -> FloatArray:
    return np.broadcast_to(np.diagonal(model.covariances_, axis1=-2, axis2=-1), (2, 2))


@pytest.mark.parametrize("settings", STRUCTURES)
@pytest.mark.parametrize("outlier", [1e1, 1e2, 1e3, 1e4, 1e6, 1e8, 1e12, 1e16])
def test_outliers_are_forgotten_exactly_or_not_at_all(
    settings: dict[str, Any], outlier: float
) -> None:
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(60, 2)), np.repeat([0, 1], 30)
    far = outlier * np.array([[1.0, -0.3], [0.1, 1.0], [-0.4, 0.3]])
    model = GaussianClassifier(**settings).fit(np.r_[X, far], np.r_[y, 0, 0, 0])
    before = model.predict_log_proba(X)
    try:
        model.forget(far, np.zeros(3, int))
    except DataError as error:
        assert outlier > 1e3
        assert "fit again without these rows" in str(error)  # noqa: PT017
        np.testing.assert_array_equal(model.predict_log_proba(X), before)
    else:
        truth = exact_variances(X, y, shared="shared" in settings)
        np.testing.assert_allclose(variances(model), truth, rtol=1e-9)


def test_outliers_are_forgotten_one_after_the_other_or_refused() -> None:
    """Each loses digits of the rest, and what an earlier one lost stays lost."""
    refused = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        settings = STRUCTURES[seed % 2]
        X = (rng.normal(size=(30, 2)) + 10.0 ** rng.integers(0, 9)) * 10.0 ** rng.integers(-8, 9, 2)
        y, classes = np.arange(30) % 2, rng.integers(0, 2, 6)
        sizes = 10.0 ** np.sort(rng.uniform(-1, 4.5, 6))[::-1, None]
        far = X[:6] + sizes * X.std(axis=0) * rng.choice([-1.0, 1.0], size=(6, 2))
        model = GaussianClassifier(**settings).fit(np.r_[X, far], np.r_[y, classes])
        try:
            for row in range(6):
                model.forget(far[[row]], classes[[row]])
        except DataError as error:
            assert "fit again without these rows" in str(error)  # noqa: PT017
            refused += 1
        else:
            truth = exact_variances(X, y, shared=False)
            np.testing.assert_allclose(variances(model), truth, rtol=1e-9, err_msg=str(seed))
    assert 0 < refused < 120


def test_rows_that_were_added_are_never_refused() -> None:
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        settings = STRUCTURES[seed % 3]
        n, unit = int(rng.integers(12, 30)), 10.0 ** rng.integers(-6, 7, 2)
        X = (rng.normal(size=(n, 2)) + 10.0 ** rng.integers(0, 6)) * unit
        if seed % 4 == 3:
            X = np.rint(rng.exponential(2.0, size=(n, 2)))
            X[:8] = [[0, 0], [9, 5], [1, 8], [7, 2], [3, 3], [4, 9], [8, 1], [2, 6]]
        y = np.arange(n) % 2
        model = GaussianClassifier(**settings).fit(X, y)
        gone = 8 + rng.permutation(n - 8)
        if seed % 2:
            model.forget(X[gone], y[gone])
        else:
            for row in gone.tolist():
                model.forget(X[[row]], y[[row]])
        truth = exact_variances(X[:8], y[:8], shared="shared" in settings)
        np.testing.assert_allclose(variances(model), truth, rtol=1e-9, err_msg=str(seed))


def test_what_is_left_may_be_constant_or_a_single_row() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    X[:, 1] = rng.integers(0, 2, 40)
    model = GaussianClassifier(shared=True).fit(X, y)
    ones = np.flatnonzero((y == 0) & (X[:, 1] == 1))
    for row in ones.tolist():  # the second feature of the first class is then 0
        model.forget(X[[row]], y[[row]])
    rest = np.flatnonzero((y == 0) & (X[:, 1] == 0))
    for row in rest[1:].tolist():
        model.forget(X[[row]], y[[row]])
    left = np.r_[rest[:1], np.flatnonzero(y == 1)]
    truth = exact_variances(X[left], y[left], shared=True)
    np.testing.assert_allclose(variances(model), truth, rtol=1e-12)
