"""``gaussbayes update MODEL DATA...``, ``forget`` and ``merge``: models changed by rows and models.

Nothing is written before all rows are read and the new model is made, and then in one step, so
that whatever goes wrong leaves the model file as it was.
"""

from pathlib import Path
from typing import Any

import click

from gaussbayes.base.errors import DataError
from gaussbayes.base.numerals import counted
from gaussbayes.cli import command_files, fit_command
from gaussbayes.cli.command_files import class_names, naming
from gaussbayes.cli.command_options import MODEL, OUTPUT, STANDARD, RowOptions, option, takes
from gaussbayes.cli.console import tell, warnings_told
from gaussbayes.cli.labelled_files import LabelledFiles
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Settings
from gaussbayes.model.sources import Observation, SourceFit, update_rows

_change_options = takes(
    "model",
    "data",
    option(
        "-y", "--target TARGET", what="The column that holds the classes.  [default: as before]"
    ),
    option("-o", "--output NEW", type=OUTPUT),
    "weights",
    "labels",
    "reading",
)


@click.command("update")
@_change_options
@option("--decay NUMBER", type=float, default=1.0)
@takes(json="Write what was learnt from as JSON to standard output.")
def update_command(**arguments: Any) -> None:
    """Let a model learn from more rows, as if it had seen them from the start.

    Classes that are new join it. With --decay all rows seen before count for less, so that after
    many updates the model is that of rows with the weights DECAY^age. The model file is replaced in
    one step when all rows are read; if anything goes wrong it stays as it was.

    \b
    gaussbayes update iris.json monday.csv tuesday.csv
    gaussbayes update iris.json today.csv --decay 0.9
    """
    _change("update", "learnt from", command_files.LEARNT_FROM, **arguments)


@click.command("forget")
@_change_options
@takes(json="Write what was forgotten as JSON to standard output.")
def forget_command(**arguments: Any) -> None:
    """Let a model forget rows, exactly as if it had never seen them.

    The other rows are not needed. Rows that cannot have been among those seen are refused. A class
    of which no row is left is no class any more. The model file is replaced in one step; if
    anything goes wrong it stays as it was.

    \b
    gaussbayes forget iris.json withdrawn.csv
    """
    _change("forget", "forgot", "forgotten, too", **arguments)


def _change(
    step: str,
    done: str,
    use: str,
    *,
    model: str,
    data: tuple[str, ...],
    output: str | None,
    as_json: bool,
    decay: float = 1.0,
    **arguments: Any,
) -> None:
    """Read the rows, make the new model and write it.

    Messages say what was `done`, and the `use` of unlabelled rows.
    """
    command_files.check_one_input(model, *data)
    output = output or model
    fit_command.check_json(output, as_json=as_json)
    chosen = RowOptions.taken(arguments)
    before = command_files.read_learnt(model, step).decayed(decay)
    source = command_files.open_files(data, chosen, before)
    command_files.check_no_overwriting(output, *source.files)
    command_files.check_writable(output)
    rows = LabelledFiles.of_model(source, chosen, before, model).rows
    with warnings_told():
        reduced = rows.reduce(Observation(before.observing, before.schema, chosen.labelled_only))
    with naming(f"{source.shown} does not fit {model}"):
        if step == "update":
            changed = update_rows(before, rows, reduced).model
        else:
            changed = before.without(reduced.total.with_rows())
            if not changed.schema.classes.size:
                msg = "they are all that the model has seen, so that nothing would be left"
                raise DataError(msg)
    fit = SourceFit(fit_command.solved_if_possible(changed), reduced)
    # A file that held unlabelled rows still does.
    keep = command_files.has_unlabelled_rows(before)
    command_files.write_model(fit.model, output, keep_unlabelled=keep)
    fit_command.tell_fit(fit, chosen, output, as_json=as_json, done=done, use=use)
    if as_json:
        return
    names = class_names(before), class_names(fit.model)
    for word, some, others in (("new", names[1], names[0]), ("gone", *names)):
        different = [name for name in some if name not in others]
        if different:
            tell(f"{word}: {', '.join(different)}")


@click.command("merge")
@click.argument("parts", metavar="MODEL MODEL...", nargs=-1, required=True, type=MODEL)
@option("-o", "--output MODEL", type=OUTPUT, required=True)
@option("--settings-of first|MODEL")
def merge_command(parts: tuple[str, ...], output: str, settings_of: str | None) -> None:
    """Merge models of parts of the rows into the model of all rows.

    The parts must have the same features; classes are united. The result is the model that would
    have been fitted to all rows together.

    \b
    gaussbayes merge monday.json tuesday.json -o week.json
    """
    command_files.check_one_input(*parts)
    _check_different(parts)
    if settings_of not in {None, "first", *parts}:
        msg = f"--settings-of must be 'first' or one of the models given, got {settings_of!r}"
        raise click.UsageError(msg)
    command_files.check_writable(output)
    models = {name: command_files.read_learnt(name, "merge") for name in parts}
    settings = _settings(models, settings_of)
    for name, model in models.items():
        with naming(f"{name} has not kept what these settings need"):
            models[name] = model.with_settings(settings, "merge")
    (first, merged), *others = models.items()
    for name, other in others:
        with naming(f"{name} does not fit {first}"):
            merged = merged.merged(other)
    whole = fit_command.solved_if_possible(merged)
    command_files.write_model(whole, output, keep_unlabelled=True)
    targets = {model.target for model in models.values() if model.target is not None}
    if len(targets) > 1:
        tell(f"the targets have different names; the result's is {whole.target!r}")
    classes = counted(len(whole.schema.classes), "class", "classes")
    place = command_files.shown(output)
    tell(f"merged {len(parts)} models: {classes}; the model is in {place}")


def _settings(models: dict[str, Model], settings_of: str | None) -> Settings:
    """The settings of the result; where they differ, somebody must have said whose they are."""
    first, *others = models
    for name in others:
        ours, theirs = models[first].schema, models[name].schema
        if not ours.same_features(theirs):
            msg = (
                f"models of different features cannot be merged: {first} has "
                f"{ours.feature_list(range(ours.n_features))}; {name} has "
                f"{theirs.feature_list(range(theirs.n_features))}"
            )
            raise DataError(msg)
    if settings_of is not None:
        return models[first if settings_of == "first" else settings_of].settings
    mine = command_files.settings_record(models[first])
    for name in others:
        record = command_files.settings_record(models[name])
        unlike = [key for key in mine if mine[key] != record.get(key)]
        if unlike:
            key = unlike[0]
            msg = (
                f"the models have different settings ({', '.join(unlike)}): {key} is {mine[key]!r} "
                f"in {first}, {record.get(key)!r} in {name}; choose with --settings-of first, or "
                "with --settings-of and the name of one of them"
            )
            raise DataError(msg)
    return models[first].settings


def _check_different(parts: tuple[str, ...]) -> None:
    if len(parts) < 2:
        msg = f"merging takes two models or more, got {parts[0]} alone"
        raise click.UsageError(msg)
    files = [Path(name) for name in parts if name != STANDARD]
    for number, path in enumerate(files):
        if any(path.samefile(other) for other in files[:number]):
            msg = f"{path} is given twice: its rows would count twice"
            raise click.UsageError(msg)
