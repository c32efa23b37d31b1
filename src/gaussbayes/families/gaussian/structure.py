"""What a Gaussian's covariances look like: their shape, and how far the classes share one.

Sharing is one number λ from 0 to 1. With 0 every class has its own covariance Σ_c, with 1 all share
the pooled one Σ; between, the classes' own are shrunk towards the pooled one,
``(1 − λ) Σ_c + λ Σ``: regularised discriminant analysis.
"""

from dataclasses import dataclass, field

import numpy as np

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import CovarianceName, FloatArray
from gaussbayes.families.gaussian.shapes import SHAPES, Shape


@dataclass(frozen=True, slots=True)
class Structure:
    """Two independent choices: the shape of a covariance, and how far the classes share it.

    Examples
    --------
    >>> Structure("full", sharing=1.0).shared, Structure("full", sharing=0.5).between
    (True, True)
    """

    covariance: CovarianceName = "full"
    sharing: float = 0.0

    shared: bool = field(init=False, repr=False, compare=False)  # all classes have one covariance
    between: bool = field(init=False, repr=False, compare=False)  # own ones shrunk towards pooled
    shape: type[Shape] = field(init=False, repr=False, compare=False)  # of the covariances

    def __post_init__(self) -> None:
        object.__setattr__(self, "shared", self.sharing == 1.0)
        object.__setattr__(self, "between", 0.0 < self.sharing < 1.0)
        object.__setattr__(self, "shape", SHAPES[self.covariance])

    @property
    def parts(self) -> "tuple[Structure, Structure]":
        """What lies at both ends: own covariances and a shared one."""
        return Structure(self.covariance), Structure(self.covariance, 1.0)

    @property
    def maximised(self) -> "Structure":
        """The end whose likelihood has a maximum that is known: shared, or else own covariances."""
        return self.parts[int(self.shared)]

    def weights(self, weight: FloatArray) -> FloatArray:
        """How much the rows of each covariance weigh (m,), by those of each class (k,)."""
        return np.asarray(weight.sum(keepdims=True)) if self.shared else weight

    @property
    def name(self) -> str:
        """What people call it."""
        if self.between:
            return f"{self.covariance}, {self.sharing_name}"
        return next(name for name, known in STRUCTURES.items() if known == self)

    @property
    def sharing_name(self) -> str:
        """Whether classes share their covariance, in a word or two."""
        if self.between:
            return f"{100 * self.sharing:g} % shared"
        return "shared" if self.shared else "own"

    @property
    def shared_setting(self) -> bool | float:
        """What users give as `shared`: True, False, or a number between."""
        return self.sharing if self.between else self.shared

    def n_covariances(self, n_classes: int) -> int:
        return 1 if self.shared else n_classes


STRUCTURES = {
    "QDA": Structure("full"),
    "LDA": Structure("full", 1.0),
    "Gaussian naive Bayes": Structure("diagonal"),
    "diagonal LDA": Structure("diagonal", 1.0),
    "nearest mean, scaled": Structure("spherical"),
    "nearest mean": Structure("spherical", 1.0),
}
"""The six at the ends, under the names that people know."""

MIXTURES = tuple(
    Structure(covariance, sharing)
    for covariance in ("full", "diagonal")
    for sharing in (0.25, 0.5, 0.75)
)
"""Those between that the automatic choice tries."""

_NUMBERS = (bool, np.bool_, int, float, np.integer, np.floating)


def structure_of(covariance: object, shared: object) -> Structure:
    """The structure that users describe: a name, and `shared`, a boolean or a number in [0, 1]."""
    if not isinstance(covariance, str) or covariance not in SHAPES:
        possible = ", ".join(map(repr, SHAPES))
        msg = f"covariance must be one of {possible}, got {covariance!r}"
        raise ParameterError(msg)
    if not isinstance(shared, _NUMBERS) or not 0 <= shared <= 1:
        msg = f"shared must be True, False or a number in [0, 1], got {shared!r}"
        raise ParameterError(msg)
    return Structure(SHAPES[covariance].name, float(shared))


def structure_of_values(
    covariances: FloatArray,
    n_classes: int,
    n_features: int,
    covariance: CovarianceName | None = None,
    shared: bool | None = None,
) -> Structure:
    """The structure of covariances that the user wrote down, by what was said and by their shape.

    Without a word they are full: (k, d, d) own ones, (d, d) a shared one. With as many classes as
    features, (d, d) may as well be a table of variances, and nothing is guessed.
    """
    k, d = n_classes, n_features
    if covariance is None and shared is None and covariances.shape == (d, d) and k == d:
        msg = (
            f"covariances of shape {(d, d)} for {k} classes and {d} features may be one covariance "
            "for all classes or the variances of each: say covariance='full' or 'diagonal'"
        )
        raise ParameterError(msg)
    name = structure_of(covariance or "full", shared or False).covariance
    single = SHAPES[name].dimensions(d)
    expected = {None: {single, (k, *single)}, True: {single}, False: {(k, *single)}}[shared]
    if covariances.shape not in expected:
        sharing = {None: "", True: "shared ", False: "own "}[shared]
        msg = (
            f"{sharing}{name} covariances of {k} classes and {d} features must have shape "
            f"{' or '.join(map(str, sorted(expected)))}, got {covariances.shape}; variances need "
            "covariance='diagonal' (one for each feature) or 'spherical' (one for all)"
        )
        raise ParameterError(msg)
    return Structure(name, float(covariances.shape == single))
