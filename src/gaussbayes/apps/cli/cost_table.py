"""What decisions cost, as users write it: pairs of classes on the command line, or a CSV file."""

import csv
from pathlib import Path

import click

from gaussbayes.analysis.decision import check_costs
from gaussbayes.apps.cli.command_files import class_names, naming
from gaussbayes.apps.cli.console import counted
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray
from gaussbayes.model.model import Model

_HOW = "pairs such as 'ill:well=50,well:ill=1' (true class, decided class, cost), or a CSV file"


def read_costs(text: str, model: Model) -> FloatArray:
    """The costs (k, k) of the classes of a model: true class by row, decided class by column.

    They are pairs ``true:decided=cost`` separated by commas, with quotes around one that holds a
    comma itself; or in a CSV file whose first line names the classes decided for, and whose other
    lines begin with the true class. What is left out on the diagonal is 0.
    """
    names = class_names(model)
    place = Path(text)
    if place.is_file():
        where, pairs = text, _from_file(place)
    elif "=" in text:
        where, pairs = "--costs", _from_pairs(text, names)
    else:
        msg = f"expected {_HOW}; there is no file {text!r}"
        raise click.BadParameter(msg, param_hint="--costs")
    label = dict(zip(names, model.schema.classes.tolist(), strict=True))
    given = {
        (label.get(true, true), label.get(decided, decided)): cost
        for (true, decided), cost in pairs.items()
    }
    with naming(where):
        return check_costs(given, model.schema)


def _from_pairs(text: str, names: list[str]) -> dict[tuple[str, str], float]:
    costs: dict[tuple[str, str], float] = {}
    for item in next(csv.reader([text], skipinitialspace=True), []):
        pair, _, cost = item.rpartition("=")
        parts = pair.split(":")
        # Names may hold colons themselves: then the colon that parts two classes is meant.
        cuts = [(":".join(parts[:i]), ":".join(parts[i:])) for i in range(1, len(parts))]
        known = [cut for cut in cuts if set(cut) <= set(names)]
        if not cuts or (len(cuts) > 1 and len(known) != 1):
            msg = f"expected {_HOW}; got {item!r}"
            raise click.BadParameter(msg, param_hint="--costs")
        _add(costs, (known or cuts)[0], cost, "--costs", repr(item))
    return costs


def _from_file(place: Path) -> dict[tuple[str, str], float]:
    try:
        text = place.read_text(encoding="utf-8-sig")
        lines = [[cell.strip() for cell in line] for line in csv.reader(text.splitlines()) if line]
    except (UnicodeDecodeError, csv.Error) as error:
        msg = f"{place} is no CSV file of costs: {error}"
        raise DataError(msg) from None
    if len(lines) < 2:
        msg = (
            f"{place} has {counted(len(lines), 'line')}: expected one that names the "
            "classes decided for, and one for each true class that begins with it"
        )
        raise DataError(msg)
    (_, *decided), *rest = lines
    costs: dict[tuple[str, str], float] = {}
    for number, (true, *cells) in enumerate(rest, start=2):
        if len(cells) != len(decided):
            expected = counted(len(decided), "cost")
            msg = f"{place}, line {number}: expected a class and {expected}, got {len(cells)}"
            raise DataError(msg)
        for other, cell in zip(decided, cells, strict=True):
            if cell or other != true:
                _add(costs, (true, other), cell, str(place), f"line {number}, column {other!r}")
    return costs


def _add(
    costs: dict[tuple[str, str], float], pair: tuple[str, str], text: str, file: str, place: str
) -> None:
    """Note the cost of deciding for the second class of a pair where the first is true."""
    if pair in costs:
        msg = f"{file}: the cost of deciding {pair[1]!r} where {pair[0]!r} is true is given twice"
        raise DataError(msg)
    try:
        costs[pair] = float(text)
    except ValueError:
        msg = f"{file}, {place}: {text!r:.60} is not a number"
        raise DataError(msg) from None
