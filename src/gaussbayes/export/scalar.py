"""Formulas of one row, as records: what SQL and expressions of frames have in common.

A `Scalar` is an operation and its arguments. Values are floats, booleans, or what columns hold;
each may be missing, and then so is what is calculated from it, but for `first_known`, `choose` and
`is_missing`. Operations are few and in every engine:

==================  ==============================================================================
``column``          a column by name
``value``           a constant: a float, integer, string or boolean, or None
``sum product``     of any number of floats
``minus over``      of two floats
``ln exp abs floor``  of one float
``largest``         of any number of floats, either all or none of which are missing
``less at_most``    comparisons of two floats
``equal``           of two floats, or of a column and a value
``among``           whether a column holds one of some values
``both either not``  of booleans
``is_missing``      of anything
``first_known``     the first of several that is not missing
``choose``          the value after the first condition that is true, or the last one
==================  ==============================================================================

A `Program` binds formulas to names, in stages: those of a stage use the stages before it. What is
used several times is calculated once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

IMPOSSIBLE = -1e290
"""Stands for the logarithm of 0: many of them can be added without overflow."""

_WIDEST_SUM = 64
"""Terms that are added one after another; more are added in groups, for parsers have a depth."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """An operation on others; see above.

    Examples
    --------
    >>> x = column("x")
    >>> (2.0 * x - 1.0).arguments[0]
    Scalar(operation='product', arguments=(Scalar(operation='value', arguments=(2.0,)), x))
    """

    operation: str
    arguments: tuple[Any, ...]

    def __repr__(self) -> str:
        if self.operation == "column":
            return str(self.arguments[0])
        return f"Scalar(operation={self.operation!r}, arguments={self.arguments!r})"

    def __add__(self, other: "Scalar | float") -> "Scalar":
        return total([self, as_scalar(other)])

    def __sub__(self, other: "Scalar | float") -> "Scalar":
        subtrahend = as_scalar(other)
        return self if subtrahend == _ZERO else Scalar("minus", (self, subtrahend))

    def __mul__(self, other: "Scalar | float") -> "Scalar":
        return Scalar("product", (self, as_scalar(other)))

    def __rmul__(self, other: float) -> "Scalar":
        return self if other == 1.0 else Scalar("product", (as_scalar(other), self))

    def __truediv__(self, other: "Scalar | float") -> "Scalar":
        return Scalar("over", (self, as_scalar(other)))

    @property
    def operands(self) -> Iterator["Scalar"]:
        """The formulas that it is made of."""
        for each in self.arguments:
            if isinstance(each, Scalar):
                yield each
            elif isinstance(each, tuple):
                yield from (one for one in each if isinstance(one, Scalar))

    @property
    def columns(self) -> set[str]:
        """The names of the columns in it."""
        if self.operation == "column":
            return {self.arguments[0]}
        names: set[str] = set()
        for each in self.operands:
            names |= each.columns
        return names


def column(name: str) -> Scalar:
    """A column by its name."""
    return Scalar("column", (name,))


def value(constant: Any) -> Scalar:
    """A constant; None is a missing value."""
    return Scalar("value", (constant,))


MISSING_VALUE = value(None)
_ZERO = value(0.0)


def as_scalar(number: Scalar | float) -> Scalar:
    """A number as a formula."""
    return number if isinstance(number, Scalar) else value(float(number))


def total(terms: Sequence[Scalar]) -> Scalar:
    """The sum of formulas; 0 of none."""
    some = [term for term in terms if term != _ZERO]
    while len(some) > _WIDEST_SUM:
        starts = range(0, len(some), _WIDEST_SUM)
        some = [total(some[start : start + _WIDEST_SUM]) for start in starts]
    if not some:
        return _ZERO
    return some[0] if len(some) == 1 else Scalar("sum", tuple(some))


def weighted(coefficients: Sequence[float], terms: Sequence[Scalar]) -> Scalar:
    """``Σ coefficient · term``; coefficients of 0 are left out."""
    pairs = zip(coefficients, terms, strict=True)
    return total([float(number) * term for number, term in pairs if number != 0])


def ln(x: Scalar) -> Scalar:
    """The natural logarithm of a number above 0."""
    return Scalar("ln", (x,))


def exp(x: Scalar) -> Scalar:
    """The exponential; some engines have no number for a result below 1e-308."""
    return Scalar("exp", (x,))


def absolute(x: Scalar) -> Scalar:
    """The absolute value."""
    return Scalar("abs", (x,))


def floor(x: Scalar) -> Scalar:
    """The largest integer that is not larger."""
    return Scalar("floor", (x,))


def largest(terms: Sequence[Scalar]) -> Scalar:
    """The largest of some numbers, all of which are missing, or none."""
    return terms[0] if len(terms) == 1 else Scalar("largest", tuple(terms))


def less(a: Scalar, b: Scalar | float) -> Scalar:
    """Whether ``a < b``."""
    return Scalar("less", (a, as_scalar(b)))


def at_most(a: Scalar, b: Scalar | float) -> Scalar:
    """Whether ``a ≤ b``."""
    return Scalar("at_most", (a, as_scalar(b)))


def equal(a: Scalar, b: Any) -> Scalar:
    """Whether two are equal; the second may be a constant of any kind."""
    return Scalar("equal", (a, b if isinstance(b, Scalar) else value(b)))


def among(a: Scalar, values: Sequence[Any]) -> Scalar:
    """Whether a column holds one of some values."""
    return Scalar("among", (a, tuple(values)))


def both(conditions: Sequence[Scalar]) -> Scalar:
    """Whether all conditions are true."""
    return conditions[0] if len(conditions) == 1 else Scalar("both", tuple(conditions))


def either(conditions: Sequence[Scalar]) -> Scalar:
    """Whether some condition is true."""
    return conditions[0] if len(conditions) == 1 else Scalar("either", tuple(conditions))


def negated(condition: Scalar) -> Scalar:
    """Whether a condition is false."""
    return Scalar("not", (condition,))


def is_missing(x: Scalar) -> Scalar:
    """Whether there is no value; never missing itself."""
    return Scalar("is_missing", (x,))


def first_known(*terms: Scalar | float) -> Scalar:
    """The first that is not missing."""
    some = tuple(map(as_scalar, terms))
    return some[0] if len(some) == 1 else Scalar("first_known", some)


def choose(pairs: Sequence[tuple[Scalar, Scalar | float]], otherwise: Scalar | float) -> Scalar:
    """The value after the first condition that is true; a missing condition is not."""
    if not pairs:
        return as_scalar(otherwise)
    flat = tuple(each for condition, term in pairs for each in (condition, as_scalar(term)))
    return Scalar("choose", (*flat, as_scalar(otherwise)))


def looked_up(code: Scalar, entries: Sequence[float], otherwise: Scalar | float) -> Scalar:
    """The entry of a table at a code 0, 1, …; `otherwise` where the code is missing.

    Neighbours that are equal are looked up together.
    """
    ends = [i for i in range(len(entries)) if i + 1 == len(entries) or entries[i] != entries[i + 1]]
    return choose([(at_most(code, float(end)), float(entries[end])) for end in ends], otherwise)


@dataclass(slots=True)
class Program:
    """Formulas by name, in stages: stage 0 are the inputs, later ones use those before them."""

    stages: list[dict[str, Scalar]] = field(default_factory=lambda: [{}])
    _stage_of: dict[str, int] = field(default_factory=dict)
    _known: dict[Scalar, Scalar] = field(default_factory=dict)

    def add_input(self, name: str) -> Scalar:
        """A column that is there before anything is calculated."""
        self._stage_of[name] = 0
        return column(name)

    def bind(self, formula: Scalar, letter: str) -> Scalar:
        """A formula as a column of its own, in the first stage in which it can be; once each."""
        if formula.operation in {"column", "value"}:
            return formula
        known = self._known.get(formula)
        if known is None:
            stage = 1 + max((self._stage_of[name] for name in formula.columns), default=0)
            name = f"{letter}_{len(self._known)}"  # inputs have no underscore
            while len(self.stages) <= stage:
                self.stages.append({})
            self.stages[stage][name] = formula
            self._stage_of[name] = stage
            known = self._known[formula] = column(name)
        return known
