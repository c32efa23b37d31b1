"""``gaussbayes evaluate [MODEL] FILE...``: evaluate predictions on held-out rows."""

from dataclasses import replace
from typing import Any

import click

from gaussbayes.cli import console, flags, inputs
from gaussbayes.cli.flags import option

_TIME_FOLDS = 5


def _counts(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int, ...] | None:
    numbers = flags.items(text or "")
    if not all(number.isdecimal() and int(number) for number in numbers):
        msg = f"must be positive integers such as 1,3,5, got {text!r}"
        raise click.BadParameter(msg)
    return tuple(map(int, numbers)) or None


@click.command("evaluate")
@flags.model_and_files
@flags.target
@flags.cv
@option("--groups COLUMN", "Keep rows with equal values in one fold.")
@option("--time COLUMN", "Sort by this column; train on earlier rows, test on later ones.")
@option("--compare", "Compare with other classifiers.", name="compared")
@option("--neighbors K,...", "Numbers of neighbours to compare with.", callback=_counts)
@flags.costs
@option("--seed N", "Seed of the folds.", type=click.IntRange(0), default=0)
@flags.settings
@flags.as_json
def command(
    files: tuple[str, ...],
    target: str | None,
    cv: Any,
    groups: str | None,
    time: str | None,
    compared: bool,
    neighbors: tuple[int, ...] | None,
    costs: Any,
    seed: int,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Evaluate predictions: error rate, log loss, calibration.

    A MODEL is evaluated on the rows of FILE. Without one, the automatic model, or that of
    --set-option, is fitted and evaluated by cross-validation (10 folds). Each metric is shown with
    its standard error and the value for the class frequencies.

    \b
    gaussbayes evaluate model.json new.csv
    gaussbayes evaluate iris.csv -y species
    gaussbayes evaluate iris.csv -y species --set-option model=lda --cv loo
    gaussbayes evaluate visits.csv -y ill --groups patient
    gaussbayes evaluate iris.csv -y species --compare --neighbors 1,3,5
    """
    values = flags.given_values(arguments)
    model, rows, y, name = inputs.read_or_make(files, target, values)
    how: dict[str, Any] = {"cv": cv, "groups": groups, "costs": costs, "random_state": seed}
    compared = compared or neighbors is not None
    if name is not None and (compared or any(each is not None for each in (cv, groups, time))):
        msg = f"{name} is fitted: omit it to cross-validate or compare models on these rows"
        raise click.UsageError(msg)
    X: Any = rows
    if time is not None:
        how["cv"] = _time_folds(cv)
        if time not in rows.names:
            msg = f"there is no column {time!r}; columns are {', '.join(rows.names)}"
            raise click.BadParameter(msg, param_hint="'--time'")
        X = inputs.in_memory(model, rows, y).sort_by(time)
    elif name is None and cv is None:
        how["cv"] = 10
    with console.warnings_as_notices():
        if compared:
            how |= {} if neighbors is None else {"neighbors": neighbors}
            result: Any = inputs.compared(X, y, values, **how)
        else:
            result = model.evaluate(X, y, **how)
    if time is not None:
        n = how["cv"].get_n_splits()
        result = replace(result, how=f"{n} folds in order of {time}, trained on earlier rows")
    console.show(result, as_json=as_json)


def _time_folds(cv: Any) -> Any:
    """Folds of rows in order, each of which is predicted from all earlier rows."""
    from sklearn.model_selection import TimeSeriesSplit

    if not isinstance(cv, int | None):
        msg = f"--time takes a number of folds, got --cv {cv}"
        raise click.UsageError(msg)
    return TimeSeriesSplit(cv or _TIME_FOLDS)
