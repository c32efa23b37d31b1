"""``gaussbayes predict MODEL DATA...``: rows → the same rows with what the model says of them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import (
    deciding,
    models,
    options,
    quick,
    reading,
    scoring,
    shifting,
    values,
    writing,
)
from gaussbayes.apps.cli.model_rows import ModelRows
from gaussbayes.base.errors import SchemaError

if TYPE_CHECKING:
    from gaussbayes.apps.cli.scoring import Score
    from gaussbayes.base.types import BadRowHandling
    from gaussbayes.model.model import Model


@click.command("predict")
@click.argument("model", type=options.MODEL)
@click.argument("data", metavar="DATA...", nargs=-1, required=True, type=options.SOURCE)
@options.writing_options
@scoring.score_options
@click.option("--no-label", is_flag=True, help="Leave out the column of predicted classes.")
@click.option(
    "--keep",
    default="others",
    show_default=True,
    metavar="others|all|none|A,B,...",
    help="Which columns of the data to pass on: those that are no features, all, none, or these.",
)
@click.option(
    "--priors",
    callback=values.priors_of_rows,
    default="own",
    show_default=True,
    metavar="own|estimated|uniform|from-data|P,Q,...",
    help="Other priors than the model's: the shares of the rows learnt from (estimated), those "
    "that make DATA most probable (from-data, which reads DATA twice), or numbers in the order of "
    "the sorted classes.",
)
@deciding.decision_options
@options.reading_options
def command(
    model: str,
    data: tuple[str, ...],
    output: str,
    output_format: str | None,
    escape: bool,
    no_label: bool,
    keep: str,
    priors: Any,
    costs: str | None,
    reject_below: float | None,
    reject_cost: float | None,
    novelty: float | None,
    file_format: str | None,
    bad_rows: "BadRowHandling",
    **flags: bool,
) -> None:
    """Predict the classes of rows in files of any size.

    Columns are found by their names, in any order; those that are no features of the model are
    passed on. The rows come out in the order they came in.

    Costs may be given for mistakes, and rows may be left open: the prediction is then empty, and a
    column says why, "ambiguous" or "novel".

    \b
    gaussbayes predict iris.json new.csv --proba -o predicted.csv
    gaussbayes predict tests.json new.csv --costs 'ill:well=50,well:ill=1' --reject-cost 0.5
    gaussbayes predict iris.json new.csv --reject-below 0.9 --novelty 0.001
    zcat rows.csv.gz | gaussbayes predict iris.json - > predicted.csv
    """
    asked = scoring.asked_for(flags)
    if no_label and not asked:
        msg = "--no-label leaves nothing to write: ask for a score, for example --proba"
        raise click.UsageError(msg)
    models.refuse_two_inputs(model, *data)
    quick.start()
    stored = models.read(model)
    if priors not in ("own", values.FROM_DATA):
        stored = stored.with_priors(priors)
    rule = deciding.rule_of(stored, costs, reject_below, reject_cost, novelty)
    if no_label and rule is not None:
        msg = "--no-label leaves out the classes that are to be decided for: leave it out"
        raise click.UsageError(msg)
    taken = ModelRows(stored, model)
    source = reading.opened(data, file_format, bad_rows)
    writing.refuse_overwriting(output, model, *source.files)
    taken.require(source)
    kept = _kept(keep, source, taken.features)
    classes = models.class_names(stored)
    added = scoring.column_names(asked, classes, label=not no_label, reason=rule is not None)
    _refuse_taken(source, kept, added)
    if priors == values.FROM_DATA:
        stored = shifting.with_priors_of(source, stored, ModelRows(stored, model))
    tables, schema = _predicted(stored, taken, source, kept, added, asked, rule, label=not no_label)
    writing.write(tables, schema, output, output_format, escape=escape)
    reading.tell_bad_rows(source.bad_rows)
    taken.tell_unseen()


def _predicted(
    stored: "Model",
    taken: ModelRows,
    source: Any,
    kept: list[str],
    added: Sequence[str],
    asked: "Sequence[Score]",
    rule: "deciding.Rule | None",
    *,
    label: bool,
) -> tuple[Iterator[Any], Any]:
    """The kept columns of each block with those that are added, and their Arrow schema."""
    import pyarrow as pa

    parameters = stored.estimate_any()
    classes = pa.array(stored.schema.classes.tolist())
    columns = kept + [name for name in taken.features if name not in set(kept)]
    read = reading.schema_of(source, columns, as_held=kept, **taken.kinds)

    def predicted(rows: Any) -> list[Any]:
        return scoring.scored(parameters, rows, classes, asked, label=label, rule=rule)

    def tables() -> Iterator[Any]:
        for block in reading.blocks(source, "predicting", columns, as_held=kept, **taken.kinds):
            with reading.in_block(block):
                scores = predicted(taken.of(block.table))
            yield pa.table([*block.table.select(kept).columns, *scores], schema=schema)

    # The types of the scores, which depend on those of the features, are told by no rows at all.
    none = predicted(taken.of(read.empty_table()))
    types = [(name, column.type) for name, column in zip(added, none, strict=True)]
    schema = pa.schema([*(read.field(name) for name in kept), *types])
    return tables(), schema


def _kept(keep: str, source: Any, features: Sequence[str]) -> list[str]:
    """The columns to be passed on."""
    there = list(source.schema.names)
    if keep in {"all", "none"}:
        return there if keep == "all" else []
    if keep == "others":
        return [name for name in there if name not in set(features)]
    wanted = values.as_names(keep, "--keep")
    reading.require(source, wanted, "the columns to keep")
    return list(wanted)


def _refuse_taken(source: Any, kept: Sequence[str], added: Sequence[str]) -> None:
    taken = [name for name in added if name in set(kept)]
    if taken:
        msg = (
            f"{reading.where(source)} has a column {taken[0]!r} already, which is what the "
            "prediction is written to: leave it out with --keep, or rename it"
        )
        raise SchemaError(msg)
