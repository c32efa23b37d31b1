"""``gaussbayes evaluate``: how good a model's predictions are, on rows that it has not seen."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import (
    console,
    evaluation_table,
    fit_summary,
    gates,
    memory_rows,
    model_files,
    options,
    row_files,
)
from gaussbayes.apps.cli.console import tell, warnings_told
from gaussbayes.apps.cli.fit_command import fit_files
from gaussbayes.apps.cli.options import RowOptions

if TYPE_CHECKING:
    from gaussbayes.analysis.evaluation import Evaluation
    from gaussbayes.data.bad_rows import BadRows
    from gaussbayes.data.files import Source
    from gaussbayes.model.model import Model

_FOLDS = 10


@click.command("evaluate")
@options.data_argument("[MODEL] DATA...")
@options.target_option
@options.feature_options
@options.model_options
@options.held_out_options
@options.seed_option("Decides which rows are held out.")
@gates.gate_options
@options.label_options
@options.reading_options
@options.json_option("Write the figures as JSON.")
def command(
    arguments: tuple[str, ...],
    held_out: options.HeldOut | None,
    cv: int | None,
    loo: bool,
    test: Path | None,
    seed: int,
    as_json: bool,
    **settings: Any,
) -> None:
    """Count errors, and judge the probabilities.

    With a model file, its predictions are compared with the classes in DATA, which may be of any
    size. Without one, models are fitted to some of the rows of DATA and judged by the others. Rows
    without label are never judged by; models are fitted to them, too, unless --labelled-only.
    The first argument is a model file if its name ends in .json; rows in JSON lines end in .jsonl.
    With DATA after it and nothing to be fitted, - is a model on standard input.

    \b
    gaussbayes evaluate iris.json new.csv
    gaussbayes evaluate iris.csv -y species --cv 10
    gaussbayes evaluate iris.csv -y species --covariance diagonal --test new.csv
    gaussbayes evaluate iris.json new.csv --min-accuracy 0.95 || echo 'not good enough'
    gaussbayes fit old.csv -y species -o - | gaussbayes evaluate - new.csv
    """
    bars = gates.take_bars(settings)
    chosen = RowOptions.taken(settings)
    held = options.held_out_given(held_out, cv, loo, test)
    fitting = (*settings, "features", "categorical", "held_out", "cv", "loo", "test", "seed")
    piped = options.option_given(*fitting) is None
    given = model_files.split_arguments(arguments, chosen.file_format, piped=piped)
    about: dict[str, Any]
    if given.model is not None:
        model_files.check_not_for_a_model(*fitting, "labelled_only")
        evaluation, about = _of_model(given, chosen)
    else:
        source = row_files.open_files(given.data, chosen.file_format, chosen.bad_rows)
        chosen = replace(chosen, target=row_files.target_column(source, chosen.target))
        if isinstance(held, Path):
            evaluation, about = _on_test_rows(source, chosen, settings, str(held))
        else:
            evaluation, about = _on_held_out_rows(source, chosen, settings, held or _FOLDS, seed)
    if as_json:
        record = evaluation_table.evaluation_record(evaluation)
        console.write_json(about | record | {"gates": gates.records(evaluation, bars)})
    else:
        evaluation_table.print_evaluation(console.stdout_console(), evaluation, about["how"])
    gates.check(evaluation, bars)


def evaluate_model(
    model: "Model", name: str, source: "Source", chosen: RowOptions
) -> "tuple[Evaluation, row_files.LabelledBlocks]":
    """Compare a model's predictions with the classes in a source, in bounded memory.

    Returns
    -------
    The evaluation, and the blocks, which know what was new and what has no label.
    """
    from gaussbayes.analysis.evaluation import evaluate

    features = model_files.named_features(model, name)
    rows = row_files.rows_of_model(source, model, features, chosen)
    blocks = row_files.LabelledBlocks(rows, model.encoder, model.classes)
    evaluation: Evaluation | None = None
    for block in blocks:
        if block.targets.labelled.any():
            log_posterior = model.log_posterior(block.rows)
            part = evaluate(log_posterior, block.targets.codes, model.classes)
            evaluation = part if evaluation is None else evaluation + part
    if evaluation is None:
        raise row_files.no_rows(source, "labelled rows" if blocks.n_unlabelled else "rows")
    return evaluation, blocks


def _of_model(
    given: model_files.ModelAndData, chosen: RowOptions
) -> "tuple[Evaluation, dict[str, Any]]":
    """A model from a file on rows from others."""
    if given.model is None or not given.data:
        msg = f"which rows is {given.model} to be judged by? Give DATA after it"
        raise click.UsageError(msg)
    model = model_files.read_solved(given.model)
    source = row_files.open_files(given.data, chosen.file_format, chosen.bad_rows)
    evaluation, blocks = evaluate_model(model, given.model, source, chosen)
    name = "from standard input" if given.model == options.STANDARD else given.model
    how = f"the model {name} on {evaluation.n_rows:,} rows of {source.shown}"
    return evaluation, {"model": given.model} | _about(blocks, how, chosen)


def _on_test_rows(
    source: "Source", chosen: RowOptions, settings: dict[str, Any], test: str
) -> "tuple[Evaluation, dict[str, Any]]":
    """A model fitted to some files on the rows of another."""
    fit = fit_files(source, chosen, options.check_settings(settings))
    row_files.tell_bad_rows(fit.reduced.bad_rows)
    row_files.tell_unlabelled(fit.reduced.n_unlabelled, chosen, row_files.LEARNT_FROM)
    if fit.selection is not None:
        tell(f"chosen: {fit_summary.describe(fit.selection)}")
    other = row_files.open_files([test], None, chosen.bad_rows)
    evaluation, blocks = evaluate_model(fit.model, "fitted", other, chosen)
    learnt = f"fitted to {fit.reduced.n_rows:,} rows of {source.shown}"
    how = f"{learnt}, judged by {evaluation.n_rows:,} rows of {other.shown}"
    return evaluation, {"model": None} | _about(blocks, how, chosen)


def _on_held_out_rows(
    source: "Source", chosen: RowOptions, settings: dict[str, Any], held_out: Any, seed: int
) -> "tuple[Evaluation, dict[str, Any]]":
    """Models fitted to some rows on the others, which must fit into memory."""
    from gaussbayes.analysis.held_out import Recipe, check_classes, evaluate_held_out

    checked = options.check_settings(settings)
    rows = row_files.training_rows(source, chosen, checked)
    reduced = memory_rows.load_rows(rows, labelled_only=chosen.labelled_only)
    table = reduced.total
    check_classes(table.table.classes)
    recipe = Recipe(checked, table.categorical)
    with warnings_told():
        judged = evaluate_held_out(
            recipe, table.features, table.labels, held_out, random_state=seed
        )
    row_files.tell_bad_rows(reduced.bad_rows)
    row_files.tell_unlabelled(reduced.n_unlabelled, chosen, row_files.LEARNT_FROM)
    about = _record(source, rows.target, judged.how, reduced.n_unlabelled, reduced.bad_rows)
    return judged.evaluation, {"model": None} | about


def _about(blocks: row_files.LabelledBlocks, how: str, chosen: RowOptions) -> dict[str, Any]:
    """What is said of the rows that a model was judged by, also as plain values."""
    source = blocks.rows.source
    row_files.tell_bad_rows(source.bad_rows)
    row_files.tell_unlabelled(blocks.n_unlabelled, chosen, row_files.NOT_JUDGED)
    blocks.unseen.tell()
    record = _record(source, blocks.rows.target, how, blocks.n_unlabelled, source.bad_rows)
    return record | ({"unseen": blocks.unseen.record()} if blocks.encoder.categorical else {})


def _record(
    source: "Source", target: str | None, how: str, n_unlabelled: int, bad_rows: "BadRows"
) -> dict[str, Any]:
    return {
        "data": list(source.files),
        "target": target,
        "how": how,
        "unlabelled": n_unlabelled,
        "bad_rows": row_files.bad_rows_record(bad_rows),
    }
