"""Rows left out in closed form: as if the Gaussians had been estimated without them."""

from dataclasses import dataclass
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
import pytest
from scipy.special import logsumexp

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Targets, number_rows
from gaussbayes.families.gaussian import left_out as module
from gaussbayes.families.gaussian.cells import observe
from gaussbayes.families.gaussian.left_out import left_out, principal_frame, rest_of
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.families.removal import remove
from tests.designs import all_pairs

STRUCTURES = [
    Structure(name, sharing)  # type: ignore[arg-type]
    for name, sharing in (
        *product(("full", "diagonal", "spherical"), (0.0, 1.0)),
        *product(("full", "diagonal", "spherical"), (0.25, 0.8)),
    )
]
each_structure = pytest.mark.parametrize(
    "structure", STRUCTURES, ids=lambda one: f"{one.covariance} {one.sharing}"
)
each_target = pytest.mark.parametrize("target", ["diagonal", "spherical"])
SHRINKAGES = [None, 0.0, 1e-6, 0.3, 1.0, "oas"]


@dataclass(frozen=True)
class Chosen:
    """The settings of a family."""

    structure: Structure = STRUCTURES[0]
    shrinkage: Any = None
    divisor: Any = "mle"
    target: Any = "spherical"
    units_given: bool = False

    @property
    def is_closed(self) -> bool:
        return (self.target == "diagonal" and not self.units_given) or not (
            self.structure.between
            and self.structure.covariance == "full"
            and self.shrinkage == "oas"
        )


@dataclass(frozen=True)
class Data:
    """Rows, their classes and weights."""

    X: FloatArray
    codes: Any
    weights: Any = None
    k: int = 3

    @property
    def names(self) -> Schema:
        return Schema(np.arange(self.k), self.X.shape[1])

    def unit(self) -> FloatArray:
        """The deviations of the features within classes, but for a factor."""
        return np.sqrt(np.einsum("kii->i", self.statistics().moments.scatter))

    def statistics(self) -> Any:
        return observe(self.X, self.codes, self.weights, self.k, "full")

    def function(self, *path: Chosen) -> Any:
        targets = Targets(self.codes, self.k, self.weights)
        with mock.patch.object(
            module, "MOST_EACH", 0
        ):  # units are given however few rows there are
            return left_out(path[0], self.statistics(), path, targets, self.names)

    def left_out(self, *path: Chosen, blocks: int | None = None) -> tuple[Any, Any]:
        """Log densities (s, n, k), each row's normalised; and which are reliable (s, n)."""
        function = self.function(*path)
        weight = self.statistics().weight
        weights = np.ones(self.codes.size) if self.weights is None else self.weights
        step = blocks or self.codes.size
        parts = []
        for start in range(0, self.codes.size, step):
            block = slice(start, start + step)
            removal = remove(self.codes[block].astype(np.intp), weights[block], weight)
            parts.append(function(number_rows(self.X[block]), removal))
        log_density = np.concatenate([part for part, _ in parts], axis=1)
        with np.errstate(invalid="ignore"):
            log_density -= logsumexp(log_density, axis=2, keepdims=True)
        return log_density, np.concatenate([good for _, good in parts], axis=1)


def rows(
    n: int = 60, d: int = 3, k: int = 3, weights: Any = None, seed: int = 0, codes: Any = None
) -> Data:
    """Rows of overlapping classes with correlated features."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n, dtype=np.int32) % k if codes is None else np.asarray(codes, np.int32)
    X = rng.normal(size=(codes.size, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(k, d))[codes]
    return Data(X, codes, weights, k)


def shrunk(covariance: FloatArray, shrinkage: Any, weight: float, unit: Any = 1.0) -> FloatArray:
    """Towards the spherical covariance of equal trace, in units of the features.

    OAS by equation 23 of Chen et al. (2010).
    """
    d = covariance.shape[0]
    units = np.multiply.outer(np.broadcast_to(unit, d), np.broadcast_to(unit, d))
    covariance = covariance / units
    trace, squares = np.trace(covariance), np.trace(covariance @ covariance)
    if shrinkage == "oas":
        above = (1 - 2 / d) * squares + trace**2
        below = (weight + 1 - 2 / d) * (squares - trace**2 / d)
        shrinkage = min(1.0, above / below) if below > 0 else 1.0
    shrinkage = shrinkage or 0.0
    mixture: FloatArray = (1 - shrinkage) * covariance + shrinkage * trace / d * np.eye(d)
    return mixture * units


def estimated(data: Data, chosen: Chosen, unit: Any = None) -> tuple[FloatArray, FloatArray]:
    """Means (k, d) and covariances (k, d, d) by their definitions.

    The units of the diagonal target are the pooled deviations, unless they are given.
    """
    k, (_, d) = data.k, data.X.shape
    w = np.ones(data.codes.size) if data.weights is None else data.weights
    weight = np.bincount(data.codes, w, k)
    mean = np.stack([w[data.codes == c] @ data.X[data.codes == c] / weight[c] for c in range(k)])
    z = data.X - mean[data.codes]
    scatter = np.stack(
        [(w[own, None] * z[own]).T @ z[own] for own in (data.codes == c for c in range(k))]
    )
    name = chosen.structure.covariance
    if unit is None:
        unit = np.sqrt(np.einsum("kii->i", scatter)) if chosen.target == "diagonal" else 1.0
    if name != "full":
        scatter = scatter * np.eye(d)
    if name == "spherical":
        scatter = np.einsum("kii->k", scatter)[:, None, None] / d * np.eye(d)
    shrinkage = None if name == "spherical" else chosen.shrinkage
    lost = 0 if chosen.divisor == "mle" else 1
    own = np.stack(
        [shrunk(scatter[c] / (weight[c] - lost), shrinkage, weight[c], unit) for c in range(k)]
    )
    pooled = scatter.sum(axis=0) / (weight.sum() - lost * k)
    pooled = shrunk(pooled, shrinkage, weight.sum(), unit)
    sharing = chosen.structure.sharing
    return mean, (1 - sharing) * own + sharing * pooled


def refitted(data: Data, chosen: Chosen, row: int) -> FloatArray:
    """Log densities (k,) of a row by the Gaussians of the others, normalised."""
    others = np.arange(data.codes.size) != row
    weights = None if data.weights is None else data.weights[others]
    rest = Data(data.X[others], data.codes[others], weights, data.k)
    mean, covariance = estimated(rest, chosen, data.unit() if chosen.units_given else None)
    gap = data.X[row] - mean
    square = np.einsum("ci,ci->c", gap, np.linalg.solve(covariance, gap[:, :, None])[:, :, 0])
    log_density = -0.5 * (square + np.linalg.slogdet(covariance)[1])
    normalised: FloatArray = log_density - logsumexp(log_density)
    return normalised


def assert_as_refitted(
    data: Data, chosen: Chosen, tolerance: float = 1e-10, unreliable: tuple[int, ...] = ()
) -> None:
    log_density, reliable = data.left_out(chosen)
    assert np.flatnonzero(~reliable[0]).tolist() == list(unreliable)
    for row in np.flatnonzero(reliable[0]).tolist():
        expected = refitted(data, chosen, row)
        gap = np.abs(log_density[0, row] - expected) / np.maximum(1.0, np.abs(expected))
        assert gap.max() <= tolerance, row


@pytest.mark.parametrize(
    ("structure", "shrinkage", "divisor", "target"),
    all_pairs(
        STRUCTURES, SHRINKAGES, ["mle", "unbiased"], ["diagonal", "spherical", "units given"]
    ),
)
def test_it_is_refitting(structure: Structure, shrinkage: Any, divisor: str, target: str) -> None:
    given = target == "units given"
    chosen = Chosen(structure, shrinkage, divisor, "diagonal" if given else target, given)
    if not chosen.is_closed:
        assert rows().function(chosen) is None
        return
    assert_as_refitted(rows(), chosen)
    weights = np.random.default_rng(3).integers(1, 5, 60) / 2
    assert_as_refitted(rows(weights=weights), chosen)


@each_structure
@each_target
@pytest.mark.parametrize("shrinkage", [None, 0.3])
def test_a_row_far_from_all_others_is_not_reliable(
    structure: Structure, shrinkage: Any, target: str
) -> None:
    data, chosen = rows(), Chosen(structure, shrinkage, target=target)
    data.X[7, 0] = 1e5  # its square is all but 1e-10 of its class's sum of squares
    _, reliable = data.left_out(chosen)
    assert not reliable[0, 7]
    assert reliable[0].sum() == 59
    assert_as_refitted(data, chosen, 1e-9, unreliable=(7,))


@each_structure
@each_target
def test_rows_that_take_their_class_with_them_are_not_reliable(
    structure: Structure, target: str
) -> None:
    chosen = Chosen(structure, 0.1, target=target)
    weights = np.ones(60)
    weights[4] = 1e12
    assert not rows(weights=weights).left_out(chosen)[1][0, 4]
    codes = np.arange(40) % 2
    codes[11] = 2  # the only row of its class
    assert not rows(codes=codes).left_out(chosen)[1][0, 11]


@each_structure
def test_a_row_of_weight_0_leaves_everything_as_it_was(structure: Structure) -> None:
    weights = np.ones(60)
    weights[[5, 30]] = 0.0
    assert_as_refitted(rows(weights=weights), Chosen(structure))


@pytest.mark.parametrize("sharing", [0.0, 1.0, 0.5])
def test_a_class_of_few_rows(sharing: float) -> None:
    data = rows(d=4, codes=np.repeat([0, 1, 2], [3, 20, 20]))
    for shrinkage, target in ((None, "spherical"), (0.2, "spherical"), (0.2, "diagonal")):
        chosen = Chosen(Structure("full", sharing), shrinkage, target=target)
        if sharing == 0.0 and shrinkage is None:
            # Its covariance is singular: no row is reliable, and a fit has to say so.
            assert not data.left_out(chosen)[1].any()
        else:
            assert_as_refitted(data, chosen, 1e-9)


def test_what_has_no_closed_form() -> None:
    between, many = Structure("full", 0.5), np.linspace(1.0, 2.0, module.MOST_WEIGHTS + 1)
    assert module.has_closed_form(between, 0.1, many[1:])
    assert not module.has_closed_form(between, 0.1, many)
    assert not module.has_closed_form(between, "oas", None)
    assert module.has_closed_form(Structure("diagonal", 0.5), "oas", many)
    data = rows()
    assert data.function(Chosen(between), Chosen(between, "oas")) is None
    assert data.function(Chosen(between, "oas", target="diagonal")) is not None
    data.X[3, 1] = np.nan
    assert data.function(Chosen()) is None


@each_structure
def test_a_path_is_one_value_after_the_other(structure: Structure) -> None:
    path = [Chosen(structure, one) for one in ("oas", None, 0.3, 1.0, 0.0)]
    path = [chosen for chosen in path if chosen.is_closed]
    path += [Chosen(structure, 0.2, "unbiased"), Chosen(structure, 0.2, target="diagonal")]
    path += [Chosen(structure, 0.2, target="diagonal", units_given=True)]
    together, reliable = rows().left_out(*path)
    for place, chosen in enumerate(path):
        alone, good = rows().left_out(chosen)
        np.testing.assert_allclose(together[place], alone[0], rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(reliable[place], good[0])


@each_structure
@each_target
@pytest.mark.parametrize("shrinkage", [None, 0.3, "oas"])
def test_blocks_in_which_a_class_is_absent(
    structure: Structure, shrinkage: Any, target: str
) -> None:
    """Tables sorted by class, or with a rare one, have such blocks as soon as they are large."""
    chosen = Chosen(structure, shrinkage, target=target)
    if not chosen.is_closed:
        return
    data = rows(codes=np.repeat([0, 1, 2], [30, 25, 6]))
    whole, reliable = data.left_out(chosen)
    in_blocks, good = data.left_out(chosen, blocks=7)
    np.testing.assert_allclose(in_blocks, whole, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(good, reliable)
    assert reliable.all()


def test_float32_rows_are_computed_with_in_float64() -> None:
    narrow = rows().X.astype(np.float32)
    data = Data(narrow, rows().codes)  # type: ignore[arg-type]
    wide = Data(narrow.astype(np.float64), rows().codes)
    found = data.left_out(Chosen())[0]
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, wide.left_out(Chosen())[0], rtol=1e-12)


@each_structure
@each_target
@pytest.mark.parametrize("shrinkage", [None, 0.3, "oas"])
def test_an_offset_of_all_rows_costs_nothing(
    structure: Structure, shrinkage: Any, target: str
) -> None:
    chosen = Chosen(structure, shrinkage, target=target)
    if not chosen.is_closed:
        return
    grid = np.round(rows().X * 2**10) / 2**10  # so that adding 2³⁰ is exact
    near = Data(grid, rows().codes).left_out(chosen)[0]
    far = Data(grid + 2.0**30, rows().codes).left_out(chosen)[0]
    np.testing.assert_allclose(far, near, rtol=1e-12, atol=1e-12)


@each_structure
@pytest.mark.parametrize("shrinkage", [0.3, "oas"])
@pytest.mark.parametrize("given", [False, True])
def test_units_of_single_features_do_not_matter(
    structure: Structure, shrinkage: Any, given: bool
) -> None:
    if structure.covariance == "spherical":
        return
    chosen = Chosen(structure, shrinkage, target="diagonal", units_given=given)
    if chosen.is_closed:
        found = Data(rows().X * [2.0**40, 1.0, 2.0**-40], rows().codes).left_out(chosen)[0]
        np.testing.assert_allclose(found, rows().left_out(chosen)[0], rtol=1e-12, atol=1e-12)


def test_features_that_do_not_vary() -> None:
    """Within classes, in one class, or at all; as if refitted."""
    from gaussbayes.families.gaussian.family import Gaussian

    data = rows(d=6)
    data.X[:, 0], data.X[:, 1] = 7.0, data.codes
    data.X[data.codes == 2, 2] = 1.0
    weights = np.random.default_rng(3).uniform(0.5, 2.0, 60)
    schema = data.names
    for structure in STRUCTURES[:4] + STRUCTURES[6:10]:
        family = Gaussian(structure, shrinkage=0.1)
        statistics = data.statistics()
        found, reliable = Data(data.X, data.codes, weights).left_out(
            Chosen(structure, 0.1, target="diagonal")
        )
        assert reliable.all() or structure.covariance == "spherical"
        for row in range(0, 60, 7):
            others = np.arange(60) != row
            statistics = observe(data.X[others], data.codes[others], weights[others], 3, "full")
            density = family.estimate(statistics, schema).density
            expected = density.log_density(number_rows(data.X[row : row + 1]))[0]
            expected -= logsumexp(expected)
            np.testing.assert_allclose(found[0, row], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("sharing", [0.0, 1.0])
@pytest.mark.parametrize("factor", [2.0**-300, 2.0**300])
@pytest.mark.parametrize("shrinkage", [None, 0.3, "oas"])
def test_the_unit_of_all_features_does_not_matter(
    sharing: float, factor: float, shrinkage: Any
) -> None:
    chosen = Chosen(Structure("full", sharing), shrinkage)
    found = Data(rows().X * factor, rows().codes).left_out(chosen)[0]
    np.testing.assert_allclose(found, rows().left_out(chosen)[0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shrinkage", [None, 0.4, "oas"])
def test_the_scatter_without_a_row_is_diagonal_but_for_one_product(shrinkage: Any) -> None:
    data = rows(k=1)
    moments = data.statistics().moments
    removal = remove(np.zeros(60, np.intp), np.ones(60), moments.weight)
    frame = principal_frame(moments.scatter, data.names)
    assert frame.basis is not None
    turned = frame.turn(data.X - moments.mean[0], 0)
    rest = rest_of(frame, 0, turned, removal.factor, removal.weight, shrinkage)
    back = np.linalg.inv(frame.basis[0])
    for row in (0, 17):
        others = np.delete(data.X, row, axis=0)
        expected = shrunk(59 * np.cov(others.T, bias=True), shrinkage, 59)
        outer = rest.pull[row] * np.multiply.outer(turned[row], turned[row])
        spread = np.broadcast_to(rest.spread, turned.shape)[row]
        found = back.T @ (np.diag(spread) - outer) @ back
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_the_axes_of_a_scatter_without_full_rank() -> None:
    data = rows(n=4, d=6, k=1)
    frame = principal_frame(data.statistics().moments.scatter, data.names)
    assert np.sort(frame.spread[0])[:3].max() < 1e-12
    assert (frame.spread >= 0).all()
