"""What was chosen automatically, and the candidates: in words, as a table, as plain values."""

import math
from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import output, reading

if TYPE_CHECKING:
    from rich.table import Table

    from gaussbayes.model.selection import Candidate, Selection


def described(selection: "Selection") -> str:
    """One line that says what was chosen, and by what.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import Structure
    >>> from gaussbayes.model.selection import Candidate, Selection
    >>> one = Candidate(Structure("full", True), 0.1, 0.0402, 0.02, 0.03, 900.0, 24)
    >>> described(Selection((one,), one, "leave_one_out"))
    'LDA with shrinkage 0.1, of 1 candidate: log loss 0.0402 on rows left out'
    """
    best = selection.best
    if selection.criterion == "bic":
        figure = f"BIC {best.bic:,.1f}"
    else:
        figure = f"log loss {_number(best.log_loss)} on rows left out"
    shrinkage = "without shrinkage" if best.shrinkage is None else f"with shrinkage {_word(best)}"
    among = reading.counted(len(selection.candidates), "candidate")
    return f"{_name(best)} {shrinkage}, of {among}: {figure}"


def record(selection: "Selection") -> dict[str, Any]:
    """Everything as plain values; what was not looked at or is infinite is None."""
    return {
        "criterion": selection.criterion,
        "chosen": _record(selection.best),
        "candidates": [_record(one) for one in ranked(selection)],
    }


def table(selection: "Selection") -> "Table":
    """The candidates, best first; those that cannot be judged last, and why under the table."""
    left_out = selection.criterion == "leave_one_out"
    judged = ["error", "log\nloss", "Brier\nscore"] if left_out else []
    how = "each row predicted by the model of the others" if left_out else "BIC"
    made = output.table(
        "model",
        "shrinkage",
        "para-\nmeters",
        *judged,
        "BIC",
        title=f"candidates, best first: {how}",
    )
    made.leading = 0
    for number, column in enumerate(made.columns):
        column.justify, column.no_wrap = "right" if number else "left", True
    for one in ranked(selection):
        cells = [_percent(one.error), _number(one.log_loss), _number(one.brier)]
        made.add_row(
            _name(one),
            _word(one),
            str(one.n_parameters),
            *(cells if left_out else []),
            "–" if math.isnan(one.bic) else f"{one.bic:,.1f}",
            style="bold" if one is selection.best else "",
        )
    refused = [one.refused for one in selection.candidates if one.refused is not None]
    if refused:
        many = reading.counted(len(refused), "candidate")
        made.caption = f"{many} cannot be judged, the first because: {refused[0]}"
        made.caption_justify, made.caption_style = "left", "dim"
    return made


def ranked(selection: "Selection") -> "list[Candidate]":
    """The candidates by what was chosen by, the chosen one first."""

    def place(one: "Candidate") -> tuple[bool, bool, float, int]:
        figure = one.bic if selection.criterion == "bic" else one.log_loss
        unknown = one.refused is not None or math.isnan(figure)
        return one is not selection.best, unknown, 0.0 if unknown else figure, one.n_parameters

    return sorted(selection.candidates, key=place)


def _record(one: "Candidate") -> dict[str, Any]:
    return {
        "model": _name(one),
        "covariance": one.structure.covariance,
        "shared": one.structure.sharing,
        "shrinkage": one.shrinkage,
        "parameters": one.n_parameters,
        "error": _finite(one.error),
        "log_loss": _finite(one.log_loss),
        "brier": _finite(one.brier),
        "bic": _finite(one.bic),
        "problem": one.refused,
    }


def _name(one: "Candidate") -> str:
    from gaussbayes.families.gaussian.structures import name_of

    return name_of(one.structure)


def _word(one: "Candidate") -> str:
    return "none" if one.shrinkage is None else str(one.shrinkage)


def _number(value: float) -> str:
    return "–" if math.isnan(value) else "∞" if math.isinf(value) else f"{value:.4f}"


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.2f} %"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
