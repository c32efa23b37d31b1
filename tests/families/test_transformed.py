"""Transformed columns: changes of variables, learning, rows unlike all others, bad input."""

from itertools import pairwise, starmap
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.records import RecordError, decode
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import Rows, Targets, number_rows
from gaussbayes.families import family_records
from gaussbayes.families.gaussian import Gaussian
from gaussbayes.families.protocol import Reference
from gaussbayes.families.transformed import (
    Logarithm,
    RankNormal,
    Standardised,
    Transformed,
    Transforms,
    YeoJohnson,
)
from gaussbayes.families.transformed import learnt_transforms as learning_module
from gaussbayes.families.transformed import statistics as statistics_module
from gaussbayes.families.transformed.learnt_transforms import learn

KINDS = ("standardised", "yeo-johnson", "log", "rank-normal")
NAMES = Schema(np.array(["a", "b"]), 3, ("height", "width", "depth"))


def skewed(n: int = 400, seed: int = 0) -> tuple[Rows, Targets]:
    """Positive columns of two classes, each normal in another scale, with correlations."""
    random = np.random.default_rng(seed)
    codes = (np.arange(n) % 2).astype(np.int32)
    z = random.normal(size=(n, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -0.3], [0.0, 0.0, 1.0]])
    z[:, 0] += codes
    x = np.column_stack([np.exp(z[:, 0]), np.square(z[:, 1] + 6.0), 30.0 + 2.0 * z[:, 2]])
    return number_rows(x), Targets(codes, 2)


def fitted(kind: str, rows: Rows, targets: Targets, family: Any = None) -> tuple[Any, Any, Any]:
    """The family that is prepared, its statistics and its density."""
    names = Schema(np.arange(targets.n_classes), rows.numbers.shape[1])
    prepared = Transformed((kind,), family or Gaussian()).prepared(rows, targets, names)
    statistics = prepared.observe(rows, targets, names)
    return prepared, statistics, prepared.estimate(statistics, names).density


# Transforms


EACH = [
    Standardised(-3.0, 0.7),
    Logarithm(0.4, 1.3),
    *(YeoJohnson(p, 1.0, 2.0, 0.1, 0.9, 0.5, 9.0) for p in (-5.0, -0.5, 0.0, 1.0, 2.0, 2.5, 5.0)),
    YeoJohnson(0.5, 4.0, 1.0, 0.0, 2.0, 0.5, 9.0, 0.004, 2.0),
    RankNormal((0.5, 1.0, 4.0, 9.0), (-1.7, 0.0, 0.5, 2.0)),
]


@pytest.mark.parametrize("transform", EACH, ids=lambda t: f"{t.kind} {getattr(t, 'power', '')}")
def test_values_far_away_come_back_as_numbers(transform: Any) -> None:
    transforms, z = Transforms((transform,)), np.array([[-1e5], [-900.0], [900.0], [1e5]])
    x = transforms.inverse(z)
    assert np.isfinite(x).all()
    assert np.isfinite(transforms.forward(x)[0]).all()


@pytest.mark.parametrize("transform", EACH, ids=lambda t: f"{t.kind} {getattr(t, 'power', '')}")
def test_transforms_are_bijections_with_these_slopes(transform: Any) -> None:
    transforms = Transforms((transform,))
    x = np.array([1e-3, 0.3, 0.75, 0.8, 1.5, 2.0, 3.7, 6.0, 8.7, 9.5, 40.0, 1e9])
    if transform.kind != "log":
        x = np.concatenate([[-1e9, -80.0, -2.0, 0.0], x])
    z, log_slope = transforms.forward(x[:, None])
    assert (np.diff(z[:, 0]) > 0).all()
    np.testing.assert_allclose(transforms.inverse(z)[:, 0], x, rtol=1e-9, atol=1e-12)
    # Complex steps would need analytic functions: central differences, well inside the pieces.
    step = 1e-6 * np.maximum(1e-2, np.abs(x[:, None]))
    above, below = (transforms.forward(x[:, None] + sign * step)[0] for sign in (1, -1))
    np.testing.assert_allclose(np.log((above - below) / (2 * step)), log_slope, atol=2e-5)


@given(
    power=st.floats(-5, 5),
    u=st.lists(st.floats(-50, 50), min_size=1, max_size=5),
    frame=st.tuples(st.floats(-10, 10), st.floats(0.1, 10)),
)
@settings(max_examples=60)
def test_yeo_johnson_is_that_of_scipy(
    power: float, u: list[float], frame: tuple[float, float]
) -> None:
    origin, unit = frame
    transform = YeoJohnson(power, origin, unit, 0.5, 1.5)
    x = origin + unit * np.array(u)
    z, _ = Transforms((transform,)).forward(x[:, None])
    expected = (stats.yeojohnson((x - origin) / unit, power) - 0.5) / 1.5
    np.testing.assert_allclose(z[:, 0], expected, rtol=1e-11, atol=1e-12)


def test_missing_values_stay_missing_and_infinity_is_named() -> None:
    rows, targets = skewed(50)
    x = rows.matrix.copy()
    x[3, 1] = np.nan
    for kind in KINDS:
        transforms = learn([kind] * 3, number_rows(x), targets, NAMES)
        z, log_slope = transforms.forward(x)
        assert np.argwhere(np.isnan(z)).tolist() == [[3, 1]]
        assert np.argwhere(np.isnan(log_slope)).tolist() == [[3, 1]]
        assert np.isnan(transforms.inverse(z)[3, 1])
        wrong = np.vstack([x, [1.0, np.inf, 1.0]])
        with pytest.raises(DataError, match="infinity in row 50, column 'width'"):
            transforms.forward(wrong, NAMES)


# Densities against the change of variables


@pytest.mark.parametrize("structure", [("full", False), ("diagonal", True), ("full", 0.5)])
@pytest.mark.parametrize("kind", [*KINDS, "range"])
def test_the_density_is_that_of_a_change_of_variables(kind: str, structure: Any) -> None:
    rows, targets = skewed()
    _, _, density = fitted(kind, rows, targets, Gaussian.of(*structure))
    x = rows.matrix
    expected = np.empty((x.shape[0], 2))
    z, jacobian = np.empty_like(x), np.zeros(x.shape[0])
    for j, transform in enumerate(density.transforms.of):
        z[:, j], slope = by_scipy(transform, x[:, j])
        jacobian += np.log(slope)
    covariances = np.broadcast_to(density.inner.dense_covariance(), (2, 3, 3))
    for c in range(2):
        normal = stats.multivariate_normal(density.inner.mean[c], covariances[c])
        expected[:, c] = normal.logpdf(z) + jacobian
    np.testing.assert_allclose(density.log_density(rows), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", ["yeo-johnson", "range"])
def test_the_predictive_density_is_that_of_a_change_of_variables(kind: str) -> None:
    rows, targets = skewed(60)
    family = Gaussian.of(shared=0.23, shrinkage=0.3, target="spherical", estimate="predictive")
    _, _, density = fitted(kind, rows, targets, family)
    columns = zip(density.transforms.of, rows.matrix.T, strict=True)
    z, slope = (np.stack(part, axis=1) for part in zip(*starmap(by_scipy, columns), strict=True))
    student = density.inner
    parameters = zip(
        student.gaussian.mean, student.gaussian.dense_covariance(), student.degrees, strict=True
    )
    expected = [stats.multivariate_t(*of_class).logpdf(z) for of_class in parameters]
    expected += np.log(slope).sum(axis=1)
    np.testing.assert_allclose(density.log_density(rows).T, expected, rtol=1e-12, atol=1e-12)


def by_scipy(transform: Any, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A transform of a column between its ends, and its slope, written down once more."""
    if isinstance(transform, Standardised):
        return (x - transform.center) / transform.scale, np.full(x.size, 1 / transform.scale)
    if isinstance(transform, Logarithm):
        return (np.log(x) - transform.center) / transform.scale, 1 / (x * transform.scale)
    if isinstance(transform, YeoJohnson):
        u, power = (x - transform.origin) / transform.unit, transform.power
        z = (stats.yeojohnson(u, power) - transform.center) / transform.scale
        slope = np.where(u >= 0, (1 + np.abs(u)) ** (power - 1), (1 + np.abs(u)) ** (1 - power))
        return z, slope / (transform.unit * transform.scale)
    segment = np.clip(np.searchsorted(transform.x, x, "right"), 1, len(transform.x) - 1)
    slope = (np.diff(transform.z) / np.diff(transform.x))[segment - 1]
    return np.interp(x, transform.x, transform.z), slope


@pytest.mark.parametrize("transform", EACH, ids=lambda t: f"{t.kind} {getattr(t, 'power', '')}")
def test_densities_integrate_to_one(transform: Any) -> None:
    """Also of powers whose image is bounded: beyond the ends they go on."""
    random = np.random.default_rng(1)
    z = random.normal([0.3], 0.8, size=(40, 1))
    rows = number_rows(Transforms((transform,)).inverse(z))
    names, targets = Schema(np.arange(1), 1), Targets(np.zeros(40, np.int32), 1)
    family = Transformed((transform,), Gaussian())
    density = family.estimate(family.observe(rows, targets, names), names).density

    def integrand(t: float) -> float:
        """The density of x at the image of t: x = sinh t reaches tails in few steps."""
        x = np.array([[np.sinh(t)]])
        if transform.kind == "log" and x[0, 0] <= 0:
            return 0.0
        return float(np.exp(density.log_density(number_rows(x))[0, 0]) * np.cosh(t))

    ends = [np.arcsinh(each) for each in (0.0, 0.5, 1.0, 4.0, 9.0)]
    pieces = [-300.0, -60.0, -20.0, -8.0, -3.0, *ends, 4.0, 8.0, 20.0, 60.0, 300.0]
    total = sum(
        integrate.quad(integrand, low, high, limit=400, epsabs=1e-11)[0]
        for low, high in pairwise(pieces)
    )
    assert total == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("kind", ["yeo-johnson", "rank-normal"])
def test_two_columns_integrate_to_one_and_each_to_its_marginal(kind: str) -> None:
    rows, targets = skewed(80)
    _, _, density = fitted(kind, number_rows(rows.matrix[:, :2]), targets)
    ends = density.transforms.inverse(np.repeat(np.linspace(-8, 8, 60)[:, None], 2, axis=1))
    nodes, weights = np.polynomial.legendre.leggauss(8)  # of each piece between two ends
    points, steps = [], []
    for j, transform in enumerate(density.transforms.of):
        kinks = getattr(transform, "x", None) or (
            transform.origin,
            transform.lowest,
            transform.highest,
        )
        each = np.unique(np.concatenate([ends[:, j], kinks]))
        half = np.diff(each)[:, None] / 2
        points.append((each[:-1, None] + half + half * nodes).ravel())
        steps.append((half * weights).ravel())
    grid = np.stack(np.meshgrid(*points, indexing="ij"), axis=-1)
    values = np.exp(density.log_density(number_rows(grid.reshape(-1, 2))))
    values = values.reshape(*grid.shape[:2], 2)
    np.testing.assert_allclose(np.einsum("i,j,ijc->c", *steps, values), 1.0, rtol=1e-8)
    alone = density.marginal([0], Schema(np.arange(2), 1))
    expected = np.exp(alone.log_density(number_rows(points[0][:, None])))
    found = np.einsum("j,ijc->ic", steps[1], values)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-12)


# Learning


def test_powers_are_those_of_scipy() -> None:
    """In units of the median distance from the median."""
    rows, targets = skewed(500, seed=3)
    learnt = learn(["yeo-johnson"] * 3, rows, targets, NAMES).of
    for transform, x in zip(learnt, rows.matrix.T, strict=True):
        assert isinstance(transform, YeoJohnson)
        distance = np.abs(x - np.median(x))
        assert transform.origin == np.median(x)
        assert transform.unit == np.median(distance[distance > 0])
        best = stats.yeojohnson_normmax((x - transform.origin) / transform.unit)
        assert transform.power == pytest.approx(best, abs=1e-5)


def test_powers_within_classes_maximise_the_likelihood_of_the_classes() -> None:
    rows, targets = skewed(500, seed=3)
    for j, transform in enumerate(learn(["yeo-johnson"] * 3, rows, targets, NAMES, "within").of):
        u = (rows.matrix[:, j] - transform.origin) / transform.unit

        def value(power: float, u: np.ndarray = u) -> float:
            psi = stats.yeojohnson(u, power)
            within = np.mean([psi[targets.codes == c].var() for c in range(2)])
            slopes = (power - 1) * (np.sign(u) * np.log1p(np.abs(u))).sum()
            return float(slopes - u.size / 2 * np.log(within))

        best = transform.power
        assert all(value(best) >= value(best + step) for step in (-0.1, -1e-3, 1e-3, 0.1))


@pytest.mark.parametrize("kind", KINDS)
def test_columns_have_no_unit(kind: str) -> None:
    """Another unit, and but for logarithms another origin and sign, change nothing but these."""
    rows, targets = skewed()
    z = learn([kind] * 3, rows, targets, NAMES).forward(rows.matrix)[0]
    np.testing.assert_allclose(z.mean(axis=0), 0.0, atol=1e-12)
    within = np.mean([z[targets.codes == c].var(axis=0) for c in range(2)], axis=0)
    np.testing.assert_allclose(within, 1.0, rtol=1e-10)
    changes = [(1e-3, 0.0), (1e5, 0.0)] if kind == "log" else [(1e-3, 7.0), (-1e5, 1e6)]
    for factor, shift in changes:
        changed = number_rows(factor * rows.matrix + shift)
        again = learn([kind] * 3, changed, targets, NAMES).forward(changed.matrix)[0]
        np.testing.assert_allclose(np.sign(factor) * again, z, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_count(kind: str) -> None:
    """A row that weighs twice is two rows, and one that weighs nothing is none."""
    rows, targets = skewed(60)
    weights = np.resize([1.0, 2.0, 0.0], 60)
    weighted = Targets(targets.codes, 2, weights)
    which = np.repeat(np.arange(60), weights.astype(int))
    one = learn([kind] * 3, rows, weighted, NAMES)
    other = learn([kind] * 3, rows[which], Targets(targets.codes[which], 2), NAMES)
    z, again = (each.forward(rows.matrix)[0] for each in (one, other))
    np.testing.assert_allclose(z, again, rtol=1e-5 if kind == "yeo-johnson" else 1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_few_values_are_standardised(kind: str) -> None:
    n = 30
    x = np.column_stack([np.full(n, 0.1), np.arange(n) % 2 + 1.0, np.full(n, np.nan)])
    targets = Targets((np.arange(n) % 2).astype(np.int32), 2)
    transforms = learn([kind] * 3, number_rows(x), targets, NAMES)
    if kind != "log":
        assert all(isinstance(each, Standardised) for each in transforms.of)
    z = transforms.forward(x)[0]
    assert not z[:, 0].any()
    # It does not vary within classes: by the deviation of all rows.
    np.testing.assert_allclose(z[:, 1], np.arange(n) % 2 * 2.0 - 1.0, atol=1e-12)
    assert np.isnan(z[:, 2]).all()
    assert transforms.of[2].scale == 1.0


def test_many_rows_are_learnt_from_evenly_picked_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning_module, "MOST_ROWS", 100)
    rows, targets = skewed(1050)
    for kind in KINDS:
        some = learn([kind] * 3, rows[::11], targets[np.arange(0, 1050, 11)], NAMES)
        assert learn([kind] * 3, rows, targets, NAMES) == some


def test_rows_without_labels_are_learnt_from_too() -> None:
    rows, targets = skewed(200)
    labels = np.where(np.arange(200) < 150, targets.codes, -1).astype(np.int32)
    for kind in KINDS:
        learnt = learn([kind] * 3, rows, Targets(labels, 2, None, 50), NAMES)
        z = learnt.forward(rows.matrix)[0]
        np.testing.assert_allclose(z.mean(axis=0), 0.0, atol=1e-12)
        none = learn([kind] * 3, rows, Targets(np.full(200, -1, np.int32), 2, None, 200), NAMES)
        np.testing.assert_allclose(none.forward(rows.matrix)[0].std(axis=0), 1.0, rtol=1e-9)


@pytest.mark.parametrize("kind", ["yeo-johnson", "rank-normal"])
@pytest.mark.parametrize("value", [1e300, -1e300, 1e12])
def test_a_row_unlike_all_others_leaves_them_as_they_are(kind: str, value: float) -> None:
    rows, targets = skewed(150)
    x = rows.matrix.copy()
    x[7, 1] = value
    _, _, before = fitted(kind, rows[8:], targets[np.arange(8, 150)])
    _, statistics, density = fitted(kind, number_rows(x), targets)
    assert np.isfinite(statistics.log_slope).all()
    assert np.abs(density.transforms.forward(x)[0]).max() < 6
    right = [
        np.mean(each.log_density(rows[8:]).argmax(axis=1) == targets.codes[8:])
        for each in (density, before)
    ]
    assert right[0] > right[1] - 0.03
    assert np.isfinite(density.log_density(number_rows(x))).all()
    codes = np.resize([0, 1], 1000).astype(np.int32)
    assert np.isfinite(density.draw(codes, np.random.default_rng(0)).matrix).all()


@pytest.mark.parametrize("kind", ["yeo-johnson", "rank-normal"])
def test_rows_beyond_those_learnt_from_have_finite_scores(kind: str) -> None:
    rows, targets = skewed(150)
    _, _, density = fitted(kind, rows, targets)
    far = number_rows(np.array([[1e300, 5.0, 5.0], [-1e300, -1e308, 1e308], [1.0, 36.0, np.nan]]))
    assert np.isfinite(density.log_density(far)).all()
    single = number_rows(np.array([[1e38], [-1e38], [1.0]], np.float32))
    assert density.marginal([0], Schema(np.arange(2), 1)).log_density(single).dtype == np.float32


# Statistics and what follows from them


@pytest.mark.parametrize("kind", KINDS)
def test_likelihoods_are_those_of_the_rows(kind: str) -> None:
    """Of statistics that were merged, removed, cut and scaled, and of weighted rows."""
    rows, targets = skewed(300)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 300)
    x = rows.matrix.copy()
    x[::7, 1] = np.nan
    rows, targets = number_rows(x), Targets(targets.codes, 2, weights)
    family, statistics, density = fitted(kind, rows, targets)
    names = Schema(np.arange(2), 3)
    own = density.log_density(rows)[np.arange(300), targets.codes]
    assert density.log_likelihood(statistics) == pytest.approx(weights @ own, rel=1e-11)
    first, second = slice(0, 120), slice(120, 300)
    parts = [family.observe(rows[some], targets[some], names) for some in (first, second)]
    both = parts[0].plus(parts[1], names)
    assert density.log_likelihood(both) == pytest.approx(weights @ own, rel=1e-11)
    left = density.log_likelihood(both.without(parts[0], names).scaled(2.0))
    assert left == pytest.approx(2 * weights[second] @ own[second], rel=1e-9)
    cut = density.marginal([2, 1], Schema(np.arange(2), 2))
    some = cut.log_density(number_rows(x[:, [2, 1]]))[np.arange(300), targets.codes]
    assert cut.log_likelihood(statistics.of_columns([2, 1])) == pytest.approx(weights @ some)
    assert (statistics.without(statistics, names).log_slope == 0).all()
    wide = statistics.aligned([2, 0], 3).selected([0, 2])
    assert density.selected([1, 0]).log_likelihood(wide) == pytest.approx(weights @ own, rel=1e-11)


def test_rows_transformed_otherwise_cannot_be_put_together() -> None:
    rows, targets = skewed(100)
    parts = [fitted(kind, rows, targets)[1] for kind in ("standardised", "yeo-johnson")]
    with pytest.raises(DataError, match="transformed in different ways.*partial_fit"):
        parts[0] + parts[1]
    family = fitted("log", rows, targets)[0]
    with pytest.raises(DataError, match="transformed in different ways"):
        family.adapted(parts[0])
    assert family.adapted(fitted("log", rows, targets)[1]).n_columns == 3


def test_blocks_and_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, targets = skewed(1000)
    family, statistics, density = fitted("yeo-johnson", rows, targets)
    names = Schema(np.arange(2), 3)
    once = density.log_density(rows), density.score(rows, np.log([0.3, 0.7]), None, "label", 1)
    monkeypatch.setattr(statistics_module, "_BLOCK", 900)
    again = density.log_density(rows, 2), density.score(rows, np.log([0.3, 0.7]), None, "label", 2)
    for one, other in zip(once, again, strict=True):
        np.testing.assert_array_equal(one, other)
    merged = family.observe(rows, targets, names, 2)
    assert density.log_likelihood(merged) == pytest.approx(density.log_likelihood(statistics))
    np.testing.assert_array_equal(merged.log_slope, family.observe(rows, targets, names).log_slope)
    added = np.random.default_rng(0).normal(size=(1000, 2))
    joint = density.score(rows, np.log([0.3, 0.7]), lambda some: added[some], "log_joint", 2)
    np.testing.assert_allclose(joint, once[0] + np.log([0.3, 0.7]) + added, rtol=1e-12)
    wrong = number_rows(np.where(np.arange(1000)[:, None] == 700, np.inf, rows.matrix))
    with pytest.raises(DataError, match="row 700"):
        density.log_density(wrong)


def test_standardised_columns_are_the_same_gaussians() -> None:
    """Nothing changes for a family that is not shrunk, neither scores nor moments."""
    rows, targets = skewed()
    names = Schema(np.arange(2), 3)
    plain = Gaussian().estimate(Gaussian().observe(rows, targets, names), names).density
    _, statistics, density = fitted("standardised", rows, targets)
    np.testing.assert_allclose(density.log_density(rows), plain.log_density(rows), rtol=1e-10)
    np.testing.assert_allclose(density.mean, plain.mean, rtol=1e-12)
    np.testing.assert_allclose(density.deviation, plain.deviation, rtol=1e-12)
    np.testing.assert_allclose(density.dense_covariance(), plain.dense_covariance(), rtol=1e-10)
    assert statistics.n_bytes > 0


def test_moments_of_lognormal_columns_are_known() -> None:
    rows, targets = skewed()
    x = np.exp(0.5 * np.log(rows.matrix))
    _, _, density = fitted("log", number_rows(x), targets)
    scale = np.array([transform.scale for transform in density.transforms.of])
    center = np.array([transform.center for transform in density.transforms.of])
    mean = center + scale * density.inner.mean
    covariance = scale[:, None] * density.inner.dense_covariance() * scale
    expected = np.exp(mean + 0.5 * np.einsum("kii->ki", covariance))
    np.testing.assert_allclose(density.mean, expected, rtol=1e-10)
    both = expected[:, :, None] * expected[:, None, :] * np.expm1(covariance)
    np.testing.assert_allclose(density.dense_covariance(), both, rtol=1e-9)
    np.testing.assert_allclose(density.deviation, np.sqrt(np.einsum("kii->ki", both)), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_explanations_distances_and_crossings_are_those_of_the_rows(kind: str) -> None:
    rows, targets = skewed()
    _, _, density = fitted(kind, rows, targets)
    scores = density.log_density(rows)
    for reference in (Reference(rows.matrix[5]), Reference(weights=np.array([0.5, 0.5]))):
        point = density.reference_point(reference)
        at = density.log_density(number_rows(point[None]))[0]
        before, parts = density.contributions(rows[8:9], (1, 0), reference)
        assert before == pytest.approx(at[1] - at[0], abs=1e-9)
        assert before + parts.sum() == pytest.approx(scores[8, 1] - scores[8, 0], abs=1e-9)
    squares, degrees = density.squared_distance(rows)
    assert squares[:, 0][targets.codes == 0].mean() == pytest.approx(3.0, rel=1e-6)
    assert (degrees == 3).all()
    one = density.marginal([0], Schema(np.arange(2), 1))
    points = one.crossings((0, 1), 0.3)
    assert points.size
    there = one.log_density(number_rows(points[:, None]))
    np.testing.assert_allclose(there[:, 0] - there[:, 1] + 0.3, 0.0, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_drawn_rows_have_the_distribution(kind: str) -> None:
    rows, targets = skewed()
    _, _, density = fitted(kind, rows, targets)
    codes = np.zeros(20_000, np.int32)
    drawn = density.draw(codes, np.random.default_rng(0)).matrix
    for j in range(3):
        alone = density.marginal([j], Schema(np.arange(2), 1))
        z = alone.transforms.forward(drawn[:, [j]])[0][:, 0]
        normal = stats.norm(alone.inner.mean[0, 0], alone.inner.deviation[0, 0])
        assert stats.kstest(z, normal.cdf).pvalue > 1e-3


# Bad input


def test_logarithms_of_numbers_that_have_none_are_named() -> None:
    rows, targets = skewed(40)
    for value in (0.0, -2.5):
        x = rows.matrix.copy()
        x[17, 2] = value
        with pytest.raises(DataError, match=rf"row 17 has {value:g} in 'depth', .* above 0.*'log'"):
            learn(["log"] * 3, number_rows(x), targets, NAMES)
        family = Transformed(("log",), Gaussian()).prepared(rows, targets, NAMES)
        with pytest.raises(DataError, match=rf"row 17 has {value:g} in 'depth'"):
            family.observe(number_rows(x), targets, NAMES)
        with pytest.raises(DataError, match=rf"row 17 has {value:g} in 'depth'"):
            family.check(number_rows(x), NAMES)
        density = fitted("log", rows, targets)[2]
        with pytest.raises(DataError, match=rf"row 17 has {value:g} in column 2"):
            density.log_density(number_rows(x))


def test_names_of_transforms_are_checked() -> None:
    with pytest.raises(OptionError, match="must be None or one of 'standardised'.*got 'sqrt'"):
        Transformed(("sqrt",), Gaussian())  # type: ignore[arg-type]
    rows, targets = skewed(40)
    with pytest.raises(OptionError, match="'log' must be learnt"):
        Transformed(("log",), Gaussian()).observe(rows, targets, NAMES)
    mixed = Transformed(("log", "rank-normal", Standardised()), Gaussian())
    assert mixed.kinds == ("log", "rank-normal", None)
    prepared = mixed.prepared(rows, targets, NAMES)
    assert prepared.transforms[2] == Standardised()
    assert prepared.prepared(rows[:5], targets[slice(0, 5)], NAMES) is prepared
    assert prepared.of_columns([2, 0]).transforms == prepared.transforms[2::-2]


@pytest.mark.parametrize(
    ("transform", "numbers", "words"),
    [
        ("standardised", [0.0], r"transforms\[0\]\.numbers: must be an array of 2 .*center, scale"),
        ("log", [0.0, 0.0], r"numbers\[1\]: must be a scale above 0, got 0"),
        ("yeo-johnson", [1, 0, -1, 0, 1, 0, 1, 1, 1], r"numbers\[2\]: must be a unit above 0"),
        ("yeo-johnson", [1, 0, 1, 0, 1, 1, 1, 1, 1], r"numbers\[5\]: must be below the highest"),
        ("rank-normal", [1, 2, 3], "at least two knots"),
        ("rank-normal", [1, 2, 2, 1], "increasing order"),
    ],
)
def test_nonsense_in_a_file_is_named(transform: str, numbers: list[float], words: str) -> None:
    records = family_records("transformed")
    written = records.write_settings(Transformed((Standardised(),), Gaussian()))
    plain = msgspec.json.decode(msgspec.json.encode(written))
    plain["transforms"] = [{"kind": transform, "numbers": numbers}]
    with pytest.raises(RecordError, match=words):
        records.read_settings(decode(msgspec.json.encode(plain), records.SettingsRecord))
