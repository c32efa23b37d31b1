"""Which scores of a row are asked for, and the columns they are written in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gaussbayes.apps.cli.deciding import REASON, Rule
from gaussbayes.base.errors import DataError

if TYPE_CHECKING:
    from gaussbayes.base.types import RealArray
    from gaussbayes.families.gaussian.parameters import Parameters
    from gaussbayes.model.mixed import MixedParameters, MixedRows

Function = TypeVar("Function", bound=Callable[..., Any])

PREDICTION = "prediction"
"""The column of the most probable class."""


@dataclass(frozen=True, slots=True)
class Score:
    """A score, by the name of its option and of its columns."""

    name: str
    function: str  # in the Gaussian family's scores, or with another module's name before it
    of_each_class: bool
    help: str
    plural: bool = False  # whether the option is
    of_numbers: bool = False  # whether categories have no part in it

    @property
    def option(self) -> str:
        """The flag that asks for it."""
        return "--" + self.name.replace("_", "-") + ("s" if self.plural else "")

    def columns(self, classes: Sequence[str]) -> list[str]:
        """The names of its columns.

        Examples
        --------
        >>> Score("proba", "posterior", True, "").columns(["no", "yes"])
        ['proba_no', 'proba_yes']
        """
        return [f"{self.name}_{label}" for label in classes] if self.of_each_class else [self.name]

    def values(
        self, parameters: "Parameters | MixedParameters", rows: "RealArray | MixedRows"
    ) -> "RealArray":
        """The score of rows (n, d): (n, k) if it is one of each class, else (n,)."""
        module, _, name = self.function.rpartition(".")
        function = getattr(
            import_module(f"gaussbayes.{module or 'families.gaussian.scores'}"), name
        )
        found: RealArray = (of_numbers if self.of_numbers else answer)(function, parameters, rows)
        return found


SCORES = (
    Score("proba", "posterior", True, "The probability of each class, p(c | x)."),
    Score("log_proba", "log_posterior", True, "Its logarithm, exact however small."),
    Score("joint", "joint", True, "The density of row and class, p(x, c)."),
    Score("log_joint", "log_joint", True, "Its logarithm, for many features."),
    Score("evidence", "evidence", False, "The density of the row, p(x)."),
    Score("log_evidence", "log_evidence", False, "Its logarithm, for many features."),
    Score(
        "mahalanobis",
        "mahalanobis",
        True,
        "The Mahalanobis distance to each class's mean.",
        of_numbers=True,
    ),
    Score(
        "p_value",
        "analysis.novelty.class_p_values",
        True,
        "How probable a row of the class is at least so far out.",
        plural=True,
        of_numbers=True,
    ),
)


def answer(function: Callable[..., Any], parameters: Any, rows: Any) -> Any:
    """What a function of `scores` says of rows, whichever kind of model they are for."""
    from gaussbayes.families.gaussian.parameters import Parameters

    if isinstance(parameters, Parameters):
        return function(parameters, rows, None)
    from gaussbayes.model.mixed import twin

    return twin(function)(parameters, rows, None)


def of_numbers(function: Callable[..., Any], parameters: Any, rows: Any) -> Any:
    """What a function says of the numbers of rows, categories left aside."""
    from gaussbayes.families.gaussian.parameters import Parameters

    if isinstance(parameters, Parameters):
        return function(parameters, rows, None)
    if rows.X.shape[1] == 0:
        msg = "distances and p-values are of numbers, and this model has categories alone"
        raise DataError(msg)
    return function(parameters.gaussian, rows.X, None)


def score_options(function: Function) -> Function:
    """One flag for each score; together they are the argument ``asked`` of `asked_for`."""
    for score in reversed(SCORES):
        flag = click.option(score.option, score.name, is_flag=True, help=score.help)
        function = flag(function)
    return function


def asked_for(flags: dict[str, bool]) -> tuple[Score, ...]:
    """The scores whose flags are set, in the order of the columns.

    Examples
    --------
    >>> [score.name for score in asked_for({"evidence": True, "proba": True, "joint": False})]
    ['proba', 'evidence']
    """
    return tuple(score for score in SCORES if flags.get(score.name))


def column_names(
    asked: Sequence[Score], classes: Sequence[str], *, label: bool, reason: bool = False
) -> list[str]:
    """The names of all columns that are added to the data.

    Examples
    --------
    >>> column_names(asked_for({"proba": True}), ["no", "yes"], label=True, reason=True)
    ['prediction', 'reason', 'proba_no', 'proba_yes']
    """
    names = [PREDICTION] if label else []
    if reason:
        names.append(REASON)
    return names + [name for score in asked for name in score.columns(classes)]


def scored(
    parameters: "Parameters | MixedParameters",
    rows: "RealArray | MixedRows",
    classes: Any,
    asked: Sequence[Score],
    *,
    label: bool,
    rule: Rule | None = None,
) -> list[Any]:
    """The columns, as Arrow arrays in the order of `column_names`.

    Parameters
    ----------
    rows : (n, d), as the model takes them
    classes : (k,) the labels as an Arrow array
    rule : how classes are decided for, with a reason where none is; None is the most probable one
    """
    import pyarrow as pa

    from gaussbayes.analysis import novelty
    from gaussbayes.families.gaussian import scores

    columns = []
    if rule is not None:
        unlike = None
        if rule.novelty is not None:
            p_values = of_numbers(novelty.class_p_values, parameters, rows)
            unlike = novelty.novel(p_values, rule.novelty, parameters.prior)
        columns += rule.columns(answer(scores.log_posterior, parameters, rows), unlike, classes)
    elif label:
        columns.append(classes.take(pa.array(answer(scores.labels, parameters, rows))))
    for score in asked:
        values = score.values(parameters, rows)
        columns += [pa.array(own) for own in (values.T if values.ndim == 2 else [values])]
    return columns
