"""``gaussbayes show MODEL``: what a model file holds, for people or as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import console, model_files, options
from gaussbayes.apps.cli.console import counted, five_digits, shortened
from gaussbayes.base.errors import GaussBayesError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from gaussbayes.families.protocol import ParameterTable
    from gaussbayes.model.model import Model

_MOST_CLASSES = 20
"""Lines of the table of classes."""

_MOST_COLUMNS = 5
"""Classes side by side."""

_MOST_LINES = 12
"""Lines of a table of parameters."""

_MOST_TABLES = 12
"""Tables of the parameters of one family."""


@click.command("show")
@click.argument("model", type=options.MODEL)
@options.option(
    "--bayes-error",
    "wants_error",
    is_flag=True,
    what="How often the best rule would be wrong if the model were right: simulated, with its "
    "standard error, and an upper bound.",
)
@options.json_option("Write everything as JSON, every number exact.")
def command(model: str, wants_error: bool, as_json: bool) -> None:
    """Show a model: settings, classes, priors, and the parameters of every family.

    Tables of many classes or features are shortened; --json has all of them.

    \b
    gaussbayes show iris.json
    gaussbayes show iris.json --bayes-error
    """
    fitted = model_files.read_model(model)
    problem = None
    try:
        fitted = fitted.solved()
    except GaussBayesError as error:
        problem = options.in_options(str(error))
    bayes = None
    if wants_error and problem is None:
        from gaussbayes.analysis.bayes_error import bayes_error

        bayes = bayes_error(fitted, n_jobs=None)
    if as_json:
        record = _record(fitted, problem)
        if wants_error:
            record["bayes_error"] = None if bayes is None else asdict(bayes)
        console.write_json(record)
        return
    out = console.stdout_console()
    _print(out, model, fitted, problem)
    if bayes is not None:
        simulated = f"{100 * bayes.error:.4g} % ± {100 * bayes.standard_error:.1g} % (simulated)"
        bound = f"Bhattacharyya bound {100 * bayes.bound:.4g} %"
        out.print()
        console.paragraph(out, f"Bayes error {simulated}; {bound}")


def _record(model: "Model", problem: str | None) -> dict[str, Any]:
    """Everything about a model as plain values.

    Means and standard deviations are those of the features that hold numbers, (k, g). Covariances
    and correlations are (k, g, g), or (g, g) if classes share them, and are there if some features
    may be correlated. Tables of parameters have a row for each class, or one for all.
    """
    schema, learnt = model.schema, model.learnt
    settings = model_files.settings_record(model)
    record: dict[str, Any] = {
        "settings": settings,
        "target": model.target,
        "classes": schema.classes.tolist(),
        "features": None if schema.features is None else list(schema.features),
        "n_features": schema.n_features,
        "kinds": [
            "category" if column in schema.categorical else "number"
            for column in range(schema.n_features)
        ],
        "weights": None if learnt is None else learnt.weight.tolist(),
        "missing_values": learnt is not None and not _is_complete(model),
        "unlabelled": _n_unlabelled(model),
        "problem": problem,
    }
    if problem is not None:
        return record
    from gaussbayes.analysis import class_moments

    record["priors"] = model.prior.tolist()
    record["means"] = class_moments.class_means(model).tolist()
    record["deviations"] = class_moments.class_deviations(model).tolist()
    if settings.get("covariance") == "full":
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
        for table in _parameter_tables(model)
    ]
    record["n_parameters"] = _n_parameters(model)
    return record


def _n_parameters(model: "Model") -> dict[str, int]:
    """How many free parameters there are of each family, and in all."""
    counts = {"priors": len(model.classes) - 1}
    for component, density in zip(model.components, model.densities, strict=True):
        name = component.family.name
        counts[name] = counts.get(name, 0) + density.n_parameters
    return counts | {"total": model.n_parameters}


def _parameter_tables(model: "Model") -> "Iterator[ParameterTable]":
    """The parameters of every family that can show them."""
    from gaussbayes.families.protocol import Describable

    names = model.settings.names(model.schema)
    for density, name in zip(model.densities, names, strict=True):
        if isinstance(density, Describable):
            yield from density.tables(name)


def _is_complete(model: "Model") -> bool:
    return model.learnt is not None and all(part.is_complete for part in model.learnt.parts)


def _n_unlabelled(model: "Model") -> int:
    unlabelled = None if model.learnt is None else model.learnt.unlabelled
    return 0 if unlabelled is None else unlabelled.n_rows


def _print(out: "Console", name: str, model: "Model", problem: str | None) -> None:
    """Print everything that fits, and say what was left out."""
    for line in _heading(name, model, problem):
        console.paragraph(out, line)
    if problem is not None:
        out.print()
        console.paragraph(out, f"It cannot predict yet: {problem}", style="bold")
    omitted: list[str] = []
    k = len(model.classes)
    if k > _MOST_CLASSES:
        omitted.append(f"{k - _MOST_CLASSES} of {k} classes")
    tables = [_class_table(model, problem)]
    if problem is None:
        if k > _MOST_COLUMNS:
            omitted.append(f"the parameters of {k - _MOST_COLUMNS} classes")
        parameters = list(_parameter_tables(model))
        if len(parameters) > _MOST_TABLES:
            omitted.append(counted(len(parameters) - _MOST_TABLES, "table"))
        for parameter in parameters[:_MOST_TABLES]:
            tables.append(_parameter_table(model, parameter))
            more = len(parameter.columns) - _MOST_LINES
            if more > 0:
                omitted.append(f"{more} of {parameter.title}")
    console.print_tables(out, tables)
    if omitted:
        out.print()
        text = f"Not shown: {', '.join(omitted)}. --json has everything."
        console.paragraph(out, text, style="dim")


def _heading(name: str, model: "Model", problem: str | None) -> list[str]:
    settings, schema, learnt = model_files.settings_record(model), model.schema, model.learnt
    priors = settings.pop("priors")
    families = settings.pop("families")
    settings.pop("unlabelled_weight")
    features = counted(schema.n_features, "feature")
    if schema.categorical:
        features += f", {len(schema.categorical)} of them categorical"
    lines = {"model": name, "families": _families(families)}
    lines |= {option: _written(value) for option, value in settings.items()}
    lines["priors"] = "estimated" if priors is None else priors if priors == "uniform" else "given"
    lines["target"] = "not known" if model.target is None else model.target
    lines["size"] = f"{counted(len(schema.classes), 'class', 'classes')}, {features}"
    if learnt is None:
        lines["learnt"] = f"nothing: {model.not_learnt}"
    else:
        missing = "" if _is_complete(model) else ", some of them with missing values"
        lines["learnt"] = f"from rows of weight {five_digits(learnt.weight.sum())}{missing}"
    if _n_unlabelled(model):
        weight = model.settings.unlabelled_weight
        lines["unlabelled"] = f"{counted(_n_unlabelled(model), 'row')} of weight {weight:g} each"
    if problem is None:
        counts = _n_parameters(model)
        parts = ", ".join(f"{n} of {of}" for of, n in counts.items() if of != "total")
        lines["parameters"] = f"{counts['total']}: {parts}"
    return [f"{what:11} {text}" for what, text in lines.items()]


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
    return {None: "none", True: "yes", False: "no"}.get(value, str(value))


def _class_table(model: "Model", problem: str | None) -> "Table":
    columns: dict[str, Any] = {}
    if problem is None:
        columns["prior"] = model.prior
    if model.learnt is not None:
        columns["weight"] = model.learnt.weight
    table = console.narrow_table("class", *columns, title="classes")
    for code, name in enumerate(model_files.class_names(model)[:_MOST_CLASSES]):
        cells = (five_digits(values[code]) for values in columns.values())
        table.add_row(shortened(name, 40), *cells)
    return table


def _parameter_table(model: "Model", parameters: "ParameterTable") -> "Table":
    """A line for each feature or category, a column for each class."""
    names = model_files.class_names(model)
    owners = names if len(parameters.values) == len(names) else ["all"]
    shown = owners[:_MOST_COLUMNS]
    table = console.narrow_table("", *shown, title=parameters.title)
    columns = zip(parameters.columns[:_MOST_LINES], parameters.values.T, strict=False)
    for name, values in columns:
        cells = map(five_digits, values[:_MOST_COLUMNS])
        table.add_row(shortened(name, 78 - 11 * len(shown)), *cells)
    return table
