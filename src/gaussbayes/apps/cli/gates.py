"""Gates: bars that an evaluation must reach, or the command ends with exit code 4."""

import math
from collections.abc import Mapping
from typing import Any

import click

from gaussbayes.apps.cli import command_options
from gaussbayes.model.evaluation import Evaluation

GATES = {
    "min_accuracy": ("accuracy", 1.0),
    "max_error": ("error", 1.0),
    "max_log_loss": ("log loss", math.inf),
    "max_brier": ("Brier score", 2.0),
}
"""What each gate is about, in words, and its highest bar; ``min_x`` is about `Evaluation.x`."""

_SIDES = {"min": "below", "max": "above"}


class GateFailedError(click.ClickException):
    """A figure does not reach its bar."""

    exit_code = 4


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


gate_options = command_options.together(
    *(
        command_options.option(
            f"{_option(name)} NUMBER",
            convert=command_options.number_from_0(highest),
            what=f"End with exit code 4 if the {words} is {_SIDES[name[:3]]} this.",
        )
        for name, (words, highest) in GATES.items()
    )
)
"""One option for each gate; `take_bars` takes them out of the arguments again."""


def take_bars(arguments: dict[str, Any]) -> dict[str, float]:
    """Take the bars out of the arguments of a command; those that were not given are left out."""
    taken = {name: arguments.pop(name) for name in GATES}
    return {name: bar for name, bar in taken.items() if bar is not None}


def records(evaluation: Evaluation, bars: Mapping[str, float]) -> list[dict[str, Any]]:
    """Each gate with its bar and whether it was passed; by what is no number it never is."""
    given = []
    for name, bar in bars.items():
        value = _value(evaluation, name)
        passed = bool(value >= bar if name.startswith("min") else value <= bar)
        given.append({"gate": name, "bar": bar, "passed": passed})
    return given


def check(evaluation: Evaluation, bars: Mapping[str, float]) -> None:
    """Raise if a figure does not reach its bar; the message says both."""
    failed = []
    for name in (each["gate"] for each in records(evaluation, bars) if not each["passed"]):
        value, bar = _value(evaluation, name), bars[name]
        # To six digits, or to all where it would read like the bar that it misses.
        written = repr(value) if float(f"{value:.6g}") == bar else f"{value:.6g}"
        place = f"{_SIDES[name[:3]]} {_option(name)} {bar:g}"
        failed.append(f"the {GATES[name][0]} is {written}, {place}")
    if failed:
        raise GateFailedError("; ".join(failed))


def _value(evaluation: Evaluation, name: str) -> float:
    value: float = getattr(evaluation, name[4:])
    return value
