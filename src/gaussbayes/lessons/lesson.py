"""What a lesson is: a few sentences, tables, results to reproduce, errata and figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.base.types import FloatArray, LabelArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

Numbers: TypeAlias = float | Sequence["Numbers"]
"""A number, a vector or a matrix, written out."""

_STANDARD_ERRORS = 4.0
"""A correct random result lies further off once in 16,000 draws."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Labelled rows, and where they come from."""

    name: str
    rows: NDArray[Any]  # (n, d)
    labels: LabelArray  # (n,)
    features: tuple[str, ...]  # d of them
    source: str  # listed by the handout, drawn from its parameters, or made for this lesson


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """A number of a worked example: what the handout prints, what is right, how to compute it.

    Examples
    --------
    >>> result = Result("a third", lambda: 1 / 3, right=0.333, decimals=3, handout=0.34)
    >>> result.agrees(result.value()), result.agrees(result.handout)
    (True, False)
    """

    name: str
    compute: Callable[[], ArrayLike]
    right: Numbers
    decimals: int  # to which `right` is given
    handout: Numbers | None = None  # as printed; None if the handout does not print it
    standard_error: Numbers = 0.0  # of a result that depends on a random draw
    unit: str = ""

    @property
    def tolerance(self) -> FloatArray:
        """Half a unit in the last decimal, and four standard errors where rows are drawn."""
        half_unit: FloatArray = np.asarray(0.5 * 10.0**-self.decimals)
        return half_unit + _STANDARD_ERRORS * np.asarray(self.standard_error, dtype=np.float64)

    def value(self) -> FloatArray:
        """Our number."""
        return np.asarray(self.compute(), dtype=np.float64)

    def agrees(self, value: ArrayLike | Numbers) -> bool:
        """Whether a value is right, to the decimals given or within the spread of random draws."""
        right = np.asarray(self.right, dtype=np.float64)
        other = np.asarray(value, dtype=np.float64)
        return other.shape == right.shape and bool((abs(other - right) <= self.tolerance).all())


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """A number of the handout that depends on its random draw, among those of many draws of ours.

    Computing takes seconds the first time; the values are kept with the lesson.

    Examples
    --------
    >>> spread = Spread("heads of 10", lambda: [3, 5, 5, 6], handout=4)
    >>> values = spread.values()
    >>> values.tolist(), spread.holds(values)
    ([3.0, 5.0, 5.0, 6.0], True)
    """

    name: str
    compute: Callable[[], ArrayLike]  # (draws,)
    handout: float
    unit: str = ""

    def values(self) -> FloatArray:
        """Our numbers (draws,), one a draw."""
        return np.asarray(self.compute(), dtype=np.float64)

    def holds(self, values: FloatArray) -> bool:
        """Whether the handout's number is neither smaller nor larger than all of ours."""
        return bool(values.min() <= self.handout <= values.max())


@dataclass(frozen=True, slots=True)
class Erratum:
    """A place where the handout errs."""

    where: str
    printed: str
    right: str
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A figure of a lesson."""

    name: str  # of its file, without ending
    caption: str
    make: Callable[[], "MatplotlibFigure"]

    def draw(self) -> "MatplotlibFigure":
        """Draw it in the style of all plots: a new figure, which the caller closes."""
        from gaussbayes.plots.style import styled

        return styled(self.make)()


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A worked example of the course."""

    name: str
    title: str
    source: str
    text: str
    data: tuple[Table, ...]
    results: tuple[Result, ...]
    spreads: tuple[Spread, ...] = ()
    errata: tuple[Erratum, ...] = ()
    figures: tuple[Figure, ...] = ()
