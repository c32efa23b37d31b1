"""``gaussbayes merge A B... -o OUT``: models of parts of the rows → the model of all of them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gaussbayes.apps.cli import command_files, command_options, fit_summary
from gaussbayes.apps.cli.command_files import naming
from gaussbayes.apps.cli.command_options import option
from gaussbayes.apps.cli.console import counted, tell
from gaussbayes.base.errors import SchemaError

if TYPE_CHECKING:
    from gaussbayes.model.model import Model
    from gaussbayes.model.settings import Settings


@click.command("merge")
@click.argument(
    "parts", metavar="MODEL MODEL...", nargs=-1, required=True, type=command_options.MODEL
)
@option(
    "-o",
    "--output OUT",
    type=command_options.OUTPUT,
    required=True,
    what="The model file to write; - is standard output.",
)
@option("--settings-of first|MODEL")
def command(parts: tuple[str, ...], output: str, settings_of: str | None) -> None:
    """Merge models of parts of the rows into the model of all rows.

    The parts must have the same features; classes are united. The result is the model that would
    have been fitted to all rows together.

    \b
    gaussbayes merge monday.json tuesday.json -o week.json
    """
    _check_different(parts)
    command_files.check_one_input(*parts)
    if settings_of not in {None, "first", *parts}:
        msg = f"--settings-of must be 'first' or one of the models given, got {settings_of!r}"
        raise click.UsageError(msg)
    command_files.check_writable(output)
    models = {name: command_files.read_learnt(name, "merge") for name in parts}
    settings = _settings(models, settings_of)
    alike = {name: _with_settings(model, name, settings) for name, model in models.items()}
    (first, merged), *others = alike.items()
    for name, other in others:
        with naming(f"{name} does not fit {first}"):
            merged = merged.merged(other)
    whole = fit_summary.solved_if_possible(merged)
    command_files.write_model(whole, output, keep_unlabelled=True)
    targets = {model.target for model in models.values() if model.target is not None}
    if len(targets) > 1:
        tell(f"the targets have different names; the result's is {whole.target!r}")
    classes = counted(len(whole.schema.classes), "class", "classes")
    place = command_files.shown(output)
    tell(f"merged {len(parts)} models: {classes}; the model is in {place}")


def _with_settings(model: "Model", name: str, settings: "Settings") -> "Model":
    with naming(f"{name} has not kept what these settings need"):
        return model.with_settings(settings, "merge")


def _settings(models: "dict[str, Model]", settings_of: str | None) -> "Settings":
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
            raise SchemaError(msg)
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
            raise SchemaError(msg)
    return models[first].settings


def _check_different(parts: tuple[str, ...]) -> None:
    if len(parts) < 2:
        msg = f"merging takes two models or more, got {parts[0]} alone"
        raise click.UsageError(msg)
    files = [Path(name) for name in parts if name != command_options.STANDARD]
    for number, path in enumerate(files):
        if any(path.samefile(other) for other in files[:number]):
            msg = f"{path} is given twice: its rows would count twice"
            raise click.UsageError(msg)
