"""A model changed by the rows of files: the one way of verbs that add rows and that take them away.

Nothing is written before all rows are read and the new model is made, and then in one step, so
that whatever goes wrong leaves the model file as it was.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from gaussbayes.apps.cli import learning, models, options, quick, reading, writing

if TYPE_CHECKING:
    from gaussbayes.base.types import BadRowHandling
    from gaussbayes.model.labelled import LabelledMoments
    from gaussbayes.model.model import Model


@dataclass(frozen=True, slots=True)
class Change:
    """What is done with the rows."""

    done: str  # how the message begins, such as "learnt from"
    step: "Callable[[Model, LabelledMoments], Model]"


def rows_options(function: options.Function) -> options.Function:
    """The model to change, the rows to change it by, and where the result goes."""
    return options.together(
        function,
        click.argument("model", type=options.MODEL),
        click.argument("data", metavar="DATA...", nargs=-1, required=True, type=options.SOURCE),
        click.option(
            "-y",
            "--target",
            metavar="TARGET",
            help="The column of the classes.  [default: as before]",
        ),
        click.option(
            "-o",
            "--output",
            "new",
            type=options.OUTPUT,
            metavar="NEW",
            help="The model file to write; - is standard output.  [default: MODEL itself]",
        ),
        options.weights_option,
        options.reading_options,
    )


def change(
    how: Change,
    model: str,
    data: tuple[str, ...],
    target: str | None,
    new: str | None,
    weights: str | None,
    file_format: str | None,
    bad_rows: "BadRowHandling",
    as_json: bool,
) -> None:
    """Read the rows, make the new model and write it; the arguments are those of the verb."""
    models.refuse_two_inputs(model, *data)
    new = new or model
    learning.refuse_json_into_the_model(new, as_json=as_json)
    from gaussbayes.data.sources import moments_of

    quick.start()
    before = models.read(model)
    learning.refuse_given(before, model)
    names = models.named_features(before, model)
    source = reading.opened(data, file_format, bad_rows)
    writing.refuse_overwriting(new, *source.files)
    models.refuse_unwritable(new)
    target = reading.target_for(source, target or before.target)
    reading.require(source, names, f"the model's {reading.counted(len(names), 'feature')}")
    with reading.telling_warnings():
        found = moments_of(
            source,
            target,
            layout=before.layout,
            features=names,
            weights=weights,
            bad_rows=bad_rows,
            categorical_features=[names[column] for column in before.schema.categorical],
            text_features=before.text_features,
        )
    with reading.naming(f"{reading.where(source)} does not fit {model}"):
        stored = how.step(before, found.learnt)
    stored = learning.ready(stored)
    models.write(stored, new)
    learning.tell(stored, found, new, as_json=as_json, done=how.done)
    if not as_json:
        _tell_classes(models.class_names(before), models.class_names(stored))


def _tell_classes(before: list[str], after: list[str]) -> None:
    """Say which classes have joined and which have gone."""
    for word, some, others in (("new", after, before), ("gone", before, after)):
        different = [name for name in some if name not in others]
        if different:
            click.echo(f"{word}: {', '.join(different)}", err=True)
