"""The operations of formulas, and blocks of columns in the form of each engine.

A `Value` is a block of columns: n rows and `width` columns in the form of its engine: an array in
NumPy, one SQL expression per column, a tensor in ONNX. Formulas
(`gaussbayes.export.density_formulas`, `gaussbayes.export.model_formulas`) combine blocks with one
another and with constants, scalars or arrays (width,), and are written once for all engines. A
block of width 1 combines with blocks of any width. Operations have the names of ONNX's operators.

Missing numbers are NaN, or NULL in SQL, and results computed from them are missing as well, except
those of `otherwise`, `choose` and `is_missing`. A comparison with a missing number is not true; SQL
does not call it false either, so that conditions are combined but never negated.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray
from gaussbayes.data.schema import ColumnMarks
from gaussbayes.families.expression import QuadraticForm

Operand = Union["Value", float, FloatArray]
"""A block of columns, or a constant."""

MOST_STORED = 12
"""Stored tables that one stage of a formula uses: databases plan few joins quickly."""

_UNDERFLOW = -700.0
"""The logarithm that represents log 0: some engines have no smaller number."""


def _operation(name: str) -> Callable[..., "Value"]:
    """A method that applies an operation to a block and more operands."""
    return lambda first, *others: first.ops.apply(name, first, *others)


def _reversed(name: str) -> Callable[["Value", Operand], "Value"]:
    return lambda second, first: second.ops.apply(name, first, second)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A block of columns of an engine; its operators and methods are those of formulas."""

    ops: "Ops"
    data: Any
    width: int

    __array_ufunc__ = None  # arrays delegate operators with a block to the block

    __add__ = __radd__ = _operation("Add")
    __mul__ = __rmul__ = _operation("Mul")
    __sub__, __rsub__ = _operation("Sub"), _reversed("Sub")
    __truediv__, __rtruediv__ = _operation("Div"), _reversed("Div")
    __lt__, __gt__ = _operation("Less"), _reversed("Less")
    __le__, __ge__ = _operation("LessOrEqual"), _reversed("LessOrEqual")
    __and__, equals = _operation("And"), _operation("Equal")
    log, abs, floor = _operation("Log"), _operation("Abs"), _operation("Floor")
    is_missing = _operation("IsNaN")
    otherwise = _operation("otherwise")  # another operand for missing values

    def exp(self) -> "Value":
        """The exponential function; 0 where it underflows in some engines."""
        return choose([(self < _UNDERFLOW, 0.0)], self.ops.apply("Exp", self))

    def log1p(self) -> "Value":
        """``log(1 + x)``, also for small x (Kahan): the rounding of 1 + x is compensated."""
        x = self.bind()
        above = (x + 1.0).bind()
        return choose([(above.equals(1.0), x)], above.log() * (x / (above - 1.0)))

    def expm1(self) -> "Value":
        """``exp(x) − 1``, also for small x."""
        x = self.bind()
        above = x.exp().bind()
        near = (above - 1.0) * (x / above.log())
        return choose([(above.equals(1.0), x), (x.abs() < 1.0, near)], above - 1.0)

    def sum(self) -> "Value":
        """The sum over the columns, of width 1."""
        return self if self.width == 1 else Value(self.ops, self.ops.reduced("ReduceSum", self), 1)

    def largest(self) -> "Value":
        """The largest number of each row, in which all or no numbers are missing."""
        return self if self.width == 1 else Value(self.ops, self.ops.reduced("ReduceMax", self), 1)

    def any(self) -> "Value":
        """Whether a condition is true in some column."""
        return choose([(self, 1.0)], 0.0).sum() > 0.0

    def __matmul__(self, matrix: FloatArray) -> "Value":
        return Value(self.ops, self.ops.product(self, matrix), matrix.shape[1])

    def take(self, places: Sequence[int]) -> "Value":
        """Some of the columns, in this order."""
        if list(places) == list(range(self.width)):
            return self
        return Value(self.ops, self.ops.taken(self, list(places)), len(places))

    def lookup(self, table: FloatArray, otherwise: float = np.nan) -> "Value":
        """The entries at positions 0, 1, …; another number for missing positions.

        A table (m,) is used for each column; a table (m, width), for positions in one column, has
        rows as entries.
        """
        width = self.width if table.ndim == 1 else table.shape[1]
        return Value(self.ops, self.ops.looked_up(self, table, otherwise), width)

    def stored(self, table: FloatArray) -> "Value":
        """`lookup` in a table (m, width) that databases keep beside the statement; 0 elsewhere.

        Bind sums of at most `MOST_STORED` such tables before more of them are used.
        """
        return Value(self.ops, self.ops.stored(self, table), table.shape[1])

    def bind(self) -> "Value":
        """The same block, computed once because it is used several times."""
        return Value(self.ops, self.ops.bound(self), self.width)


def choose(cases: Sequence[tuple[Value, Operand]], otherwise: Operand) -> Value:
    """The operand after the first condition that is true, or the last one."""
    arguments = [operand for case in cases for operand in case]
    return cases[0][0].ops.apply("choose", *arguments, otherwise)


def join(blocks: Sequence[Value]) -> Value:
    """The columns of several blocks, one after the other."""
    if len(blocks) == 1:
        return blocks[0]
    return Value(blocks[0].ops, blocks[0].ops.joined(blocks), sum(block.width for block in blocks))


def total(blocks: Sequence[Value]) -> Value:
    """The sum of several blocks."""
    result = blocks[0]
    for block in blocks[1:]:
        result += block
    return result


@dataclass(frozen=True, slots=True)
class InputColumn:
    """A feature of the scored table, with its marks of missing values."""

    name: str
    kind: Literal["number", "category", "date"]
    marks: ColumnMarks
    origin: float = 0.0  # of dates: the day of 1970 that is 0
    is_text: bool = False  # whether categories are strings


class Ops(ABC):
    """An engine: the columns of a table in it, and the operations on blocks of columns."""

    inputs: Sequence[InputColumn]
    impossible = -1e290  # represents log 0: many of them can be added
    largest = float(np.finfo(np.float64).max)

    def apply(self, operation: str, *operands: Operand) -> Value:
        """An operation on each row and column."""
        widths = [each.width if isinstance(each, Value) else np.size(each) for each in operands]
        return Value(self, self.elementwise(operation, operands), max(widths))

    @abstractmethod
    def numbers(self, columns: Sequence[int]) -> Value:
        """Columns of numbers or dates, by position: dates as days since their origin."""

    @abstractmethod
    def codes(self, column: int, values: Sequence[Any], *, missing: bool) -> Value:
        """The positions of a column's categories among some values; missing for others.

        If `missing` is set, missing categories have the position after the last.
        """

    @abstractmethod
    def elementwise(self, operation: str, operands: Sequence[Operand]) -> Any:
        """An operation by name; see the methods of `Value`."""

    @abstractmethod
    def reduced(self, operation: str, block: Value) -> Any:
        """The sum or the largest of several columns."""

    @abstractmethod
    def product(self, block: Value, matrix: FloatArray) -> Any:
        """``block @ matrix``."""

    @abstractmethod
    def taken(self, block: Value, places: list[int]) -> Any:
        """Some of the columns."""

    @abstractmethod
    def joined(self, blocks: Sequence[Value]) -> Any:
        """The columns of several blocks."""

    @abstractmethod
    def looked_up(self, places: Value, table: FloatArray, otherwise: float) -> Any:
        """See `Value.lookup`."""

    def stored(self, places: Value, table: FloatArray) -> Any:
        """See `Value.stored`."""
        return self.looked_up(places, table, 0.0)

    def bound(self, block: Value) -> Any:
        """The stored form of a block that is used several times."""
        return block.data

    def patterns(self, form: QuadraticForm, deviations: Value) -> NDArray[np.bool_]:
        """The incomplete patterns (p, d) that the formula of a full covariance lists.

        A row with another incomplete pattern has no score unless `completed` gives it one.
        """
        del deviations
        return form.seen[:0]

    def completed(self, form: QuadraticForm, deviations: Value, terms: Value) -> Value:
        """The log-densities (n, k) with those of the rows that are in no pattern."""
        del form, deviations
        return terms
