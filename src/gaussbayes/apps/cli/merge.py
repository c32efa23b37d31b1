"""``gaussbayes merge A B... -o OUT``: models of parts of the rows → the model of all of them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gaussbayes.apps.cli import learning, models, options, reading
from gaussbayes.base.errors import SchemaError

if TYPE_CHECKING:
    from gaussbayes.model.model import Model
    from gaussbayes.model.settings import Settings


@click.command("merge")
@click.argument("parts", metavar="MODEL MODEL...", nargs=-1, required=True, type=options.MODEL)
@click.option(
    "-o",
    "--output",
    type=options.OUTPUT,
    required=True,
    metavar="OUT",
    help="The model file to write; - is standard output.",
)
@click.option(
    "--settings-of",
    metavar="first|MODEL",
    help="Whose settings the result has, if they differ: those of the first model, or of this one.",
)
def command(parts: tuple[str, ...], output: str, settings_of: str | None) -> None:
    """Merge models of parts of the rows into the model of all rows.

    The parts must have the same features; classes are united. The result is the model that would
    have been fitted to all rows together.

    \b
    gaussbayes merge monday.json tuesday.json -o week.json
    """
    _refuse_twice(parts)
    models.refuse_two_inputs(*parts)
    if settings_of not in {None, "first", *parts}:
        msg = f"--settings-of is 'first' or one of the models given, got {settings_of!r}"
        raise click.UsageError(msg)
    models.refuse_unwritable(output)
    stored = {name: models.read(name) for name in parts}
    whole = learning.ready(learning.merge(stored, _settings(stored, settings_of)))
    models.write(whole, output)
    targets = {one.target for one in stored.values() if one.target is not None}
    if len(targets) > 1:
        reading.tell(f"the targets have different names; the result's is {whole.target!r}")
    classes = reading.counted(len(whole.schema.classes), "class", "classes")
    place = "standard output" if output == models.STANDARD else output
    reading.tell(f"merged {len(parts)} models: {classes}; the model is in {place}")


def _settings(stored: "dict[str, Model]", settings_of: str | None) -> "Settings":
    """The settings of the result; where they differ, somebody must have said whose they are."""
    first, *others = stored
    if settings_of is not None:
        return stored[first if settings_of == "first" else settings_of].settings
    ours = models.settings_record(stored[first])
    for name in others:
        theirs = models.settings_record(stored[name])
        unlike = [key for key in ours if ours[key] != theirs[key]]
        if unlike:
            key = unlike[0]
            msg = (
                f"the models have different settings ({', '.join(unlike)}): {key} is {ours[key]!r} "
                f"in {first}, {theirs[key]!r} in {name}; choose with --settings-of first, or with "
                "--settings-of and the name of one of them"
            )
            raise SchemaError(msg)
    return stored[first].settings


def _refuse_twice(parts: tuple[str, ...]) -> None:
    if len(parts) < 2:
        msg = f"merging takes two models or more, got {parts[0]} alone"
        raise click.UsageError(msg)
    files = [Path(name) for name in parts if name != models.STANDARD]
    for number, path in enumerate(files):
        if any(path.samefile(other) for other in files[:number]):
            msg = f"{path} is given twice: its rows would count twice"
            raise click.UsageError(msg)
