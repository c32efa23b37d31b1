"""``gaussbayes predict MODEL DATA...``: rows → the same rows with what the model says of them."""

import csv
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa

from gaussbayes.base.errors import DataError
from gaussbayes.base.numerals import counted
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.cli import command_files, command_options
from gaussbayes.cli.command_files import FeatureRows
from gaussbayes.cli.command_options import FROM_DATA, RowOptions, option, takes
from gaussbayes.cli.console import tell
from gaussbayes.data.files import Source
from gaussbayes.data.roles import check_not_taken
from gaussbayes.data.rows import Rows
from gaussbayes.model.model import Model

PREDICTION, REASON = "prediction", "reason"  # the columns of the class, and of why there is none
SET, PARTED_BY = "set", "|"  # the column of prediction sets, and what parts their classes
MOST_BYTES = 1 << 30
"""Of posteriors that are kept to estimate priors; EM takes about three times that."""


SCORES = {
    "proba": "posterior",
    "log_proba": "log_posterior",
    "joint": "joint",
    "log_joint": "log_joint",
    "evidence": "evidence",
    "log_evidence": "log_evidence",
    "mahalanobis": "mahalanobis",
    "p_value": "",  # of `gaussbayes.analysis.novelty`
}
"""What can be asked for, in the order of the columns, and the method of `Model` that tells it."""

_FLAGS = {name: f"--{name.replace('_', '-')}" for name in SCORES} | {"p_value": "--p-values"}
_score_options = takes(*(option(flag, name, is_flag=True) for name, flag in _FLAGS.items()))


def _is_of_rows(score: str) -> bool:
    """Whether a score is (n,), and not (n, k), one for each class."""
    return score.endswith("evidence")


def _score_columns(score: str, model: Model, rows: Rows) -> Sequence[Any]:
    """The columns (n,) of a score."""
    if score == "p_value":
        from gaussbayes.analysis.novelty import class_p_values

        return list(class_p_values(model, rows, n_jobs=None).T)
    values = getattr(model, SCORES[score])(rows)
    return [values] if _is_of_rows(score) else list(values.T)


_DECISION = ("costs", "reject_below", "reject_cost", "novelty_level")
"""How classes are decided for: arguments of `gaussbayes.analysis.decision.decide`."""

_decision_options = takes(
    option("--costs A:B=COST,...|FILE"),
    option("--reject-below P", type=click.FloatRange(0, 1)),
    option("--reject-cost COST", type=float),
    option("--novelty P", "novelty_level", type=click.FloatRange(0, 1)),
)


@click.command("predict")
@takes("model", "data", "output", "output_format")
@_score_options
@option("--set COVERAGE", "coverage", type=click.FloatRange(0, 1, min_open=True, max_open=True))
@option("--set-by-class", "by_class", is_flag=True)
@option("--no-label", is_flag=True)
@option("--keep others|all|none|A,B,...", default="others")
@command_options.other_priors_option(FROM_DATA)
@_decision_options
@takes("reading")
def command(
    model: str,
    data: tuple[str, ...],
    output: str,
    output_format: str | None,
    escape: bool,
    coverage: float | None,
    by_class: bool,
    no_label: bool,
    keep: str,
    priors: Any,
    **asked: Any,
) -> None:
    """Predict the classes of rows in files of any size.

    Columns are found by their names, in any order; those that are no features of the model are
    passed on. The rows come out in the order they came in.

    Costs may be given for errors, and rows may be left open: the prediction is then empty, and a
    column says why, "ambiguous" or "novel".

    With --set there is a column of prediction sets, such as versicolor|virginica: the class of the
    row is among them with the probability given. It takes an automatic model, or one that was
    fitted with --calibration leave-one-out.

    \b
    gaussbayes predict iris.json new.csv --proba -o predicted.csv
    gaussbayes predict tests.json new.csv --costs 'ill:well=50,well:ill=1' --reject-cost 0.5
    gaussbayes predict iris.json new.csv --set 0.95
    gaussbayes predict iris.json new.csv --reject-below 0.9 --novelty 0.001
    zcat rows.csv.gz | gaussbayes predict iris.json - > predicted.csv
    """
    scores = [name for name in SCORES if asked[name]]
    rule = {name: asked[name] for name in _DECISION if asked[name] is not None}
    if by_class and coverage is None:
        msg = "--set-by-class says how prediction sets are made: give --set, for example --set 0.9"
        raise click.UsageError(msg)
    if no_label and (rule or not (scores or coverage)):
        msg = "--no-label leaves nothing to write: ask for a score, for example --proba"
        if rule:
            msg = "--no-label leaves out the classes that are to be decided for: leave it out"
        raise click.UsageError(msg)
    command_files.check_one_input(model, *data)
    fitted = command_files.read_solved(model)
    if priors not in ("own", FROM_DATA):
        fitted = fitted.with_priors(priors)
    if "costs" in rule:
        rule["costs"] = read_costs(rule["costs"], fitted.schema)
    source = command_files.open_files(data, RowOptions.taken(asked), fitted)
    command_files.check_no_overwriting(output, model, *source.files)
    kept = _kept_columns(keep, source, command_files.named_features(fitted, model))
    added = [] if no_label else [PREDICTION, REASON] if rule else [PREDICTION]
    classes = command_files.class_names(fitted)
    sets = None if coverage is None else {"coverage": coverage, "by_class": by_class}
    if sets is not None:
        added.append(SET)
        parted = [name for name in classes if PARTED_BY in name]
        if parted:
            msg = f"class {parted[0]!r} holds a {PARTED_BY}, which parts the classes of a set"
            raise DataError(msg)
    for score in scores:
        added += [score] if _is_of_rows(score) else [f"{score}_{label}" for label in classes]
    check_not_taken(source.shown, kept, added, "--keep")
    if priors == FROM_DATA:
        fitted = _with_priors_of(source, fitted, model)
    rows = FeatureRows(source, fitted, model, kept)
    answer = partial(_answer, fitted, None if no_label else rule, scores, sets)
    # The types of the scores, which depend on those of the features, are told by no rows at all.
    read = rows.selection.schema
    empty = answer(rows.encode(read.empty_table()))
    types = [(name, column.type) for name, column in zip(added, empty, strict=True)]
    schema = pa.schema([*(read.field(name) for name in kept), *types])
    tables = (
        pa.table([*table.select(kept).columns, *columns], schema=schema)
        for table, columns in rows.answered("predicting", answer)
    )
    command_files.write_tables(tables, schema, output, output_format, escape=escape)
    command_files.tell_bad_rows(source.bad_rows)
    rows.unseen.tell()


def _answer(
    model: Model,
    rule: dict[str, Any] | None,
    scores: Sequence[str],
    sets: dict[str, Any] | None,
    rows: Rows,
) -> list[pa.Array]:
    """The columns (n,) that are added; an empty rule decides for the most probable class."""
    columns = []
    labels = pa.array(model.schema.classes.tolist())
    if rule:
        from gaussbayes.analysis.decision import decide

        decisions = decide(model, rows, **rule, n_jobs=None)
        refused = decisions.refused
        columns.append(labels.take(pa.array(decisions.best, mask=refused)))
        columns.append(pa.array(decisions.reason, pa.string(), mask=~refused))
    elif rule is not None:
        columns.append(labels.take(pa.array(model.labels(rows))))
    if sets is not None:
        from gaussbayes.analysis.prediction_sets import prediction_sets

        names = np.array(command_files.class_names(model), dtype=object)
        inside = prediction_sets(model, rows, **sets, n_jobs=None).members
        columns.append(pa.array([PARTED_BY.join(names[row]) for row in inside], pa.string()))
    for score in scores:
        columns += map(pa.array, _score_columns(score, model, rows))
    return columns


def _kept_columns(keep: str, source: Source, features: Sequence[str]) -> list[str]:
    """The columns to be passed on."""
    names = list(source.schema.names)
    if keep in {"all", "none"}:
        return names if keep == "all" else []
    if keep == "others":
        return [name for name in names if name not in set(features)]
    wanted = command_options.as_names(keep, "--keep")
    command_files.check_columns(source, wanted, "the columns to keep")
    return list(wanted)


def _with_priors_of(source: Source, model: Model, name: str) -> Model:
    """The model under the priors that make the rows of a source most probable; tells them.

    The rows are read once more for that, block by block, and their posteriors are kept. Then come
    the steps of EM, which need nothing but these.
    """
    from gaussbayes.analysis.prior_shift import prior_shift

    once = [file.shown for file in source.listed if file.is_read_once]
    if once:
        msg = (
            f"the rows of {once[0]} are read twice, first to estimate the priors: write them to a "
            "file, or give the priors as numbers"
        )
        raise click.UsageError(msg)
    parts, n_bytes = [], 0
    features = FeatureRows(source, model, name)
    for _, log_posterior in features.answered("estimating the priors", model.log_posterior):
        parts.append(log_posterior)
        n_bytes += log_posterior.nbytes
        if n_bytes > MOST_BYTES:
            msg = (
                f"{source.shown} has too many rows to keep their posteriors, more than "
                f"{MOST_BYTES >> 20} MiB: estimate the priors from some of the rows, and give them "
                "as numbers for all"
            )
            raise DataError(msg)
    if not parts:
        raise command_files.no_rows(source)
    shift = prior_shift(np.concatenate(parts), model.prior)
    priors = zip(command_files.class_names(model), shift.prior.tolist(), strict=True)
    listed = ", ".join(f"{label} {prior:.4g}" for label, prior in priors)
    steps = f" (not exact: {shift.n_iterations} iterations were not enough)"
    tell(f"priors of {source.shown}: {listed}{'' if shift.converged else steps}")
    return model.with_priors(shift.prior)


# What decisions cost: pairs of classes on the command line, or a CSV file.

_HOW = "pairs such as 'ill:well=50,well:ill=1' (true class, decided class, cost), or a CSV file"


def read_costs(text: str, schema: Schema) -> FloatArray:
    """The costs (k, k) of some classes: true class by row, decided class by column.

    They are pairs ``true:decided=cost`` separated by commas, with quotes around one that holds a
    comma itself; or in a CSV file whose first line names the classes decided for, and whose other
    lines begin with the true class. What is left out on the diagonal is 0.
    """
    from gaussbayes.analysis.decision import check_costs

    names = [str(label) for label in schema.classes.tolist()]
    place = Path(text)
    if place.is_file():
        where, pairs = text, _from_file(place)
    elif "=" in text:
        where, pairs = "--costs", _from_pairs(text, names)
    else:
        msg = f"expected {_HOW}; there is no file {text!r}"
        raise click.BadParameter(msg, param_hint="--costs")
    label = dict(zip(names, schema.classes.tolist(), strict=True))
    given = {
        (label.get(true, true), label.get(decided, decided)): cost
        for (true, decided), cost in pairs.items()
    }
    with command_files.naming(where):
        return check_costs(given, schema)


def _from_pairs(text: str, names: list[str]) -> dict[tuple[str, str], float]:
    costs: dict[tuple[str, str], float] = {}
    for item in next(csv.reader([text], skipinitialspace=True), []):
        pair, _, cost = item.rpartition("=")
        parts = pair.split(":")
        # Names may hold colons themselves: then the colon that parts two classes is meant.
        cuts = [(":".join(parts[:i]), ":".join(parts[i:])) for i in range(1, len(parts))]
        known = [cut for cut in cuts if set(cut) <= set(names)]
        if not cuts or (len(cuts) > 1 and len(known) != 1):
            msg = f"expected {_HOW}; got {item!r}"
            raise click.BadParameter(msg, param_hint="--costs")
        _add(costs, (known or cuts)[0], cost, "--costs", repr(item))
    return costs


def _from_file(place: Path) -> dict[tuple[str, str], float]:
    try:
        text = place.read_text(encoding="utf-8-sig")
        lines = [[cell.strip() for cell in line] for line in csv.reader(text.splitlines()) if line]
    except (UnicodeDecodeError, csv.Error) as error:
        msg = f"{place} is no CSV file of costs: {error}"
        raise DataError(msg) from None
    if len(lines) < 2:
        msg = (
            f"{place} has {counted(len(lines), 'line')}: expected one that names the "
            "classes decided for, and one for each true class that begins with it"
        )
        raise DataError(msg)
    (_, *decided), *rest = lines
    costs: dict[tuple[str, str], float] = {}
    for number, (true, *cells) in enumerate(rest, start=2):
        if len(cells) != len(decided):
            expected = counted(len(decided), "cost")
            msg = f"{place}, line {number}: expected a class and {expected}, got {len(cells)}"
            raise DataError(msg)
        for other, cell in zip(decided, cells, strict=True):
            if cell or other != true:
                _add(costs, (true, other), cell, str(place), f"line {number}, column {other!r}")
    return costs


def _add(
    costs: dict[tuple[str, str], float], pair: tuple[str, str], text: str, file: str, place: str
) -> None:
    """Note the cost of deciding for the second class of a pair where the first is true."""
    if pair in costs:
        msg = f"{file}: the cost of deciding {pair[1]!r} where {pair[0]!r} is true is given twice"
        raise DataError(msg)
    try:
        costs[pair] = float(text)
    except ValueError:
        msg = f"{file}, {place}: {text!r:.60} is not a number"
        raise DataError(msg) from None
