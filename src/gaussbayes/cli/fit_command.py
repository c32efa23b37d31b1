"""``gaussbayes fit FILE... -y COLUMN``: rows → a model file."""

from collections.abc import Iterable
from typing import Any

import click
from sklearn.exceptions import NotFittedError

from gaussbayes.cli import console, flags, inputs
from gaussbayes.cli.console import tell
from gaussbayes.cli.flags import option
from gaussbayes.cli.inputs import Classifier, counted


@click.command("fit")
@flags.files
@flags.target
@option("-o --output MODEL", "Model file to write.", default="model.json", type=flags.OUTPUT)
@option(
    "--model NAME",
    f"One of {', '.join(flags.MODELS)}; auto, the default, selects the model.",
    type=click.Choice(list(flags.MODELS)),
)
@flags.table_options(flags.FIT_OPTIONS)
@flags.weights
@option("--like MODEL", "Reuse what MODEL has fixed, so that both can merge.", type=flags.MODEL)
@flags.as_json
def command(
    files: tuple[str, ...],
    target: str | None,
    output: str,
    weights: str | None,
    like: str | None,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Fit a classifier to files of any size.

    FILE is CSV, TSV, JSON lines, Parquet or Arrow, also compressed (.gz, .zst, .bz2); a folder or a
    pattern of such files; or - for standard input. Column types and roles are detected and
    reported; columns that carry no information about the class are excluded.

    The model is selected by its leave-one-out log loss and calibrated. --model or an option such as
    --covariance fits exactly the model that they specify.

    \b
    gaussbayes fit iris.csv -y species
    gaussbayes fit iris.csv -y species --model lda -o lda.json
    gaussbayes fit patients.csv -y ill --exclude id --categorical ward --families visits=poisson
    gaussbayes fit 'parts/*.parquet' -y label --covariance diagonal --weights count
    zcat rows.csv.gz | gaussbayes fit - -y label -o - > model.json
    """
    values = flags.given_values(arguments)
    classifier = inputs.make_classifier(values)
    rows = inputs.open_rows(files, values)
    inputs.check_inputs(*files, like or "")
    y = inputs.required_target(target, rows)
    console.check_output(output, "the model", *files, as_json=as_json)
    earlier = None if like is None else inputs.load_model(like)
    with console.warnings_as_notices(fitting=True):
        classifier.fit(rows, y, weights, like=earlier)
    save_and_tell(
        classifier, output, as_json=as_json, weighted=weights is not None, selected=like is None
    )


def save_and_tell(
    model: Classifier,
    place: str,
    *,
    as_json: bool,
    weighted: bool,
    selected: bool,
    known: Iterable[str] = (),
) -> None:
    """Write a model and report its rows, classes, features and notices that are not `known`.

    The selection is reported if this command has `selected` the model.
    """
    with console.writable(place) as path:
        model.save(path)
    if as_json:
        console.show(None, as_json=True, model=place, **fit_record(model))
    classes = counted(len(model.classes_), "class", "classes")
    features = counted(len(model.columns_.used), "feature")
    where = "standard output" if place == flags.STANDARD else place
    weight = total_weight(model)
    if weight is None:
        rows = "too few rows to predict yet"
    elif weight.is_integer() and not weighted:
        rows = counted(int(weight), "row")
    else:
        rows = f"rows of total weight {weight:.6g}"
    tell(f"Fitted on {rows} ({classes}, {features}); model saved to {where}")
    selection = getattr(model, "selection_", None)
    if selection is not None and selected:
        tell(
            f"Selected: {selection.title}; leave-one-out log loss {selection.log_loss:.3f} "
            f"(class frequencies: {selection.baseline_log_loss:.3f})"
        )
    console.tell_notices(notice for notice in notices_of(model) if notice.message not in known)


def notices_of(model: Classifier) -> tuple[Any, ...]:
    """Return the notices of a model, or the reason why it cannot predict yet."""
    try:
        return model.notices_
    except NotFittedError as error:
        console.tell(f"Notice: the model cannot predict yet: {error}")
        return ()


def total_weight(model: Classifier) -> float | None:
    """Return the total weight of the labelled rows; None if the model cannot predict yet."""
    return model.model_.total_weight if hasattr(model, "model_") else None


def fit_record(model: Classifier) -> dict[str, object]:
    """Return the results of a fit as plain values."""
    selection = getattr(model, "selection_", None)
    return {
        "target": model.columns_.target,
        "weight": total_weight(model),
        "classes": model.classes_.tolist(),
        "features": [column.name for column in model.columns_.used],
        "columns": model.columns_.to_dict(),
        "selection": selection and selection.to_dict(),
        "notices": [notice.to_dict() for notice in notices_of(model)],
    }
