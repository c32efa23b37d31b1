"""Gaussians of more features than rows, in the span of the rows: n × n instead of d × d.

The scatters of n rows with d > n features lie in the span of the rows. Shrinkage towards a multiple
of the identity is the same in every basis, so that the multiple is sufficient for the other
directions: statistics of the coordinates in the span give exactly the estimate of d × d matrices,
with n numbers per feature in memory. A diagonal target is spherical in units of the pooled
deviations of the features; like transforms, these units are fixed and include the held-out row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from gaussbayes.base.errors import DataError, SingularCovarianceError
from gaussbayes.base.notices import Remedy
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.density import (
    GaussianDensity,
    covariance_values,
    located_density,
)
from gaussbayes.families.gaussian.family import fewest_rows
from gaussbayes.families.gaussian.left_out import together
from gaussbayes.families.gaussian.low_rank import LowRank, no_em, spanned_density
from gaussbayes.families.gaussian.predictive import check_degrees
from gaussbayes.families.gaussian.span import Span, span_of
from gaussbayes.families.gaussian.statistics import ClassMoments, GaussianStatistics, summarise
from gaussbayes.families.gaussian.structure import Full, Structure
from gaussbayes.families.mapped import MappedStatistics
from gaussbayes.families.protocol import Family, Fit, Kind, LeftOut


@dataclass(frozen=True, slots=True, eq=False)
class SpannedStatistics(MappedStatistics):
    """Statistics of the coordinates of rows in a span."""

    map: Span
    inner: GaussianStatistics

    # Other rows have another span: None shows that they are not `Contrastable`.
    tested: ClassVar[None] = None  # type: ignore[assignment]

    def of_columns(self, columns: Sequence[int]) -> GaussianStatistics:
        """The statistics of these features, with scatters of all pairs: ``u Q S Qᵀ u``."""
        where, moments = np.asarray(columns, dtype=np.intp), self.inner.moments
        unit = self.map.unit[where]
        basis = self.map.basis[where] * unit[:, None]
        scatter = basis @ moments.scatter @ basis.T
        anchor = np.repeat(self.map.center[where][None], moments.n_classes, axis=0)
        offset, scatter = moments.mean @ basis.T, 0.5 * (scatter + scatter.mT)
        empty = moments.weight == 0
        anchor[empty], offset[empty] = 0.0, 0.0
        return GaussianStatistics(ClassMoments(moments.weight, anchor, offset, scatter, "full"))


@dataclass(frozen=True, slots=True)
class Spanned(Family[Any, GaussianDensity]):
    """A Gaussian family of full covariances, shrunk, in the span of the rows of a fit.

    Examples
    --------
    >>> from gaussbayes.data.rows import number_rows
    >>> from gaussbayes.families.gaussian.family import Gaussian
    >>> rows = number_rows(np.array([[0.0, 1.0, 5.0, 2.0], [1.0, 0.0, 4.0, 2.0], [3, 1, 4, 1]]))
    >>> targets, names = Targets(np.array([0, 0, 1], np.int32), 2), Schema(np.arange(2), 4)
    >>> plain = Gaussian.of("full", shared=True, shrinkage=0.5, target="spherical")
    >>> (family,) = compact(plain, rows, targets)
    >>> density = family.estimate(family.observe(rows, targets, names), names).density
    >>> same = plain.estimate(plain.observe(rows, targets, names), names).density
    >>> bool(np.allclose(density.log_density(rows), same.log_density(rows), atol=1e-12))
    True
    """

    span: Span
    family: Any  # Gaussian, of all features

    name: ClassVar[str] = "gaussian"
    kind: ClassVar[Kind] = "number"

    @property
    def options(self) -> Mapping[str, object]:
        """Those of the family of all features."""
        options: Mapping[str, object] = self.family.options
        return options

    def of_columns(self, columns: Sequence[int]) -> Any:
        """The family of these features, with all pairs."""
        del columns
        return self.family

    def n_bytes(self, n_classes: int, n_columns: int) -> int:
        """The memory of the scatters of this number of classes, in bytes."""
        del n_columns
        return 8 * n_classes * self.span.n_directions**2

    def n_parameters(self, n_classes: int, n_columns: int) -> int:
        """Free parameters: those of the family of all features."""
        n_parameters: int = self.family.n_parameters(n_classes, n_columns)
        return n_parameters

    def observe(
        self, rows: Rows, targets: Targets, names: Schema, threads: int = 1
    ) -> SpannedStatistics:
        """The statistics of labelled rows that lie in the span."""
        layout = replace(self.family, structure=Structure("full"), choice=())
        z, _ = self.span.mapped(rows)
        inner = layout.observe(z, targets, self.span.names(names), threads)
        return SpannedStatistics(self.span, inner)

    def adapted(self, statistics: Any) -> SpannedStatistics:
        """Statistics observed under other settings, in the same span."""
        if not isinstance(statistics, SpannedStatistics):
            msg = "statistics of all pairs of features cannot be reduced to a span; fit again"
            raise DataError(msg)
        statistics.check_map(self.span)
        return statistics

    def estimate(
        self,
        statistics: SpannedStatistics,
        names: Schema,
        threads: int = 1,
        start: GaussianDensity | None = None,
    ) -> Fit[GaussianDensity]:
        """The shrunk estimate, equal to that of d × d matrices."""
        del threads, start
        moments = statistics.inner.moments
        family, d, freedom = self.family, self.span.n_columns, None
        # One direction more, in which no row varies, has the variance of all outside the span.
        wider = _wider(moments)
        if family.estimation == "predictive":
            scatter, freedom = replace(family.prior, diagonal=False).scatters(wider, d)
            check_degrees(freedom, moments.weight, names)
            values = scatter * ((1.0 + 1.0 / moments.weight) / freedom)[:, None, None]
        else:
            values = covariance_values(
                wider, names, family.structure, family.divisor, family.shrinkage, None, d
            )
        values, outside = values[:, :-1, :-1], values[:, -1, -1]
        if not (outside > 0).all():
            code = int(np.argmin(outside))
            owner = "no class varies"
            if moments.scatter.any():
                owner = f"class {names.class_name(code)} does not vary"
            msg = f"{owner} in any feature: a covariance of zeros cannot be shrunk"
            raise SingularCovarianceError(msg)
        covariance = LowRank.in_span(values, outside, self.span, names)
        inside = Full(values, covariance.whitener, covariance.log_det)
        inner = located_density(moments.anchor, moments.offset, moments.weight, inside)
        return Fit(replace(spanned_density(inner, self.span, covariance), degrees=freedom))

    def alternatives(self) -> dict[Remedy, "Spanned"]:
        """The variants of the family of all features with shrunk full covariances."""
        others = self.family.alternatives().items()
        return {
            remedy: replace(self, family=other)
            for remedy, other in others
            if other.shrinkage and other.structure.shape.correlated
        }

    def start(self, statistics: Any, together: Any, names: Schema, threads: int = 1) -> Any:
        """Raise: there is no EM for missing labels in a span."""
        del statistics, together, names, threads
        raise no_em()

    def maximise(self, expected: Any, names: Schema) -> Any:
        """Raise: there is no EM for missing labels in a span."""
        del expected, names
        raise no_em()

    def log_penalty(self, density: GaussianDensity) -> float:
        """0: it has no penalty."""
        del density
        return 0.0

    # Held-out rows and selection.

    def left_out(
        self,
        statistics: SpannedStatistics,
        path: Sequence["Spanned"],
        targets: Targets,
        names: Schema,
        *,
        exact: bool = True,
    ) -> LeftOut | None:
        """A closed form, given the units of the features; see `GaussianLeftOut`."""
        del exact
        families, d = [member.family for member in path], self.span.n_columns
        moments, inner_names = statistics.inner.moments, self.span.names(names)
        formulas = self.family.formulas(moments, families, targets, inner_names, n_features=d)
        if formulas is None:
            return None
        return together(formulas, lambda rows: self.span.mapped(rows)[0])

    def variants(
        self, statistics: SpannedStatistics, names: Schema
    ) -> Iterator[Sequence["Spanned"]]:
        """Those of the family of all features."""
        for families in self.family.variants(statistics.inner, names):
            yield [replace(self, family=family) for family in families]


def _wider(moments: ClassMoments) -> ClassMoments:
    """Moments with one more feature, which is 0 in all rows."""
    anchor, offset = (np.pad(part, ((0, 0), (0, 1))) for part in (moments.anchor, moments.offset))
    scatter = np.pad(moments.scatter, ((0, 0), (0, 1), (0, 1)))
    return ClassMoments(moments.weight, anchor, offset, scatter, "full")


def _pooled_deviation(rows: Rows, targets: Targets) -> FloatArray:
    """The standard deviations of the features within classes (d,)."""
    given = targets.labels, targets.weights, targets.n_classes
    moments = summarise(rows.numbers, *given, "diagonal")
    squares = moments.scatters("diagonal", shared=True)[0]
    return np.asarray(np.sqrt(squares / moments.weight.sum()))


def compact(family: Any, rows: Rows, targets: Targets) -> list[Any]:
    """Families in the span of these rows, all rows of a fit, that are equivalent to a Gaussian one.

    With more features than rows, full covariances that are shrunk are estimated in the span of the
    rows; candidates without correlations do not change, and full covariances without shrinkage are
    omitted.
    """
    n, d = rows.numbers.shape
    candidates = family.choice or (family,)
    correlated = [some for some in candidates if some.structure.shape.correlated]
    shrunk = tuple(some for some in correlated if some.shrinkage)
    simple = tuple(
        some
        for some in candidates
        if not some.structure.shape.correlated and n >= fewest_rows(some, targets.n_classes, d)
    )
    if d <= n or not correlated or not (shrunk or simple) or targets.n_unlabelled:
        return [family]
    if not np.isfinite(rows.matrix.sum(dtype=np.float64)):
        return [family]
    result = []
    if shrunk:
        deviation = _pooled_deviation(rows, targets)
        unit = deviation if family.target == "diagonal" else np.ones(d)
        # Features that do not vary have no unit, which may be an error.
        if not (unit > 0).all() or not deviation.any():
            return [family]
        inner = replace(shrunk[0], choice=shrunk) if family.choice else family
        result.append(Spanned(span_of(rows, unit), inner))
    if simple:
        result.append(replace(simple[0], choice=simple))
    return result
