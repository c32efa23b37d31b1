"""Gates: bars that an evaluation must reach, or the command ends with exit code 4."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import command_options

if TYPE_CHECKING:
    from gaussbayes.analysis.evaluation import Evaluation

GATE_FAILED = 4


@dataclass(frozen=True, slots=True)
class Gate:
    """A figure of an evaluation, and which side of the bar it must be on."""

    name: str  # of the option, as an argument of a function
    figure: str  # a property of `Evaluation`
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


GATES = (
    Gate("min_accuracy", "accuracy", "accuracy", 1.0),
    Gate("max_error", "error", "error", 1.0),
    Gate("max_log_loss", "log_loss", "log loss", math.inf),
    Gate("max_brier", "brier", "Brier score", 2.0),
)


class GateFailedError(click.ClickException):
    """A figure does not reach its bar."""

    exit_code = GATE_FAILED


gate_options = command_options.together(
    *(
        command_options.option(
            f"{gate.option} NUMBER",
            convert=command_options.number_from_0(gate.highest),
            what=f"End with exit code {GATE_FAILED} if the {gate.words} is {gate.side} this.",
        )
        for gate in GATES
    )
)
"""One option for each gate; `take_bars` takes them out of the arguments again."""


def take_bars(arguments: dict[str, Any]) -> dict[str, float]:
    """Take the bars out of the arguments of a command; those that were not given are left out."""
    taken = {gate.name: arguments.pop(gate.name) for gate in GATES}
    return {name: bar for name, bar in taken.items() if bar is not None}


def records(evaluation: "Evaluation", bars: Mapping[str, float]) -> list[dict[str, Any]]:
    """Each gate with its bar and whether it was passed, as plain values."""
    return [
        {"gate": gate.name, "bar": bars[gate.name], "passed": passed}
        for gate, passed in _passed(evaluation, bars).items()
    ]


def check(evaluation: "Evaluation", bars: Mapping[str, float]) -> None:
    """Raise if a figure does not reach its bar; the message says both."""
    failed = []
    for gate in [gate for gate, passed in _passed(evaluation, bars).items() if not passed]:
        figure, bar = getattr(evaluation, gate.figure), bars[gate.name]
        # To six digits, or to all where it would read like the bar that it misses.
        written = repr(figure) if float(f"{figure:.6g}") == bar else f"{figure:.6g}"
        failed.append(f"the {gate.words} is {written}, {gate.side} {gate.option} {bar:g}")
    if failed:
        raise GateFailedError("; ".join(failed))


def _passed(evaluation: "Evaluation", bars: Mapping[str, float]) -> dict[Gate, bool]:
    return {gate: gate.passed(evaluation, bars[gate.name]) for gate in GATES if gate.name in bars}
