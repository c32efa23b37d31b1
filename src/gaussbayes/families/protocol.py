"""The protocol of families of distributions, the interface between families and model.

A family is a distribution of some columns, for all k classes at once. Dependence between classes (a
shared covariance) and between features (a full covariance) stays inside one family; the model is
the sum over families::

    log p(x, c) = log prior_c + Σ_f log p_f(x_f | c)

Every family obeys one algebra::

     rows ──► observe ──► statistics ──► estimate ──► density ──► log p(x_f | c)
                          (+, −, scaled)              (marginal, expect, …)

`Statistics` are sums over rows: exact, mergeable, removable. `Family` is a frozen record of
settings that turns rows into statistics and statistics into a `Density`. Further abilities of a
density are capabilities, small protocols at the end of this module; `require` returns a density
with a capability, or raises an error that names the family. A family numbers only its columns, and
`names`, a `Schema`, has the names of the classes and of these columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import (
    Any,
    ClassVar,
    Generic,
    Literal,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    runtime_checkable,
)

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import OptionError, SingularCovarianceError
from gaussbayes.base.notices import Remedy
from gaussbayes.base.types import CodeArray, FloatArray, RealArray, Task
from gaussbayes.data.categories import Categories
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.expression import Expression
from gaussbayes.families.removal import Removal

Kind: TypeAlias = Literal["number", "category", "any"]
"""The contents of a family's columns: numbers of `Rows`, its category codes, or either."""

TRIAL = 300
"""EM under other settings must converge within this number of iterations to become a remedy."""


class Statistics(Protocol):
    """Sufficient statistics of k classes: a group under ``+``, exact and mergeable in any order."""

    @property
    def weight(self) -> FloatArray:
        """The weights of the classes (k,), with incomplete rows."""

    @property
    def n_bytes(self) -> int:
        """Their memory in bytes."""

    @property
    def is_complete(self) -> bool:
        """Whether all rows are complete, so that closed forms hold."""

    def __add__(self, other: Self, /) -> Self:
        """The statistics of the rows of both."""

    def plus(self, other: Self, names: Schema) -> Self:
        """The same, with errors that name the features."""

    def without(self, other: Self, names: Schema) -> Self:
        """The statistics without those of some of the rows; DataError if they are inconsistent."""

    def scaled(self, factor: float) -> Self:
        """The statistics of the same rows with weights multiplied by `factor`."""

    def selected(self, codes: Sequence[int]) -> Self:
        """Only the classes with these codes, in this order."""

    def aligned(self, positions: Sequence[int], n_classes: int) -> Self:
        """The same where class `i` has become number ``positions[i]`` of `n_classes`."""

    def together(self) -> Self:
        """The statistics of the rows of all classes, as those of one class."""

    def of_columns(self, columns: Sequence[int]) -> Self:
        """Only these columns, in this order; at least one."""


S = TypeVar("S", bound=Statistics)
S_contra = TypeVar("S_contra", contravariant=True)
D = TypeVar("D")


@dataclass(frozen=True, slots=True, eq=False)
class Convergence:
    """The progress of EM.

    The log-likelihood is that of the parameters before each iteration and never decreases; the
    model is one iteration beyond its last entry. It includes the log prior of smoothing and, if
    `penalised`, the penalty of shrinkage.
    """

    log_likelihood: FloatArray  #: (iterations + 1,)
    converged: bool  #: whether the estimated error is within the tolerance
    remaining: float  #: estimated error of a parameter, in standard deviations or as a proportion
    penalised: bool = False  #: whether a penalty for shrinkage is in the log-likelihood

    @property
    def n_iterations(self) -> int:
        """The number of iterations; 0 for a closed form."""
        return self.log_likelihood.size - 1

    def check(self) -> None:
        """Raise unless EM converged: otherwise a maximum may not exist."""
        if not self.converged:
            msg = f"EM did not converge within {self.n_iterations} iterations"
            raise SingularCovarianceError(msg)


class Coordinates(Protocol[D]):
    """A density as a vector, so that EM can be accelerated: every vector is a density.

    Entries are in units of standard deviations or logarithms, so that a step of 1 is a large one.
    """

    def vector(self, density: D) -> FloatArray:
        """The coordinates of a density (p,)."""

    def density(self, vector: FloatArray) -> D:
        """The density with these coordinates; SingularCovarianceError if it does not exist."""

    def rounding(self, density: D) -> float:
        """The rounding error of the coordinates after an iteration of EM."""


class Density(Protocol[S]):
    """k class-conditional densities of a family's columns, which has statistics of type S."""

    @property
    def n_classes(self) -> int:
        """The number of classes."""

    @property
    def n_columns(self) -> int:
        """The number of columns."""

    @property
    def n_parameters(self) -> int:
        """Free parameters, of all classes together."""

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(x | c)`` (n, k), missing values integrated out; 0 for a row without values.

        It has the rows' float type. −∞ is a probability of 0.
        """

    def expect(self, rows: Rows, responsibility: FloatArray, threads: int = 1) -> S:
        """Expected statistics of rows with weighted soft labels (n, k).

        They are complete: they contain the expectations of missing values given the observed ones.
        """

    def expect_statistics(self, statistics: S) -> tuple[S, float]:
        """Expected complete statistics, given observed ones, and their `log_likelihood`."""

    def log_likelihood(self, statistics: S) -> float:
        """``Σ w log p(x | c)`` of the observed values, each row in its class."""

    def coordinates(self, names: Schema) -> Coordinates[Self]:
        """Coordinates around this density, the start of EM; see `gaussbayes.model.em`."""

    def marginal(self, columns: Sequence[int], names: Schema) -> Self:
        """The density of some of the columns, the others integrated out; `names` are theirs."""

    def selected(self, codes: Sequence[int]) -> Self:
        """Only the classes with these codes, in this order."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit(Generic[D]):
    """An estimated density, with the progress of EM if it ran."""

    density: D
    convergence: Convergence | None = None


LeftOut: TypeAlias = Callable[[Rows, Removal], tuple[FloatArray, NDArray[np.bool_]]]
"""Rows and their removal → ``log p(x | c)`` without the row (s, n, k), and whether it is reliable.

The second is (s, n); s are the families of a path, see `Family.left_out`. The rows are some of
those that were observed.
"""


class Family(Protocol[S, D]):
    """Frozen settings, which turn rows into statistics S, and statistics into a density D.

    The defaults here hold for families that observe the same statistics under all settings, have a
    bounded likelihood, and leave nothing to select.
    """

    name: ClassVar[str]  # in `FAMILIES`, on the command line and in model files
    kind: ClassVar[Kind]

    def fix(
        self, rows: Rows, targets: Targets, names: Schema, *, wide: bool = False
    ) -> Sequence[AnyFamily]:
        """This family with quantities that must be known before rows are summed: transforms, span.

        They are estimated once, from all rows, a sample, or the first of a stream, and are settings
        from then on. Rows need no labels.

        Parameters
        ----------
        wide : whether these are all rows, and fewer than features

        Returns
        -------
        The family; or, if `wide`, several that need less memory and have its variants among them.
        """
        del rows, targets, names, wide
        return [self]

    def of_columns(self, columns: Sequence[int]) -> Self:
        """The fixed family of these columns, in this order."""
        return self

    def observe(self, rows: Rows, targets: Targets, names: Schema, threads: int = 1) -> S:
        """The statistics of labelled rows: hard labels or soft ones, weighted.

        A value that the family does not allow raises a DataError that names row and column.
        """

    def adapted(self, statistics: S) -> S:
        """Statistics observed under other settings, reduced to those of these settings.

        DataError if they do not contain them.
        """
        return statistics

    def estimate(
        self, statistics: S, names: Schema, threads: int = 1, start: D | None = None
    ) -> Fit[D]:
        """The density that fits the statistics best, regularised as the settings say.

        EM, if it runs, chooses its start, or uses `start`, a density near the result: then it stops
        when predictions no longer change noticeably. If there is no estimate, a DataError or
        SingularCovarianceError names class and features.
        """

    def attempt(self, statistics: S, names: Schema) -> None:
        """Raise the error of `estimate`, or one if its EM takes long (see `TRIAL`)."""
        self.estimate(self.adapted(statistics), names)

    # EM for missing labels: see `gaussbayes.model.em`.

    def start(self, statistics: S, together: S, names: Schema, threads: int = 1) -> D:
        """A density to start from, by labelled rows, which alone may be too few.

        `together` are the statistics of all rows, labelled or not, as those of one class.
        """

    def maximise(self, expected: S, names: Schema) -> D:
        """The density that maximises ``log_likelihood(expected) + log_penalty``: the M-step.

        `expected` are complete. Only the penalty shrinks.
        """

    def log_penalty(self, density: D) -> float:
        """The term that the M-step adds to the log-likelihood: 0, or the log prior."""

    def penalised(self, statistics: S, names: Schema) -> Self | None:
        """This family with a penalty that keeps the likelihood bounded; None if it has none."""
        return None

    def alternatives(self) -> Mapping[Remedy, AnyFamily]:
        """Families that may have an estimate if this one has none, by the options of the user.

        They are tried before they become remedies: see `gaussbayes.model.em.remedies`.
        """
        return {}

    # Held-out rows and selection.

    def left_out(
        self,
        statistics: S,
        path: Sequence[Self],
        targets: Targets,
        names: Schema,
        *,
        exact: bool = True,
    ) -> LeftOut | None:
        """A closed form for leave-one-out, or None.

        Parameters
        ----------
        path : families that differ from this one in regularisation; each has a density
        exact : whether units of shrinkage must be those of the other rows, as in a fit to these;
        otherwise they may be those of all rows, which needs fewer matrices
        """

    def variants(self, statistics: S, names: Schema) -> Iterator[Sequence[Self]]:
        """The candidates of model selection, in groups that differ only in regularisation.

        A group shares a closed form for held-out rows. Variants with too few rows, or with slow
        estimates, are omitted. A family without options is its only variant.
        """
        del statistics, names
        yield [self]

    @property
    def options(self) -> Mapping[str, object]:
        """The user's options that create this family."""


AnyDensity: TypeAlias = Density[Any]
AnyFamily: TypeAlias = Family[Any, Any]
"""A family of any statistics and densities, as in models."""


# Capabilities: optional abilities of a density or a family.


@runtime_checkable
class Selective(Protocol):
    """A family that does not allow every number."""

    def check(self, rows: Rows, names: Schema) -> None:
        """Raise for the first value that is not allowed; the error names row and column."""


@runtime_checkable
class Sized(Protocol):
    """A family whose size is known without rows."""

    def n_bytes(self, n_classes: int, n_columns: int) -> int:
        """The memory of the statistics of this number of classes and columns, in bytes."""

    def n_parameters(self, n_classes: int, n_columns: int) -> int:
        """The number of free parameters, also if they cannot be estimated."""


@runtime_checkable
class Fused(Protocol):
    """A density that a kernel scores together with the prior and the other families."""

    def score(
        self,
        rows: Rows,
        log_prior: FloatArray,
        bias: Callable[[slice], RealArray] | None,
        task: Task,
        threads: int,
    ) -> NDArray[np.intp] | RealArray:
        """The output of `task` for ``log_prior_c + log p(x | c) + bias_c``: (n,) or (n, k).

        `bias` ((rows) ↦ (n, k)) is the sum of the log densities of the other families, or None.
        """


@runtime_checkable
class Expressible(Protocol[S_contra]):
    """A density with a description for a database or another runtime."""

    def expression(self, statistics: S_contra | None) -> Expression:
        """A record of the formula.

        `statistics`, from which it was estimated, have the patterns of missing values in training;
        None if they are unknown.
        """


@runtime_checkable
class Restartable(Protocol[S_contra]):
    """A density with parameters that EM would never leave, such as a probability of 0."""

    def restarted(self, together: S_contra) -> Self:
        """A density near it in which all values of the rows of `together` are possible."""


@runtime_checkable
class Samplable(Protocol):
    """A density that rows can be drawn from."""

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        """One row for each class code (n,)."""


SampleOfClasses: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""The weight of each class, the divisor and the degrees of freedom of its scatter (k,)."""


@runtime_checkable
class Predictable(Protocol):
    """A density that new members of classes with estimated parameters can be drawn from."""

    def draw_members(
        self, codes: CodeArray, sample: SampleOfClasses, generator: np.random.Generator
    ) -> Rows:
        """One row for each class code (n,), whose distance from the mean follows Hotelling's T²."""


@runtime_checkable
class Explainable(Protocol):
    """A density whose log ratio of two classes is split among its columns."""

    def contributions(
        self, row: Rows, pair: tuple[int, int], reference: FloatArray | None
    ) -> tuple[float, FloatArray]:
        """The log ratio ``log p(x | a) − log p(x | b)`` at the reference, and each column's (d,).

        They sum to the log ratio at the row: exact Shapley values. Missing columns add 0, and the
        log ratio at the reference is that of the other columns. A density that is `Referred` gets
        the weights (k,), summing to 1, of the classes' means in the reference, so that means far
        from 0 lose no digits. Others compare with an unknown value, whose log ratio is 0.
        """


@runtime_checkable
class Referred(Protocol):
    """A density whose contributions are 0 at a mean of its classes' means."""

    def reference_point(self, weights: FloatArray) -> FloatArray:
        """The mean (d,) of the classes' means with these weights."""


@runtime_checkable
class Located(Protocol):
    """A density of numbers that has a mean and a covariance for each class."""

    @property
    def mean(self) -> FloatArray:
        """The means (k, d)."""

    @property
    def deviation(self) -> FloatArray:
        """The standard deviations (k, d)."""

    def dense_covariance(self) -> FloatArray:
        """The covariances (m, d, d); m is 1 if the classes share one, else k."""


@runtime_checkable
class Mixed(Protocol):
    """A density of numbers and categories that are not independent given the class."""

    @property
    def numbers(self) -> tuple[list[int], Located | None]:
        """The columns that hold numbers, and the density of these, which is `Located`."""

    @property
    def probabilities(self) -> Mapping[int, FloatArray]:
        """``p(category | class)`` (k, m) of each column that holds categories."""


@runtime_checkable
class Discrete(Protocol):
    """A density of numbers that are integers: counts, or 0 and 1."""

    @property
    def integers(self) -> tuple[float, float]:
        """The smallest and the largest that are possible; ∞ if there is no largest."""


@runtime_checkable
class Bounded(Protocol):
    """A density of numbers with a lower bound."""

    @property
    def lowest(self) -> FloatArray:
        """The lower bound of each column (d,), or −∞."""


@runtime_checkable
class Warped(Protocol):
    """A density of columns whose transforms follow another density."""

    @property
    def straight(self) -> AnyDensity:
        """The density of the transformed columns."""

    def warp(self, points: FloatArray) -> FloatArray:
        """The inverse transforms (…, d)."""

    def unwarp(self, rows: FloatArray) -> FloatArray:
        """The transforms (n, d) of columns."""


@runtime_checkable
class Distant(Protocol):
    """A density whose distance from a class follows the χ² distribution."""

    def squared_distance(self, rows: Rows, threads: int = 1) -> tuple[FloatArray, FloatArray]:
        """``m²`` (n, k), and its degrees of freedom (n,), the numbers of observed columns."""


@runtime_checkable
class Sampled(Protocol[S_contra]):
    """A family whose distances follow Hotelling's T² if covariances are estimated."""

    def sample_of(self, statistics: S_contra) -> SampleOfClasses | None:
        """The sample from which distances were estimated.

        None if the distances do not follow T²: values are missing, or the estimate is not plain.
        """


@runtime_checkable
class Scattered(Protocol):
    """Statistics with scatters about the means of the classes, as those of Gaussians."""

    def scatters(self) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Weights (k,), scatters within classes (k, d, d) or pooled (d, d), and of all rows.

        None if values are missing, or if there are no correlations.
        """


@runtime_checkable
class Whitened(Protocol):
    """A density of Gaussians: log ratios are linear if the classes share the covariance Σ."""

    @property
    def shared(self) -> bool:
        """Whether all classes have the same covariance."""

    @property
    def located(self) -> tuple[FloatArray, FloatArray]:
        """A point (d,) among the means, and the offsets of the means from it (k, d)."""

    def whiten(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """Vectors (…, d) in whitened coordinates (…, e) of a class."""

    def times_precision(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``Σ⁻¹ v`` of vectors (…, d), by the covariance of a class."""


@runtime_checkable
class Tabulated(Protocol):
    """A density of categories: a table of probabilities for each column."""

    @property
    def categories(self) -> Sequence[Categories]:
        """The categories of each column."""

    def of(self, feature: int) -> FloatArray:
        """``log p(category | class)`` (k, m) of one column."""


@dataclass(frozen=True, slots=True)
class ParameterTable:
    """A table of parameters: one row per class, one column per feature or category."""

    title: str  # such as "mean" or "p(wind | class)"
    columns: tuple[str, ...]
    values: FloatArray  # (k, m); (1, m) if the classes share them


@runtime_checkable
class Describable(Protocol):
    """A density whose parameters can be shown as tables."""

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """The tables of parameters."""


Capability = TypeVar("Capability")


def require(
    density: object, capability: type[Capability], family: AnyFamily, wanted_by: str
) -> Capability:
    """A density with a capability; without it, an OptionError names the operation."""
    if not isinstance(density, capability):
        remedy = getattr(family, "remedy", "use the model without its features")
        msg = (
            f"{wanted_by} needs the capability {capability.__name__!r}, which the family "
            f"{family.name!r} does not have: {remedy}"
        )
        raise OptionError(msg)
    return density
