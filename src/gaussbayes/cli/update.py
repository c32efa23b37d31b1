"""``gaussbayes update MODEL DATA...``: a model learns from more rows."""

from typing import TYPE_CHECKING

import click

from gaussbayes.cli import learning, models, options, quick, reading, writing

if TYPE_CHECKING:
    from gaussbayes.types import BadRowHandling


@click.command("update")
@click.argument("model", type=options.MODEL)
@click.argument("data", metavar="DATA...", nargs=-1, required=True, type=options.SOURCE)
@click.option(
    "-y", "--target", metavar="TARGET", help="The column of the classes.  [default: as before]"
)
@click.option(
    "-o",
    "--output",
    "new",
    type=options.OUTPUT,
    metavar="NEW",
    help="The model file to write; - is standard output.  [default: MODEL itself]",
)
@options.weights_option
@options.reading_options
@options.json_option("Write what was learnt from as JSON to standard output.")
def command(
    model: str,
    data: tuple[str, ...],
    target: str | None,
    new: str | None,
    weights: str | None,
    file_format: str | None,
    bad_rows: "BadRowHandling",
    as_json: bool,
) -> None:
    """Let a model learn from more rows, as if it had seen them from the start.

    Classes that are new join it. The model file is replaced in one step when all rows are read; if
    anything goes wrong it stays as it was.

    \b
    gaussbayes update iris.json monday.csv tuesday.csv
    """
    models.refuse_two_inputs(model, *data)
    new = new or model
    if as_json and new == models.STANDARD:
        msg = "--json writes to standard output, where the model goes: give it a file with -o"
        raise click.UsageError(msg)
    from gaussbayes.sources import moments_of

    quick.start()
    before = models.read(model)
    learning.refuse_given(before, model)
    names = models.named_features(before, model)
    source = reading.opened(data, file_format, bad_rows)
    writing.refuse_overwriting(new, *source.files)
    models.refuse_unwritable(new)
    target = reading.target_for(source, target or before.target)
    reading.require(source, names, f"the model's {reading.counted(len(names), 'feature')}")
    found = moments_of(
        source,
        target,
        layout=before.layout,
        features=names,
        weights=weights,
        bad_rows=bad_rows,
    )
    with reading.naming(f"{reading.where(source)} does not fit {model}"):
        stored = before.updated(found.learnt)
    learning.tell_unready(stored)
    models.write(stored, new)
    learning.tell(stored, found, new, as_json=as_json)
    joined = [name for name in models.class_names(stored) if name not in models.class_names(before)]
    if joined and not as_json:
        reading.tell(f"new: {', '.join(joined)}")
