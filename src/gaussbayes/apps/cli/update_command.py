"""``gaussbayes update MODEL DATA...`` and ``forget``: a model changed by the rows of files.

Nothing is written before all rows are read and the new model is made, and then in one step, so
that whatever goes wrong leaves the model file as it was.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import fit_summary, model_files, options, row_files
from gaussbayes.apps.cli.console import naming, tell, warnings_told
from gaussbayes.base.errors import RemovalError

if TYPE_CHECKING:
    from gaussbayes.data.file_rows import FileRows
    from gaussbayes.data.reduction import Reduced
    from gaussbayes.model.model import Model
    from gaussbayes.model.statistics import Learnt

_change_options = options.together(
    click.argument("model", type=options.MODEL),
    options.data_argument(),
    options.option(
        "-y", "--target TARGET", what="The column that holds the classes.  [default: as before]"
    ),
    options.option(
        "-o",
        "--output NEW",
        type=options.OUTPUT,
        what="The model file to write; - is standard output.  [default: MODEL itself]",
    ),
    options.weights_option,
    options.label_options,
    options.reading_options,
)


@click.command("update")
@_change_options
@options.json_option("Write what was learnt from as JSON to standard output.")
def update_command(**arguments: Any) -> None:
    """Let a model learn from more rows, as if it had seen them from the start.

    Classes that are new join it. The model file is replaced in one step when all rows are read; if
    anything goes wrong it stays as it was.

    \b
    gaussbayes update iris.json monday.csv tuesday.csv
    """
    _change("update", "learnt from", row_files.LEARNT_FROM, _updated, **arguments)


@click.command("forget")
@_change_options
@options.json_option("Write what was forgotten as JSON to standard output.")
def forget_command(**arguments: Any) -> None:
    """Let a model forget rows, exactly as if it had never seen them.

    The other rows are not needed. Rows that cannot have been among those seen are refused. A class
    of which no row is left is no class any more. The model file is replaced in one step; if
    anything goes wrong it stays as it was.

    \b
    gaussbayes forget iris.json withdrawn.csv
    """
    _change("forget", "forgot", "forgotten, too", _without, **arguments)


def _updated(model: "Model", rows: "FileRows", reduced: "Reduced[Learnt]") -> "Model":
    from gaussbayes.model.sources import update_rows

    return update_rows(model, rows, reduced).model


def _without(model: "Model", _: "FileRows", reduced: "Reduced[Learnt]") -> "Model":
    smaller = model.without(reduced.total.with_rows())
    if not smaller.schema.classes.size:
        msg = "they are all that the model has seen, so that nothing would be left: delete its file"
        raise RemovalError(msg)
    return smaller


def _change(
    step: str,
    done: str,
    use: str,
    change: "Callable[[Model, FileRows, Reduced[Learnt]], Model]",
    *,
    model: str,
    data: tuple[str, ...],
    output: str | None,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Read the rows, make the new model and write it.

    Parameters
    ----------
    step : what is done, for messages
    done : how the message about it begins
    use : what is done with rows without label
    change : the model, the rows and what was learnt from them ↦ the new model
    """
    from gaussbayes.model.sources import Observation, SourceFit

    model_files.check_one_input(model, *data)
    output = output or model
    fit_summary.check_json(output, as_json=as_json)
    chosen = options.RowOptions.taken(arguments)
    before = model_files.read_learnt(model, step)
    features = model_files.named_features(before, model)
    source = row_files.open_files(data, chosen.file_format, chosen.bad_rows)
    model_files.check_no_overwriting(output, *source.files)
    model_files.check_writable(output)
    rows = row_files.rows_of_model(source, before, features, chosen)
    with warnings_told():
        reduced = rows.reduce(Observation(before.observing, before.schema, chosen.labelled_only))
    with naming(f"{source.shown} does not fit {model}"):
        changed = change(before, rows, reduced)
    fit = SourceFit(fit_summary.solved_if_possible(changed), reduced)
    # A file that held unlabelled rows still does.
    keep = model_files.has_unlabelled_rows(before)
    model_files.write_model(fit.model, output, keep_unlabelled=keep)
    fit_summary.tell_fit(fit, chosen, output, as_json=as_json, done=done, use=use)
    if not as_json:
        _tell_classes(model_files.class_names(before), model_files.class_names(fit.model))


def _tell_classes(before: list[str], after: list[str]) -> None:
    """Say which classes have joined and which have gone."""
    for word, some, others in (("new", after, before), ("gone", before, after)):
        different = [name for name in some if name not in others]
        if different:
            tell(f"{word}: {', '.join(different)}")
