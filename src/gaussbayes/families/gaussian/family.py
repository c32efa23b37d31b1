"""The Gaussian family: numbers that follow one Gaussian in each class."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from math import prod
from typing import ClassVar, Literal, Self, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from gaussbayes.base.errors import DataError, OptionError, SingularCovarianceError
from gaussbayes.base.notices import AUTOMATIC_MODEL, Remedy
from gaussbayes.base.types import (
    CovarianceName,
    Divisor,
    FloatArray,
    ScatterLayout,
    ShrinkageTarget,
)
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian import missing_values
from gaussbayes.families.gaussian.cells import feature_moments, observe
from gaussbayes.families.gaussian.density import GaussianDensity, estimate, maximum
from gaussbayes.families.gaussian.left_out import GaussianLeftOut, plug_in_formulas, together
from gaussbayes.families.gaussian.predictive import PredictiveLeftOut, Prior, predictive
from gaussbayes.families.gaussian.regularisation import Regularisation
from gaussbayes.families.gaussian.shrinkage import (
    Penalty,
    Shrinkage,
    penalty_of,
)
from gaussbayes.families.gaussian.statistics import (
    ClassMoments,
    GaussianStatistics,
    degrees,
    layout_for,
    summarise,
)
from gaussbayes.families.gaussian.structure import (
    NO_CORRELATIONS,
    STRUCTURES,
    Structure,
)
from gaussbayes.families.mapped import MappedStatistics
from gaussbayes.families.protocol import (
    TRIAL,
    AnyFamily,
    Convergence,
    Family,
    Fit,
    Kind,
    LeftOut,
    SampleOfClasses,
)
from gaussbayes.kernels.reference import scatter_shape

SHARINGS, INTENSITIES = (0.01, 0.09, 0.23, 0.75, 0.99), (0.05, 0.3, 1.0)
"""Candidates of `AutoClassifier`: strengths of the prior of covariances, 0.01, 0.1, 0.3, 3 and 100
times the rows of the mean class, and the shrinkage."""

MANY_CLASSES = 20
"""With more classes, only every second strength is tried, to save time."""

FEWEST_ESTIMATED = 10
"""Least number of rows of the mean class per dimension of the inverted matrices for candidates with
plug-in estimates. A plug-in estimate of a matrix of m dimensions from n rows changes the log
density of a new row by about m / n in each dimension. Posteriors become overconfident, which few
held-out rows may not reveal. A full covariance is one matrix of all features, a diagonal one a
matrix of one dimension for each feature."""

MOST_OF_CLASSES, POOLED_INTENSITIES = 1 << 30, (0.01, 0.05, 0.3, 1.0)
"""Multiplications ``k d³`` for the covariances of all classes, above which the only candidates are
one covariance for all of them, if they have fewer rows than features on average; and its
intensities of shrinkage. Each strength of the prior would take about ten times as many."""

MOST_CORRELATED, MOST_SCATTER_BYTES = 20_000, 1 << 33
"""Largest number of features with full covariances, and of bytes of the scatters of all classes."""

_ESTIMATED: tuple[tuple[CovarianceName, Shrinkage], ...] = (("diagonal", 0.05), ("full", None))
"""Shapes and shrinkage of the covariances that the automatic choice estimates."""

Estimate: TypeAlias = Literal["plug_in", "predictive"]

SHRINK = Remedy("shrink the covariances", (("shrinkage", 0.1),))
_SHARE = Remedy("share one covariance among the classes", (("shared", True),))
_TOWARDS = Remedy("shrink towards the pooled covariance", (("shared", 0.5),))
_DIVIDE = Remedy("divide by the number of rows", (("divisor", "mle"),))
_SIMPLER: dict[CovarianceName, Remedy] = {
    "diagonal": NO_CORRELATIONS,
    "spherical": Remedy("use one variance for all features", (("covariance", "spherical"),)),
}


@dataclass(frozen=True, slots=True)
class Gaussian(Family[GaussianStatistics, GaussianDensity]):
    """A Gaussian for each class, with structured covariances.

    Examples
    --------
    >>> Gaussian.of("full", shared=0.5).structure
    Structure(covariance='full', sharing=0.5)
    """

    structure: Structure = STRUCTURES["QDA"]
    divisor: Divisor = "mle"
    shrinkage: Shrinkage = None
    target: ShrinkageTarget = "diagonal"  # target of shrinkage
    choice: tuple["Gaussian", ...] = ()  # candidates of model selection, if it is not specified
    penalty: Penalty | None = field(default=None, repr=False, compare=False)
    regularisation: Regularisation | None = field(default=None, repr=False)  # beside shrinkage

    name: ClassVar[str] = "gaussian"
    kind: ClassVar[Kind] = "number"

    @classmethod
    def of(
        cls,
        covariance: CovarianceName | Literal["auto"] = "full",
        shared: float = False,
        divisor: Divisor = "mle",
        shrinkage: Shrinkage = None,
        target: ShrinkageTarget = "diagonal",
        estimate: Estimate = "plug_in",
    ) -> "Gaussian":
        """The family of checked options; the covariance ``"auto"`` leaves all open."""
        if covariance == "auto":
            return _automatic(divisor, target)
        structure = Structure(covariance, float(shared))
        intensity = shrinkage if isinstance(shrinkage, str | None) else float(shrinkage)
        if estimate == "plug_in":
            return Gaussian(structure, divisor, intensity, target)
        if covariance != "full" or isinstance(intensity, str):
            msg = "predictive densities need full covariances, and a number or None as shrinkage"
            raise OptionError(msg)
        return PredictiveGaussian(structure, divisor, intensity, target)

    estimation: ClassVar[Estimate] = "plug_in"

    @property
    def options(self) -> dict[str, object]:
        return {
            "covariance": self.structure.covariance,
            "shared": self.structure.shared_setting,
            "divisor": self.divisor,
            "shrinkage": self.shrinkage,
            "target": self.target,
            "estimate": self.estimation,
        }

    @property
    def _needs(self) -> tuple[bool, bool]:
        """Whether some structure has correlations, and whether all share the covariance."""
        families = self.choice or (self,)
        shared = all(some.structure.shared and some.estimation == "plug_in" for some in families)
        return any(some.structure.shape.correlated for some in families), shared

    def layout(self, n_classes: int, n_columns: int) -> ScatterLayout:
        """How much of the scatter is kept."""
        correlated, shared = self._needs
        layout: ScatterLayout = "full" if correlated else "diagonal"
        return layout_for(layout, shared=shared, n_classes=n_classes, n_columns=n_columns)

    def n_bytes(self, n_classes: int, n_columns: int) -> int:
        """The memory of the scatters of this number of classes and features, in bytes."""
        return 8 * prod(scatter_shape(self.layout(n_classes, n_columns), n_classes, n_columns))

    def fix(
        self, rows: Rows, targets: Targets, names: Schema, *, wide: bool = False
    ) -> Sequence[AnyFamily]:
        """In the span of the rows, if there are more features than rows and these are shrunk.

        There are fewer candidates if there are too many classes for a covariance of each.
        """
        from gaussbayes.families.gaussian.spanned import compact

        if wide and self.regularisation is None:
            return compact(self, rows, targets)
        (n, d), k = rows.numbers.shape, targets.n_classes
        if self.choice and k * d**3 > MOST_OF_CLASSES and n < k * d:
            pooled = tuple(
                Gaussian(Structure("full", 1.0), self.divisor, intensity, self.target)
                for intensity in POOLED_INTENSITIES
            )
            return [replace(pooled[0], choice=pooled)]
        return [self]

    def observe(
        self, rows: Rows, targets: Targets, names: Schema, threads: int = 1
    ) -> GaussianStatistics:
        """The statistics of labelled rows, hard labels or soft ones; NaN is a missing value.

        Rows are summed as complete ones, and only a sum that is not finite starts a search for
        missing values, so complete rows cost no extra time.
        """
        X, labels, weights, k = rows.numbers, targets.labels, targets.weights, targets.n_classes
        layout = self.layout(k, X.shape[1])
        self._check_size(k, X.shape[1])
        try:
            return GaussianStatistics(summarise(X, labels, weights, k, layout, threads))
        except DataError:
            return observe(X, labels, weights, k, layout, names, threads)

    def _check_size(self, n_classes: int, n_columns: int) -> None:
        """Raise if the scatters would take too much memory."""
        size = self.n_bytes(n_classes, n_columns)
        many = n_columns > MOST_CORRELATED and self._needs[0]
        if not many and size <= MOST_SCATTER_BYTES:
            return
        what = "one matrix" if self._needs[1] else f"a matrix for each of {n_classes} classes"
        msg = (
            f"full covariances of {n_columns:,} features need {what}: {size / 1e9:.1f} GB for the "
            "sums of squares, and twice as much for the covariances and their factors. Use fewer "
            "features, for example those of sklearn.decomposition.PCA"
        )
        remedies = [Remedy("use diagonal covariances", (("covariance", "diagonal"),))]
        if not (many or self._needs[1]):
            remedies.append(_SHARE)
        raise DataError(msg).with_remedies(remedies)

    def adapted(self, statistics: GaussianStatistics | MappedStatistics) -> GaussianStatistics:
        """Statistics observed under other settings, reduced to those of these settings.

        Those in the span of the rows of a fit become those of all pairs of features.
        """
        if not isinstance(statistics, GaussianStatistics):
            return self.adapted(statistics.of_columns(range(statistics.n_columns)))
        correlated, shared = self._needs
        layout = statistics.moments.layout
        if (layout == "diagonal" and correlated) or (layout == "pooled" and not shared):
            kept = "over the classes" if layout == "pooled" else "without correlations"
            msg = f"the scatter was summed {kept}, not enough for these settings; fit again"
            raise DataError(msg)
        needed = self.layout(statistics.weight.size, statistics.n_columns)
        return statistics.with_layout(needed) if layout == "full" else statistics

    def estimate(
        self,
        statistics: GaussianStatistics,
        names: Schema,
        threads: int = 1,
        start: GaussianDensity | None = None,
    ) -> Fit[GaussianDensity]:
        """The regularised estimate; by EM if values are missing.

        A class without rows, or without a value of a feature, raises a `DataError`; a singular
        covariance raises an error that names class and features.
        """
        _check_weights(statistics.weight, names)
        return self.fit(statistics, names, threads, start)

    def sample_of(self, statistics: GaussianStatistics) -> SampleOfClasses | None:
        """The quantities of T²; see `gaussbayes.families.protocol.Sampled`."""
        structure, weight = self.structure, statistics.weight
        plain = structure.covariance == "full" and self.estimation == "plug_in"
        shrunk = self.shrinkage or self.regularisation or structure.between
        if statistics.cells is not None or shrunk or not plain:
            return None
        total, n_means = structure.weights(weight), weight.size if structure.shared else 1
        return weight, degrees(total, self.divisor, n_means), degrees(total, "unbiased", n_means)

    def attempt(self, statistics: GaussianStatistics, names: Schema) -> None:
        """Raise the error of `estimate`, or one if its EM takes long."""
        record = self.fit(self.adapted(statistics), names, max_iterations=TRIAL).convergence
        if record is not None:
            record.check()

    def fit(
        self,
        statistics: GaussianStatistics,
        names: Schema,
        threads: int = 1,
        start: GaussianDensity | None = None,
        max_iterations: int = missing_values.EXACT.most,
    ) -> Fit[GaussianDensity]:
        """`estimate` of classes with rows, with at most this number of iterations of EM."""
        structure = self.structure
        settings = (structure, self.divisor, self.shrinkage, self.target, self.regularisation)
        if statistics.is_complete:
            return Fit(estimate(statistics.moments, names, *settings))
        goal = missing_values.EXACT if start is None else missing_values.ROUGH
        goal = replace(goal, most=min(goal.most, max_iterations))
        complete = partial(
            missing_values.complete, statistics, structure, names, goal=goal, threads=threads
        )
        try:
            expected, record = complete(start=start)
        except SingularCovarianceError as error:
            penalised = self.penalised(statistics, names)
            if penalised is None:
                msg = f"the likelihood of the rows with missing values has no maximum: {error}"
                raise SingularCovarianceError(msg) from None
            expected, record = complete(penalised.penalty)
        return Fit(estimate(expected.moments, names, *settings), record)

    def added_variance(self, statistics: GaussianStatistics, names: Schema) -> float:
        """The term that the floor adds to all variances; see `Regularisation`."""
        moments = statistics.moments
        if not statistics.is_complete:
            moments = missing_values.complete(statistics, self.structure, names)[0].moments
        return 0.0 if self.regularisation is None else self.regularisation.added(moments)

    def alternatives(self) -> "dict[Remedy, Gaussian]":
        """What may have an estimate where this has none, by how the user asks for it."""
        structure = self.structure
        others: dict[Remedy, Gaussian] = {AUTOMATIC_MODEL: AUTOMATIC_GAUSSIAN}
        if not (self.shrinkage or structure.shape.isotropic):
            others[SHRINK] = replace(self, shrinkage=0.1)
        if not structure.shared:
            others[_SHARE] = replace(self, structure=structure.parts[1])
        for name, remedy in _SIMPLER.items():
            if name != structure.covariance and not structure.shape.isotropic:
                others[remedy] = replace(self, structure=Structure(name, structure.sharing))
        if self.divisor == "unbiased":
            others[_DIVIDE] = replace(self, divisor="mle")
        return others

    def n_parameters(self, n_classes: int, n_columns: int) -> int:
        """Free parameters: k·d means, and those of the covariances."""
        m = self.structure.n_covariances(n_classes)
        return n_classes * n_columns + self.structure.shape.n_parameters_of(m, n_columns)

    # EM for missing labels: partial pooling maximises the likelihood of class-specific covariances.

    def start(
        self,
        statistics: GaussianStatistics,
        together: GaussianStatistics,
        names: Schema,
        threads: int = 1,
    ) -> GaussianDensity:
        """A density to start from, by labelled rows, and all rows as those of one class."""
        _check_weights(statistics.weight, names)
        overall, structure = feature_moments(together), self.structure.maximised
        penalised = self.penalty is not None
        return missing_values.start_of(
            statistics, overall, structure, names, threads, penalised=penalised
        )

    def maximise(self, expected: GaussianStatistics, names: Schema) -> GaussianDensity:
        """The most likely density of complete statistics, with the penalty if there is one."""
        _check_weights(expected.weight, names)
        return maximum(expected.moments, names, self.structure, self.penalty)

    def log_penalty(self, density: GaussianDensity) -> float:
        """0, or the penalty."""
        return 0.0 if self.penalty is None else self.penalty.log_penalty(density.covariance)

    def penalised(self, statistics: GaussianStatistics, names: Schema) -> "Gaussian | None":
        """This family with a penalty that represents its shrinkage; None without shrinkage."""
        del names
        if self.structure.shape.isotropic:
            return None
        features, target = feature_moments(statistics), None
        if self.target != "spherical":
            target = features.positive_variance(STRUCTURES["diagonal LDA"])[0]
        variance = features.positive_variance(self.structure)
        weight = self.structure.weights(statistics.weight)
        penalty = penalty_of(self.shrinkage, variance, weight, target)
        return None if penalty is None else replace(self, penalty=penalty)

    # Held-out rows and selection.

    def left_out(
        self,
        statistics: GaussianStatistics,
        path: Sequence[Self],
        targets: Targets,
        names: Schema,
        *,
        exact: bool = True,
    ) -> LeftOut | None:
        """A closed form for leave-one-out; None where there is none, or values are missing."""
        if not statistics.is_complete:
            return None
        formulas = self.formulas(statistics.moments, path, targets, names, exact=exact)
        return None if formulas is None else together(formulas)

    def formulas(
        self,
        moments: ClassMoments,
        path: Sequence["Gaussian"],
        targets: Targets,
        names: Schema,
        *,
        exact: bool = True,
        n_features: int | None = None,
    ) -> list[GaussianLeftOut] | None:
        """Closed forms of complete rows; see `plug_in_formulas`.

        There is none for covariances with other regularisation than shrinkage.
        """
        if any(family.regularisation for family in path):
            return None
        return plug_in_formulas(moments, path, targets, names, exact=exact, n_features=n_features)

    def variants(
        self, statistics: GaussianStatistics, names: Schema
    ) -> Iterator[Sequence["Gaussian"]]:
        """The candidates of model selection; those of one structure differ in shrinkage.

        Predictive densities share one closed form for all priors. Plain Gaussians are added if
        there are enough rows.
        """
        k, d, n = statistics.weight.size, names.n_features, float(statistics.weight.sum())
        tried = self.choice or (self,)
        if self.estimation == "predictive" and self.choice:
            strengths = SHARINGS[::2] if k > MANY_CLASSES else SHARINGS
            enough = (family for family in tried if n >= fewest_rows(family, k, d))
            tried = tuple(
                family
                for family in enough
                if family.estimation != "predictive" or family.structure.sharing in strengths
            )
        quick = [family for family in tried if not _takes_long(family, statistics)]

        def closed_form(family: Gaussian) -> Structure | None:
            return None if family.estimation == "predictive" else family.structure

        for _, families in groupby(quick or tried, closed_form):
            yield list(families)


def fewest_rows(family: Gaussian, n_classes: int, n_columns: int) -> int:
    """The least number of rows for which a family is a candidate: see `FEWEST_ESTIMATED`.

    A predictive density without shrinkage needs a pooled covariance that can be inverted.
    """
    if family.estimation == "predictive":
        return 0 if family.shrinkage else n_classes + n_columns
    correlated = family.structure.shape.correlated
    return FEWEST_ESTIMATED * n_classes * (n_columns if correlated else 1)


def _takes_long(family: Gaussian, statistics: GaussianStatistics) -> bool:
    """Whether EM for missing values is too slow to compare this family with others.

    The expected moments of rows serve all predictive densities with any prior; plain covariances
    need a separate EM for every candidate and fold. An iteration takes h³ multiplications for a
    cell with h missing features.
    """
    if statistics.cells is None or not family.structure.shape.correlated:
        return False
    lacking = np.count_nonzero(~statistics.cells.observed, axis=1).astype(np.float64)
    return family.estimation != "predictive" or bool((lacking**3).sum() > _LONG)


_LONG = 3e9
"""Multiplications of an iteration of EM above which a family is not a candidate: a selection takes
about a hundred iterations."""

_expected: WeakKeyDictionary[GaussianStatistics, tuple[ClassMoments, Convergence]] = (
    WeakKeyDictionary()
)
"""The expected moments of rows with missing values, which do not depend on the prior of
covariances, kept for as long as the statistics of the rows live."""


@dataclass(frozen=True, slots=True)
class PredictiveGaussian(Gaussian):
    """Gaussians whose covariances are integrated out: Student-t densities.

    The prior of covariances is centred at the pooled one, and its strength increases with the
    sharing; shrinkage is that of its centre. See `gaussbayes.families.gaussian.predictive`.

    Examples
    --------
    >>> family = Gaussian.of(shared=0.5, shrinkage=0.1, estimate="predictive")
    >>> family.prior
    Prior(sharing=0.5, shrinkage=0.1, diagonal=True)
    """

    estimation = "predictive"

    @property
    def prior(self) -> Prior:
        """The prior of the covariances."""
        intensity = float(self.shrinkage or 0.0)
        return Prior(self.structure.sharing, intensity, self.target == "diagonal")

    def fit(
        self,
        statistics: GaussianStatistics,
        names: Schema,
        threads: int = 1,
        start: GaussianDensity | None = None,
        max_iterations: int = missing_values.EXACT.most,
    ) -> Fit[GaussianDensity]:
        """Estimate by expected moments under a shared covariance if values are missing."""
        del start, max_iterations  # a long EM for a shared covariance succeeds as well
        if statistics.is_complete:
            return Fit(predictive(statistics.moments, names, self.prior))
        if statistics not in _expected:
            supposed, record = missing_values.suppose(statistics, names, threads)
            completed, _ = supposed.expect_statistics(statistics, threads)
            _expected[statistics] = completed.moments, record
        moments, record = _expected[statistics]
        return Fit(predictive(moments, names, self.prior), record)

    def attempt(self, statistics: GaussianStatistics, names: Schema) -> None:
        """Raise the error of `estimate` for rows that are summed without correlations."""
        weight, within = statistics.weight, feature_moments(statistics).scatter
        if within.shape[1] > weight.sum() and not within.any():
            msg = "with more features than rows, something must vary within classes"
            raise SingularCovarianceError(msg)
        if statistics.moments.layout == "full":
            self.fit(statistics, names)
        elif not (self.structure.sharing and self.shrinkage):  # else it is positive definite
            self.adapted(statistics)

    def alternatives(self) -> "dict[Remedy, Gaussian]":
        """What may have an estimate where this has none, by how the user asks for it."""
        others: dict[Remedy, Gaussian] = {AUTOMATIC_MODEL: AUTOMATIC_GAUSSIAN}
        if not self.shrinkage:
            others[SHRINK] = replace(self, shrinkage=0.1)
        if self.structure.sharing == 0:
            others[_TOWARDS] = replace(self, structure=Structure("full", 0.5))
        return others

    def formulas(
        self,
        moments: ClassMoments,
        path: Sequence[Gaussian],
        targets: Targets,
        names: Schema,
        *,
        exact: bool = True,
        n_features: int | None = None,
    ) -> list[GaussianLeftOut] | None:
        """One closed form of all priors."""
        priors = [family.prior for family in path if isinstance(family, PredictiveGaussian)]
        units_given = not exact
        return [PredictiveLeftOut.of(moments, priors, names, n_features, units_given=units_given)]


AUTOMATIC_GAUSSIAN = PredictiveGaussian(Structure("full", 0.75), "mle", 0.1, "spherical")
"""One of the candidates: whether it has an estimate does not depend on the strength of its
prior."""


def _automatic(divisor: Divisor, target: ShrinkageTarget) -> Gaussian:
    """Predictive densities under all priors, and plain Gaussians, for which rows may suffice.

    Plain Gaussians have independent features, with the smallest shrinkage of variances, or
    correlated features without shrinkage.
    """
    integrated = [
        PredictiveGaussian(Structure("full", sharing), divisor, shrinkage, target)
        for sharing in SHARINGS
        for shrinkage in (None, *INTENSITIES)
    ]
    estimated = [
        Gaussian(Structure(covariance, sharing), divisor, shrinkage)
        for covariance, shrinkage in _ESTIMATED
        for sharing in (0.0, 0.5, 1.0)
    ]
    return replace(integrated[0], shrinkage=None, choice=(*integrated, *estimated))


def _check_weights(weight: FloatArray, names: Schema) -> None:
    if not weight.min() > 0:
        code = int((weight > 0).argmin())
        msg = (
            f"class {names.class_name(code)} has no labelled rows of positive weight, so that its "
            "mean is not defined; add rows, or drop the class"
        )
        raise DataError(msg)
