"""Moments and settings → parameters: priors, means, covariances."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.base.errors import DataError, ParameterError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CovarianceName, Divisor, FloatArray, ScatterLayout
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.shapes import Shape, diagonal, full, no_features, spherical
from gaussbayes.families.gaussian.shrinkage import Shrinkage, shrink
from gaussbayes.model.prior import Priors, class_priors

_SYMMETRY_TOLERANCE = 1e-8


@dataclass(frozen=True, slots=True)
class Structure:
    """Two independent choices: the shape of a covariance, and whether the classes share it.

    Between own covariances and a shared one, those of the classes may be drawn towards the shared
    one: ``(1 − λ) Σ_c + λ Σ`` with λ `toward_shared`, above 0 and below 1.

    Examples
    --------
    >>> Structure("full", shared=True).layout
    'pooled'
    >>> Structure("full", toward_shared=0.5)
    Structure(covariance='full', shared=False, toward_shared=0.5)
    """

    covariance: CovarianceName = "full"
    shared: bool = False  # one covariance for all classes
    toward_shared: float = 0.0  # 0 if shared

    def __repr__(self) -> str:
        drawn = f", toward_shared={self.toward_shared}" if self.toward_shared else ""
        return f"Structure(covariance={self.covariance!r}, shared={self.shared}{drawn})"

    @property
    def sharing(self) -> bool | float:
        """What users say by `shared`: True, False, or how far between.

        Examples
        --------
        >>> Structure(shared=True).sharing, Structure(toward_shared=0.5).sharing
        (True, 0.5)
        """
        return self.toward_shared or self.shared

    @property
    def parts(self) -> "tuple[Structure, Structure]":
        """What is mixed where covariances are drawn towards the shared one: own and shared."""
        return Structure(self.covariance), Structure(self.covariance, shared=True)

    @property
    def layout(self) -> ScatterLayout:
        """How much of the scatter this structure needs."""
        if self.covariance != "full":
            return "diagonal"
        return "pooled" if self.shared else "full"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Parameters:
    """The model: a prior, a mean and a covariance for each class.

    The means are ``center + offset``; scoring works on ``x − center``, which is exact for floats
    near the centre, so that a huge common offset costs no digit.
    """

    prior: FloatArray  # (k,)
    center: FloatArray  # (d,)
    offset: FloatArray  # (k, d)
    covariance: Shape

    @property
    def mean(self) -> FloatArray:
        """The means (k, d)."""
        mean: FloatArray = self.center + self.offset
        return mean

    @property
    def deviation(self) -> FloatArray:
        """The standard deviations (k, d), the same in every row if the covariance is shared."""
        variance = np.einsum("mii->mi", self.covariance.dense())
        return np.broadcast_to(np.sqrt(variance), self.offset.shape)

    @property
    def log_prior(self) -> FloatArray:
        """The logarithms of the priors (k,); −∞ for a prior of 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.prior)

    @property
    def shared(self) -> bool:
        """Whether all classes have the same covariance."""
        return bool(self.covariance.log_det.shape[0] < self.prior.shape[0])

    @property
    def n_parameters(self) -> int:
        """Free parameters: k − 1 priors, k·d means, and those of the covariances."""
        k, d = self.offset.shape
        return int(k - 1 + k * d + self.covariance.n_parameters)

    def with_prior(self, prior: FloatArray) -> "Parameters":
        """The same Gaussians under other priors."""
        return replace(self, prior=prior)


def estimate(
    moments: ClassMoments,
    schema: Schema,
    structure: Structure,
    priors: Priors = None,
    divisor: Divisor = "mle",
    shrinkage: Shrinkage = None,
) -> Parameters:
    """The parameters that fit the moments best, in closed form.

    Means are the classes' means; a covariance is the scatter divided by N (``"mle"``) or by N − 1
    (``"unbiased"``; N − k when shared), then shrunk. Drawn towards the shared one, both are
    estimated in this way, then mixed: own scatters may be singular, the mixture may not.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.summarise import summarise
    >>> rows, codes = np.array([[1.0], [3.0], [10.0], [14.0]]), np.array([0, 0, 1, 1], np.int32)
    >>> moments = summarise(rows, codes, None, 2)
    >>> parameters = estimate(moments, Schema(np.array(["a", "b"]), 1), Structure())
    >>> parameters.mean.tolist(), parameters.covariance.dense().tolist()
    ([[2.0], [12.0]], [[[1.0]], [[4.0]]])
    """
    if not (moments.weight > 0).all():
        code = int(np.argmin(moments.weight > 0))
        msg = (
            f"class {schema.class_name(code)} has no rows of positive weight, so that it has no "
            "mean: give it rows, or leave it out of the classes"
        )
        raise DataError(msg)
    prior = class_priors(priors, schema, moments.weight)
    center, offset = _center(moments)
    if moments.n_features == 0:  # all features are categorical: there is no Gaussian
        return Parameters(prior, center, offset, no_features())
    covariance = estimate_covariance(moments, schema, structure, divisor, shrinkage)
    weight = moments.weight.sum(keepdims=True) if structure.shared else moments.weight
    try:
        shape = _shape(covariance, structure, schema, weight)
    except SingularCovarianceError:
        if structure.toward_shared:  # singular only if the shared one is, which has a say then
            _, shared = structure.parts
            estimate(moments, schema, shared, priors, divisor, shrinkage)
        raise
    return Parameters(prior, center, offset, shape)


def estimate_covariance(
    moments: ClassMoments,
    schema: Schema,
    structure: Structure,
    divisor: Divisor = "mle",
    shrinkage: Shrinkage = None,
) -> FloatArray:
    """The covariances: full (m, d, d), diagonal (m, d) or spherical (m,); m is 1 when shared."""
    share = structure.toward_shared
    if share:
        own, shared = (
            estimate_covariance(moments, schema, part, divisor, shrinkage)
            for part in structure.parts
        )
        mixture: FloatArray = (1.0 - share) * own + share * shared
        return mixture
    moments = moments.with_layout(structure.layout)
    scatter, weight = moments.scatter, moments.weight
    lost = 1.0
    if structure.shared:
        lost = float(moments.n_classes)
        scatter = scatter[None] if moments.layout == "pooled" else scatter.sum(axis=0)[None]
        weight = weight.sum(keepdims=True)
    degrees = weight if divisor == "mle" else weight - lost
    if (degrees <= 0).any():
        code = int(np.argmin(degrees))
        who = "the classes together" if structure.shared else f"class {schema.class_name(code)}"
        msg = (
            f"{who} weigh{'' if structure.shared else 's'} {weight[code]:g}: divisor='unbiased' "
            f"divides by {degrees[code]:g}; give more rows or use divisor='mle'"
        )
        raise DataError(msg)
    if structure.covariance == "spherical":
        mean_square: FloatArray = scatter.sum(axis=1) / (degrees * moments.n_features)
        return mean_square
    covariance = scatter / degrees.reshape((-1,) + (1,) * (scatter.ndim - 1))
    return shrink(covariance, shrinkage, weight)


def given(
    schema: Schema,
    structure: Structure,
    priors: Priors,
    means: ArrayLike,
    covariances: ArrayLike,
) -> Parameters:
    """Parameters set directly, without fitting.

    Parameters
    ----------
    means : (k, d)
    covariances : full (k, d, d) or shared (d, d); diagonal (k, d) or (d,); spherical (k,) or ()

    Examples
    --------
    >>> schema = Schema(np.array([0, 1]), 1)
    >>> given(schema, Structure(), [0.5, 0.5], [[0], [1]], [[[1]], [[4]]]).mean.tolist()
    [[0.0], [1.0]]
    """
    k, d = schema.classes.shape[0], schema.n_features
    mean = _finite_numbers("means", means)
    if mean.shape != (k, d):
        msg = f"means must have shape {(k, d)} (classes, features), got {mean.shape}"
        raise ParameterError(msg)
    own = () if structure.shared else (k,)
    rank = {"full": 2, "diagonal": 1, "spherical": 0}[structure.covariance]
    expected = own + (d,) * rank
    values = _finite_numbers("covariances", covariances)
    if values.shape != expected:
        sharing = "shared" if structure.shared else "own"
        msg = (
            f"{sharing} {structure.covariance} covariances of {k} classes and {d} features have "
            f"shape {expected}, got {values.shape}"
        )
        raise ParameterError(msg)
    if structure.shared:
        values = values[None]
    if structure.covariance == "full":
        values = _symmetric(values, schema)
    prior = class_priors(priors, schema, np.ones(k))
    center = mean.mean(axis=0)
    shape = _shape(values, structure, schema, None)
    return Parameters(prior, center, mean - center, shape)


def as_numbers(what: str, values: object) -> FloatArray:
    """What the user wrote, as an array of floats of our own: the caller may change theirs.

    Examples
    --------
    >>> as_numbers("means", [[1, 2], [3, 4]]).shape
    (2, 2)
    """
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{what} must be an array of numbers with rows of equal length, got {values!r:.200}"
        raise ParameterError(msg) from None


def _finite_numbers(what: str, values: ArrayLike) -> FloatArray:
    numbers = as_numbers(what, values)
    if not np.isfinite(numbers).all():
        place = tuple(np.argwhere(~np.isfinite(numbers))[0].tolist())
        msg = f"{what} must be finite, got {numbers[place]} at {place}"
        raise ParameterError(msg)
    return numbers


def _center(moments: ClassMoments) -> tuple[FloatArray, FloatArray]:
    """A float vector amid the means, and the means' offsets from it."""
    share = moments.weight / moments.weight.sum()
    first = int(np.argmax(moments.weight))
    # Differences of nearby anchors are exact; only then is anything rounded.
    apart = (moments.anchor - moments.anchor[first]) + moments.offset
    center: FloatArray = moments.anchor[first] + share @ apart
    offset: FloatArray = (moments.anchor - center) + moments.offset
    return center, offset


def _shape(
    covariance: FloatArray, structure: Structure, schema: Schema, weight: FloatArray | None
) -> Shape:
    if structure.covariance == "full":
        return full(covariance, schema, weight)
    if structure.covariance == "diagonal":
        return diagonal(covariance, schema, weight)
    return spherical(covariance, schema, weight)


def _symmetric(covariance: FloatArray, schema: Schema) -> FloatArray:
    """Refuse given covariances that are not symmetric; take rounding off those that are."""
    scale = np.sqrt(np.abs(np.einsum("mii->mi", covariance)))
    gap = np.abs(covariance - covariance.transpose(0, 2, 1))
    wrong = ~(gap <= _SYMMETRY_TOLERANCE * scale[:, :, None] * scale[:, None, :])
    if wrong.any():
        c, i, j = (int(place) for place in np.argwhere(wrong)[0])
        owner = f" of class {schema.class_name(c)}" if covariance.shape[0] > 1 else ""
        msg = (
            f"the covariance{owner} is not symmetric: entry ({i}, {j}) is {covariance[c, i, j]:g}, "
            f"entry ({j}, {i}) is {covariance[c, j, i]:g}"
        )
        raise ParameterError(msg)
    symmetric: FloatArray = (covariance + covariance.transpose(0, 2, 1)) / 2
    return symmetric
