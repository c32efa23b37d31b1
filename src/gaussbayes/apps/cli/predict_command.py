"""``gaussbayes predict MODEL DATA...``: rows → the same rows with what the model says of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import command_options, model_files, row_files
from gaussbayes.apps.cli.console import tell
from gaussbayes.base.errors import DataError, SchemaError

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.files import Source
    from gaussbayes.data.rows import Rows
    from gaussbayes.model.model import Model

PREDICTION, REASON = "prediction", "reason"
"""The columns of the class, and of why there is none."""

MOST_BYTES = 1 << 30
"""Of posteriors that are kept to estimate priors; EM takes about three times that."""


@dataclass(frozen=True, slots=True)
class Score:
    """A score of rows: its option and its columns are called by its name."""

    name: str
    help: str
    answer: "Callable[[Model, Rows], Any]"  # (n, k), or (n,) if it is not one of each class
    of_classes: bool = True

    def columns(self, classes: Sequence[str]) -> list[str]:
        """The names of its columns.

        Examples
        --------
        >>> SCORES[0].columns(["no", "yes"])
        ['proba_no', 'proba_yes']
        """
        return [f"{self.name}_{label}" for label in classes] if self.of_classes else [self.name]


def _analysis(module: str, name: str) -> "Callable[[Model, Rows], Any]":
    """A function of the analysis, imported when it is called."""

    def answer(model: "Model", rows: "Rows") -> Any:
        from importlib import import_module

        function = getattr(import_module(f"gaussbayes.analysis.{module}"), name)
        return function(model, rows, None)

    return answer


SCORES = (
    Score("proba", "The probability of each class, p(c | x).", lambda m, r: m.posterior(r)),
    Score("log_proba", "Its logarithm, exact however small.", lambda m, r: m.log_posterior(r)),
    Score("joint", "The density of row and class, p(x, c).", lambda m, r: m.joint(r)),
    Score("log_joint", "Its logarithm, for many features.", lambda m, r: m.log_joint(r)),
    Score("evidence", "The density of the row, p(x).", lambda m, r: m.evidence(r), False),
    Score(
        "log_evidence", "Its logarithm, for many features.", lambda m, r: m.log_evidence(r), False
    ),
    Score(
        "mahalanobis",
        "The Mahalanobis distance to each class's mean.",
        lambda m, r: m.mahalanobis(r),
    ),
    Score(
        "p_value",
        "How probable a row of the class is at least so far out.",
        _analysis("novelty", "class_p_values"),
    ),
)
"""What can be asked for, in the order of the columns."""


def _score_options(function: command_options.Function) -> command_options.Function:
    """One flag for each score."""
    for score in reversed(SCORES):
        flag = "--p-values" if score.name == "p_value" else f"--{score.name.replace('_', '-')}"
        function = click.option(flag, score.name, is_flag=True, help=score.help)(function)
    return function


_decision_options = command_options.together(
    click.option(
        "--costs",
        metavar="A:B=COST,...|FILE",
        help="Decide for the class of least expected cost: the cost of deciding B where A is "
        "true, for each pair, or a CSV file with a line for each true class.",
    ),
    click.option(
        "--reject-below",
        type=click.FloatRange(0, 1),
        metavar="P",
        help="Leave open rows whose most probable class is less probable than this.",
    ),
    click.option(
        "--reject-cost",
        type=float,
        metavar="COST",
        help="Leave open rows of which even the best decision is expected to cost more.",
    ),
    click.option(
        "--novelty",
        "novelty_level",
        type=click.FloatRange(0, 1),
        metavar="P",
        help="Leave open rows that are like no class: less than this proportion of the rows of "
        "every class lie so far out.",
    ),
)


@click.command("predict")
@click.argument("model", type=command_options.MODEL)
@click.argument("data", metavar="DATA...", nargs=-1, required=True, type=command_options.SOURCE)
@command_options.writing_options
@_score_options
@click.option("--no-label", is_flag=True, help="Leave out the column of predicted classes.")
@click.option(
    "--keep",
    default="others",
    show_default=True,
    metavar="others|all|none|A,B,...",
    help="Which columns of the data to pass on: those that are no features, all, none, or these.",
)
@command_options.other_priors_option(
    "Other priors than the model's: the proportions of the rows learnt from (estimated), those "
    "that make DATA most probable (from-data, which reads DATA twice), or numbers in the order of "
    "the sorted classes.",
    command_options.FROM_DATA,
)
@_decision_options
@command_options.reading_options
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
    novelty_level: float | None,
    file_format: str | None,
    bad_rows: str,
    **flags: bool,
) -> None:
    """Predict the classes of rows in files of any size.

    Columns are found by their names, in any order; those that are no features of the model are
    passed on. The rows come out in the order they came in.

    Costs may be given for errors, and rows may be left open: the prediction is then empty, and a
    column says why, "ambiguous" or "novel".

    \b
    gaussbayes predict iris.json new.csv --proba -o predicted.csv
    gaussbayes predict tests.json new.csv --costs 'ill:well=50,well:ill=1' --reject-cost 0.5
    gaussbayes predict iris.json new.csv --reject-below 0.9 --novelty 0.001
    zcat rows.csv.gz | gaussbayes predict iris.json - > predicted.csv
    """
    scores = [score for score in SCORES if flags[score.name]]
    if no_label and not scores:
        msg = "--no-label leaves nothing to write: ask for a score, for example --proba"
        raise click.UsageError(msg)
    model_files.check_one_input(model, *data)
    fitted = model_files.read_solved(model)
    if priors not in ("own", command_options.FROM_DATA):
        fitted = fitted.with_priors(priors)
    rule = _Rule(
        None if costs is None else _costs(costs, fitted), reject_below, reject_cost, novelty_level
    )
    if no_label and rule.is_given:
        msg = "--no-label leaves out the classes that are to be decided for: leave it out"
        raise click.UsageError(msg)
    features = model_files.named_features(fitted, model)
    source = row_files.open_files(data, file_format, bad_rows)
    model_files.check_no_overwriting(output, model, *source.files)
    row_files.check_features(source, features)
    kept = _kept_columns(keep, source, features)
    asked = _Question(fitted, None if no_label else rule, tuple(scores))
    _check_free(source, kept, asked.columns)
    rows = row_files.FeatureRows(source, fitted, kept)
    if priors == command_options.FROM_DATA:
        asked = replace(asked, model=_with_priors_of(rows, fitted))
    tables, schema = _answers(asked, rows)
    row_files.write_tables(tables, schema, output, output_format, escape=escape)
    row_files.tell_bad_rows(source.bad_rows)
    rows.unseen.tell()


@dataclass(frozen=True, slots=True, eq=False)
class _Rule:
    """How classes are decided for; as in `gaussbayes.analysis.decision.decide`."""

    costs: Any
    reject_below: float | None
    reject_cost: float | None
    novelty_level: float | None

    @property
    def is_given(self) -> bool:
        """Whether it is another one than the most probable class."""
        values = (self.costs, self.reject_below, self.reject_cost, self.novelty_level)
        return any(value is not None for value in values)

    def columns(self, model: "Model", rows: "Rows", classes: "pa.Array") -> "list[pa.Array]":
        """The class decided for, and if rows may be left open the reason (n,)."""
        import pyarrow as pa

        if not self.is_given:
            return [classes.take(pa.array(model.labels(rows)))]
        from gaussbayes.analysis.decision import decide

        decisions = decide(
            model,
            rows,
            costs=self.costs,
            reject_below=self.reject_below,
            reject_cost=self.reject_cost,
            novelty_level=self.novelty_level,
            n_jobs=None,
        )
        refused = decisions.refused
        label = classes.take(pa.array(decisions.best, mask=refused))
        return [label, pa.array(decisions.reason, pa.string(), mask=~refused)]


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """What is asked of rows."""

    model: "Model"
    rule: _Rule | None  # None: no classes
    scores: tuple[Score, ...]

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are added to the data."""
        classes = model_files.class_names(self.model)
        decided = [] if self.rule is None else [PREDICTION, REASON][: 1 + self.rule.is_given]
        return decided + [name for score in self.scores for name in score.columns(classes)]

    def answer(self, rows: "Rows", classes: "pa.Array") -> "list[pa.Array]":
        """These columns (n,)."""
        import pyarrow as pa

        arrays = [] if self.rule is None else self.rule.columns(self.model, rows, classes)
        for score in self.scores:
            values = score.answer(self.model, rows)
            arrays += map(pa.array, values.T if score.of_classes else [values])
        return arrays


def _answers(
    asked: _Question, rows: row_files.FeatureRows
) -> "tuple[Iterator[pa.Table], pa.Schema]":
    """The kept columns of each block with those that are added, and their Arrow schema."""
    import pyarrow as pa

    classes = pa.array(asked.model.schema.classes.tolist())

    def tables() -> "Iterator[pa.Table]":
        for table, columns in rows.answered("predicting", lambda r: asked.answer(r, classes)):
            yield pa.table([*table.select(rows.kept).columns, *columns], schema=schema)

    # The types of the scores, which depend on those of the features, are told by no rows at all.
    held = rows.selection.schema
    answer = asked.answer(rows.encode(held.empty_table()), classes)
    types = [(name, column.type) for name, column in zip(asked.columns, answer, strict=True)]
    schema = pa.schema([*(held.field(name) for name in rows.kept), *types])
    return tables(), schema


def _kept_columns(keep: str, source: "Source", features: Sequence[str]) -> list[str]:
    """The columns to be passed on."""
    names = list(source.schema.names)
    if keep in {"all", "none"}:
        return names if keep == "all" else []
    if keep == "others":
        return [name for name in names if name not in set(features)]
    wanted = command_options.as_names(keep, "--keep")
    row_files.check_columns(source, wanted, "the columns to keep")
    return list(wanted)


def _check_free(source: "Source", kept: Sequence[str], added: Sequence[str]) -> None:
    taken = [name for name in added if name in set(kept)]
    if taken:
        msg = (
            f"{source.shown} has a column {taken[0]!r} already, which is what the "
            "prediction is written to: leave it out with --keep, or rename it"
        )
        raise SchemaError(msg)


def _costs(text: str, model: "Model") -> Any:
    from gaussbayes.apps.cli.cost_table import read_costs

    return read_costs(text, model)


def _with_priors_of(rows: row_files.FeatureRows, model: "Model") -> "Model":
    """The model under the priors that make the rows of a source most probable; tells them.

    The rows are read once more for that, block by block, and their posteriors are kept. Then come
    the steps of EM, which need nothing but these.
    """
    import numpy as np

    from gaussbayes.analysis.prior_shift import prior_shift

    source = rows.source
    once = [file.shown for file in source.listed if file.is_read_once]
    if once:
        msg = (
            f"the rows of {once[0]} are read twice, first to estimate the priors: write them to a "
            "file, or give the priors as numbers"
        )
        raise click.UsageError(msg)
    parts, n_bytes = [], 0
    features = row_files.FeatureRows(source, model)
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
        raise row_files.no_rows(source)
    shift = prior_shift(np.concatenate(parts), model.prior)
    named = zip(model_files.class_names(model), shift.prior.tolist(), strict=True)
    listed = ", ".join(f"{name} {prior:.4g}" for name, prior in named)
    steps = f" (not exact: {shift.n_iterations} iterations were not enough)"
    tell(f"priors of {source.shown}: {listed}{'' if shift.converged else steps}")
    return model.with_priors(shift.prior)
