"""What decisions cost, as users write it: pairs of classes on the command line, or a CSV file."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gaussbayes.apps.cli import models, reading
from gaussbayes.base.errors import DataError

if TYPE_CHECKING:
    from gaussbayes.base.types import FloatArray
    from gaussbayes.model.model import Model

HOW = "pairs such as 'ill:well=50,well:ill=1' (true class, decided class, cost), or a CSV file"


def costs_of(text: str, stored: "Model") -> "FloatArray":
    """The costs (k, k) of the classes of a model: true class by row, decided class by column.

    Parameters
    ----------
    text : pairs ``true:decided=cost`` separated by commas, with quotes around one that holds a
        comma itself; or the name of a CSV file whose first line names the classes decided for, and
        whose other lines begin with the true class. What is left out on the diagonal is 0.
    """
    from gaussbayes.analysis.costs import check_costs

    names = models.class_names(stored)
    place = Path(text)
    if place.is_file():
        where, pairs = text, _from_file(place)
    elif "=" in text:
        where, pairs = "--costs", _from_pairs(text, names)
    else:
        msg = f"expected {HOW}; there is no file {text!r}"
        raise click.BadParameter(msg, param_hint="--costs")
    label = dict(zip(names, stored.schema.classes.tolist(), strict=True))
    given = {
        (label.get(true, true), label.get(decided, decided)): cost
        for (true, decided), cost in pairs.items()
    }
    with reading.naming(where):
        return check_costs(given, stored.schema)


def _from_pairs(text: str, names: list[str]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for item in next(csv.reader([text], skipinitialspace=True), []):
        pair, _, cost = item.rpartition("=")
        parts = pair.split(":")
        # Names may hold colons themselves: then the one that parts two classes is meant.
        ways = [(":".join(parts[:i]), ":".join(parts[i:])) for i in range(1, len(parts))]
        known = [way for way in ways if set(way) <= set(names)]
        if not ways or (len(ways) > 1 and len(known) != 1):
            msg = f"expected {HOW}; got {item!r}"
            raise click.BadParameter(msg, param_hint="--costs")
        key = known[0] if known else ways[0]
        _refuse_twice(key, found, "--costs")
        found[key] = _cost(cost, f"--costs, {item!r}")
    return found


def _from_file(place: Path) -> dict[tuple[str, str], float]:
    try:
        lines = [
            [cell.strip() for cell in line]
            for line in csv.reader(place.read_text(encoding="utf-8-sig").splitlines())
            if line
        ]
    except (UnicodeDecodeError, csv.Error) as error:
        msg = f"{place} is no CSV file of costs: {error}"
        raise DataError(msg) from None
    if len(lines) < 2:
        msg = (
            f"{place} has {reading.counted(len(lines), 'line')}: expected one that names the "
            "classes decided for, and one for each true class that begins with it"
        )
        raise DataError(msg)
    (_, *decided), *rest = lines
    found: dict[tuple[str, str], float] = {}
    for number, (true, *costs) in enumerate(rest, start=2):
        if len(costs) != len(decided):
            expected = reading.counted(len(decided), "cost")
            msg = f"{place}, line {number}: expected a class and {expected}, got {len(costs)}"
            raise DataError(msg)
        for other, cost in zip(decided, costs, strict=True):
            if not cost and other == true:
                continue
            _refuse_twice((true, other), found, str(place))
            found[true, other] = _cost(cost, f"{place}, line {number}, column {other!r}")
    return found


def _refuse_twice(pair: tuple[str, str], found: dict[tuple[str, str], float], where: str) -> None:
    if pair in found:
        msg = f"{where}: the cost of deciding {pair[1]!r} where {pair[0]!r} is true is given twice"
        raise DataError(msg)


def _cost(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        msg = f"{where}: {text!r:.60} is not a number"
        raise DataError(msg) from None
