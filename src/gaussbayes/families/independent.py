"""What families of columns that are independent given the class have in common.

A family of such number columns knows its rows by sums ``Σ w t(x)`` of a few functions t of a value,
for each class and column: the sufficient statistics of an exponential family. It says which
functions these are, and which density follows from the sums; observing rows, the algebra of the
sums, EM and rows left out one at a time follow here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NoReturn, Self, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.checks import not_negative
from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import merge_blocks
from gaussbayes.base.notices import AUTOMATIC_MODEL, Remedy
from gaussbayes.base.records import refuse
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import for_each, ranges, rows_at_once
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.likelihood_ratio import (
    FamilyTests,
    FeatureChange,
    LikelihoodRatio,
    Ratio,
    bartlett_p_value,
)
from gaussbayes.families.protocol import AnyFamily, D, Family, Fit, Kind, LeftOut, S
from gaussbayes.families.removal import Precision, Removal, difference, raise_removal


@dataclass(frozen=True, slots=True)
class Place:
    """Where some numbers stand, so that a message can name it."""

    first_row: int = 0
    names: Schema | None = None  # what the columns are called; None: by their numbers


ColumnRatio: TypeAlias = tuple[str, float, float, Ratio]
"""Name, value before and after of a parameter, and its likelihood ratio."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassSums(ABC):
    """Sums over rows by class, in arrays: to be inherited by a record of them."""

    class_axes: ClassVar[dict[str, int]]  # the arrays, and which of their axes is that of the class

    def mapped(self, function: Callable[..., FloatArray], *others: Self) -> Self:
        """A function of each array, the same ones of others, and the axis of the class."""
        arrays = {
            name: function(*(getattr(each, name) for each in (self, *others)), axis)
            for name, axis in self.class_axes.items()
        }
        return replace(self, **arrays)

    def trimmed(self) -> Self:
        """The same without what no row has any more."""
        return self

    @property
    def n_bytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in self.class_axes)

    def scaled(self, factor: float) -> Self:
        return self.mapped(lambda part, _: factor * part).trimmed()

    def selected(self, codes: Sequence[int]) -> Self:
        which = np.asarray(codes, dtype=np.intp)
        return self.mapped(lambda part, axis: part.take(which, axis)).trimmed()

    def aligned(self, positions: Sequence[int], n_classes: int) -> Self:
        def wider(part: FloatArray, axis: int) -> FloatArray:
            zeros = np.zeros((*part.shape[:axis], n_classes, *part.shape[axis + 1 :]))
            np.moveaxis(zeros, axis, 0)[list(positions)] = np.moveaxis(part, axis, 0)
            return zeros

        return self.mapped(wider)

    def together(self) -> Self:
        return self.mapped(lambda part, axis: part.sum(axis=axis, keepdims=True))


def check_alike(a: Any, b: Any) -> None:
    """Raise unless two sums are of as many classes and columns."""
    mine, theirs = ((each.weight.size, each.n_columns) for each in (a, b))
    if mine != theirs:
        msg = (
            "sums of {} classes and {} columns cannot be combined with those of {} classes and {} "
            "columns"
        )
        raise DataError(msg.format(*mine, *theirs))


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSums(ClassSums):
    """Sums over rows of functions of a value that are never negative, by class and column.

    Of integers they are exact. The first is the weight of the rows in which the value is missing;
    the next two are those from which the density follows.
    """

    weight: FloatArray  # (k,)
    sums: FloatArray  # (s, k, d)

    class_axes: ClassVar[dict[str, int]] = {"weight": 0, "sums": 1}
    summed: ClassVar[tuple[str, ...]]  # (s,) what messages and model files call the sums

    @staticmethod
    @abstractmethod
    def terms(numbers: FloatArray, place: Place) -> FloatArray:
        """What is summed (s, n, d) of numbers (n, d): first 1 where one is missing, else 0."""

    @property
    def n_columns(self) -> int:
        return int(self.sums.shape[2])

    @property
    def is_complete(self) -> bool:
        return not self.sums[0].any()

    @property
    def missing(self) -> FloatArray:
        """How much the rows without a value weigh (k, d)."""
        return np.asarray(self.sums[0])

    @property
    @abstractmethod
    def observed(self) -> FloatArray:
        """How much the rows with a value weigh (k, d)."""

    def __add__(self, other: Self) -> Self:
        check_alike(self, other)
        return self.mapped(lambda a, b, _: a + b, other)

    def plus(self, other: Self, names: Schema) -> Self:
        return self + other

    def without(self, other: Self, names: Schema) -> Self:
        """The sums without rows among these; DataError if one is negative, or of no row."""
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

    compared: ClassVar[str]  # what messages call the parameter of a column

    @abstractmethod
    def column_ratio(self, other: Self, code: int, column: int) -> ColumnRatio:
        """The parameter of a class and column here and in other rows, and their ratio."""

    def tested(self, other: Self, names: Schema) -> FamilyTests:
        """Whether the parameters of each class and column are those of other rows."""
        check_alike(self, other)

        def ratio(code: int, column: int) -> ColumnRatio:
            return self.column_ratio(other, code, column)

        codes = np.flatnonzero((self.weight > 0) & (other.weight > 0)).tolist()
        return column_tests(ratio, codes, self.n_columns, f"{self.compared}s", names)


def column_tests(
    ratio: Callable[[int, int], ColumnRatio],
    codes: Sequence[int],
    n_columns: int,
    quantity: str,
    names: Schema,
) -> FamilyTests:
    """Likelihood ratios of independent columns: of each class their sum."""
    ratios, changes, titles = [], [], names.titles
    for code in codes:
        columns = [ratio(code, j) for j in range(n_columns)]
        sums = (sum(terms) for terms in zip(*(each[3] for each in columns), strict=True))
        ratios.append(LikelihoodRatio(quantity, code, *sums))
        for title, (name, before, after, of_column) in zip(titles, columns, strict=True):
            p = bartlett_p_value(*of_column) if of_column[1] else np.nan
            changes.append(FeatureChange(title, code, name, before, after, p))
    return FamilyTests(tuple(ratios), tuple(changes))


SumsT = TypeVar("SumsT", bound=ColumnSums)


def sum_rows(
    kind: type[SumsT], rows: Rows, targets: Targets, threads: int = 1, names: Schema | None = None
) -> SumsT:
    """The sums over rows, in blocks of a size that depends on nothing but the number of columns."""
    n, d = rows.numbers.shape
    blocks = ranges(n, rows_at_once(d, 256)) or [slice(0, 0)]

    def sum_block(block: slice) -> SumsT:
        numbers = rows[block].matrix.astype(np.float64, copy=False)
        return kind(*_by_class(kind.terms(numbers, Place(block.start, names)), targets[block]))

    return merge_blocks(sum_block, blocks, threads)


def score_blocks(
    score: Callable[[FloatArray, Place], FloatArray], rows: Rows, k: int, threads: int
) -> RealArray:
    """The scores (n, k) of rows by those of numbers (b, d), in the float type of the rows."""
    n, d = rows.numbers.shape
    scores = np.empty((n, k), dtype=rows.dtype)

    def score_block(block: slice) -> None:
        numbers = rows[block].matrix.astype(np.float64, copy=False)
        scores[block] = score(numbers, Place(block.start))

    for_each(score_block, ranges(n, rows_at_once(d * k, 256)), threads)
    return scores


def _by_class(terms: FloatArray, targets: Targets) -> tuple[FloatArray, FloatArray]:
    """The weight of each class (k,), and the sums of terms (s, n, d) over its rows (s, k, d)."""
    (s, _, d), k, weights = terms.shape, targets.n_classes, targets.weights
    if targets.is_soft:
        soft_weights = targets.labels if weights is None else targets.labels * weights[:, None]
        # Not a matrix product: BLAS may add in another order with other threads.
        return soft_weights.sum(axis=0), np.einsum("nc,snj->scj", soft_weights, terms)
    codes, sums = targets.codes, np.zeros((s, k, d))
    for number, j in np.argwhere(terms.any(axis=1)).tolist():
        values = terms[number, :, j]
        sums[number, :, j] = np.bincount(codes, values if weights is None else values * weights, k)
    return np.bincount(codes, weights, k).astype(np.float64), sums


def check_values(
    numbers: FloatArray, possible: NDArray[np.bool_], expected: str, place: Place
) -> None:
    """Raise for the first of the numbers (n, d) that is not possible, but must be `expected`."""
    if not possible.all():
        row, j = np.argwhere(~possible)[0].tolist()
        column = f"column {j} of its family" if place.names is None else place.names.feature_name(j)
        msg = (
            f"row {row + place.first_row} has {numbers[row, j]:g} in {column}, which must be "
            f"{expected}; correct or drop such rows, or choose another family for the feature"
        )
        raise DataError(msg)


def linear_scores(terms: FloatArray, natural: FloatArray) -> FloatArray:
    """``Σ_s Σ_j t_s(x_j) η_scj`` (n, k) of terms (s, n, d) and natural parameters (s, k, d).

    A term of 0 adds 0, also if its parameter is −∞, as of a value of probability 0.
    """
    finite = natural > -np.inf
    known = np.where(finite, natural, 0.0)
    scores = np.zeros((terms.shape[1], natural.shape[1]))
    for term, parameter, possible in zip(terms, known, finite, strict=True):
        scores += term @ parameter.T
        if not possible.all():
            scores[term @ ~possible.T > 0] = -np.inf
    return scores


def linear_log_likelihood(sums: FloatArray, natural: FloatArray) -> float:
    """``Σ_scj sums_scj η_scj``, where what weighs nothing adds 0."""
    positive = sums > 0
    return float(sums[positive] @ natural[positive])


_POWERS = {1.0: 0.5, 0.5: 0.125, 0.0: 0.125, -0.5: 0.125, -1.0: 0.125}
"""Powers of the probabilities by which `draw_powers` draws, and the proportion of rows of each."""


def draw_powers(
    density: Any, codes: CodeArray, generator: np.random.Generator
) -> tuple[Rows, FloatArray]:
    """Discrete values of one row for each class code (n,), rare ones among them, and weights.

    Half of the rows are drawn from probabilities in proportion to a power of those of the density:
    ½ makes what is rare less rare, 0 everything alike, and −1 turns rare and frequent about. A row
    weighs as much as it is more probable in the density than in this mixture: at most 2.
    """
    proportions = np.array(list(_POWERS.values()))
    chosen = generator.choice(len(_POWERS), size=codes.size, p=proportions)
    densities = [density.to_the_power(power) for power in _POWERS]
    which = [np.flatnonzero(chosen == number) for number in range(len(_POWERS))]
    pairs = zip(densities, which, strict=True)
    parts = [raised.draw(codes[some], generator) for raised, some in pairs]
    numbers, drawn = (np.concatenate([getattr(p, of) for p in parts]) for of in ("matrix", "codes"))
    rows = Rows(numbers, drawn, parts[0].categories)[np.argsort(np.concatenate(which))]
    each = np.stack([raised.log_density_in(rows, codes) for raised in densities])
    mixture = np.logaddexp.reduce(each + np.log(proportions)[:, None], axis=0)
    return rows, np.exp(each[0] - mixture)


def log_power(log_probability: FloatArray, power: float) -> FloatArray:
    """Logarithms of a power of probabilities, of which 0 stays 0."""
    raised = np.full_like(log_probability, -np.inf)
    return np.multiply(log_probability, power, out=raised, where=log_probability > -np.inf)


class ColumnDensity(ABC):
    """A density of such number columns: a subclass has the parameters and what follows from them.

    Missing values count as missing in `expect`: as the columns are independent, their expectation
    is what the density says already.
    """

    __slots__ = ()

    statistics_type: ClassVar[type[ColumnSums]]

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of classes and of columns."""

    @property
    @abstractmethod
    def variance(self) -> FloatArray:
        """The variances (k, d)."""

    @abstractmethod
    def log_likelihood(self, statistics: Any) -> float:
        """``Σ w log p(x | c)`` of what was observed, each row in its own class."""

    @property
    def n_classes(self) -> int:
        return self.shape[0]

    @property
    def n_columns(self) -> int:
        return self.shape[1]

    @property
    def n_parameters(self) -> int:
        return self.n_classes * self.n_columns

    @property
    def deviation(self) -> FloatArray:
        return np.sqrt(self.variance)

    def dense_covariance(self) -> FloatArray:
        """The variances in the diagonals of matrices (k, d, d)."""
        return np.asarray(self.variance[:, :, None] * np.eye(self.n_columns))

    def expect(self, rows: Rows, responsibility: FloatArray, threads: int = 1) -> Any:
        """The sums over rows that belong to each class in part (n, k)."""
        targets = Targets(responsibility, self.n_classes)
        return sum_rows(self.statistics_type, rows, targets, threads)

    def expect_statistics(self, statistics: Any) -> tuple[Any, float]:
        return statistics, self.log_likelihood(statistics)


@dataclass(frozen=True, slots=True)
class Smoothed(Family[S, D]):
    """A family whose one setting is how much is added to every sum or count: to be inherited."""

    smoothing: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "smoothing", not_negative("smoothing", self.smoothing))

    @property
    def options(self) -> dict[str, Any]:
        return {"smoothing": self.smoothing}

    def alternatives(self) -> dict[Remedy, AnyFamily]:
        others = (AUTOMATIC_MODEL, Remedy("smooth the estimates", (("smoothing", 1.0),)))
        return {} if self.smoothing else dict.fromkeys(others, replace(self, smoothing=1.0))

    def _raise_unknown(self, feature: str, owner: str) -> NoReturn:
        msg = (
            f"{feature} is missing in every row{owner}, so that its distribution is not defined "
            "there; add rows with a value, or exclude the feature"
        )
        raise DataError(msg)


@dataclass(frozen=True, slots=True)
class IndependentColumns(Smoothed[SumsT, D]):
    """A family of such number columns: a subclass says which density follows from the sums."""

    kind: ClassVar[Kind] = "number"
    statistics_type: ClassVar[type[ColumnSums]]

    @abstractmethod
    def density(self, sums: SumsT, together: SumsT | None = None) -> D:
        """The density that maximises likelihood and penalty, where it is determined.

        Arrays of `sums` may have further axes before those of class and column. `together` are the
        sums over all rows as those of one class; None adds those of the classes.
        """

    def determined(self, sums: SumsT) -> NDArray[np.bool_]:
        """Where there is a density (k, d): where rows have a value, of any class if smoothed."""
        observed = sums.observed
        if self.smoothing:
            observed = np.broadcast_to(observed.sum(axis=-2, keepdims=True), observed.shape)
        return np.asarray(observed > 0)

    def observe(self, rows: Rows, targets: Targets, names: Schema, threads: int = 1) -> SumsT:
        return sum_rows(cast("type[SumsT]", self.statistics_type), rows, targets, threads, names)

    def check(self, rows: Rows, names: Schema) -> None:
        for block in ranges(rows.n_rows, rows_at_once(rows.numbers.shape[1], 256)):
            numbers = rows[block].matrix.astype(np.float64, copy=False)
            self.statistics_type.terms(numbers, Place(block.start, names))

    def estimate(
        self, statistics: SumsT, names: Schema, threads: int = 1, start: D | None = None
    ) -> Fit[D]:
        """The density of each class and column; DataError if a class has no value in a column."""
        nowhere = np.asarray(~(statistics.observed > 0).any(axis=0))
        for c, j in np.argwhere(~self.determined(statistics)).tolist():
            owner = "" if nowhere[j] else f" of class {names.class_name(c)}"
            self._raise_unknown(names.feature_name(j), owner)
        return Fit(self.density(statistics))

    def start(self, statistics: SumsT, together: SumsT, names: Schema, threads: int = 1) -> D:
        """The density of each class with one more row, which is the average of all rows."""
        for j in np.flatnonzero(together.observed == 0).tolist():
            self._raise_unknown(names.feature_name(j), "")
        average = together.sums / np.maximum(together.observed, 1.0)
        return self.density(replace(statistics, sums=statistics.sums + average), together)

    def maximise(self, expected: SumsT, names: Schema) -> D:
        """The density of each class and column; that of all classes where one has no value."""
        known = self.determined(expected)
        if not known.all():
            everywhere = expected.sums.sum(axis=1, keepdims=True)
            expected = replace(expected, sums=np.where(known, expected.sums, everywhere))
        return self.density(expected)

    def left_out(
        self,
        statistics: SumsT,
        path: Sequence[Self],
        targets: Targets,
        names: Schema,
        others: SumsT | None = None,
        *,
        exact: bool = True,
    ) -> LeftOut | None:
        """The closed form of rows with one label each: the sums of a class, less one term.

        A row is not reliable if rounding may show in what is left without it, or if its class then
        has no value in a column.
        """
        del others, exact  # nothing has to be expected
        if targets.is_soft:
            return None
        precision = Precision.of(targets)

        def scores(rows: Rows, removal: Removal) -> tuple[FloatArray, NDArray[np.bool_]]:
            numbers, codes = rows.matrix.astype(np.float64, copy=False), removal.codes
            terms = statistics.terms(numbers, Place(names=names))
            lost = terms * removal.lost[:, None]
            left, sound = precision.left(statistics.sums[:, codes], lost)
            # Of each row, the sums of all classes without it.
            each = np.arange(codes.size)
            others = np.repeat(statistics.sums[:, None], codes.size, axis=1)
            others[:, each, codes] = left
            rest = replace(statistics, sums=others)
            has_digits, missing = sound[1:3].all(axis=(0, 2)), np.isnan(numbers)
            total = np.empty((len(path), rows.n_rows, statistics.weight.size))
            reliable = np.empty(total.shape[:2], dtype=bool)
            for s, family in enumerate(path):
                known = family.determined(rest)[each, codes] | missing
                reliable[s] = has_digits & known.all(axis=1)
                with np.errstate(divide="ignore", invalid="ignore"):  # where it is not
                    density: Any = family.density(rest)
                    total[s] = density.by_column(numbers[:, None]).sum(axis=2)
            return total, reliable

        return scores


def check_weight(weight: FloatArray, total: FloatArray) -> None:
    """Raise unless each class weighs (k,) what its rows with and without a value do (k, d)."""
    # Of fractional weights, what is left when nearly all rows were removed is mostly rounding.
    wrong = ~np.isclose(total, weight[:, None], rtol=1e-3, atol=0.0)
    if wrong.any():
        c, j = np.argwhere(wrong)[0].tolist()
        expected = f"that of the rows with and without a value of column {j}, {total[c, j]:g}"
        refuse(f"weight[{c}]", expected, f"{weight[c]:g}")
