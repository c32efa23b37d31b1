"""The family: levels of columns, candidates of model selection, and estimates from counts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.checks import check_finite, positive_number
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.pairs.density import PairsDensity, averaged, smoothed
from gaussbayes.families.pairs.levels import Levels, levels_of
from gaussbayes.families.pairs.statistics import PairStatistics, count
from gaussbayes.families.protocol import Family, Fit, Kind, LeftOut
from gaussbayes.families.removal import Precision, Removal
from gaussbayes.kernels import active
from gaussbayes.kernels.arrays import PairCounts

MOST_COUNTS = 4_000_000
"""Largest number of counts of pairs, over all classes."""

BINS = (48, 32, 24, 16, 12, 8, 6, 4, 3, 2)
"""Numbers of bins; the first that memory allows is used."""

TRIED = (12, 48, 24, 6, 3)
"""Numbers of bins that model selection tries; the first is used without selection."""

BACKOFFS = (4.0, 1.0, 16.0, 64.0)
"""Weights of the back-off that model selection tries."""


@dataclass(frozen=True, slots=True)
class Pairs(Family[PairStatistics, PairsDensity]):
    """Levels of columns of any kind, by averaged one-dependence estimators (AODE).

    Every column is cut into levels: numbers into about `bins` quantile bins; each category is a
    level, and rare ones share one. ``p(x | c)`` averages, over the columns p, models in which the
    levels of the others depend on the class and on the level of p; see `PairsDensity`. `fix`
    determines the levels from rows with or without labels; they are a setting from then on. Model
    selection also tries levels for missing values.

    Parameters
    ----------
    bins : about how many bins a number has; "auto" leaves them and the back-off to model selection
    backoff : weight of the rows that a pair borrows from ``p(x_j | c)``

    Examples
    --------
    >>> import numpy as np
    >>> from gaussbayes.data.rows import number_rows
    >>> x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> targets, names = Targets(np.array([0, 1, 1, 0], np.int32), 2), Schema(np.arange(2), 2)
    >>> (family,) = Pairs(backoff=0.5).fix(number_rows(x), targets, names)
    >>> density = family.estimate(family.observe(number_rows(x), targets, names), names).density
    >>> np.exp(density.log_density(number_rows(x))).round(2).tolist()  # the classes differ by XOR
    [[0.42, 0.08], [0.08, 0.42], [0.08, 0.42], [0.42, 0.08]]
    """

    bins: int | Literal["auto"] = 12
    backoff: float = 4.0
    levels: Levels | None = None
    limited: bool = False  # whether memory allowed fewer bins than requested

    name: ClassVar[str] = "pairs"
    kind: ClassVar[Kind] = "any"
    remedy: ClassVar[str] = "give these features another family, such as gaussian or categorical"

    def __post_init__(self) -> None:
        object.__setattr__(self, "backoff", positive_number("backoff", self.backoff))

    @property
    def fixed(self) -> Levels:
        """The levels; they must have been fixed."""
        if self.levels is None:
            msg = "the levels of columns must be fixed before they are used"
            raise OptionError(msg)
        return self.levels

    @property
    def plain(self) -> "Pairs":
        """The family before its levels were fixed."""
        return replace(self, levels=None, limited=False)

    @property
    def notice(self) -> str | None:
        """Notices about the levels."""
        if not self.limited:
            return None
        return (
            f"numbers have at most {max(column.n_levels for column in self.fixed.of)} bins, fewer "
            f"than wanted: there may be {MOST_COUNTS:,} counts of pairs of levels"
        )

    @property
    def is_fixed(self) -> bool:
        """Whether the levels are known."""
        return self.levels is not None

    @property
    def contents(self) -> tuple[str, ...]:
        """The required contents of columns in files."""
        return tuple(column.content for column in self.fixed.of)

    @property
    def options(self) -> Mapping[str, object]:
        """None: the bins and the back-off are not options."""
        return {}

    def fix(
        self, rows: Rows, targets: Targets, names: Schema, *, wide: bool = False
    ) -> "Sequence[Pairs]":
        """This family with levels fixed from the rows: the requested bins, as far as memory allows.

        Model selection starts from the most bins, and merges them.
        """
        if self.levels is not None:
            return [self]
        _check_finite(rows, names)
        most = BINS[0] if self.bins == "auto" else self.bins
        wanted = [most, *(fewer for fewer in BINS if fewer < most)]
        k, weights = targets.n_classes, targets.total_weights()
        if k * (wanted[-1] * names.n_features) ** 2 > MOST_COUNTS:
            fewest = levels_of(rows, weights, names.categorical, wanted[-1])
            if k * fewest.size**2 > MOST_COUNTS:  # checked before more bins are computed
                wanted = wanted[-1:]
        for bins in wanted:
            levels = levels_of(rows, weights, names.categorical, bins, missing=self.bins == "auto")
            if k * levels.size**2 <= MOST_COUNTS:
                return [replace(self, levels=levels, limited=bins < most)]
        n_counts = k * levels.size**2
        msg = (
            f"family 'pairs' cannot take {names.n_features} features in {targets.n_classes} "
            f"classes: with two levels each there would be {n_counts:,} counts of pairs, and there "
            f"may be {MOST_COUNTS:,}; give it fewer features"
        )
        raise DataError(msg)

    def of_columns(self, columns: Sequence[int]) -> "Pairs":
        """The family of these columns, in this order."""
        return replace(
            self, levels=None if self.levels is None else self.levels.of_columns(columns)
        )

    def observe(
        self, rows: Rows, targets: Targets, names: Schema, threads: int = 1
    ) -> PairStatistics:
        """The counts of pairs of levels of labelled rows."""
        _check_finite(rows, names)
        return count(self.fixed, rows, targets, threads)

    def adapted(self, statistics: PairStatistics) -> PairStatistics:
        """The same rows at the levels of this family, which may be fewer."""
        return statistics.at(self.fixed)

    def estimate(
        self,
        statistics: PairStatistics,
        names: Schema,
        threads: int = 1,
        start: PairsDensity | None = None,
    ) -> Fit[PairsDensity]:
        """The probabilities of levels and of their pairs, smoothed; see `pair_table`."""
        return Fit(averaged(self.adapted(statistics), self.backoff))

    # EM for missing labels.

    def start(
        self, statistics: PairStatistics, together: PairStatistics, names: Schema, threads: int = 1
    ) -> PairsDensity:
        """The density that EM starts from; smoothing leaves no level without a probability."""
        return smoothed(self.adapted(statistics), self.backoff, self.adapted(together))

    def maximise(self, expected: PairStatistics, names: Schema) -> PairsDensity:
        """The density that maximises likelihood and penalty; see `PairsDensity`.

        The base is that of all rows, which does not change when EM moves rows between classes.
        """
        expected = self.adapted(expected)
        return smoothed(expected, self.backoff, expected.together())

    def log_penalty(self, density: PairsDensity) -> float:
        """``m Σ base log θ / d``: the log of a Dirichlet prior of every distribution."""
        assert density.share is not None
        assert density.base is not None
        return self.backoff * density.share * float(density.base @ density.table.sum(axis=(0, 2)))

    # Held-out rows and selection.

    def left_out(
        self,
        statistics: PairStatistics,
        path: Sequence["Pairs"],
        targets: Targets,
        names: Schema,
        *,
        exact: bool = True,
    ) -> LeftOut | None:
        """The closed form of rows with one label each: the counts of a class, less one row.

        A row is not reliable if rounding may matter in the remaining sums.
        """
        if targets.is_soft:
            return None
        backoffs = [family.backoff for family in path]
        return left_out(self.adapted(statistics), backoffs, targets)

    def variants(self, statistics: PairStatistics, names: Schema) -> Iterator[Sequence["Pairs"]]:
        """Fewer bins, from the same counts, with and without levels of missing values.

        Each has several weights of the back-off.
        """
        if self.bins != "auto":
            yield [self]
            return
        weight = statistics.single.sum(axis=0)
        tried: list[Levels] = []
        for bins in TRIED:
            merged = self.fixed.merged(weight, bins)
            limited = self.limited and merged == self.levels
            for levels in (merged.without_missing, merged):
                if levels not in tried:
                    tried.append(levels)
                    yield [Pairs(bins, backoff, levels, limited) for backoff in BACKOFFS]


def _check_finite(rows: Rows, names: Schema) -> None:
    numbers = names.of_numbers
    check_finite(rows.matrix, names=numbers.features or numbers.places, allow_nan=True)


def left_out(counted: PairStatistics, backoffs: Sequence[float], targets: Targets) -> LeftOut:
    """The closed form for some weights of the back-off (s).

    A row is not reliable if rounding may matter in the remaining sums.
    """
    precision, levels = Precision.of(targets), counted.levels
    densities = [averaged(counted, backoff) for backoff in backoffs]
    n_levels = np.diff(levels.starts).astype(np.float64)
    counts = PairCounts(counted.count, counted.beside, counted.observed, n_levels)

    def scores(rows: Rows, removal: Removal) -> tuple[FloatArray, NDArray[np.bool_]]:
        n, codes = rows.n_rows, levels.codes(rows)
        total: FloatArray = np.empty((len(densities), n, counted.weight.size))
        for density, by_class in zip(densities, total, strict=True):
            active().score_pairs(codes, density.table, 0.0, by_class)
        without, reliable = np.empty((len(densities), n)), np.empty(n, dtype=bool)
        active().score_pairs_without(
            codes,
            removal.codes,
            removal.lost,
            counts,
            np.array(backoffs, dtype=np.float64),
            (precision.exact, precision.smallest),
            without,
            reliable,
        )
        total[:, np.arange(n), removal.codes] = without
        return total, np.broadcast_to(reliable, total.shape[:2])

    return scores
