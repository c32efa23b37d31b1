"""``gaussbayes update MODEL``: a model changed by rows and by other models."""

from pathlib import Path
from typing import Any

import click

from gaussbayes.cli import console, flags, inputs
from gaussbayes.cli.fit_command import notices_of, save_and_tell
from gaussbayes.cli.flags import MODEL, SOURCE, option

_DECAY = click.FloatRange(0, 1, min_open=True)


@click.command("update")
@flags.model
@click.argument("files", metavar="[FILE...]", nargs=-1, type=SOURCE)
@flags.target
@flags.weights
@option("--decay NUMBER", "Multiply the weights of earlier rows.", type=_DECAY, default=1.0)
@option("--merge MODEL", "Add the rows of this model; repeatable.", multiple=True, type=MODEL)
@option("--forget FILE|MODEL", "Remove these rows; repeatable.", multiple=True, type=SOURCE)
@option("-o --output MODEL", "File to write.  [default: the model itself]", type=flags.OUTPUT)
@flags.settings
@flags.as_json
def command(
    model: str,
    files: tuple[str, ...],
    target: str | None,
    weights: str | None,
    decay: float,
    merge: tuple[str, ...],
    forget: tuple[str, ...],
    output: str | None,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Update a model with more rows, merge models, or forget rows.

    The result equals a fit to all of the rows, and to the remaining rows after --forget. The model
    file is replaced in one step at the end; it does not change if anything fails, or if another
    program has changed it in the meantime.

    \b
    gaussbayes update model.json monday.csv tuesday.csv
    gaussbayes update model.json today.csv --decay 0.9
    gaussbayes update model.json --merge other.json --forget withdrawn.csv
    """
    values = flags.given_values(arguments)
    inputs.check_only_reading(values)
    if not (files or merge or forget) or (decay < 1 and not files):
        msg = "nothing to do: give FILE, with or without --decay, --merge or --forget"
        raise click.UsageError(msg)
    inputs.check_inputs(model, *files, *merge, *forget)
    place = output or model
    console.check_output(place, "the model", *files, *merge, *forget, as_json=as_json)
    content = Path(place).read_bytes() if Path(place).is_file() else None
    fitted = inputs.load_model(model)
    known = {notice.message for notice in notices_of(fitted)}
    with console.warnings_as_notices(fitting=True):
        if files:
            y = inputs.fitted_target(fitted, target, model)
            rows = inputs.open_rows(files, values)
            fitted.partial_fit(rows, y, sample_weight=weights, decay=decay)
        for name in merge:
            fitted.merge(inputs.load_model(name))
        for name in forget:
            if inputs.holds_model(name):
                fitted.forget(inputs.load_model(name))
            else:
                y = inputs.fitted_target(fitted, target, model)
                fitted.forget(inputs.open_rows((name,), values), y, weights)
    with inputs.unchanged(place, content):
        save_and_tell(
            fitted, place, as_json=as_json, weighted=bool(weights), selected=False, known=known
        )
