"""What a lesson is: a few sentences, tables, results to reproduce, errata and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.base.progress import track
from gaussbayes.base.types import FloatArray
from gaussbayes.lessons.handouts import Gaussians, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

Numbers: TypeAlias = float | Sequence["Numbers"]
"""A number, a vector or a matrix, written out."""

BIGGIO = "B. Biggio, The Gaussian Classifier, laboratory slides, University of Cagliari"
XUE = "H. Xue, Generative Models for Classification, ITCS 6156/8156, UNC Charlotte, 2024"

_STANDARD_ERRORS = 4.0  # a correct random result lies further off once in 16,000 draws


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
    decimals: int = 12  # to which `right` is given
    handout: Numbers | None = None  # as printed; None if the handout does not print it
    standard_error: Numbers = 0.0  # of a result that depends on a random draw
    unit: str = ""

    @property
    def tolerance(self) -> FloatArray:
        """Half a unit in the last decimal, and four standard errors where rows are drawn."""
        half_unit: FloatArray = np.asarray(0.5 * 10.0**-self.decimals)
        return half_unit + _STANDARD_ERRORS * np.asarray(self.standard_error, dtype=np.float64)

    @classmethod
    def percentage(
        cls, name: str, compute: Callable[[], float], right: float, n: int, **more: Any
    ) -> Result:
        """A proportion of n random cases, in per cent."""
        more = {"decimals": 3, "standard_error": 100.0 * proportion_error(right / 100.0, n)} | more
        return cls(name, compute, right, unit="%", **more)

    @classmethod
    def estimates(
        cls, model: Any, truth: Gaussians, n: int, divisor: str, decimals: int, *handout: Numbers
    ) -> tuple[Result, Result]:
        """Means and covariances fitted to n rows of each class, beside those that the handout has.

        Standard errors are ``√(Σ_ii / n)`` and, to first order, ``√((Σ_ii Σ_jj + Σ_ij²) / n)``.
        """
        means, covariances = handout
        covariance = np.asarray(truth.covariances)
        of_means = np.sqrt(np.einsum("kii->ki", covariance) / n).tolist()
        products = np.einsum("kii,kjj->kij", covariance, covariance)
        errors = np.sqrt((products + covariance**2) / n).tolist()
        name, right = f"covariances, divided by {divisor}", truth.covariances
        return (
            cls("means", lambda: model.means_, truth.means, decimals, means, of_means),
            cls(name, lambda: model.covariances_, right, decimals, covariances, errors),
        )

    def value(self) -> FloatArray:
        """Our number."""
        return np.asarray(self.compute(), dtype=np.float64)

    def agrees(self, value: ArrayLike | Numbers) -> bool:
        """Whether a value is right, to the decimals given or within the spread of random draws."""
        right = np.asarray(self.right, dtype=np.float64)
        other = np.asarray(value, dtype=np.float64)
        return other.shape == right.shape and bool((abs(other - right) <= self.tolerance).all())


def proportion_error(proportion: Any, n: int) -> Any:
    """Standard errors ``√(p (1 − p) / n)`` of proportions of n independent cases."""
    return np.sqrt(np.multiply(proportion, np.subtract(1.0, proportion)) / n).tolist()


def seeds(n_draws: int, seed: int, words: str) -> Iterator[int]:
    """The seeds of many draws, one after the other, while progress is shown."""
    yield from track(np.random.SeedSequence(seed).generate_state(n_draws).tolist(), words)


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """A number of the handout that depends on its random draw, among those of many draws of ours.

    Computing takes seconds the first time; the values are kept with the lesson.

    Examples
    --------
    >>> spread = Spread("accuracy", lambda: [88.0, 93.0, 91.0], handout=90.0, unit="%")
    >>> spread.holds(spread.values())
    True
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
    """A place where the handout errs.

    Examples
    --------
    >>> Erratum("page 3", "P(A)", "P(B)", "the classes are exchanged").right
    'P(B)'
    """

    where: str
    printed: str
    right: str
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A figure of a lesson.

    Examples
    --------
    >>> from gaussbayes import lessons
    >>> [figure.name for figure in lessons.get("petals").figures][:1]
    ['rows']
    """

    name: str  # of its file, without ending
    caption: str
    make: Callable[[], Any]  # returns a figure of matplotlib, axes in it, or an array of them

    def draw(self) -> MatplotlibFigure:
        """Draw it in the style of all plots: a new figure, which the caller closes.

        A figure of axes without any title has its name as one.
        """
        from gaussbayes.plots.style import styled

        drawn = styled(self.make)()
        figure: MatplotlibFigure = np.ravel(drawn)[0].get_figure(root=True)
        first = figure.axes[0]
        if first.axison and not (figure.get_suptitle() or any(a.get_title() for a in figure.axes)):
            first.set_title(self.name.replace("_", " "), loc="left")
        return figure


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A worked example of the course.

    Examples
    --------
    >>> from gaussbayes import lessons
    >>> lesson = lessons.get("petals")
    >>> lesson.results[0].name, lesson.results[0].value().round(2).tolist()
    ('means of A and B', [2.68, 6.5])
    """

    name: str
    title: str
    source: str
    text: str
    data: Sequence[Table]
    results: Sequence[Result]
    spreads: Sequence[Spread] = ()
    errata: Sequence[Erratum] = ()
    figures: Sequence[Figure] = ()

    @classmethod
    def of(
        cls,
        module: str,
        description: str | None,
        source: str,
        data: Sequence[Table],
        results: Sequence[Result],
        figures: Sequence[Callable[[], Any]],
        spreads: Sequence[Spread] = (),
        errata: Sequence[Erratum] = (),
    ) -> Lesson:
        """The lesson of a module, whose docstring has its title and its text.

        Each figure is a function whose name and docstring are the figure's name and caption.
        """
        title, _, text = (description or "").partition("\n\n")
        drawn = [Figure(make.__name__, _one_line(make.__doc__), make) for make in figures]
        words = module.rpartition(".")[2], title.rstrip("."), source, _one_line(text)
        return cls(*words, data, results, spreads, errata, drawn)


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())
