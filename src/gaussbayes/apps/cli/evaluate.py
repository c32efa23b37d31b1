"""``gaussbayes evaluate``: how good a model's predictions are, on rows that it has not seen."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import (
    candidates,
    choosing,
    gates,
    given,
    holding,
    judged,
    models,
    options,
    output,
    reading,
    rows,
    streamed,
)
from gaussbayes.apps.cli.model_rows import ModelRows

if TYPE_CHECKING:
    from gaussbayes.analysis.evaluation import Evaluation
    from gaussbayes.base.types import BadRowHandling

_FOLDS = 10


@click.command("evaluate")
@click.argument(
    "arguments", metavar="[MODEL] DATA...", nargs=-1, required=True, type=options.SOURCE
)
@options.target_option
@options.features_option
@options.categorical_option
@options.choosing_options
@holding.held_out_options
@options.seed_option("Decides which rows are held out.")
@gates.gate_options
@options.reading_options
@options.json_option("Write the figures as JSON.")
def command(
    arguments: tuple[str, ...],
    target: str | None,
    features: tuple[str, ...] | None,
    categorical: tuple[str, ...] | None,
    held_out: holding.HeldOut | None,
    cv: int | None,
    loo: bool,
    test: Path | None,
    seed: int,
    file_format: str | None,
    bad_rows: "BadRowHandling",
    as_json: bool,
    **settings: Any,
) -> None:
    """Count errors, and judge the probabilities.

    With a model file, its predictions are compared with the classes in DATA, which may be of any
    size. Without one, models are fitted to some of the rows of DATA and judged by the others.
    The first argument is a model file if its name ends in .json; rows in JSON lines end in .jsonl.
    With DATA after it and nothing to be fitted, - is a model on standard input.

    \b
    gaussbayes evaluate iris.json new.csv
    gaussbayes evaluate iris.csv -y species --cv 10
    gaussbayes evaluate iris.csv -y species --covariance diagonal --test new.csv
    gaussbayes evaluate iris.json new.csv --min-accuracy 0.95 || echo 'not good enough'
    gaussbayes fit old.csv -y species -o - | gaussbayes evaluate - new.csv
    """
    bars = gates.bars(settings)
    held = holding.chosen(held_out, cv, loo, test)
    fitting = (*settings, "features", "categorical", "held_out", "cv", "loo", "test", "seed")
    piped = given.first_of(*fitting) is None
    parted = given.told_apart(arguments, file_format, piped=piped)
    about: dict[str, Any]
    if parted.model is not None:
        given.refuse_for_a_model(*fitting)
        told, about = _of_model(parted, target, file_format, bad_rows)
    else:
        source = reading.opened(parted.data, file_format, bad_rows)
        columns = choosing.Columns(
            reading.target_for(source, target), features, categorical=categorical
        )
        if isinstance(held, Path):
            told, about = _on_test_rows(source, columns, settings, str(held), bad_rows)
        else:
            told, about = _held_out(source, columns, settings, held or _FOLDS, seed)
    if as_json:
        figures = judged.record(told) | {"gates": gates.records(told, bars)}
        output.write_json(about | figures)
    else:
        judged.show(output.console(), told, about["how"])
    gates.check(told, bars)


def _of_model(
    parted: given.Given, target: str | None, file_format: str | None, bad_rows: "BadRowHandling"
) -> "tuple[Evaluation, dict[str, Any]]":
    """A model from a file on rows from others."""
    if parted.model is None or not parted.data:
        msg = f"which rows is {parted.model} to be judged by? Give DATA after it"
        raise click.UsageError(msg)
    stored = models.read(parted.model)
    source = reading.opened(parted.data, file_format, bad_rows)
    target = reading.target_for(source, target or stored.target)
    taken = ModelRows(stored, parted.model)
    told = streamed.evaluated(stored, taken, source, target)
    name = "from standard input" if parted.model == models.STANDARD else parted.model
    how = f"the model {name} on {told.n_rows:,} rows of {reading.where(source)}"
    return told, _about(parted.model, source, target, how, taken)


def _on_test_rows(
    source: Any,
    columns: choosing.Columns,
    settings: dict[str, Any],
    test: str,
    bad_rows: "BadRowHandling",
) -> "tuple[Evaluation, dict[str, Any]]":
    """A model fitted to some files on the rows of another."""
    choice = choosing.choice_of(**settings)
    target = columns.target
    stored, found, selection = choosing.learn(source, columns, bad_rows, choice)
    reading.tell_bad_rows(found.bad_rows)
    if selection is not None:
        reading.tell(f"chosen: {candidates.described(selection)}")
    tests = reading.opened([test], None, bad_rows)
    reading.require(tests, [target], "the target")
    taken = ModelRows(stored, "fitted")
    told = streamed.evaluated(stored, taken, tests, target)
    learnt = f"fitted to {found.n_rows:,} rows of {reading.where(source)}"
    how = f"{learnt}, judged by {told.n_rows:,} rows of {reading.where(tests)}"
    return told, _about(None, tests, target, how, taken)


def _held_out(
    source: Any,
    columns: choosing.Columns,
    settings: dict[str, Any],
    held_out: Any,
    seed: int,
) -> "tuple[Evaluation, dict[str, Any]]":
    """Models fitted to some rows on the others, which must fit into memory."""
    from gaussbayes import GaussianClassifier
    from gaussbayes.analysis.comparison.one_model import judge

    choice = choosing.choice_of(**settings)
    learnt = rows.read(
        source,
        columns.target,
        columns.features,
        complete=choice.is_open or held_out == holding.LEAVE_ONE_OUT,
        categorical=columns.categorical or "from_dtype",
    )
    model = GaussianClassifier(categorical_features=learnt.categorical or None, **settings)
    with reading.telling_warnings():
        found = judge(model, learnt.features, learnt.labels, held_out, random_state=seed)
    return found.evaluation, _about(None, source, columns.target, found.how)


def _about(
    model: str | None, source: Any, target: str, how: str, taken: ModelRows | None = None
) -> dict[str, Any]:
    reading.tell_bad_rows(source.bad_rows)
    unseen = {}
    if taken is not None and taken.categorical:
        taken.tell_unseen()
        unseen = {"unseen": taken.unseen_record()}
    return unseen | {
        "model": model,
        "data": list(source.files),
        "target": target,
        "how": how,
        "bad_rows": reading.bad_rows_record(source.bad_rows),
    }
