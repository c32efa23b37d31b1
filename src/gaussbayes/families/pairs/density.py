"""Densities of pairs of levels: one-dependence models, averaged over their parents.

With ``θ`` the probabilities of levels, smoothed, the model of one parent p and the average of all
(AODE; Webb, Boughton and Wang 2005) are::

    p_p(x | c) = θ(x_p | c) Π_{j≠p} θ(x_j | c, x_p)          p(x | c) = mean over p of p_p(x | c)

Parents and children are the observed columns: a row with missing values is scored by the model of
its other columns, which is not the sum over the missing values. Where missing values have a level,
they are observed like other values. The result is the probability of the levels, not a density of
the numbers within a bin.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.checks import check_finite
from gaussbayes.base.errors import OptionError
from gaussbayes.base.threads import for_each, ranges, rows_at_once
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.categories import Categories
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.expression import PairTables
from gaussbayes.families.pairs.levels import Bins, Groups, Levels
from gaussbayes.families.pairs.statistics import PairStatistics, count
from gaussbayes.families.protocol import ParameterTable
from gaussbayes.kernels import active


def pair_table(
    statistics: PairStatistics, backoff: float, base: FloatArray | None = None
) -> FloatArray:
    """Logarithms of ``θ(v | c, u)`` of pairs of levels, and of ``θ(u | c)`` if v is u (V, V, k).

    Each has the weight of `backoff` rows of the `base` (V,): ``(weight + m base) / (total + m)``.
    By default the base of a single level is uniform, and that of a pair is ``θ(v | c)``.
    """
    levels, size = statistics.levels, statistics.levels.size
    n_levels = np.diff(levels.starts)[levels.column]
    uniform = 1.0 / n_levels if base is None else base
    observed = statistics.observed[:, levels.column]
    single = (statistics.single + backoff * uniform) / (observed + backoff)
    table = statistics.count + backoff * (single if base is None else base)[..., None, :]
    table /= (statistics.beside + backoff)[:, :, levels.column]
    table[:, levels.column[:, None] == levels.column] = 1.0
    table[:, np.arange(size), np.arange(size)] = single
    return np.ascontiguousarray(np.log(table).transpose(1, 2, 0))


@dataclass(frozen=True, eq=False)
class PairsDensity:
    """The average of one-dependence models.

    EM maximises ``Σ_p log p_p(x | c) / d`` of d columns instead, whose maximum follows from counts
    of pairs: with a `share`, which is 1/d, this is the log-density. A missing parent and the terms
    that depend on it then add nothing.
    """

    levels: Levels
    table: FloatArray  # (V, V, k), see `pair_table`
    backoff: float
    counted: PairStatistics | None = None  # from which the table follows, without a share
    share: float | None = None
    base: FloatArray | None = None  # (V,) to which the table is smoothed, with a share

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.table.shape[2])

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.levels.of)

    @property
    def n_parameters(self) -> int:
        """Free probabilities: those of pairs, given those of single levels."""
        return n_free(self.levels, self.n_classes)

    @property
    def categories(self) -> tuple[Categories, ...]:
        """The categories of each column that has some."""
        return self.levels.categories

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(x | c)`` (n, k) of the levels of rows; 0 for a row without values."""
        n, k = rows.n_rows, self.n_classes
        scores: RealArray = np.empty((n, k), rows.dtype)

        def score_block(block: slice) -> None:
            some = rows[block]
            check_finite(some.matrix, block.start, allow_nan=True)
            out = np.empty((some.n_rows, k))
            active().score_pairs(self.levels.codes(some), self.table, self.share or 0.0, out)
            scores[block] = out

        for_each(score_block, ranges(n, rows_at_once(self.n_columns * k, 256)), threads)
        return scores

    def expression(self, statistics: object) -> PairTables:
        """The levels of the columns, and the table."""
        del statistics  # missing values are not among the parents and children
        return PairTables(tuple(column.expression for column in self.levels.of), self.table)

    def expect(self, rows: Rows, responsibility: FloatArray, threads: int = 1) -> PairStatistics:
        """The counts of rows with soft labels (n, k)."""
        return count(self.levels, rows, Targets(responsibility, self.n_classes), threads)

    def expect_statistics(self, statistics: PairStatistics) -> tuple[PairStatistics, float]:
        """The counts unchanged: missing values do not enter the objective of EM."""
        statistics = statistics.at(self.levels)
        return statistics, self.log_likelihood(statistics)

    def log_likelihood(self, statistics: PairStatistics) -> float:
        """``Σ w Σ_p log p_p(x | c) / d``, the objective of EM: the log of a mean is not a sum."""
        if self.share is None:
            msg = "the likelihood of averaged models does not follow from the counts of pairs"
            raise OptionError(msg)
        counts = statistics.at(self.levels).count
        return self.share * float(np.einsum("cuv,uvc->", counts, self.table))

    def coordinates(self, names: Schema) -> "RootPairs":
        """Roots of the probabilities."""
        return RootPairs(self)

    def restarted(self, together: PairStatistics) -> "PairsDensity":
        """The density of EM for the counts of this density."""
        return self if self.counted is None else smoothed(self.counted, self.backoff, together)

    def marginal(self, columns: Sequence[int], names: Schema) -> "PairsDensity":
        """The model of these columns."""
        places = self.levels.places(columns)
        return replace(
            self,
            levels=self.levels.of_columns(columns),
            table=np.ascontiguousarray(self.table[places[:, None], places]),
            counted=None if self.counted is None else self.counted.of_columns(columns),
            base=None if self.base is None else self.base[places],
        )

    def selected(self, codes: Sequence[int]) -> "PairsDensity":
        """Only the classes with these codes, in this order."""
        return replace(
            self,
            table=np.ascontiguousarray(self.table[:, :, list(codes)]),
            counted=None if self.counted is None else self.counted.selected(codes),
        )

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        """One row for each class code (n,): a parent, its level, and the levels given that.

        Numbers are uniform between the least and the greatest value of their bin, and so are
        categories that share a level.
        """
        n, d, starts = codes.size, self.n_columns, self.levels.starts
        parent = generator.integers(0, d, size=n)
        level = np.zeros(n, np.intp)
        drawn = np.zeros((n, d), np.intp)
        probability = np.exp(self.table)
        for p in range(d):
            rows = np.flatnonzero(parent == p)
            own = np.arange(starts[p], starts[p + 1])
            drawn[rows, p] = _draw(probability[own, own, :].T[codes[rows]], generator)
            level[rows] = starts[p] + drawn[rows, p]
        for j in range(d):
            rows = np.flatnonzero(parent != j)
            given = probability[level[rows], starts[j] : starts[j + 1], codes[rows]]
            drawn[rows, j] = _draw(given, generator)
        return self.levels.rows(drawn, generator)

    def contributions(
        self, row: Rows, pair: tuple[int, int], _: FloatArray | None
    ) -> tuple[float, FloatArray]:
        """Each column's part (d,) of the log ratio of two classes, compared with unknown values.

        Let ``α_p`` and ``β_p`` be the proportions of the parents' models in the probability of the
        row in either class, and ``Λ(x, y) = (x − y) / log(x / y)`` the logarithmic mean::

            log p(x | a) / p(x | b)  =  Σ_p ω_p log p_p(x | a) / p_p(x | b)        ω_p ∝ Λ(α_p, β_p)

        since ``Σ_p Λ(α_p, β_p) log(α_p / β_p) = Σ_p (α_p − β_p) = 0``. Column j gets the terms of
        its value, ``Σ_p ω_p log θ(x_j | a, x_p) / θ(x_j | b, x_p)``: a mean over the parents. The
        sum is exact, and exchanging a and b changes the sign.
        """
        codes = self.levels.codes(row)[0]
        there = np.flatnonzero(codes >= 0)
        amounts = np.zeros(self.n_columns)
        if there.size:
            places = codes[there]
            logs = self.table[places[:, None], places][:, :, list(pair)]  # (p, j, 2)
            ratio = logs[..., 0] - logs[..., 1]
            weight = np.full(there.size, self.share or 0.0)
            if self.share is None:
                weight = _log_mean_weights(logs.sum(axis=1))
            amounts[there] = weight @ ratio
        return 0.0, amounts

    @property
    def single(self) -> FloatArray:
        """The probabilities of single levels (k, V)."""
        return np.asarray(np.exp(np.einsum("vvk->kv", self.table)))

    @property
    def of_values(self) -> "PairsDensity":
        """The density given that no value is missing, for descriptions of the values."""
        plain = self.levels.without_missing
        if plain == self.levels:
            return self
        places = self.levels.within(plain)
        assert places is not None
        kept = np.flatnonzero(places >= 0)
        probability = np.exp(self.table[kept[:, None], kept])
        own = plain.column[:, None] == plain.column
        single = np.where(own[:, :, None], np.eye(len(own))[:, :, None] * probability, probability)
        total = np.add.reduceat(single, plain.starts[:-1], axis=1)  # of pairs
        of_single = np.add.reduceat(np.einsum("uuk->uk", single), plain.starts[:-1], axis=0)
        table = probability / total[:, plain.column]
        table[own] = 1.0
        places = np.arange(plain.size)
        table[places, places] = np.einsum("uuk->uk", single) / of_single[plain.column]
        return replace(self, levels=plain, table=np.log(table), counted=None, base=None)

    @property
    def numbers(self) -> tuple[list[int], "Moments | None"]:
        """The columns of numbers, and the moments of their samples."""
        columns = [j for j, column in enumerate(self.levels.of) if isinstance(column, Bins)]
        return columns, _moments(self.of_values, columns) if columns else None

    @property
    def probabilities(self) -> dict[int, FloatArray]:
        """``p(category | class)`` (k, m) of each column of categories, equal within a level."""
        single, levels = self.of_values.single, self.of_values.levels
        return {
            j: single[:, start + np.array(column.level)]
            / np.bincount(column.level)[[*column.level]]
            for j, (column, start) in enumerate(zip(levels.of, levels.starts, strict=False))
            if isinstance(column, Groups)
        }

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """The probabilities of the levels of each column."""
        single, starts = self.single, self.levels.starts
        return tuple(
            ParameterTable(
                f"p({title} | class)", column.titles, single[:, starts[j] : starts[j + 1]]
            )
            for j, (title, column) in enumerate(zip(names.titles, self.levels.of, strict=True))
        )


def averaged(statistics: PairStatistics, backoff: float) -> PairsDensity:
    """The average of the one-dependence models of these counts."""
    table = pair_table(statistics, backoff)
    return PairsDensity(statistics.levels, table, backoff, statistics)


def smoothed(statistics: PairStatistics, backoff: float, together: PairStatistics) -> PairsDensity:
    """The density of EM, smoothed towards the proportions of the levels of all rows."""
    levels = statistics.levels
    n_levels = np.diff(levels.starts)[levels.column]
    base = (together.single[0] + 1.0) / (together.observed[0][levels.column] + n_levels)
    table = pair_table(statistics, backoff, base)
    return PairsDensity(levels, table, backoff, share=1.0 / len(levels.of), base=base)


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Means (k, g) and covariances (k, g, g) of numbers."""

    mean: FloatArray
    covariance: FloatArray

    @property
    def deviation(self) -> FloatArray:
        """The standard deviations (k, g)."""
        return np.asarray(np.sqrt(np.einsum("kjj->kj", self.covariance)))

    def dense_covariance(self) -> FloatArray:
        """The covariances (k, g, g)."""
        return self.covariance


def _moments(density: PairsDensity, columns: Sequence[int]) -> Moments:
    """Means and covariances of numbers that are uniform within their bins."""
    values, squares = np.zeros((2, density.levels.size, len(columns)))
    for place, j in enumerate(columns):
        some, bins = slice(*density.levels.starts[j : j + 2]), density.levels.of[j]
        assert isinstance(bins, Bins)
        low, high = np.array(bins.lowest), np.array(bins.highest)
        values[some, place] = low / 2 + high / 2
        squares[some, place] = np.square(high - low) / 12 + values[some, place] ** 2
    own = density.levels.column[:, None] == density.levels.column
    given = np.exp(density.table) * ~own[:, :, None] + np.eye(len(own))[:, :, None]
    # Given a parent's level the columns are independent; the result is a mixture over parents
    # and levels.
    weight = density.single / density.n_columns  # (k, V)
    mean = np.einsum("ku,uvk,vj->kj", weight, given, values, optimize=True)
    expected = np.einsum("uvk,vj->kuj", given, values, optimize=True) - mean[:, None]
    covariance = np.einsum("ku,kui,kuj->kij", weight, expected, expected, optimize=True)
    second = np.einsum("ku,uvk,vj->kj", weight, given, squares, optimize=True)
    places = np.arange(len(columns))
    covariance[:, places, places] = second - np.square(mean)
    return Moments(mean, covariance)


def n_free(levels: Levels, n_classes: int) -> int:
    """The number of free probabilities of k classes: of single levels, and of pairs given these."""
    free = np.diff(levels.starts) - 1
    return int(n_classes * (free.sum() + (free.sum() ** 2 - np.square(free).sum()) // 2))


def _draw(probability: FloatArray, generator: np.random.Generator) -> NDArray[np.intp]:
    """One of the columns of each row of probabilities (n, m), which sum to 1."""
    reached = np.cumsum(probability, axis=1)
    place = generator.random(len(reached)) * reached[:, -1]
    return np.asarray((reached <= place[:, None]).sum(axis=1))


def _log_mean_weights(logs: FloatArray) -> FloatArray:
    """The weights (p,) of parents whose models have these log-densities in two classes (p, 2)."""
    # The logarithmic mean is √(x y) sinh(h) / h with h half of the logarithm of x / y.
    shares = logs - np.logaddexp.reduce(logs, axis=0)
    half = 0.5 * np.abs(shares[:, 0] - shares[:, 1])
    mean = shares.max(axis=1) + np.log(
        -np.expm1(-2.0 * half) / (2.0 * half), out=np.zeros(half.size), where=half > 0
    )
    weight = np.exp(mean - mean.max())
    return np.asarray(weight / weight.sum())


_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class RootPairs:
    """``2 √θ`` of the density of EM: a change by 1 is a standard deviation of one row.

    Any numbers are coordinates of the probabilities in proportion to their squares.
    """

    start: PairsDensity

    @property
    def used(self) -> NDArray[np.bool_]:
        """Which entries of a table are probabilities (V, V)."""
        column = self.start.levels.column
        return np.asarray((column[:, None] != column) | np.eye(column.size, dtype=bool))

    def vector(self, density: PairsDensity) -> FloatArray:
        """The coordinates of a density (p,)."""
        return np.asarray(2.0 * np.exp(0.5 * density.table[self.used])).ravel()

    def density(self, vector: FloatArray) -> PairsDensity:
        """The density with these coordinates."""
        levels, used = self.start.levels, self.used
        size, first = levels.size, levels.starts[:-1]
        square = np.zeros((size, size, self.start.n_classes))
        square[used] = np.square(vector).reshape(-1, self.start.n_classes)
        single = np.einsum("vvk->vk", square)
        total = np.add.reduceat(square, first, axis=1)
        of_column = np.add.reduceat(single, first, axis=0)
        total[np.arange(size), levels.column] = of_column[levels.column]
        square[~used] = 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            table = np.log(square) - np.log(total[:, levels.column])
        table[~used] = 0.0
        return replace(self.start, table=table)

    def rounding(self, density: PairsDensity) -> float:
        """Roots are accurate to a few units in the last place of 2, the largest of them."""
        return 16 * _EPS
