"""What reading a source gives: the moments of its rows, and what was read."""

from dataclasses import dataclass, replace

from gaussbayes.base.schema import Schema
from gaussbayes.model.labelled import LabelledMoments


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be used, and why."""

    file: str
    row: int  # from 1, the header not counted
    column: str | None  # None if the row as a whole is wrong
    value: str | None
    problem: str


@dataclass(frozen=True, slots=True)
class BadRows:
    """How many rows were left out, and the first of them."""

    count: int = 0
    first: tuple[BadRow, ...] = ()  # a few

    def __add__(self, other: "BadRows") -> "BadRows":
        return BadRows(self.count + other.count, (*self.first, *other.first)[:MOST_NAMED])

    def later(self, n_rows: int) -> "BadRows":
        """The same rows, after so many others in their file."""
        return BadRows(self.count, tuple(replace(bad, row=bad.row + n_rows) for bad in self.first))


MOST_NAMED = 5
"""Bad rows that are kept to be named."""


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """The moments of a source's rows, and what they are the moments of."""

    learnt: LabelledMoments
    features: tuple[str, ...]
    target: str
    n_rows: int  # those summed
    bad_rows: BadRows = BadRows()
    n_incomplete: int = 0  # those, among the rows summed, of which a number is missing
    categorical: tuple[int, ...] = ()  # which of the features hold categories

    @property
    def schema(self) -> Schema:
        """What the classes and the features are called, and which of them hold categories."""
        return Schema(self.learnt.classes, len(self.features), self.features, self.categorical)

    @property
    def n_patterns(self) -> int:
        """In how many different ways features are missing, through all classes."""
        cells = self.learnt.incomplete
        return 0 if cells is None else cells.n_patterns
