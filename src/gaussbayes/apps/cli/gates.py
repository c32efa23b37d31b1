"""Gates: bars that an evaluation must reach, or the command ends with exit code 4."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import options

if TYPE_CHECKING:
    from gaussbayes.analysis.evaluation import Evaluation

GATE_FAILED = 4


@dataclass(frozen=True, slots=True)
class Gate:
    """A figure of an evaluation, and which side of the bar it must be on."""

    name: str  # of the option, as an argument of a function
    figure: str  # the name of the figure as a property of `Evaluation`
    words: str
    highest: float

    @property
    def option(self) -> str:
        """The option as users type it."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def side(self) -> str:
        """On which side of the bar a figure must not be."""
        return "below" if self.name.startswith("min") else "above"

    def passed(self, evaluation: "Evaluation", bar: float) -> bool:
        """Whether the figure reaches the bar; one that is no number never does."""
        figure = getattr(evaluation, self.figure)
        return bool(figure >= bar if self.side == "below" else figure <= bar)

    def check_bar(self, _: click.Context, __: click.Parameter, value: float | None) -> float | None:
        """The bar, if it can be one; a callback of click."""
        if value is not None and not 0.0 <= value <= self.highest:
            top = " on" if math.isinf(self.highest) else f" to {self.highest:g}"
            msg = f"expected a number from 0{top}, got {value:g}"
            raise click.BadParameter(msg)
        return value


GATES = (
    Gate("min_accuracy", "accuracy", "accuracy", 1.0),
    Gate("max_error", "error", "error", 1.0),
    Gate("max_log_loss", "log_loss", "log loss", math.inf),
    Gate("max_brier", "brier", "Brier score", 2.0),
)


class GateFailedError(click.ClickException):
    """A figure does not reach its bar."""

    exit_code = GATE_FAILED


gate_options = options.together(
    *(
        options.option(
            f"{gate.option} NUMBER",
            type=float,
            callback=gate.check_bar,
            what=f"End with exit code {GATE_FAILED} if the {gate.words} is {gate.side} this.",
        )
        for gate in GATES
    )
)
"""One option for each gate; `take_bars` takes them out of the arguments again."""


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
    bars = [(gate, given[gate.name]) for gate in GATES if gate.name in given]
    return [
        {"gate": gate.name, "bar": bar, "passed": gate.passed(evaluation, bar)}
        for gate, bar in bars
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
        if bar is not None and not gate.passed(evaluation, bar):
            written = _written(getattr(evaluation, gate.figure), bar)
            failed.append(f"the {gate.words} is {written}, {gate.side} {gate.option} {bar:g}")
    if failed:
        raise GateFailedError("; ".join(failed))


def _written(figure: float, bar: float) -> str:
    """A figure to six digits, or to all where it would read like the bar that it misses."""
    short = f"{figure:.6g}"
    return short if float(short) != bar else repr(figure)
