"""The families that the laws are checked for: one line each, in `CASES`."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gaussbayes.base.records import encode
from gaussbayes.data.categories import MISSING
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families import family_records
from gaussbayes.families.categorical import Categorical
from gaussbayes.families.gaussian import Gaussian
from gaussbayes.families.pairs import Bins, Groups, Levels, Pairs
from gaussbayes.families.poisson import Poisson
from gaussbayes.families.transformed import Standardised, Transformed, YeoJohnson


@dataclass(frozen=True)
class Column:
    """What values a column may have."""

    sample: tuple[Any, ...]  # from which the laws draw
    support: tuple[Any, ...] = field(repr=False)  # all that there are, or as many as matter
    step: float = 1.0  # what each of the support stands for


LETTERS = Column(tuple("abcd"), tuple("abcd"))
COUNTS = Column((0, 1, 2, 3, 5, 8), tuple(range(200)))
NUMBERS = Column(
    tuple(np.arange(-20, 21) / 4), tuple(np.linspace(-400, 400, 32_001).tolist()), 0.025
)

POWER = YeoJohnson(0.7, -1.0, 4.0, 0.2, 0.9, -400.0, 400.0)
"""A transform that is smooth but at its origin, where the density of x still has two slopes."""


@dataclass(frozen=True)
class Case:
    """A family, and what its columns hold."""

    family: Any
    column: Column
    exact: bool = True  # statistics of integer weights do not round

    def __str__(self) -> str:
        chosen = [getattr(self.family, name, None) for name in ("structure", "smoothing")]
        kinds = [each.kind for each in getattr(self.family, "transforms", ()) if each is not None]
        return "-".join([self.family.name, *kinds, *(str(value) for value in chosen if value)])

    @property
    def observes_missing(self) -> bool:
        """Whether missing values have a level, and are not left out."""
        levels = getattr(self.family, "levels", None)
        return levels is not None and levels.of[0].missing

    def of(self, n_columns: int) -> Any:
        """The family of one or two columns."""
        return self.family.of_columns(range(n_columns))


LETTER_LEVELS = Groups(("a", "b", "c", "d"), (0, 1, 2, 2))
BINS = Bins((-5.0, -1.0, 1.0, 1.5), (-1.25, 0.75, 1.0, 5.0))

CASES = [
    Case(Categorical(), LETTERS),
    Case(Categorical(smoothing=0.5), LETTERS),
    Case(Poisson(), COUNTS, exact=False),
    Case(Poisson(smoothing=0.5), COUNTS, exact=False),
    Case(Gaussian(), NUMBERS, exact=False),
    Case(Gaussian.of("diagonal", shared=True), NUMBERS, exact=False),
    Case(Gaussian.of("full", shared=0.5), NUMBERS, exact=False),
    Case(Transformed((Standardised(1.5, 2.0),) * 2, Gaussian()), NUMBERS, exact=False),
    Case(Transformed((POWER,) * 2, Gaussian.of("full", shared=True)), NUMBERS, exact=False),
    Case(Pairs(4, 1.0, Levels((LETTER_LEVELS,) * 2)), LETTERS),
    Case(Pairs(4, 2.0, Levels((BINS,) * 2)), NUMBERS),
    Case(Pairs(4, 1.0, Levels((replace(LETTER_LEVELS, missing=True),) * 2)), LETTERS),
    Case(Pairs(4, 2.0, Levels((replace(BINS, missing=True),) * 2)), NUMBERS),
]

DISTRIBUTIONS = [case for case in CASES if case.family.name != "pairs"]
"""All but densities of levels: these tell classes apart, but are no probabilities of the values.
They have tests of their own."""

Values = Sequence[Sequence[Any]]
"""Rows of values; None is missing."""


@dataclass(frozen=True)
class Table:
    """Rows of values with class codes and weights."""

    case: Case
    n_classes: int
    n_columns: int
    values: tuple[tuple[Any, ...], ...]
    codes: tuple[int, ...]
    weights: tuple[float, ...]

    @property
    def rows(self) -> Rows:
        """The rows; categories are those that occur."""
        return rows_of(self.case, self.values, self.n_columns)

    @property
    def targets(self) -> Targets:
        """Classes and weights."""
        codes = np.array(self.codes, np.int32)
        return Targets(codes, self.n_classes, np.array(self.weights, np.float64))

    @property
    def names(self) -> Schema:
        """What messages call classes and columns."""
        return Schema(np.arange(self.n_classes), self.n_columns)

    @property
    def statistics(self) -> Any:
        """What the family observes."""
        return self.family.observe(self.rows, self.targets, self.names)

    @property
    def family(self) -> Any:
        """The family of these columns."""
        return self.case.of(self.n_columns)

    def taken(self, which: Sequence[int]) -> "Table":
        """Some of the rows."""
        picked = [[part[i] for i in which] for part in (self.values, self.codes, self.weights)]
        return Table(self.case, self.n_classes, self.n_columns, *map(tuple, picked))

    def __add__(self, other: "Table") -> "Table":
        parts = [
            (*getattr(self, name), *getattr(other, name)) for name in ("values", "codes", "weights")
        ]
        return Table(self.case, self.n_classes, self.n_columns, *parts)


def rows_of(case: Case, values: Values, n_columns: int) -> Rows:
    """Values as rows of the kind that the family takes."""
    n = len(values)
    if not isinstance(case.column.sample[0], str):
        numbers = [[np.nan if value is None else value for value in row] for row in values]
        matrix = np.array(numbers, np.float64).reshape(n, n_columns)
        return Rows(matrix, np.empty((n, 0), np.int32))
    codes = np.full((n, n_columns), MISSING, np.int32, order="F")
    categories = []
    for j in range(n_columns):
        column = [row[j] for row in values]
        categories.append(tuple(sorted({value for value in column if value is not None})))
        for i, value in enumerate(column):
            if value is not None:
                codes[i, j] = categories[j].index(value)
    return Rows(np.empty((n, 0)), codes, tuple(categories))


@st.composite
def tables(
    draw: st.DrawFn, case: Case, parts: int = 1, least: int = 0, missing: bool = True
) -> list[Table]:
    """Tables of one, two or three classes and one or two columns, with integer weights."""
    k, d = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    value = st.sampled_from(case.column.sample)
    cell = st.one_of(value, value, st.none()) if missing else value
    row = st.tuples(
        st.tuples(*[cell] * d), st.integers(0, k - 1), st.sampled_from([1.0, 1.0, 2.0, 5.0])
    )
    drawn = [draw(st.lists(row, min_size=least, max_size=7)) for _ in range(parts)]
    return [
        Table(case, k, d, *(tuple(part) for part in zip(*rows, strict=True)))
        if rows
        else Table(case, k, d, (), (), ())
        for rows in drawn
    ]


def random_table(
    case: Case, k: int = 2, d: int = 2, n: int = 40, missing: float = 0.0, seed: int = 0
) -> Table:
    """Rows whose classes differ; every class has several values in every column."""
    random = np.random.default_rng(seed)
    codes = np.arange(n) % k
    sample = case.column.sample
    # The classes prefer different parts of the values.
    place = random.beta(1.5 + codes[:, None], 2.5 - 0.5 * codes[:, None], size=(n, d))
    values = [[sample[int(at * len(sample))] for at in row] for row in place]
    for i, j in np.argwhere(random.random((n, d)) < missing).tolist():
        values[i][j] = None
    return Table(case, k, d, tuple(map(tuple, values)), tuple(codes.tolist()), (1.0,) * n)


def estimated(table: Table) -> Any:
    """The density of a table."""
    return table.family.estimate(table.statistics, table.names).density


@cache
def probes(case: Case, k: int, d: int) -> list[Any]:
    """Densities in which nothing is impossible."""
    family = case.of(d)
    found = []
    for seed in range(3):
        table = random_table(case, k, d, n=30 * k, seed=seed)
        together = Table(case, 1, d, table.values, (0,) * len(table.codes), table.weights)
        found.append(family.start(table.statistics, together.statistics, table.names))
    return found


def written(case: Case, part: str, value: Any) -> bytes:
    """Settings, statistics or a density as a model file has them."""
    kind = getattr(family_records(case.family.name), f"{part.capitalize()}Record")
    return bytes(encode(kind.of(value)))


def assert_same(case: Case, a: Any, b: Any) -> None:
    """Two statistics are those of the same rows: to the bit, or as any density sees them."""
    if case.exact:
        assert written(case, "statistics", a) == written(case, "statistics", b)
        return
    np.testing.assert_array_equal(a.weight, b.weight)
    assert a.is_complete == b.is_complete
    for density in probes(case, a.weight.size, a.n_columns):
        np.testing.assert_allclose(
            density.log_likelihood(a), density.log_likelihood(b), rtol=1e-9, atol=1e-9
        )
