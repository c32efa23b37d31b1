"""``gaussbayes update MODEL DATA...`` and ``forget``: a model changed by the rows of files.

Nothing is written before all rows are read and the new model is made, and then in one step, so
that whatever goes wrong leaves the model file as it was.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import command_files, command_options, fit_summary
from gaussbayes.apps.cli.command_files import class_names, naming
from gaussbayes.apps.cli.command_options import option
from gaussbayes.apps.cli.console import tell, warnings_told
from gaussbayes.apps.cli.labelled_files import LEARNT_FROM, LabelledFiles
from gaussbayes.base.errors import RemovalError

if TYPE_CHECKING:
    from gaussbayes.data.file_rows import FileRows
    from gaussbayes.data.reduction import Reduced
    from gaussbayes.model.model import Model
    from gaussbayes.model.statistics import Learnt

_change_options = command_options.together(
    command_options.model_argument,
    command_options.data_argument,
    option(
        "-y", "--target TARGET", what="The column that holds the classes.  [default: as before]"
    ),
    option(
        "-o",
        "--output NEW",
        type=command_options.OUTPUT,
        what="The model file to write; - is standard output.  [default: MODEL itself]",
    ),
    command_options.weights_option,
    command_options.label_options,
    command_options.reading_options,
)


@click.command("update")
@_change_options
@command_options.json_option("Write what was learnt from as JSON to standard output.")
def update_command(**arguments: Any) -> None:
    """Let a model learn from more rows, as if it had seen them from the start.

    Classes that are new join it. The model file is replaced in one step when all rows are read; if
    anything goes wrong it stays as it was.

    \b
    gaussbayes update iris.json monday.csv tuesday.csv
    """
    _change("update", "learnt from", LEARNT_FROM, _updated, **arguments)


@click.command("forget")
@_change_options
@command_options.json_option("Write what was forgotten as JSON to standard output.")
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
    step, done, use : what is done, how the message about it begins, and what with unlabelled rows
    change : the model, the rows and what was learnt from them ↦ the new model
    """
    from gaussbayes.model.sources import Observation, SourceFit

    command_files.check_one_input(model, *data)
    output = output or model
    fit_summary.check_json(output, as_json=as_json)
    chosen = command_options.RowOptions.taken(arguments)
    before = command_files.read_learnt(model, step)
    source = command_files.open_files(data, chosen.file_format, chosen.bad_rows)
    command_files.check_no_overwriting(output, *source.files)
    command_files.check_writable(output)
    rows = LabelledFiles.of_model(source, chosen, before, model).rows
    with warnings_told():
        reduced = rows.reduce(Observation(before.observing, before.schema, chosen.labelled_only))
    with naming(f"{source.shown} does not fit {model}"):
        changed = change(before, rows, reduced)
    fit = SourceFit(fit_summary.solved_if_possible(changed), reduced)
    # A file that held unlabelled rows still does.
    keep = command_files.has_unlabelled_rows(before)
    command_files.write_model(fit.model, output, keep_unlabelled=keep)
    fit_summary.tell_fit(fit, chosen, output, as_json=as_json, done=done, use=use)
    if as_json:
        return
    names = class_names(before), class_names(fit.model)
    for word, some, others in (("new", names[1], names[0]), ("gone", *names)):
        different = [name for name in some if name not in others]
        if different:
            tell(f"{word}: {', '.join(different)}")
