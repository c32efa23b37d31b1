"""The Gaussian family behind its protocol: settings, maxima, coordinates, starts, remedies."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

from gaussbayes.base.errors import DataError, GaussBayesError, OptionError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import Targets, number_rows
from gaussbayes.families.gaussian import Gaussian, GaussianDensity, GaussianStatistics, Structure
from gaussbayes.families.gaussian.cells import observe
from gaussbayes.families.gaussian.missing_values import GaussianCoordinates
from gaussbayes.families.gaussian.structure import MIXTURES, STRUCTURES, Full
from tests import strategies
from tests.families.gaussian.densities import Kind, covariances, each_kind, some_density
from tests.strategies import name_of

NAMES = Schema(np.array(["a", "b"]), 2, ("x", "y"))
each_structure = pytest.mark.parametrize("structure", strategies.STRUCTURES, ids=name_of)


def table(n: int = 60, d: int = 2, missing: float = 0.0) -> tuple[Any, Any]:
    rng = np.random.default_rng([n, d])
    codes = (np.arange(n) % 2).astype(np.int32)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.5 * rng.normal(size=(d, d))) + 2 * codes[:, None]
    X[rng.random((n, d)) < missing] = np.nan
    return X, codes


# Settings


def test_what_users_describe() -> None:
    family = Gaussian.of("diagonal", True, "unbiased", 0.5)
    assert family == Gaussian(Structure("diagonal", 1.0), "unbiased", 0.5)
    assert list(family.candidates()) == [family]
    assert Gaussian.of(**family.options) == family
    for wrong, message in (
        ({"covariance": "tied"}, "covariance must be one of"),
        ({"shared": 2}, "shared must be True, False or a number"),
        ({"divisor": "ml"}, "divisor must be one of 'mle', 'unbiased', got 'ml'"),
        ({"divisor": None}, "divisor must be one of"),
        ({"shrinkage": "much"}, "shrinkage must be None, a number in"),
    ):
        with pytest.raises(OptionError, match=message):
            Gaussian.of(**wrong)


def test_what_the_automatic_choice_tries() -> None:
    options = {"divisor": "unbiased", "shrinkage": "auto", "target": "spherical"}
    every = list(Gaussian.of("auto", **options).candidates())
    assert {family.structure for family in every} == {*STRUCTURES.values(), *MIXTURES}
    assert {family.divisor for family in every} == {"unbiased"}
    assert len(set(every)) == len(every)
    # Those of one structure follow one another: a path of shrinkages.
    starts = [a for a, b in zip(every, [None, *every], strict=False) if not _on_path(a, b)]
    assert len(starts) == len({family.structure for family in every})
    assert all(family.choice is None for family in every)
    assert {family.shrinkage for family in every if family.structure.covariance == "spherical"} == {
        None
    }
    assert [family.is_counted for family in every] == [not f.structure.between for f in every]
    shrinkages = list(Gaussian.of("full", 0.5, shrinkage="auto").candidates())
    assert len(shrinkages) == 11
    assert shrinkages[-1].shrinkage == "oas"
    assert {family.structure for family in shrinkages} == {Structure("full", 0.5)}
    structures = list(Gaussian.of("auto", shrinkage=0.1).candidates())
    assert len(structures) == 12


def _on_path(a: Gaussian, b: Gaussian | None) -> bool:
    return b is not None and a.on_path_with(b)


@pytest.mark.parametrize(
    ("family", "layout"),
    [
        (Gaussian.of("full"), "full"),
        (Gaussian.of("full", 0.5), "full"),
        (Gaussian.of("full", True), "full"),
        (Gaussian.of("diagonal", True), "diagonal"),
        (Gaussian.of("spherical"), "diagonal"),
        (Gaussian.of("auto"), "full"),
    ],
    ids=str,
)
def test_how_much_of_the_scatter_is_kept(family: Gaussian, layout: str) -> None:
    assert family.layout(3, 4) == layout
    shared = family == Gaussian.of("full", True)
    assert family.layout(50, 100) == ("pooled" if shared else layout)


def test_statistics_of_other_settings() -> None:
    X, codes = table()
    full, pooled, diagonal = (
        observe(X, codes, None, 2, name) for name in ("full", "pooled", "diagonal")
    )
    own, shared, naive = (Gaussian.of("full"), Gaussian.of("full", True), Gaussian.of("diagonal"))
    for family in (own, shared, naive):
        assert family.adapted(full) is full
    for family, statistics in ((own, pooled), (own, diagonal), (naive, pooled)):
        with pytest.raises(DataError, match="not enough for these settings; fit again"):
            family.adapted(statistics)
    assert naive.adapted(diagonal) is diagonal
    assert shared.adapted(pooled) is pooled
    # A shared diagonal covariance can be had from the summed scatter.
    found = Gaussian.of("diagonal", True).adapted(pooled)
    variances = Gaussian.of("diagonal", True).estimate(found, NAMES).density.covariance.values
    centred = X - np.array([X[codes == c].mean(axis=0) for c in (0, 1)])[codes]
    np.testing.assert_allclose(variances[0], np.square(centred).mean(axis=0), rtol=1e-12)


@each_structure
def test_free_parameters(structure: Structure) -> None:
    X, codes = table()
    family = Gaussian(structure)
    targets = Targets(codes, 2)
    statistics = family.observe(number_rows(X), targets, NAMES)
    density = family.estimate(statistics, NAMES).density
    assert family.n_parameters(2, 2) == density.n_parameters


# Densities


@each_kind
def test_likelihood_marginal_and_classes(kind: Kind) -> None:
    density = some_density(kind, 3, 4)
    rng = np.random.default_rng(1)
    X, codes = 2 * rng.normal(size=(40, 4)), rng.integers(0, 3, 40).astype(np.int32)
    weights = rng.uniform(0.5, 2, 40)
    layout = density.covariance.layout
    each = [
        multivariate_normal(m, s) for m, s in zip(density.mean, covariances(density), strict=True)
    ]
    total = sum(w * each[c].logpdf(x) for x, c, w in zip(X, codes, weights, strict=True))
    statistics = observe(X, codes, weights, 3, layout)
    assert density.log_likelihood(statistics) == pytest.approx(total, rel=1e-12)
    if kind.shared:
        pooled = observe(X, codes, weights, 3, "pooled")
        assert density.log_likelihood(pooled) == pytest.approx(total, rel=1e-12)
    part = density.marginal([2, 0], Schema(np.arange(3), 2))
    np.testing.assert_array_equal(part.mean, density.mean[:, [2, 0]])
    both = density.covariance.dense()[:, [2, 0]][:, :, [2, 0]]
    np.testing.assert_allclose(part.covariance.dense(), both, rtol=1e-15)
    fewer = density.selected([2, 0])
    np.testing.assert_array_equal(fewer.mean, density.mean[[2, 0]])
    np.testing.assert_array_equal(covariances(fewer), covariances(density)[[2, 0]])
    assert fewer.shared == kind.shared
    names = Schema(np.arange(3), 4, tuple("wxyz"))
    tables = {shown.title: shown for shown in density.tables(names)}
    np.testing.assert_array_equal(tables["mean"].values, density.mean)
    deviation = np.sqrt(np.einsum("mii->mi", density.covariance.dense()))
    np.testing.assert_allclose(tables["standard deviation"].values, deviation, rtol=1e-15)
    assert ("correlation" in tables) == (kind.covariance == "full")
    if kind.covariance == "full":
        shown = tables["correlation"]
        assert shown.columns[:3] == ("w, x", "w, y", "x, y")
        first = density.covariance.dense()[0]
        expected = first[0, 1] / np.sqrt(first[0, 0] * first[1, 1])
        assert shown.values[0, 0] == pytest.approx(expected, rel=1e-14)


# The M-step and its coordinates


@pytest.mark.parametrize("penalised", [False, True])
@pytest.mark.parametrize("structure", [*strategies.STRUCTURES, Structure("full", 0.5)], ids=name_of)
def test_nothing_is_more_likely_than_the_maximum(structure: Structure, penalised: bool) -> None:
    X, codes = table(40)
    X = X * [1e-3, 1e3] if not structure.shape.isotropic else 50 * X
    family: Gaussian | None = Gaussian(structure, shrinkage=0.3)
    assert family is not None
    statistics = family.observe(number_rows(X), Targets(codes, 2), NAMES)
    if penalised:
        family = family.penalised(statistics, NAMES)
        assert (family is None) == structure.shape.isotropic
        if family is None:
            return
    density = family.maximise(statistics, NAMES)
    chart = family.coordinates(density, NAMES)
    best = chart.vector(density)

    def negative(vector: Any) -> float:
        other = chart.density(vector)
        return -other.log_likelihood(statistics) - family.log_penalty(other)

    here = -negative(best)
    start = best + 0.2 * np.random.default_rng(2).normal(size=best.size)
    found = minimize(negative, start, method="BFGS", options={"gtol": 1e-7})
    assert -found.fun == pytest.approx(here, rel=1e-11)
    np.testing.assert_allclose(found.x, best, rtol=0, atol=1e-5)
    assert -found.fun <= here + 1e-9 * abs(here)


@pytest.mark.parametrize("scale", [1.0, 2.0**-300, 2.0**300])
@each_kind
def test_coordinates_come_back(kind: Kind, scale: float) -> None:
    base = some_density(kind, 3, 4)
    shape = type(base.covariance).of(base.covariance.values * scale**2, Schema(np.arange(3), 4))
    density = GaussianDensity((base.center + 1e6) * scale, base.offset * scale, shape)
    chart = Gaussian().coordinates(density, Schema(np.arange(3), 4))
    vector = chart.vector(density)
    assert vector.size == density.n_parameters
    np.testing.assert_allclose(vector[:12], 0.0, rtol=0, atol=1e-9)  # the means, from themselves
    moved = vector + np.random.default_rng(3).normal(size=vector.size) / 10
    there = chart.density(moved)
    np.testing.assert_allclose(chart.vector(there), moved, rtol=0, atol=1e-12)
    back = chart.density(vector)
    np.testing.assert_allclose(back.offset, density.offset, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(
        back.covariance.values, shape.values, rtol=1e-12, atol=1e-13 * scale**2
    )
    # A step of 1 is about a standard deviation, or a factor of e.
    step = chart.density(vector + np.eye(vector.size)[0])
    assert 0.5 < (step.mean - density.mean)[0, 0] / density.deviation[0, 0] < 2
    assert 0 < chart.rounding(density) < 1e-12


def test_coordinates_end_where_covariances_do() -> None:
    names = Schema(np.array(["a", "b"]), 2, ("x", "y"))
    start = GaussianDensity(
        np.zeros(2), np.zeros((2, 2)), Full.of(np.stack([np.eye(2)] * 2), names)
    )
    chart = GaussianCoordinates(start, names)
    vector = chart.vector(start)
    vanishing = vector.copy()
    vanishing[4 + 3] = -30.0  # the log of the first standard deviation of b
    with pytest.raises(SingularCovarianceError, match="class 'b' does not vary in 'x'"):
        chart.density(vanishing)
    dependent = vector.copy()
    dependent[4 + 2] = -12.0  # of y in a, what x leaves unexplained
    dependent[4 + 1] = 1.0
    with pytest.raises(SingularCovarianceError, match="class 'a' has collinear features"):
        chart.density(dependent)


# Where labelled rows have little to say


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("structure", [*strategies.STRUCTURES, Structure("full", 0.5)], ids=name_of)
def test_a_start_for_em(structure: Structure, missing: float) -> None:
    X, codes = table(300, 3, missing)
    names = Schema(np.array(["a", "b"]), 3)
    family = Gaussian(structure)
    every = observe(X, codes, None, 2, "full")
    together = every.together()
    # With many rows it is near what they say.
    own = structure.parts[int(structure.shared)]
    known = Gaussian(own).estimate(every, names).density
    near = family.start(every, together, names)
    np.testing.assert_allclose(near.mean, known.mean, rtol=0, atol=0.02 * known.deviation.max())
    np.testing.assert_allclose(near.covariance.dense(), known.covariance.dense(), rtol=0, atol=0.1)
    # With a single row a class there is nothing but the variance of all rows together.
    first = [int(np.flatnonzero((codes == c) & ~np.isnan(X).any(axis=1))[0]) for c in (0, 1)]
    few = observe(X[first], codes[first], None, 2, "full")
    start = family.start(few, few.together() + together, names)
    np.testing.assert_allclose(start.mean, X[first], rtol=1e-12)
    assert (start.covariance.variance > 0).all()
    chart = family.coordinates(start, names)
    chart.density(chart.vector(start))


def test_a_start_needs_a_row_of_every_class_and_feature() -> None:
    X, codes = table()
    statistics = observe(X[codes == 1], codes[codes == 1], None, 2, "full")
    with pytest.raises(DataError, match="class 'a' has no labelled rows"):
        Gaussian().start(statistics, statistics, NAMES)
    X[codes == 0, 1] = np.nan
    statistics = observe(X, codes, None, 2, "full")
    with pytest.raises(DataError, match="class 'a' has no labelled row with 'y'"):
        Gaussian().start(statistics, statistics.together(), NAMES)


# Remedies are tried before they are advised: see tests/test_remedies.py


def remedies(X: Any, codes: Any, family: Gaussian) -> list[str]:
    """The alternatives that have an estimate."""
    statistics = observe(X, codes, None, 2, "full")
    with pytest.raises(SingularCovarianceError):
        family.estimate(statistics, NAMES)
    working = []
    for remedy, other in family.alternatives().items():
        with suppress(GaussBayesError):
            other.attempt(statistics, NAMES)
            working += [f"{name}={value}" for name, value in remedy.options] or ["auto"]
    return working


def test_what_helps_if_one_class_is_on_a_line() -> None:
    X, codes = table()
    X[codes == 0, 1] = 2 * X[codes == 0, 0]
    every = ["auto", "shrinkage=0.1", "shared=True", "covariance=diagonal", "covariance=spherical"]
    assert remedies(X, codes, Gaussian()) == every
    X[::5, 0] = np.nan
    assert remedies(X, codes, Gaussian()) == every


def test_what_does_not_help_is_not_advised() -> None:
    X, codes = table()
    X[:, 1] = 5.0  # in all classes
    for family in (Gaussian(), Gaussian(Structure("full", 0.5)), Gaussian.of("diagonal", True)):
        assert remedies(X, codes, family) == ["auto", "shrinkage=0.1", "covariance=spherical"]
    X[codes == 0] = 1.0  # nothing of the class varies: only other classes can help
    X[codes == 1, 1] = np.arange((codes == 1).sum())
    assert remedies(X, codes, Gaussian.of("spherical")) == ["auto", "shared=True"]
    assert "shrinkage=0.1" not in remedies(X, codes, Gaussian.of("diagonal"))


def test_a_class_without_rows() -> None:
    X, codes = table()
    names = Schema(np.array(["a", "b", "nobody"]), 2)
    for structure in strategies.STRUCTURES:
        family = Gaussian(structure)
        statistics = family.observe(number_rows(X), Targets(codes, 3), names)
        assert isinstance(statistics, GaussianStatistics)
        with pytest.raises(DataError, match="class 'nobody' has no labelled rows of positive"):
            family.estimate(statistics, names)
