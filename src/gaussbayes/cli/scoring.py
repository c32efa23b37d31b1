"""Which scores of a row are asked for, and the columns they are written in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from gaussbayes.parameters import Parameters
    from gaussbayes.types import RealArray

Function = TypeVar("Function", bound=Callable[..., Any])

PREDICTION = "prediction"
"""The column of the most probable class."""


@dataclass(frozen=True, slots=True)
class Score:
    """A score, by the name of its option and of its columns."""

    name: str
    function: str  # in gaussbayes.scores
    of_each_class: bool
    help: str

    def columns(self, classes: Sequence[str]) -> list[str]:
        """The names of its columns.

        Examples
        --------
        >>> Score("proba", "posterior", True, "").columns(["no", "yes"])
        ['proba_no', 'proba_yes']
        """
        return [f"{self.name}_{label}" for label in classes] if self.of_each_class else [self.name]


SCORES = (
    Score("proba", "posterior", True, "The probability of each class, p(c | x)."),
    Score("log_proba", "log_posterior", True, "Its logarithm, exact however small."),
    Score("joint", "joint", True, "The density of row and class, p(x, c)."),
    Score("log_joint", "log_joint", True, "Its logarithm, for many features."),
    Score("evidence", "evidence", False, "The density of the row, p(x)."),
    Score("log_evidence", "log_evidence", False, "Its logarithm, for many features."),
    Score("mahalanobis", "mahalanobis", True, "The Mahalanobis distance to each class's mean."),
)


def score_options(function: Function) -> Function:
    """One flag for each score; together they are the argument ``asked`` of `asked_for`."""
    for score in reversed(SCORES):
        option = "--" + score.name.replace("_", "-")
        function = click.option(option, score.name, is_flag=True, help=score.help)(function)
    return function


def asked_for(flags: dict[str, bool]) -> tuple[Score, ...]:
    """The scores whose flags are set, in the order of the columns.

    Examples
    --------
    >>> [score.name for score in asked_for({"evidence": True, "proba": True, "joint": False})]
    ['proba', 'evidence']
    """
    return tuple(score for score in SCORES if flags.get(score.name))


def column_names(asked: Sequence[Score], classes: Sequence[str], *, label: bool) -> list[str]:
    """The names of all columns that are added to the data.

    Examples
    --------
    >>> column_names(asked_for({"proba": True}), ["no", "yes"], label=True)
    ['prediction', 'proba_no', 'proba_yes']
    """
    names = [PREDICTION] if label else []
    return names + [name for score in asked for name in score.columns(classes)]


def scored(
    parameters: "Parameters",
    rows: "RealArray",
    classes: Any,
    asked: Sequence[Score],
    *,
    label: bool,
) -> list[Any]:
    """The columns, as Arrow arrays in the order of `column_names`.

    Parameters
    ----------
    rows : (n, d)
    classes : (k,) the labels as an Arrow array
    """
    import pyarrow as pa

    from gaussbayes import scores

    columns = []
    if label:
        columns.append(classes.take(pa.array(scores.labels(parameters, rows, None))))
    for score in asked:
        values = getattr(scores, score.function)(parameters, rows, None)
        columns += [pa.array(own) for own in (values.T if values.ndim == 2 else [values])]
    return columns
