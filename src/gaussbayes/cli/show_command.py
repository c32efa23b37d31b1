"""``gaussbayes show MODEL``: what a model file holds, for people or as JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.analysis.bayes_error import BayesError, bayes_error
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.numerals import counted, five_digits
from gaussbayes.base.text_tables import Styled
from gaussbayes.cli import command_files, console
from gaussbayes.cli.command_options import in_options, option, takes
from gaussbayes.cli.fit_command import posterior_record
from gaussbayes.model.model import Model
from gaussbayes.model.summary import model_tables, model_title, parameter_tables

if TYPE_CHECKING:
    from rich.console import Console


@click.command("show")
@takes("model")
@option("--bayes-error", "wants_error", is_flag=True)
@takes(json="Write everything as JSON, every number exact.")
def command(model: str, wants_error: bool, as_json: bool) -> None:
    """Show a model: settings, classes, priors, and the parameters of every family.

    Tables of many classes or features are shortened; --json has all of them.

    \b
    gaussbayes show iris.json
    gaussbayes show iris.json --bayes-error
    """
    fitted = command_files.read_model(model)
    problem = None
    try:
        fitted = fitted.solved()
    except GaussBayesError as error:
        problem = in_options(str(error))
    record = _record(fitted, problem)
    if wants_error:
        record["bayes_error"] = None if problem else asdict(bayes_error(fitted, n_jobs=None))
    if as_json:
        console.write_json(record)
    else:
        _print(console.stdout_console(), model, fitted, record)


def _record(model: Model, problem: str | None) -> dict[str, Any]:
    """Everything about a model as plain values.

    Means and standard deviations are those of the features that hold numbers, (k, g). Covariances
    and correlations are (k, g, g), or (g, g) if classes share them, and are there if some features
    may be correlated. Tables of parameters have a row for each class, or one for all.
    """
    schema, learnt = model.schema, model.learnt
    unlabelled = command_files.unlabelled_rows(model)
    kinds = dict.fromkeys(range(schema.n_features), "number")
    kinds |= dict.fromkeys(schema.categorical, "category")
    record: dict[str, Any] = {
        "settings": command_files.settings_record(model),
        "target": model.target,
        "classes": schema.classes.tolist(),
        "features": schema.features and list(schema.features),
        "n_features": schema.n_features,
        "kinds": list(kinds.values()),
        "columns": command_files.roles_record(schema.roles),
        "weights": None if learnt is None else learnt.weight.tolist(),
        "missing_values": not all(part.is_complete for part in learnt.parts) if learnt else False,
        "unlabelled": 0 if unlabelled is None else unlabelled.n_rows,
        "problem": problem,
    }
    record |= posterior_record(model)
    if problem is not None:
        return record
    from gaussbayes.analysis import class_moments

    record["priors"] = model.prior.tolist()
    record["means"] = class_moments.class_means(model).tolist()
    record["deviations"] = class_moments.class_deviations(model).tolist()
    if record["settings"].get("covariance") == "full":
        covariances = class_moments.class_covariances(model)
        record["covariances"] = covariances.tolist()
        record["correlations"] = class_moments.correlations(covariances).tolist()
    probabilities = class_moments.category_probabilities(model)
    if probabilities:
        known = zip(probabilities.items(), model.categories, strict=True)
        record["categories"] = [
            {"feature": feature, "categories": list(labels), "probabilities": values.tolist()}
            for (feature, values), labels in known
        ]
    record["parameters"] = [
        {"table": table.title, "columns": list(table.columns), "values": table.values.tolist()}
        for table in parameter_tables(model)
    ]
    counts = {"priors": len(model.classes) - 1}
    for component, density in zip(model.components, model.densities, strict=True):
        name = component.distribution
        counts[name] = counts.get(name, 0) + density.n_parameters
    record["n_parameters"] = counts | {"total": model.n_parameters}
    return record


# The record as a person reads it: everything that fits, and what was left out.


def _print(out: "Console", name: str, model: Model, record: dict[str, Any]) -> None:
    heading = _heading(name, model, record)
    for what, text in heading.items():
        console.paragraph(out, text, title=what.ljust(2 + max(map(len, heading))))
    if record["problem"] is not None:
        out.print()
        console.paragraph(out, f"It cannot predict yet: {record['problem']}", style="bold")
    tables = model_tables(model)
    if isinstance(tables[-1], str):  # something is left out
        tables[-1] = Styled(f"{tables[-1]} --json has everything.", "dim")
    out.print()
    console.print_blocks(out, *tables)
    bayes = record.get("bayes_error")
    if bayes is not None:
        out.print()
        console.print_blocks(out, *BayesError(**bayes).tables())


def _heading(name: str, model: Model, record: dict[str, Any]) -> dict[str, str]:
    settings = dict(record["settings"])
    target, calibration = settings.pop("target", None), record["calibration"]
    if settings.get("shrinkage") is not None:
        settings["shrinkage"] = f"{_written(settings['shrinkage'])}, towards {target}"
    priors, families = settings.pop("priors"), settings.pop("families")
    weight = settings.pop("unlabelled_weight")
    classes = counted(len(record["classes"]), "class", "classes")
    features = counted(record["n_features"], "feature")
    categories = record["kinds"].count("category")
    some = f", {categories} of them categorical" if categories else ""
    lines = {"model": name, "kind": model_title(model), "families": _families(families)}
    lines |= {option: _written(value) for option, value in settings.items()}
    lines["priors"] = "estimated" if priors is None else priors if priors == "uniform" else "given"
    if calibration is not None:
        lines["calibration"] = (
            f"temperature {five_digits(calibration['temperature'])}, by "
            f"{counted(calibration['rows'], 'row')} left out"
        )
        if model.calibration is not None and model.calibration.notice is not None:
            lines["notice"] = model.calibration.notice
    if record["members"]:
        many = len(record["members"])
        lines["average"] = f"of {many} models; parameters are those of the first of them"
    lines["target"] = "not known" if record["target"] is None else record["target"]
    lines["size"] = f"{classes}, {features}{some}"
    if model.schema.roles is not None:
        lines["columns"] = model.schema.roles.sentence
        dates = model.schema.roles.origins.items()
        if dates:
            lines["dates"] = ", ".join(f"{each}: days since {origin}" for each, origin in dates)
    lines["learnt"] = f"nothing: {model.not_learnt}"
    if record["weights"] is not None:
        missing = ", some of them with missing values" if record["missing_values"] else ""
        lines["learnt"] = f"from rows of weight {five_digits(sum(record['weights']))}{missing}"
    if record["unlabelled"]:
        lines["unlabelled"] = f"{counted(record['unlabelled'], 'row')} of weight {weight:g} each"
    if "n_parameters" in record:
        *parts, (_, total) = record["n_parameters"].items()
        lines["parameters"] = f"{total}: {', '.join(f'{n} of {of}' for of, n in parts)}"
    return lines


def _families(families: list[dict[str, Any]]) -> str:
    """The families, each with the features that it has if there are several."""
    if len(families) == 1:
        return str(families[0]["family"])
    parts = []
    for part in families:
        features = part["features"]
        listed = ", ".join(features) if len(features) <= 4 else counted(len(features), "feature")
        parts.append(f"{part['family']} ({listed})")
    return ", ".join(parts)


def _written(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_written(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_written, value)) or "none"
    return {None: "none", True: "yes", False: "no"}.get(value, str(value))
