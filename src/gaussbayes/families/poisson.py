"""Counts: Poisson distributions, ``p(x | c) = Π_j λ_cj^x_j exp(−λ_cj) / x_j!``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from msgspec import Meta, Raw
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import merge_blocks
from gaussbayes.base.records import Record, encode, refuse
from gaussbayes.base.threads import for_each, ranges, rows_at_once
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.rows import Rows, Targets, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.expression import PoissonRates
from gaussbayes.families.independent import (
    ClassSums,
    ColumnRatio,
    Smoothed,
    check_alike,
    check_weight,
    class_sums,
    column_tests,
)
from gaussbayes.families.likelihood_ratio import FamilyTests, rates
from gaussbayes.families.protocol import Fit, Kind, LeftOut, ParameterTable
from gaussbayes.families.removal import Precision, Removal, difference, raise_removal

LARGEST = 2.0**53
"""The largest count: up to here every integer is a float."""

_TABLE = 16
"""Functions of counts below this are tabulated."""


@dataclass(frozen=True, slots=True, eq=False)
class PoissonStatistics(ClassSums):
    """Sums over rows of functions of a count, by class and column; of integers they are exact."""

    weight: FloatArray  # (k,)
    sums: FloatArray  # (4, k, d), in the order of `summed`

    class_axes: ClassVar[dict[str, int]] = {"weight": 0, "sums": 1}
    summed: ClassVar[tuple[str, ...]] = ("missing", "observed", "total", "log_factorial")

    @staticmethod
    def terms(numbers: FloatArray, first_row: int = 0, names: Schema | None = None) -> FloatArray:
        """Indicators of missing and present counts (n, d), the counts, and log x! (4, n, d)."""
        present, counts = check_counts(numbers, first_row, names)
        return np.stack([~present, present, counts, log_factorial(counts)])

    @property
    def n_columns(self) -> int:
        return int(self.sums.shape[2])

    @property
    def is_complete(self) -> bool:
        return not self.missing.any()

    @property
    def missing(self) -> FloatArray:
        """The weights of the rows without a count (k, d)."""
        return np.asarray(self.sums[0])

    @property
    def observed(self) -> FloatArray:
        """The weights of the rows with a count (k, d)."""
        return np.asarray(self.sums[1])

    @property
    def total(self) -> FloatArray:
        """The weighted sums of the counts (k, d)."""
        return np.asarray(self.sums[2])

    def __add__(self, other: Self) -> Self:
        check_alike(self, other)
        return self.mapped(lambda a, b, _: a + b, other)

    def plus(self, other: Self, names: Schema) -> Self:
        return self + other

    def without(self, other: Self, names: Schema) -> Self:
        """The sums without those of some of the rows; DataError if they are inconsistent."""
        check_alike(self, other)
        rest = self.mapped(lambda a, b, _: difference(a, b), other)
        weight, sums = rest.weight, rest.sums
        left = rest.mapped(lambda part, _: np.maximum(part, 0.0))
        for c in np.flatnonzero(weight < 0).tolist():
            raise_removal("weight", other.weight[c], self.weight[c], names.class_name(c))
        wrong = (sums < 0) | ((sums > 0) & (left.observed == 0))
        wrong[0] = sums[0] < 0
        for s, c, j in np.argwhere(wrong).tolist():
            what = f"{names.feature_name(j)} with {self.summed[s]}"
            raise_removal(what, other.sums[s, c, j], self.sums[s, c, j], names.class_name(c))
        return left

    def of_columns(self, columns: Sequence[int]) -> Self:
        return replace(self, sums=self.sums[:, :, list(columns)])

    def tested(self, other: "PoissonStatistics", names: Schema) -> FamilyTests:
        """Whether the rates of each class and column are those of other rows."""
        check_alike(self, other)

        def ratio(code: int, column: int) -> ColumnRatio:
            """The rates, and their ratio given the sum of the events."""
            both = (self, other)
            events = np.array([each.total[code, column] for each in both])
            rows = np.array([each.observed[code, column] for each in both])
            with np.errstate(invalid="ignore"):
                before, after = (events / rows).tolist()
            return "rate", before, after, rates(events, rows)

        codes = np.flatnonzero((self.weight > 0) & (other.weight > 0)).tolist()
        return column_tests(ratio, codes, self.n_columns, "rates", names)


def sum_rows(
    rows: Rows, targets: Targets, threads: int = 1, names: Schema | None = None
) -> PoissonStatistics:
    """The sums over rows, in blocks whose size depends on the number of columns alone."""

    def sum_block(block: slice) -> PoissonStatistics:
        terms = PoissonStatistics.terms(_numbers(rows[block]), block.start, names)
        return PoissonStatistics(*class_sums(terms, targets[block]))

    return merge_blocks(sum_block, _blocks(rows) or [slice(0, 0)], threads)


def _numbers(rows: Rows) -> FloatArray:
    return rows.matrix.astype(np.float64, copy=False)


def _blocks(rows: Rows, n_scores: int = 1) -> list[slice]:
    n, d = rows.numbers.shape
    return ranges(n, rows_at_once(d * n_scores, 256))


def mean_of_all(statistics: PoissonStatistics) -> FloatArray:
    """The mean count of the rows of all classes (1, d); 0 where no row has a count."""
    total = statistics.total.sum(axis=-2, keepdims=True)
    observed = statistics.observed.sum(axis=-2, keepdims=True)
    mean: FloatArray = np.divide(total, observed, out=np.zeros_like(total), where=observed > 0)
    return mean


def check_counts(
    numbers: FloatArray, first_row: int = 0, names: Schema | None = None
) -> tuple[NDArray[np.bool_], FloatArray]:
    """Which of the numbers (n, d) are not missing, and the counts, 0 where they are.

    The first value that is not a count raises a DataError that names row, counted from
    `first_row`, and column.
    """
    present = ~np.isnan(numbers)
    counts = np.where(present, numbers, 0.0)
    possible = (counts >= 0) & (counts <= LARGEST) & (np.rint(counts) == counts)
    if not possible.all():
        row, j = np.argwhere(~possible)[0].tolist()
        column = f"column {j} of its family" if names is None else names.feature_name(j)
        msg = (
            f"row {row + first_row} has {numbers[row, j]:g} in {column}, which must be an integer "
            "from 0 to 2⁵³ (family 'poisson'); correct or drop such rows, or choose another family "
            "for the feature"
        )
        raise DataError(msg)
    return present, counts


def log_factorial(counts: FloatArray) -> FloatArray:
    """``log x!`` of integers."""
    largest = counts.max(initial=0.0)
    if largest < counts.size // 2:  # from a table, if it is shorter than the values
        return log_factorial(np.arange(largest + 1)).take(counts.astype(np.intp))
    positive = np.maximum(counts, 1.0)
    return np.asarray(positive * np.log(positive) - counts + stirling_error(counts))


def stirling_error(counts: FloatArray) -> FloatArray:
    """``log x! − (x log x − x)`` of integers, accurate for integers of any size."""
    large = np.maximum(counts, float(_TABLE))
    inverse = 1.0 / large
    square = inverse * inverse
    # Stirling's series; the first omitted term is below 1e-15.
    last = 1 / 1260 - square * (1 / 1680 - square / 1188)
    series = inverse * (1 / 12 - square * (1 / 360 - square * last))
    asymptotic = 0.5 * np.log(2 * np.pi * large) + series
    small = np.minimum(counts, _TABLE - 1).astype(np.intp)
    return np.where(counts < _TABLE, _SMALL[small], asymptotic)


_NUMBERS = np.arange(1.0, _TABLE)
_SMALL = np.concatenate(
    [[0.0], np.cumsum(np.log(_NUMBERS)) - (_NUMBERS * np.log(_NUMBERS) - _NUMBERS)]
)


@dataclass(frozen=True, slots=True, eq=False)
class PoissonDensity:
    """The rate of each class and column; 0 makes every count but 0 impossible.

    If the rates are smoothed, they were shrunk towards `overall`.
    """

    rate: FloatArray  # (k, d)
    overall: FloatArray | None = None
    """(d,) the mean count of all rows; None if nothing is smoothed, or it comes from a file."""

    @property
    def n_classes(self) -> int:
        return int(self.rate.shape[0])

    @property
    def n_columns(self) -> int:
        return int(self.rate.shape[1])

    @property
    def n_parameters(self) -> int:
        return self.rate.size

    @property
    def mean(self) -> FloatArray:
        return self.rate

    @property
    def deviation(self) -> FloatArray:
        return np.sqrt(self.rate)

    def dense_covariance(self) -> FloatArray:
        """The variances in the diagonals of matrices (k, d, d)."""
        return np.asarray(self.rate[:, :, None] * np.eye(self.n_columns))

    @property
    def integers(self) -> tuple[float, float]:
        return 0.0, np.inf

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(x | c)`` (n, k).

        Of the counts up to the largest it is looked up, if they are fewer than the rows.
        """
        largest = np.fmax.reduce(rows.matrix, axis=0, initial=0.0).tolist()
        tables = {
            j: log_probability(np.arange(most + 1.0)[:, None], self.rate[:, j])
            for j, most in enumerate(largest)
            if most < rows.n_rows
        }
        out: RealArray = np.empty((rows.n_rows, self.n_classes), rows.dtype)

        def score(block: slice) -> None:
            present, counts = check_counts(_numbers(rows[block]), block.start)
            scores = np.zeros((counts.shape[0], self.n_classes))
            for j in range(self.n_columns):
                if j in tables:
                    terms = tables[j].take(counts[:, j].astype(np.intp), axis=0)
                else:
                    terms = log_probability(counts[:, [j]], self.rate[:, j])
                if not present[:, j].all():
                    terms[~present[:, j]] = 0.0
                scores += terms
            out[block] = scores

        for_each(score, _blocks(rows, self.n_classes), threads)
        return out

    def expect(self, rows: Rows, responsibility: FloatArray, threads: int = 1) -> PoissonStatistics:
        """The sums over rows with soft labels (n, k).

        Missing counts stay missing: the columns are independent, so their expectation follows from
        the density and adds no information.
        """
        return sum_rows(rows, Targets(responsibility, self.n_classes), threads)

    def expect_statistics(self, statistics: PoissonStatistics) -> tuple[PoissonStatistics, float]:
        return statistics, self.log_likelihood(statistics)

    def expression(self, statistics: Any) -> PoissonRates:
        """The rates, as a record."""
        del statistics  # missing counts add nothing
        return PoissonRates(self.rate)

    def by_column(self, numbers: FloatArray) -> FloatArray:
        """``log p(x_j | c)`` of numbers, row i with the rates of class i."""
        missing = np.isnan(numbers)
        counts = np.where(missing, 0.0, numbers)
        return np.where(missing, 0.0, log_probability(counts, self.rate))

    def log_likelihood(self, statistics: PoissonStatistics) -> float:
        """``Σ (total log λ − observed λ) − Σ w log x!``."""
        with np.errstate(divide="ignore"):
            natural = np.stack([-self.rate, np.log(self.rate), -np.ones(self.rate.shape)])
        sums = statistics.sums[1:]
        positive = sums > 0  # weight 0 adds 0, also if log λ is −∞
        return float(sums[positive] @ natural[positive])

    def coordinates(self, names: Schema) -> "RootRates":
        return RootRates(self.rate.shape, self.overall)

    def marginal(self, columns: Sequence[int], names: Schema) -> "PoissonDensity":
        overall = None if self.overall is None else self.overall[list(columns)]
        return PoissonDensity(self.rate[:, list(columns)], overall)

    def selected(self, codes: Sequence[int]) -> "PoissonDensity":
        return replace(self, rate=self.rate[list(codes)])

    def restarted(self, together: PoissonStatistics) -> "PoissonDensity":
        """The density with one more row in each class, the average of all rows."""
        weight, average = np.maximum(together.observed, 1.0), mean_of_all(together)
        rate = (weight * self.rate + average) / (weight + 1.0)
        return PoissonDensity(rate, average[0])

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        return number_rows(generator.poisson(self.rate[codes]).astype(np.float64))

    def contributions(
        self, row: Rows, pair: tuple[int, int], _: FloatArray | None
    ) -> tuple[float, FloatArray]:
        """``x log(λ_a / λ_b) − (λ_a − λ_b)`` (d,), compared with unknown counts, which add 0."""
        (a, b), x = self.rate[list(pair)], row.matrix[0].astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(x == 0, 0.0, x * (np.log(a) - np.log(b))) - (a - b)
        return 0.0, np.where(np.isnan(x), 0.0, ratio)

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        return (ParameterTable("rate", names.titles, self.rate),)


def log_probability(counts: FloatArray, rate: FloatArray) -> FloatArray:
    """``x log λ − λ − log x!`` of integers, computed from their differences to the rate.

    For large x the first and the last term are large and nearly cancel. With ``log x! = x log x − x
    + s(x)`` the sum is ``−(λ − x − x log(λ / x)) − s(x)``.
    """
    counts, rate = np.broadcast_arrays(counts, rate)
    logarithm = _log_quotient(rate, np.maximum(counts, 1.0))
    product = np.zeros(counts.shape)
    np.multiply(counts, logarithm, out=product, where=counts > 0)
    return product - (rate - counts) - stirling_error(counts)


def _log_quotient(a: FloatArray, b: FloatArray) -> FloatArray:
    """``log(a / b)``, accurate also if a is close to b; −∞ if a is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = (a - b) / b
        far = np.log(a) - np.log(b)
    near = np.log1p(np.clip(relative, -0.5, 0.5))
    return np.where(np.abs(relative) < 0.5, near, far)


_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Poisson(Smoothed[PoissonStatistics, PoissonDensity]):
    """Counts 0, 1, 2, … that are independent given the class.

    ``rate = (number of events + α m) / (weight of the rows that have a count + α)`` with smoothing
    α and the mean count m of the rows of all classes. 0 is maximum likelihood, and a rate of 0
    makes every count but 0 impossible; α is the weight of pseudo-rows in each class with the mean
    count of all rows: the mode under a gamma prior of shape 1 + α m and inverse scale α.

    Examples
    --------
    >>> from gaussbayes.data.rows import Targets, number_rows
    >>> rows, names = number_rows(np.array([[3.0], [0.0], [0.0]])), Schema(np.array(["a", "b"]), 1)
    >>> statistics = Poisson().observe(rows, Targets(np.array([0, 0, 1], np.int32), 2), names)
    >>> Poisson().estimate(statistics, names).density.rate.tolist()
    [[1.5], [0.0]]
    >>> Poisson(smoothing=1).estimate(statistics, names).density.rate.round(4).tolist()
    [[1.3333], [0.5]]
    """

    name: ClassVar[str] = "poisson"
    kind: ClassVar[Kind] = "number"
    content: ClassVar[str] = "count"  # required contents of files; see `gaussbayes.data.sources`

    def density(
        self, sums: PoissonStatistics, together: PoissonStatistics | None = None
    ) -> PoissonDensity:
        """The rates; for classes without values in a column, they must be smoothed.

        Arrays of `sums` may have further axes before those of class and column. `together`
        holds the sums over all rows as if of one class; None adds the sums of the classes.
        """
        if self.smoothing == 0:
            return PoissonDensity(sums.total / sums.observed)
        overall = mean_of_all(sums if together is None else together)
        rate = (sums.total + self.smoothing * overall) / (sums.observed + self.smoothing)
        return PoissonDensity(rate, overall[..., 0, :])

    def determined(self, sums: PoissonStatistics) -> NDArray[np.bool_]:
        """Which rates are defined (k, d): rows have a count, of any class if smoothed."""
        observed = sums.observed
        if self.smoothing:
            observed = np.broadcast_to(observed.sum(axis=-2, keepdims=True), observed.shape)
        return np.asarray(observed > 0)

    def observe(
        self, rows: Rows, targets: Targets, names: Schema, threads: int = 1
    ) -> PoissonStatistics:
        return sum_rows(rows, targets, threads, names)

    def check(self, rows: Rows, names: Schema) -> None:
        for block in _blocks(rows):
            check_counts(_numbers(rows[block]), block.start, names)

    def estimate(
        self,
        statistics: PoissonStatistics,
        names: Schema,
        threads: int = 1,
        start: PoissonDensity | None = None,
    ) -> Fit[PoissonDensity]:
        """The rate of each class and column; DataError if a class lacks counts in a column."""
        nowhere = np.asarray(~(statistics.observed > 0).any(axis=0))
        for c, j in np.argwhere(~self.determined(statistics)).tolist():
            owner = "" if nowhere[j] else f" of class {names.class_name(c)}"
            self._raise_unknown(names.feature_name(j), owner)
        return Fit(self.density(statistics))

    def start(
        self,
        statistics: PoissonStatistics,
        together: PoissonStatistics,
        names: Schema,
        threads: int = 1,
    ) -> PoissonDensity:
        """The rates of each class with one more row, the average of all rows."""
        for j in np.flatnonzero(together.observed == 0).tolist():
            self._raise_unknown(names.feature_name(j), "")
        average = together.sums / np.maximum(together.observed, 1.0)
        return self.density(replace(statistics, sums=statistics.sums + average), together)

    def maximise(self, expected: PoissonStatistics, names: Schema) -> PoissonDensity:
        """The rate of each class and column; that of all classes if a class lacks counts."""
        known = self.determined(expected)
        if not known.all():
            everywhere = expected.sums.sum(axis=1, keepdims=True)
            expected = replace(expected, sums=np.where(known, expected.sums, everywhere))
        return self.density(expected)

    def left_out(
        self,
        statistics: PoissonStatistics,
        path: Sequence["Poisson"],
        targets: Targets,
        names: Schema,
        *,
        exact: bool = True,
    ) -> LeftOut | None:
        """The closed form of rows with one label each: the sums of a class, less one term.

        A row is not reliable if rounding may matter in the remaining sums, or if its class then has
        no count in a column.
        """
        del exact
        if targets.is_soft:
            return None
        precision = Precision.of(targets)

        def scores(rows: Rows, removal: Removal) -> tuple[FloatArray, NDArray[np.bool_]]:
            numbers, codes = _numbers(rows), removal.codes
            lost = statistics.terms(numbers, 0, names) * removal.lost[:, None]
            left, sound = precision.left(statistics.sums[:, codes], lost)
            # For each row, the sums of all classes without it.
            each = np.arange(codes.size)
            sums = np.repeat(statistics.sums[:, None], codes.size, axis=1)
            sums[:, each, codes] = left
            rest = replace(statistics, sums=sums)
            has_digits, missing = sound[1:3].all(axis=(0, 2)), np.isnan(numbers)
            total = np.empty((len(path), rows.n_rows, statistics.weight.size))
            reliable = np.empty(total.shape[:2], dtype=bool)
            for s, family in enumerate(path):
                known = family.determined(rest)[each, codes] | missing
                reliable[s] = has_digits & known.all(axis=1)
                with np.errstate(divide="ignore", invalid="ignore"):  # where it is not
                    density = family.density(rest)
                    total[s] = density.by_column(numbers[:, None]).sum(axis=2)
            return total, reliable

        return scores

    def log_penalty(self, density: PoissonDensity) -> float:
        """``α Σ (m log λ − λ)``, the log of the gamma prior up to a constant."""
        if self.smoothing == 0:
            return 0.0
        assert density.overall is not None
        with np.errstate(divide="ignore", invalid="ignore"):
            product = np.where(density.overall > 0, density.overall * np.log(density.rate), 0.0)
        return self.smoothing * float((product - density.rate).sum())


@dataclass(frozen=True, slots=True, eq=False)
class RootRates:
    """``2 √λ``: a change by 1 is a standard deviation of one row, for any rate.

    Unlike logarithms they converge if a rate tends to 0.
    """

    shape: tuple[int, ...]
    overall: FloatArray | None  # (d,)

    def vector(self, density: PoissonDensity) -> FloatArray:
        return np.asarray(2.0 * np.sqrt(density.rate)).ravel()

    def density(self, vector: FloatArray) -> PoissonDensity:
        """The density with these coordinates."""
        return PoissonDensity(np.square(0.5 * vector).reshape(self.shape), self.overall)

    def rounding(self, density: PoissonDensity) -> float:
        """Roots are accurate to a few units in their last place."""
        return 16 * _EPS * max(1.0, float(np.sqrt(density.rate.max(initial=0.0))))


class SettingsRecord(Record, frozen=True):
    """The settings in a model file."""

    smoothing: Annotated[float, Meta(ge=0)]

    def read(self) -> Poisson:
        return Poisson(self.smoothing)


class StatisticsRecord(Record, frozen=True):
    """The weights of the classes, and the sums of each class and column."""

    weight: Raw
    missing: Raw
    observed: Raw
    total: Raw
    log_factorial: Raw

    @classmethod
    def of(cls, statistics: PoissonStatistics) -> "StatisticsRecord":
        return cls(*map(encode, (statistics.weight, *statistics.sums)))

    def read(self, _: Poisson, names: Schema) -> PoissonStatistics:
        k, d = names.classes.shape[0], names.n_features
        sums = [self.weights(name, k, d) for name in PoissonStatistics.summed]
        statistics = PoissonStatistics(self.weights("weight", k), np.stack(sums))
        check_weight(statistics.weight, statistics.missing + statistics.observed)
        if ((statistics.observed == 0) & (statistics.total > 0)).any():
            refuse("total", "0 where no row has a value")
        return statistics


class DensityRecord(Record, frozen=True):
    """The rates, class by class."""

    rate: Raw

    def read(self, _: Poisson, names: Schema) -> PoissonDensity:
        return PoissonDensity(self.weights("rate", names.classes.shape[0], names.n_features))
