"""``gaussbayes fit DATA... -y TARGET``: files of labelled rows → a model file."""

from dataclasses import replace
from typing import Any

import click

from gaussbayes.base.errors import DataError, SingularCovarianceError
from gaussbayes.base.numerals import counted
from gaussbayes.base.progress import working
from gaussbayes.cli import command_files, command_options, console
from gaussbayes.cli.command_options import (
    OUTPUT,
    STANDARD,
    RowOptions,
    in_options,
    option,
    takes,
)
from gaussbayes.cli.console import finite, tell, warnings_told
from gaussbayes.cli.labelled_files import LabelledFiles, MemoryRows
from gaussbayes.data.reduction import Reduced, count_incomplete
from gaussbayes.model.evaluation import frequency_log_loss
from gaussbayes.model.fit import fit_model
from gaussbayes.model.model import Model
from gaussbayes.model.options import Options
from gaussbayes.model.select import Candidate, Selection, model_name
from gaussbayes.model.sources import SourceFit, fit_rows
from gaussbayes.model.summary import model_title


@click.command("fit")
@takes("data", "target")
@option("-o", "--output MODEL", "model", type=OUTPUT, default="model.json")
@takes("features", "categorical", "model_name", "covariance", "estimation", "weights", "labels")
@option("--keep-unlabelled", is_flag=True)
@option("--engine", type=click.Choice(["local", "spark"]), default="local")
@takes("reading", json="Write what was learnt from as JSON to standard output.")
def command(
    data: tuple[str, ...],
    model: str,
    keep_unlabelled: bool,
    engine: str,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Fit a classifier to files of any size.

    DATA are CSV, TSV, JSON lines, Parquet or Arrow files, also compressed (.gz, .zst), folders of
    them, patterns, or - for standard input. They are read in bounded memory: once, once more where
    something is chosen by a sample, or once an iteration of EM if more than 64 MB of rows have no
    label.

    What each column holds is decided and said: numbers, categories, dates; columns that nothing can
    be learnt from, such as row numbers, are left out. --features, --exclude, --categorical,
    --numeric and --keep-identifiers overrule it; --family names another family, as for counts.

    The model is the automatic one: everything is chosen, and posteriors are calibrated, by rows
    left out. --model names another; an option of plain models alone, such as --covariance, --shared
    or --shrinkage, asks for the plain model with it. With --covariance auto, --shrinkage auto or
    both, structure and shrinkage alone are chosen, by rows left out or by --selection bic.

    With --engine spark the executors of Spark read the files, which they must find under the same
    names; the model is the same to the bit. Spark's own settings say where it runs.

    \b
    gaussbayes fit iris.csv -y species -o iris.json
    gaussbayes fit iris.csv -y species --model lda
    gaussbayes fit iris.csv -y species --model average
    gaussbayes fit iris.csv -y species --covariance auto --shrinkage auto
    gaussbayes fit 'parts/*.parquet' -y label --covariance diagonal --weights count
    gaussbayes fit days.csv -y rain --categorical month --exclude station
    gaussbayes fit patients.csv -y ill --family visits=poisson
    gaussbayes fit incomes.csv -y buys --transform yeo-johnson
    zcat rows.csv.gz | gaussbayes fit - -y label -o - > model.json
    gaussbayes fit parts/ -y label --engine spark
    """
    check_json(model, as_json=as_json)
    chosen = RowOptions.taken(arguments)
    options = command_options.check_settings(arguments)
    if options.average and keep_unlabelled:
        msg = "--model average gives a model that learns nothing more: leave out --keep-unlabelled"
        raise click.UsageError(msg)
    source = command_files.open_files(data, chosen)
    command_files.check_no_overwriting(model, *source.files)
    command_files.check_writable(model)
    with working("fitting"):
        session = None
        if engine == "spark":
            from gaussbayes.data.spark import spark_session

            session = spark_session()
        files = LabelledFiles.to_learn_from(source, chosen, options, session)
        fit = fit_files(files, options)
    command_files.write_model(fit.model, model, keep_unlabelled=keep_unlabelled)
    command_files.tell_roles(fit.model.schema.roles)
    command_files.tell_infinite(fit.model.schema.missing)
    tell_fit(fit, chosen, model, as_json=as_json)


def fit_files(files: LabelledFiles, options: Options) -> SourceFit:
    """The model of the rows of files, in bounded memory."""
    with warnings_told():
        return fit_rows(files.rows, options, labelled_only=files.chosen.labelled_only)


def fit_loaded(files: LabelledFiles, loaded: MemoryRows, options: Options) -> SourceFit:
    """The model of rows in memory."""
    from gaussbayes.model.model import check_n_classes

    rows, table = files.rows, loaded.table
    check_n_classes(table.classes)
    if table.targets.weights is not None and not table.targets.weights.any():
        msg = f"{rows.source.shown}: the weights in column {files.chosen.weights!r} are all zero"
        raise DataError(msg)
    model, selection = fit_model(table, rows.encoder.schema(table.classes), options)
    learnt = model.weighted_members[0][1].learnt
    assert learnt is not None
    seen = Reduced(
        learnt,
        files.n_rows,
        files.n_unlabelled,
        count_incomplete(table.rows),
        bad_rows=rows.source.bad_rows,
    )
    return SourceFit(replace(model, target=rows.target), seen, selection)


# What was learnt, and what was chosen automatically.


def check_json(name: str, *, as_json: bool) -> None:
    """Raise if JSON about a model is wanted where the model itself goes."""
    if as_json and name == STANDARD:
        msg = "--json writes to standard output, where the model goes: give it a file with -o"
        raise click.UsageError(msg)


def tell_fit(
    fit: SourceFit,
    chosen: RowOptions,
    name: str,
    *,
    as_json: bool,
    done: str = "learnt from",
    use: str = command_files.LEARNT_FROM,
) -> None:
    """Say what was `done` with which rows, the `use` of unlabelled ones, and where the model is."""
    model, reduced, selection = fit.model, fit.reduced, fit.selection
    schema = model.schema
    categories: list[dict[str, Any]] = [
        {"feature": schema.titles[column], "categories": len(labels)}
        for column, labels in zip(schema.categorical, model.categories, strict=True)
    ]
    record: dict[str, Any] = {
        "model": name,
        "target": model.target,
        "rows": reduced.n_rows - (reduced.n_unlabelled if chosen.labelled_only else 0),
        "classes": schema.classes.tolist(),
        "features": list(schema.titles),
        "columns": command_files.roles_record(schema.roles),
        "incomplete": reduced.n_incomplete,
        "unlabelled": reduced.n_unlabelled,
        "bad_rows": command_files.bad_rows_record(reduced.bad_rows),
    }
    if categories:
        record["categorical"] = categories
    record |= {name: value for name, value in posterior_record(model).items() if value}
    if selection is not None:
        record["selection"] = selection_record(selection)
        averaged = len(model.weighted_members) > 1
        tell(f"chosen: {model_title(model) if averaged else selection.choice}")
        n, held_out = reduced.n_rows - reduced.n_unlabelled, selection.n_held_out
        if held_out is not None and held_out < n:
            alone = selection.n_alone == n - held_out
            why = "the only row of a class tells nothing" if alone else "some of each class"
            tell(f"chosen by {held_out:,} of {n:,} rows: {why}")
        if model.learnt is not None and model.calibration is None:
            least = frequency_log_loss(model.learnt.weight)
            if selection.best.log_loss > least:
                tell(f"warning: the class frequencies alone have a log loss of {least:.4f}")
    if model.calibration is not None:
        tell(f"calibrated by rows left out: temperature {model.calibration.temperature:.4g}")
        if model.calibration.notice is not None:
            tell(f"notice: {model.calibration.notice}")
    if as_json:
        console.write_json(record)
    classes = counted(len(record["classes"]), "class", "classes")
    size = f"{classes}, {counted(schema.n_features, 'feature')}"
    place = command_files.shown(name)
    tell(f"{done} {counted(record['rows'], 'row')}: {size}; the model is in {place}")
    command_files.tell_rows(record["incomplete"], "missing values")
    if selection is not None and model.settings.unlabelled_weight == 0:
        use = command_files.NO_HELP
    command_files.tell_unlabelled(reduced.n_unlabelled, chosen, use)
    unlabelled = command_files.unlabelled_rows(model)
    if unlabelled is not None and unlabelled.rows is None:
        tell(
            "they are too many to be kept (more than 64 MB): the model can predict, but neither be "
            "updated nor merged, nor forget rows"
        )
    for each in categories:
        tell(f"{each['feature']}: {counted(each['categories'], 'category', 'categories')}")
    command_files.tell_bad_rows(reduced.bad_rows)


def solved_if_possible(model: Model) -> Model:
    """The model with its parameters; says so if it cannot predict before it has seen more rows."""
    try:
        return model.solved()
    except (SingularCovarianceError, DataError) as error:  # as one of a single class
        tell(f"the model cannot predict yet: {in_options(str(error))}")
        return model


def posterior_record(model: Model) -> dict[str, Any]:
    """How posteriors are calibrated, and which models they are averages of, as plain values."""
    calibration, members = model.calibration, model.weighted_members
    return {
        "calibration": calibration
        and {
            "temperature": calibration.temperature,
            "offsets": calibration.offsets.tolist(),
            "prior_proportion": calibration.prior_proportion,
            "rows": sum(scores.size for scores in calibration.left_out),
        },
        "members": [
            {"weight": weight, "model": model_name(member.settings)}
            | {name: member.settings.first(name) for name in ("shrinkage", "target")}
            for weight, member in (members if len(members) > 1 else [])
        ],
    }


def selection_record(selection: Selection) -> dict[str, Any]:
    """Everything as plain values; what was not looked at or is infinite is None."""
    record: dict[str, Any] = {
        "criterion": selection.criterion,
        "chosen": _candidate_record(selection.best),
        "candidates": [_candidate_record(candidate) for candidate in selection.ranked],
    }
    if selection.weights:
        record["unlabelled_weights"] = list(map(_candidate_record, selection.weights))
    return record


def in_words(selection: Selection) -> Selection:
    """The same with the command line's words for why candidates cannot be judged."""
    named = [
        replace(each, refused=each.refused and in_options(each.refused))
        for each in selection.candidates
    ]
    best = selection.best
    if not selection.weights:
        best = named[selection.candidates.index(best)]
    return replace(selection, candidates=tuple(named), best=best)


def _candidate_record(candidate: Candidate) -> dict[str, Any]:
    structure = candidate.structure
    return {
        "model": candidate.name,
        "covariance": structure and structure.covariance,
        "shared": structure and structure.shared_setting,
        "shrinkage": candidate.shrinkage,
        "target": candidate.settings.first("target"),
        "estimate": candidate.settings.first("estimation"),
        "transform": candidate.transform,
        "unlabelled_weight": candidate.unlabelled_weight,
        "parameters": candidate.n_parameters,
        **{
            name: finite(getattr(candidate, name)) for name in ("error", "log_loss", "brier", "bic")
        },
        "problem": candidate.refused and in_options(candidate.refused),
    }
