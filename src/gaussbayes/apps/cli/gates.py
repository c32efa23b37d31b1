"""Gates: bars that an evaluation must reach, or the command ends with exit code 4."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from gaussbayes.analysis.evaluation import Evaluation

Function = TypeVar("Function", bound=Callable[..., Any])

GATE_FAILED = 4


@dataclass(frozen=True, slots=True)
class Gate:
    """A figure of an evaluation, and which side of the bar it must be on."""

    option: str
    figure: str  # the name of the figure as a property of `Evaluation`
    words: str
    at_least: bool
    highest: float

    @property
    def name(self) -> str:
        """The option as an argument of a function."""
        return self.option.removeprefix("--").replace("-", "_")

    def passed(self, figure: float, bar: float) -> bool:
        """Whether a figure reaches the bar; one that is no number never does."""
        return figure >= bar if self.at_least else figure <= bar


GATES = (
    Gate("--min-accuracy", "accuracy", "accuracy", at_least=True, highest=1.0),
    Gate("--max-error", "error", "error", at_least=False, highest=1.0),
    Gate("--max-log-loss", "log_loss", "log loss", at_least=False, highest=math.inf),
    Gate("--max-brier", "brier", "Brier score", at_least=False, highest=2.0),
)


class GateFailedError(click.ClickException):
    """A figure does not reach its bar."""

    exit_code = GATE_FAILED


def gate_options(function: Function) -> Function:
    """One option for each gate; `take_bars` takes them out of the arguments again."""
    for gate in reversed(GATES):
        side = "below" if gate.at_least else "above"
        function = click.option(
            gate.option,
            type=float,
            callback=_bar(gate),
            metavar="NUMBER",
            help=f"End with exit code {GATE_FAILED} if the {gate.words} is {side} this.",
        )(function)
    return function


def take_bars(arguments: dict[str, Any]) -> dict[str, float]:
    """Take the bars out of the arguments of a command; those that were not given are left out.

    Examples
    --------
    >>> given = {"max_error": 0.1, "min_accuracy": None, "max_log_loss": None, "max_brier": None}
    >>> take_bars(given), given
    ({'max_error': 0.1}, {})
    """
    taken = {gate.name: arguments.pop(gate.name) for gate in GATES}
    return {name: bar for name, bar in taken.items() if bar is not None}


def records(evaluation: "Evaluation", given: Mapping[str, float]) -> list[dict[str, Any]]:
    """Each gate with its bar and whether it was passed, as plain values."""
    return [
        {
            "gate": gate.name,
            "bar": given[gate.name],
            "passed": gate.passed(getattr(evaluation, gate.figure), given[gate.name]),
        }
        for gate in GATES
        if gate.name in given
    ]


def check(evaluation: "Evaluation", given: Mapping[str, float]) -> None:
    """Raise if a figure does not reach its bar; the message says both.

    Examples
    --------
    >>> import numpy as np
    >>> from gaussbayes.analysis.evaluation import Evaluation
    >>> check(Evaluation(np.arange(2), np.array([[9, 1], [0, 10]]), 0.2, 0.1), {"max_error": 0.01})
    Traceback (most recent call last):
    gaussbayes.apps.cli.gates.GateFailedError: the error is 0.05, above --max-error 0.01
    """
    failed = []
    for gate in GATES:
        bar = given.get(gate.name)
        if bar is None:
            continue
        figure = getattr(evaluation, gate.figure)
        if not gate.passed(figure, bar):
            side = "below" if gate.at_least else "above"
            failed.append(
                f"the {gate.words} is {_written(figure, bar)}, {side} {gate.option} {bar:g}"
            )
    if failed:
        raise GateFailedError("; ".join(failed))


def _written(figure: float, bar: float) -> str:
    """A figure to six digits, or to all where it would read like the bar that it misses."""
    short = f"{figure:.6g}"
    return short if float(short) != bar else repr(figure)


def _bar(gate: Gate) -> Callable[..., float | None]:
    def check_bar(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
        if value is not None and not 0.0 <= value <= gate.highest:
            top = "" if math.isinf(gate.highest) else f" to {gate.highest:g}"
            msg = f"expected a number from 0{top}{' on' if not top else ''}, got {value:g}"
            raise click.BadParameter(msg)
        return value

    return check_bar
