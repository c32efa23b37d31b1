"""Where two classes are equally probable in one dimension, against exact arithmetic."""

from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import poisson

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.boundary import boundaries, decision_boundaries
from gaussbayes.base.errors import OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import number_rows
from gaussbayes.families.poisson import Poisson, PoissonDensity
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Component, Settings
from gaussbayes.model.solution import Solution
from tests.gaussians import model_of


def test_calibrated_posteriors_change_at_the_boundary() -> None:
    """Part of them is the prior, so that there is no closed form: they are closed in on."""
    plain = model([0.2, 0.8], [0.0, 3.0], [1.0, 2.0])
    assert plain.solution is not None
    calibration = Calibration(0.4, np.array([0.3, -0.3]), 0.05)
    solution = replace(plain.solution, calibration=calibration)
    settings = replace(plain.settings, calibration=calibration)
    calibrated = replace(plain, solution=solution, settings=settings)
    found = decision_boundaries(calibrated)
    assert len(found) == len(decision_boundaries(plain)) == 2
    places = np.array([[each.position] for each in found])
    np.testing.assert_allclose(calibrated.posterior(number_rows(places)), 0.5, atol=1e-9)


def model(
    priors: Any, means: list[float], variances: list[float] | float, shape: str = "full"
) -> Model:
    shared = isinstance(variances, float)
    rank = {"full": 2, "diagonal": 1, "spherical": 0}[shape]
    values = np.reshape(variances, np.shape(variances) + (1,) * rank)
    return model_of(priors, np.reshape(means, (-1, 1)), values, shape, shared)


def exact(
    priors: list[float], means: list[float], variances: list[float], a: int, b: int
) -> list[float]:
    """Roots of the log-odds, in fifty digits."""
    with mpmath.workdps(50):
        p, m, v = ([mpmath.mpf(float(one)) for one in each] for each in (priors, means, variances))
        square = (1 / v[b] - 1 / v[a]) / 2
        slope = m[a] / v[a] - m[b] / v[b]
        level = (
            mpmath.log(p[a] / p[b])
            - mpmath.log(v[a] / v[b]) / 2
            - (m[a] ** 2 / v[a] - m[b] ** 2 / v[b]) / 2
        )
        if square == 0:
            return [float(-level / slope)] if slope != 0 else []
        under = slope**2 - 4 * square * level
        if under < 0:
            return []
        roots = [(-slope + sign * mpmath.sqrt(under)) / (2 * square) for sign in (-1, 1)]
        return sorted(float(root) for root in roots)


def test_petals() -> None:
    # Course, document 002: the boundaries with equal priors and with 5/8 and 3/8.
    means, variances = [2.68, 6.5], [0.5336, 0.26]
    equal = boundaries(model("uniform", means, variances), 0, 1)
    np.testing.assert_allclose(equal, [4.894721, 15.365512], rtol=0, atol=5e-7)
    weighted = boundaries(model([0.625, 0.375], means, variances), 0, 1)
    np.testing.assert_allclose(weighted, [4.944434, 15.315800], rtol=0, atol=5e-7)


@pytest.mark.parametrize("shape", ["full", "diagonal", "spherical"])
def test_every_shape_own_and_shared(shape: str) -> None:
    priors, means = [0.2, 0.5, 0.3], [0.0, 3.0, -1.0]
    own = model(priors, means, [1.0, 4.0, 0.5], shape)
    shared = model(priors, means, 2.0, shape)
    for a, b in [(0, 1), (1, 0), (2, 1), (0, 2)]:
        np.testing.assert_allclose(
            boundaries(own, a, b), exact(priors, means, [1.0, 4.0, 0.5], a, b), rtol=1e-14
        )
        np.testing.assert_allclose(
            boundaries(shared, a, b), exact(priors, means, [2.0] * 3, a, b), rtol=1e-13
        )


@given(
    st.integers(1, 99),
    st.integers(-5000, 5000),
    st.floats(0.01, 100),
    st.floats(0.01, 100),
    st.sampled_from([0.0, 1e6, -1e9]),
)
def test_log_odds_are_zero_there(
    per_cent: int, thousandths: int, first: float, second: float, origin: float
) -> None:
    priors = [per_cent / 100, 1 - per_cent / 100]
    means, variances = [origin, origin + thousandths / 1000], [first, second]
    points = boundaries(model(priors, means, variances), 0, 1)
    assert (np.diff(points) >= 0).all()
    for point in points:
        with mpmath.workdps(50):
            x = mpmath.mpf(float(point))
            squares = [(x - m) ** 2 / mpmath.mpf(v) for m, v in zip(means, variances, strict=True)]
            log_ratio = mpmath.log(mpmath.mpf(priors[0]) / mpmath.mpf(priors[1]))
            log_ratio -= mpmath.log(mpmath.mpf(first) / mpmath.mpf(second)) / 2
            odds = log_ratio - (squares[0] - squares[1]) / 2
            # A point is rounded to a float, which moves the odds by their slope there; all else
            # is rounding in terms of the size of the squares.
            slope = sum(mpmath.sqrt(q / v) for q, v in zip(squares, variances, strict=True))
            size = sum(squares) + abs(log_ratio)
            assert abs(odds) <= 2.0**-52 * (2 * slope * abs(x) + 20 * size)


def test_one_class_may_win_everywhere() -> None:
    assert boundaries(model([0.01, 0.99], [0.0, 0.0], [1.0, 4.0]), 0, 1).size == 0
    assert boundaries(model([0.3, 0.7], [1.0, 1.0], 2.0), 0, 1).size == 0
    assert boundaries(model("uniform", [1.0, 1.0], 2.0), 0, 1).size == 0


def test_a_class_that_never_occurs_has_no_boundary() -> None:
    assert boundaries(model([1.0, 0.0], [0.0, 1.0], [1.0, 2.0]), 0, 1).size == 0
    assert boundaries(model([0.0, 0.0, 1.0], [0.0, 1.0, 2.0], [1.0, 2.0, 3.0]), 0, 1).size == 0


def test_the_same_mean_gives_a_boundary_on_either_side() -> None:
    # ½ v²(1 − 1/4) = log 2: v = √(8/3 · log 2).
    points = boundaries(model("uniform", [7.0, 7.0], [1.0, 4.0]), 0, 1)
    half = np.sqrt(8 / 3 * np.log(2))
    np.testing.assert_allclose(points, [7 - half, 7 + half], rtol=1e-15)


def test_touching_is_one_point() -> None:
    # σ_b = 2 σ_a, priors 1/3 and 2/3: the weighted densities touch at the common mean.
    points = boundaries(model([1 / 3, 2 / 3], [5.0, 5.0], [1.0, 4.0]), 0, 1)
    assert points.size <= 2
    np.testing.assert_allclose(points, 5.0, atol=1e-7)


@pytest.mark.parametrize("near", [1e-15, 1e-12, 1e-8, 1e-4])
def test_nearly_equal_variances_keep_the_near_root(near: float) -> None:
    # The textbook formula loses this root: it is the difference of two equal numbers over zero.
    priors, means, variances = [0.4, 0.6], [0.0, 3.0], [1.0, 1.0 + near]
    points = boundaries(model(priors, means, variances), 0, 1)
    expected = exact(priors, means, variances, 0, 1)
    close = min(expected, key=abs)
    assert np.min(abs(points - close)) <= 1e-14 * abs(close)


def test_units_do_not_matter() -> None:
    priors, means, variances = [0.4, 0.6], [0.0, 3.0], [1.0, 2.0]
    plain = boundaries(model(priors, means, variances), 0, 1)
    for unit in (1e-120, 1e120):
        scaled = model(priors, [m * unit for m in means], [v * unit**2 for v in variances])
        np.testing.assert_allclose(boundaries(scaled, 0, 1), plain * unit, rtol=1e-13)


def test_more_than_one_feature_is_refused() -> None:
    plane = model_of("uniform", np.zeros((2, 2)), [1.0, 2.0], "spherical")
    with pytest.raises(OptionError, match="only with 1 feature; this model has 2"):
        boundaries(plane, 0, 1)


@pytest.mark.parametrize(("a", "b"), [(0, 0), (0, 2), (-1, 0)])
def test_classes_must_be_two_of_the_models(a: int, b: int) -> None:
    parameters = model("uniform", [0.0, 1.0], [1.0, 2.0])
    with pytest.raises(OptionError, match=f"from 0 to 1, got {a} and {b}"):
        boundaries(parameters, a, b)


# Boundaries of regions


def assert_label_changes_are_there(parameters: Model, low: float, high: float) -> int:
    """Between neighbours of a fine grid the label changes where a boundary is, and only there."""
    found = [b for b in decision_boundaries(parameters) if low < b.position < high]
    x = np.linspace(low, high, 40_001)
    codes = parameters.labels(number_rows(x[:, None]))
    changes = [
        (x[i], x[i + 1], int(codes[i]), int(codes[i + 1])) for i in np.flatnonzero(np.diff(codes))
    ]
    assert len(changes) == len(found)
    step = x[1] - x[0]
    for boundary, (before, after, left, right) in zip(found, changes, strict=True):
        assert before - 1e-9 * step <= boundary.position <= after + 1e-9 * step
        assert (boundary.left, boundary.right) == (left, right)
    return len(found)


def test_petals_as_regions() -> None:
    # Course, document 002; the wider class wins again beyond 15.
    means, variances = [2.68, 6.5], [0.5336, 0.26]
    for priors, expected in (
        ("uniform", [4.894721, 15.365512]),
        ([0.625, 0.375], [4.944434, 15.315800]),
    ):
        found = decision_boundaries(model(priors, means, variances))
        positions = [boundary.position for boundary in found]
        np.testing.assert_allclose(positions, expected, rtol=0, atol=5e-7)
        assert [(b.left, b.right) for b in found] == [(0, 1), (1, 0)]


@given(st.integers(2, 7), st.booleans(), st.data())
def test_regions_change_where_labels_do(k: int, shared: bool, data: st.DataObject) -> None:
    whole = st.integers(-20, 20)
    means = data.draw(st.lists(whole, min_size=k, max_size=k, unique=True))
    sizes = data.draw(st.lists(st.integers(1, 30), min_size=k, max_size=k))
    shares = np.array(data.draw(st.lists(st.integers(0, 9), min_size=k, max_size=k)), float)
    shares[0] += 1  # a prior of 0 may occur, but not everywhere
    variances = 4.0 if shared else [size / 4 for size in sizes]
    parameters = model(shares / shares.sum(), [float(m) for m in means], variances)
    # An irrational grid: whole-number models have boundaries at whole numbers and halves.
    assert_label_changes_are_there(parameters, -61.0 * np.sqrt(2), 61.0 * np.sqrt(3))


def test_many_classes() -> None:
    rng = np.random.default_rng(2)
    means, variances = rng.uniform(0, 100, 20), rng.uniform(0.5, 30, 20)
    parameters = model("uniform", means.tolist(), variances.tolist())
    assert assert_label_changes_are_there(parameters, -50.3, 150.7) >= 15


def test_equal_variances_give_midpoints() -> None:
    # With equal priors and variances a boundary is half-way between neighbouring means.
    means = [float(m) for m in (3, -4, 10, 0)]
    found = decision_boundaries(model("uniform", means, 2.0))
    np.testing.assert_allclose([b.position for b in found], [-2.0, 1.5, 6.5], rtol=1e-14)
    assert [(b.left, b.right) for b in found] == [(1, 3), (3, 0), (0, 2)]


def test_a_class_that_wins_nowhere() -> None:
    # The middle class is outweighed: at 0 it has 1e-6 of each neighbour's exp(−1/2).
    found = decision_boundaries(model([0.4999995, 1e-6, 0.4999995], [-1.0, 0.0, 1.0], 1.0))
    assert [(b.left, b.right) for b in found] == [(0, 2)]
    assert found[0].position == pytest.approx(0.0, abs=1e-15)


def test_a_prior_of_zero_and_one_winner_everywhere() -> None:
    found = decision_boundaries(model([0.5, 0.0, 0.5], [-2.0, 0.0, 2.0], 1.0))
    assert [(b.left, b.right) for b in found] == [(0, 2)]
    assert decision_boundaries(model([1.0, 0.0], [0.0, 1.0], [1.0, 2.0])) == ()
    assert decision_boundaries(model([0.01, 0.99], [0.0, 0.0], [1.0, 4.0])) == ()


def test_touching_decides_nothing() -> None:
    # σ_b = 2 σ_a, priors 1/3 and 2/3: the weighted densities touch at the common mean, and a
    # never wins; 1/2 and 2 are exact in floats, thirds are not, so the roots may be two or none.
    found = decision_boundaries(model([1 / 3, 2 / 3], [5.0, 5.0], [1.0, 4.0]))
    assert all(abs(b.position - 5.0) <= 1e-7 for b in found)


def test_regions_do_not_depend_on_units() -> None:
    priors, means, variances = [0.3, 0.4, 0.3], [0.0, 3.0, 5.0], [1.0, 2.0, 0.5]
    plain = decision_boundaries(model(priors, means, variances))
    assert len(plain) >= 3
    for unit in (1e-120, 1e120):
        scaled = model(priors, [m * unit for m in means], [v * unit**2 for v in variances])
        found = decision_boundaries(scaled)
        assert [(b.left, b.right) for b in found] == [(b.left, b.right) for b in plain]
        positions = np.array([b.position for b in found])
        np.testing.assert_allclose(positions, [b.position * unit for b in plain], rtol=1e-13)


def test_counts_cross_where_their_probabilities_do() -> None:
    # Of rates 2 and 6 under equal priors: λ_a^x e^−λ_a = λ_b^x e^−λ_b at x = 4 / log 3.
    density = PoissonDensity(np.array([[2.0], [6.0]]))
    assert density.crossings((0, 1), 0.0).tolist() == pytest.approx([4 / np.log(3)], rel=1e-14)
    assert density.crossings((0, 1), 1.0).tolist() == pytest.approx([5 / np.log(3)], rel=1e-14)
    assert density.crossings((1, 1), 0.0).size == 0


@pytest.mark.parametrize("rates", [[2.0, 6.0], [0.3, 9.0, 40.0], [5.0, 5.5, 0.0, 5000.0]])
@pytest.mark.parametrize("equal", [True, False])
def test_of_counts_they_stand_between_the_integers_where_the_class_changes(
    rates: list[float], equal: bool
) -> None:
    k = len(rates)
    prior = np.full(k, 1 / k) if equal else np.arange(1.0, k + 1) / (k * (k + 1) / 2)
    settings = Settings((Component(Poisson(), (0,)),))
    density = PoissonDensity(np.array(rates)[:, None])
    counts = Model(settings, Schema(np.arange(k), 1), None, Solution(prior, (density,)))
    x = np.arange(7000)
    best = (np.log(prior) + poisson.logpmf(x[:, None], rates)).argmax(axis=1)
    expected = [(i + 0.5, best[i], best[i + 1]) for i in np.flatnonzero(np.diff(best))]
    found = [(b.position, b.left, b.right) for b in decision_boundaries(counts)]
    assert found == expected


def test_boundaries_of_calibrated_counts_are_those_of_the_predictions() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.poisson(rng.gamma(0.5, 2.0 + 4.0 * y))[:, None]  # more spread out than Poisson counts
    plain = GaussianClassifier(families={0: "poisson"}).fit(X, y)
    model = GaussianClassifier(families={0: "poisson"}, calibration="leave_one_out").fit(X, y)
    labels = model.predict(np.arange(30.0)[:, None])
    (at,) = np.flatnonzero(np.diff(labels))
    (boundary,) = decision_boundaries(model)
    assert (boundary.position, boundary.left, boundary.right) == (at + 0.5, 0, 1)
    assert decision_boundaries(plain)[0].position != boundary.position
