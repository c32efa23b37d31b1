"""What a family of distributions is: the one interface that the model is written against.

A family is a distribution of some columns, for all k classes at once. What couples classes (a
shared covariance) and what couples features (a full covariance) stays inside one family; the model
is the sum over families::

    log p(x, c) = log prior_c + Σ_f log p_f(x_f | c)

Every family obeys one algebra::

     rows ──► observe ──► statistics ──► estimate ──► density ──► log p(x_f | c)
                          (+, −, scaled)              (marginal, expect, …)

`Statistics` are sums over rows: exact, mergeable, removable. `Family` is a frozen record of
settings that turns rows into statistics and statistics into a `Density`. Whatever else a density
can do is a capability, a small protocol at the end of this module; `require` asks for one and says
which family lacks it. Families never see the columns of others: columns are numbered among their
own, and `names`, a `Schema`, says what messages call the classes and these columns.
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
"""What the columns of a family hold: numbers of `Rows`, its category codes, or either."""

TRIAL = 300
"""Iterations within which EM must converge under other settings, if these are to be advised."""


class Statistics(Protocol):
    """What rows say of k classes: a group under ``+``, exact and mergeable in any order."""

    @property
    def weight(self) -> FloatArray:
        """How much the rows of each class weigh (k,), whatever is missing in them."""

    @property
    def n_bytes(self) -> int:
        """How much memory they take."""

    @property
    def is_complete(self) -> bool:
        """Whether no value was missing in any row, so that closed forms hold."""

    def __add__(self, other: Self, /) -> Self:
        """The statistics of the rows of both."""

    def plus(self, other: Self, names: Schema) -> Self:
        """The same, with errors that name the features."""

    def without(self, other: Self, names: Schema) -> Self:
        """The statistics without rows that are among these; DataError if they cannot be."""

    def scaled(self, factor: float) -> Self:
        """The statistics of the same rows, each counting `factor` times as much."""

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
    """How EM proceeded.

    The log-likelihood is that of the parameters before each iteration and never falls; the model is
    one iteration beyond its last entry. The log of the prior that smoothing stands for is in it; so
    is a penalty that stands for shrinkage if `penalised` says so.
    """

    log_likelihood: FloatArray  #: (iterations + 1,)
    converged: bool  #: whether the estimated error is within the tolerance
    remaining: float  #: estimated error of a parameter, in standard deviations or as a proportion
    penalised: bool = False  #: whether a penalty for shrinkage is in the log-likelihood

    @property
    def n_iterations(self) -> int:
        """How many iterations were made; 0 for a closed form."""
        return self.log_likelihood.size - 1

    def check(self) -> None:
        """Raise unless EM converged: one that was cut off may yet find that there is no maximum."""
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
        """The density with these coordinates; SingularCovarianceError if there is none."""

    def rounding(self, density: D) -> float:
        """How much of the coordinates after an iteration of EM is rounding."""


class Density(Protocol[S]):
    """k class-conditional densities of a family's columns, which has statistics of type S."""

    @property
    def n_classes(self) -> int:
        """How many classes there are."""

    @property
    def n_columns(self) -> int:
        """How many columns it is a density of."""

    @property
    def n_parameters(self) -> int:
        """Free parameters, of all classes together."""

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(x | c)`` (n, k), what is missing integrated out; 0 for a row that has nothing.

        It is of the rows' float type. −∞ is a probability of 0.
        """

    def expect(self, rows: Rows, responsibility: FloatArray, threads: int = 1) -> S:
        """Expected statistics of rows that belong to each class in part (n, k), weights included.

        They are complete: the expectation of what is missing, given what is there, is in them.
        """

    def expect_statistics(self, statistics: S) -> tuple[S, float]:
        """Expected complete statistics of rows known by theirs, and their `log_likelihood`."""

    def log_likelihood(self, statistics: S) -> float:
        """``Σ w log p(x | c)`` of what was observed, each row in its own class."""

    def coordinates(self, names: Schema) -> Coordinates[Self]:
        """Coordinates about this density, from which EM starts; see `gaussbayes.model.em`."""

    def marginal(self, columns: Sequence[int], names: Schema) -> Self:
        """The density of some of the columns, the others integrated out; `names` are theirs."""

    def selected(self, codes: Sequence[int]) -> Self:
        """Only the classes with these codes, in this order."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit(Generic[D]):
    """A density that was estimated, and how EM proceeded if it had to."""

    density: D
    convergence: Convergence | None = None


LeftOut: TypeAlias = Callable[[Rows, Removal], tuple[FloatArray, NDArray[np.bool_]]]
"""Rows and their removal → ``log p(x | c)`` without the row (s, n, k), and whether it is reliable.

The second is (s, n); s are the families of a path, see `Family.left_out`. The rows are some of
those that were observed.
"""


class Family(Protocol[S, D]):
    """Settings, frozen: how rows become statistics S, and statistics a density D.

    What is written out here holds for families that inherit it: everything is observed whatever the
    settings, the likelihood is bounded, and there is nothing to choose.
    """

    name: ClassVar[str]  # in `FAMILIES`, on the command line and in model files
    kind: ClassVar[Kind]

    def fix(
        self, rows: Rows, targets: Targets, names: Schema, *, wide: bool = False
    ) -> Sequence[AnyFamily]:
        """This family with what has to be estimated before rows can be summed: transforms, span.

        It is estimated once, from all rows, a sample, or the first of a stream, and is a setting
        like others from then on. Rows may lack labels.

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
        """The family of some of the columns that this one is fixed for, in this order."""
        return self

    def observe(self, rows: Rows, targets: Targets, names: Schema, threads: int = 1) -> S:
        """The statistics of labelled rows: hard labels or soft ones, weighted.

        A value that cannot be one of this family is a DataError that names row and column.
        """

    def adapted(self, statistics: S) -> S:
        """Statistics gathered under other settings, reduced to what these observe.

        DataError if they lack what these need.
        """
        return statistics

    def estimate(
        self, statistics: S, names: Schema, threads: int = 1, start: D | None = None
    ) -> Fit[D]:
        """The density that fits the statistics best, regularised as the settings say.

        EM, if it has to run, starts by itself, or from `start`, a density near the result: then it
        goes only as far as models can be told apart by their predictions. If there is none, a
        DataError or SingularCovarianceError names class and features.
        """

    def attempt(self, statistics: S, names: Schema) -> None:
        """Raise what `estimate` would, or if its EM takes long (see `TRIAL`)."""
        self.estimate(self.adapted(statistics), names)

    # EM for missing labels: see `gaussbayes.model.em`.

    def start(self, statistics: S, together: S, names: Schema, threads: int = 1) -> D:
        """A density to start from, by labelled rows, where these alone may have too little to say.

        `together` are the statistics of all rows, labelled or not, as those of one class.
        """

    def maximise(self, expected: S, names: Schema) -> D:
        """The density that maximises ``log_likelihood(expected) + log_penalty``: the M-step.

        `expected` are complete. Nothing is shrunk here but by the penalty.
        """

    def log_penalty(self, density: D) -> float:
        """What the M-step adds to the log-likelihood: 0, or the log of a prior of parameters."""

    def penalised(self, statistics: S, names: Schema) -> Self | None:
        """This family with a penalty that keeps the likelihood bounded; None if it has none."""
        return None

    def alternatives(self) -> Mapping[Remedy, AnyFamily]:
        """Families that may have an estimate where this has none, by how the user asks for them.

        They are tried before they are advised: see `gaussbayes.model.em.remedies`.
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
        """A closed form for leave-one-out; None where there is none.

        Parameters
        ----------
        path : families that differ from this one in how they regularise; each has a density
        exact : whether units of shrinkage are to be those of the other rows, as in a fit to these;
            otherwise they may be those of all rows, which takes fewer matrices
        """

    def variants(self, statistics: S, names: Schema) -> Iterator[Sequence[Self]]:
        """What model selection tries, in groups that differ only in how they regularise.

        A group has a closed form for held-out rows in common. Variants for which there are too few
        rows, or whose estimates take long, are not among them. A family without choice is its own
        only variant.
        """
        del statistics, names
        yield [self]

    @property
    def options(self) -> Mapping[str, object]:
        """The options, as users give them, that make this family."""


AnyDensity: TypeAlias = Density[Any]
AnyFamily: TypeAlias = Family[Any, Any]
"""A family where those of different statistics and densities are treated alike, as in models."""


# Capabilities: what a density, or a family, may be able to do beyond that.


@runtime_checkable
class Selective(Protocol):
    """A family that does not take every number."""

    def check(self, rows: Rows, names: Schema) -> None:
        """Raise for the first value that it does not take; names row and column."""


@runtime_checkable
class Sized(Protocol):
    """A family whose size is known before any row is."""

    def n_bytes(self, n_classes: int, n_columns: int) -> int:
        """How much memory the statistics of so many classes and columns take."""

    def n_parameters(self, n_classes: int, n_columns: int) -> int:
        """Free parameters, whether or not they can be estimated."""


@runtime_checkable
class Fused(Protocol):
    """A density that a kernel scores together with the prior and what other families add."""

    def score(
        self,
        rows: Rows,
        log_prior: FloatArray,
        bias: Callable[[slice], RealArray] | None,
        task: Task,
        threads: int,
    ) -> NDArray[np.intp] | RealArray:
        """What `task` asks for of ``log_prior_c + log p(x | c) + bias_c``: labels (n,) or (n, k).

        `bias` ((rows) ↦ (n, k)) is what other families add for these rows; None for nothing.
        """


@runtime_checkable
class Expressible(Protocol[S_contra]):
    """A density that can be described, so that a database or another runtime works it out."""

    def expression(self, statistics: S_contra | None) -> Expression:
        """A record of what has to be calculated.

        `statistics`, those that it was estimated from, say which patterns of missing values there
        were in training; None if they are not known.
        """


@runtime_checkable
class Restartable(Protocol[S_contra]):
    """A density with parameters that EM would never leave, such as a probability of 0."""

    def restarted(self, together: S_contra) -> Self:
        """One near it in which nothing is impossible that the rows of `together` have."""


@runtime_checkable
class Samplable(Protocol):
    """A density that rows can be drawn from."""

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        """One row for each class code (n,)."""


@runtime_checkable
class Explainable(Protocol):
    """A density whose log ratio of two classes is split among its columns."""

    def contributions(
        self, row: Rows, pair: tuple[int, int], reference: FloatArray | None
    ) -> tuple[float, FloatArray]:
        """The log ratio ``log p(x | a) − log p(x | b)`` at the reference, and each column's (d,).

        They sum to the log ratio at the row: exact Shapley values. Columns that are missing add 0,
        and the log ratio at the reference is that of the other columns. A density that is
        `Referred` gets the weights (k,), summing to 1, of the classes' means in the reference; a
        mean of means loses no digit, however far from 0 they are. Others compare with an unknown
        value, whose log ratio is 0.
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
    """A density of numbers that is 0 up to some number."""

    @property
    def lowest(self) -> FloatArray:
        """Above which the values of each column are (d,); −∞ where they may be any."""


@runtime_checkable
class Warped(Protocol):
    """A density of columns whose transforms have another one."""

    @property
    def straight(self) -> AnyDensity:
        """The density of the transformed columns."""

    def warp(self, points: FloatArray) -> FloatArray:
        """The columns (…, d) of which these are the transforms."""

    def unwarp(self, rows: FloatArray) -> FloatArray:
        """The transforms (n, d) of columns."""


@runtime_checkable
class Distant(Protocol):
    """A density whose distance from a class follows the χ² distribution."""

    def squared_distance(self, rows: Rows, threads: int = 1) -> tuple[FloatArray, FloatArray]:
        """``m²`` (n, k), and its degrees of freedom (n,): the columns that are there."""


@runtime_checkable
class Sampled(Protocol[S_contra]):
    """A family of distances that follow Hotelling's T² where their covariances are estimates."""

    def sample_of(self, statistics: S_contra) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """The weight of each class, the divisor and the degrees of freedom of its scatter (k,).

        None if the distances do not follow T²: values are missing, or the estimate is not plain.
        """


@runtime_checkable
class Scattered(Protocol):
    """Statistics with scatters about the means of the classes, as those of Gaussians."""

    def scatters(self) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """The weight of each class (k,), the scatter of each (k, d, d) or of all about the means
        (d, d), and the scatter of all rows (d, d).

        None if values are missing, or correlations.
        """


@runtime_checkable
class Whitened(Protocol):
    """A density of Gaussians: log ratios are linear where the classes share the covariance Σ."""

    @property
    def shared(self) -> bool:
        """Whether all classes have the same covariance."""

    @property
    def located(self) -> tuple[FloatArray, FloatArray]:
        """A point (d,) amid the means, and the means' offsets from it (k, d)."""

    def whiten(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """Vectors (…, d) in coordinates (…, e) in which lengths are those by Σ⁻¹ of a class."""

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
    """Parameters to be shown: one row a class, one column a feature or a category."""

    title: str  # such as "mean" or "p(wind | class)"
    columns: tuple[str, ...]
    values: FloatArray  # (k, m); (1, m) if the classes share them


@runtime_checkable
class Describable(Protocol):
    """A density whose parameters can be shown as tables."""

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """The parameters, for people."""


Capability = TypeVar("Capability")


def require(
    density: object, capability: type[Capability], family: AnyFamily, wanted_by: str
) -> Capability:
    """A density, if it has a capability; else a OptionError that names who needs it."""
    if not isinstance(density, capability):
        remedy = getattr(family, "remedy", "use the model without its features")
        msg = (
            f"{wanted_by} needs the capability {capability.__name__!r}, which the family "
            f"{family.name!r} does not have: {remedy}"
        )
        raise OptionError(msg)
    return density
