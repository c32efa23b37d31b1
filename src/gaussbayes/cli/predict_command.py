"""``gaussbayes predict MODEL FILE...``: rows → labels, probabilities and other scores."""

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from gaussbayes import DataError
from gaussbayes.cli import console, flags, inputs
from gaussbayes.cli.flags import PROBABILITY, STANDARD, option
from gaussbayes.cli.inputs import Classifier, Rows

if TYPE_CHECKING:
    import pyarrow as pa

DEFAULT_SCORES = "label,posterior"
SCORES = (
    *("label", "posterior", "log_likelihood", "log_joint", "log_evidence"),
    *("squared_distance", "relative_distance", "p_value", "novelty_p_value"),
)
_OPEN = click.FloatRange(0, 1, min_open=True, max_open=True)


def _score_names(_: click.Context, __: click.Parameter, text: str) -> tuple[str, ...]:
    names = tuple(flags.items(text))
    if not names or any(name not in SCORES for name in names):
        msg = f"must be a list of {', '.join(SCORES)}; got {text!r}"
        raise click.BadParameter(msg)
    return names


@click.command("predict")
@flags.model
@flags.files
@option("-o --output FILE", "Write to FILE, not to standard output.", default=STANDARD)
@option("--output-format NAME", "Format of the output.", type=click.Choice(flags.FORMATS))
@option("--keep", "Write the columns of the file, too.")
@option(
    "--scores NAMES", f"Any of {', '.join(SCORES)}.", callback=_score_names, default=DEFAULT_SCORES
)
@option("--digits N", "Round scores to N decimal places.", type=click.IntRange(0, 17))
@option(
    "--set COVERAGE",
    "Prediction set with this coverage; classes separated by |.",
    type=_OPEN,
    name="coverage",
)
@option("--by-class", "Let prediction sets have their coverage in each class.")
@flags.costs
@option(
    "--reject-below P",
    "Leave rows undecided whose best class has less probability.",
    type=PROBABILITY,
)
@option("--reject-cost COST", "Leave rows undecided whose expected cost is higher.", type=float)
@option("--novelty P", "Leave rows undecided that lie further from all classes.", type=PROBABILITY)
@option(
    "--priors from-data|uniform|LABEL=P,...",
    "Other priors; from-data estimates them from the rows.",
)
@flags.settings
@flags.as_json
def command(
    model: str,
    files: tuple[str, ...],
    output: str,
    output_format: str | None,
    priors: str | None,
    set_option: tuple[str, ...],
    as_json: bool,
    **wanted: Any,
) -> None:
    """Predict the classes of rows, with probabilities.

    Columns are found by name; other columns of the file are ignored unless --keep. Files of any
    size are read in bounded memory, and rows keep their order. Costs and thresholds add a column
    "decision", empty for rows that are left undecided, and a column "reason": ambiguous or novel.

    \b
    gaussbayes predict model.json new.csv -o predicted.csv
    gaussbayes predict model.json new.csv --keep --scores label,log_evidence
    gaussbayes predict model.json new.csv --set 0.95
    gaussbayes predict model.json new.csv --costs 'ill:well=50,well:ill=1' --novelty 0.001
    zcat rows.csv.gz | gaussbayes predict model.json - > predicted.csv
    """
    if wanted["by_class"] and wanted["coverage"] is None:
        msg = "--by-class is about prediction sets: give --set, for example --set 0.9"
        raise click.UsageError(msg)
    inputs.check_inputs(model, *files)
    values = flags.given_values({"set_option": set_option})
    inputs.check_only_reading(values)
    format_name = "jsonl" if as_json else console.format_of(output, output_format)
    console.check_output(output, "the predictions", model, *files)
    fitted, rows = inputs.load_model(model), inputs.open_rows(files, values)
    if priors is not None:
        fitted = _with_priors(fitted, priors, rows)
    with console.warnings_as_notices():
        tables = (_answers(fitted, batch, **wanted) for batch in _batches(fitted, rows))
        console.write_tables(tables, output, format_name)
    if not console.is_stream(output):
        console.tell(f"Predictions saved to {output}")


def _batches(model: Classifier, rows: Rows) -> "Iterator[pa.Table]":
    """The rows, in blocks."""
    batches = rows.batches(columns=model.columns_)
    first = next(batches, None)
    if first is None:
        msg = f"{rows} has no rows"
        raise DataError(msg)
    return chain([first], batches)


def _with_priors(model: Classifier, priors: str, rows: Rows) -> Classifier:
    """Return the model with other priors; report those that are estimated."""
    if priors != "from-data":
        return model.with_priors(flags.parse(flags.TABLE["priors"], [priors]))
    prior = model.estimate_priors(rows).prior
    listed = zip(model.classes_.tolist(), prior.tolist(), strict=True)
    console.tell(f"Priors: {', '.join(f'{label} {value:.4g}' for label, value in listed)}")
    return model.with_priors(prior)


def _answers(
    model: Classifier,
    batch: "pa.Table",
    *,
    scores: tuple[str, ...],
    digits: int | None,
    coverage: float | None,
    by_class: bool,
    keep: bool,
    **rule: Any,
) -> "pa.Table":
    """Return the columns to write for some rows."""
    import pyarrow as pa

    features, labels = inputs.used_columns(model, batch), pa.array(model.classes_.tolist())
    columns: dict[str, Any] = {}
    if any(value is not None for value in rule.values()):
        decisions = model.decide(features, **rule)
        columns["decision"] = labels.take(pa.array(decisions.best, mask=decisions.refused))
        columns["reason"] = pa.array(decisions.reason.tolist(), mask=~decisions.refused)
    if coverage is not None:
        sets = model.predict_set(features, coverage, by_class=by_class).labels
        columns["set"] = pa.array(["|".join(map(str, members)) for members in sets], pa.string())
    table = model.scores(features)
    for score in scores:
        values = getattr(table, score)
        if digits is not None and score != "label":
            values = values.round(digits)
        if values.ndim == 2:
            names = [f"{score}_{label}" for label in model.classes_.tolist()]
            columns |= zip(names, map(pa.array, values.T), strict=True)
        else:
            columns[score] = pa.array(values.tolist(), labels.type if score == "label" else None)
    kept = dict(zip(batch.column_names, batch.columns, strict=True)) if keep else {}
    taken = [name for name in columns if name in kept]
    if taken:
        msg = f"the file has a column {taken[0]!r}, as the predictions do: omit --keep"
        raise DataError(msg)
    return pa.table(kept | columns)
