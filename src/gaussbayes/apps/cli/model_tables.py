"""A model as tables for a terminal of 80 columns; many classes or features are shortened."""

from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import category_tables, models, output, reading
from gaussbayes.apps.cli.numbers import five_digits, fixed

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from gaussbayes.base.types import FloatArray
    from gaussbayes.families.gaussian.parameters import Parameters
    from gaussbayes.model.mixed import MixedParameters
    from gaussbayes.model.model import Model

_MOST_CLASSES = 20
"""Lines of the table of classes."""

_MOST_COLUMNS = 5
"""Classes or features side by side."""

_MOST_FEATURES = 12
"""Lines of a table of features."""

_MOST_MATRICES = 5
"""Classes whose covariance is written out."""

_WIDEST_NAME = 20


def print_model(
    console: "Console",
    name: str,
    stored: "Model",
    parameters: "Parameters | MixedParameters | None",
    problem: str | None,
) -> None:
    """Print everything that fits, and say what was left out."""
    for line in _heading(name, stored, parameters):
        output.paragraph(console, line)
    if problem is not None:
        console.print()
        output.paragraph(console, f"It cannot predict yet: {problem}", style="bold")
    tables = [_classes(stored, parameters)]
    if parameters is not None:
        own = models.gaussians(parameters)
        if stored.schema.of_numbers.n_features:
            tables += [_means(stored, own), *_spreads(stored, own)]
        if stored.counts is not None:
            tables += category_tables.tables(stored, parameters)
    for table in tables:
        console.print()
        console.print(table)
    left_out = _left_out(stored)
    if left_out:
        console.print()
        output.paragraph(console, f"Not shown: {left_out}. --json has everything.", style="dim")


def _heading(
    name: str, stored: "Model", parameters: "Parameters | MixedParameters | None"
) -> list[str]:
    from gaussbayes.families.gaussian.structures import sharing_of

    chosen, structure = models.settings_record(stored), stored.settings.structure
    sharing = "the same for all classes" if structure.shared else "one for each class"
    if structure.toward_shared:
        sharing += f", {sharing_of(structure)}"
    priors = {None: "estimated", "uniform": "uniform"}.get(
        chosen["priors"] if isinstance(chosen["priors"], str | None) else "", "given"
    )
    classes = reading.counted(len(stored.schema.classes), "class", "classes")
    features = reading.counted(stored.schema.n_features, "feature")
    if stored.schema.categorical:
        features += f", {len(stored.schema.categorical)} of them categorical"
    lines = [
        f"model       {name}",
        f"covariance  {chosen['covariance']}, {sharing}",
        f"divisor     {chosen['divisor']}",
        f"shrinkage   {'none' if chosen['shrinkage'] is None else chosen['shrinkage']}",
        f"priors      {priors}",
        *([f"smoothing   {chosen['smoothing']:g}"] if stored.schema.categorical else []),
        f"target      {'not known' if stored.target is None else stored.target}",
        f"size        {classes}, {features}",
    ]
    if stored.moments is None:
        lines.append("learnt      nothing: it was made from parameters")
    else:
        lines.append(f"learnt      from rows of weight {five_digits(_weight(stored).sum())}")
    if stored.incomplete is not None:
        lacking = five_digits(stored.incomplete.moments.weight.sum())
        ways = reading.counted(stored.incomplete.n_patterns, "way")
        what = "numbers" if stored.schema.categorical else "features"
        lines.append(f"incomplete  rows of weight {lacking}, which lack {what} in {ways}")
    if parameters is not None:
        counts = models.parameter_counts(parameters)
        parts = ", ".join(f"{n} of {of}" for of, n in counts.items() if of != "total")
        lines.append(f"parameters  {counts['total']}: {parts}")
    return lines


def _weight(stored: "Model") -> "FloatArray":
    """How much the rows of each class weigh (k,), complete or not."""
    return stored.learnt("show").weight


def _classes(stored: "Model", parameters: "Parameters | MixedParameters | None") -> "Table":
    names = models.class_names(stored)[:_MOST_CLASSES]
    columns: dict[str, FloatArray] = {}
    if parameters is not None:
        columns["prior"] = parameters.prior
    if stored.moments is not None:
        columns["weight"] = _weight(stored)
    table = output.narrow_table("class", *columns, title="classes")
    for code, name in enumerate(names):
        table.add_row(
            output.shortened(name, 40), *(five_digits(values[code]) for values in columns.values())
        )
    return table


def _means(stored: "Model", parameters: "Parameters") -> "Table":
    return _by_feature("means", stored, parameters.mean, models.class_names(stored))


def _spreads(stored: "Model", parameters: "Parameters") -> list["Table"]:
    """Covariances and correlations, or the variances alone where there is nothing else."""
    from gaussbayes.families.gaussian.shapes import Diagonal, Full, correlation

    owners = ["all classes"] if stored.settings.structure.shared else models.class_names(stored)
    shape = parameters.covariance
    if isinstance(shape, Full):
        dense = shape.covariance[:_MOST_MATRICES]
        tables = []
        for owner, own, scaled in zip(owners, dense, correlation(dense), strict=False):
            tables.append(_matrix(f"covariance of {owner}", stored, own, five_digits))
            tables.append(_matrix(f"correlation of {owner}", stored, scaled, _correlation))
        return tables
    if isinstance(shape, Diagonal):
        return [_by_feature("variances", stored, shape.variance, owners)]
    table = output.narrow_table("class", "variance", title="variances")
    for owner, value in zip(owners[:_MOST_CLASSES], shape.variance, strict=False):
        table.add_row(output.shortened(owner, 40), five_digits(value))
    return [table]


def _by_feature(title: str, stored: "Model", values: Any, columns: list[str]) -> "Table":
    """Numbers (m, d) as a line for each feature."""
    table = output.narrow_table("feature", *columns[:_MOST_COLUMNS], title=title)
    for column, name in enumerate(stored.schema.of_numbers.titles[:_MOST_FEATURES]):
        cells = (five_digits(value) for value in values[:_MOST_COLUMNS, column])
        table.add_row(output.shortened(name, _WIDEST_NAME), *cells)
    return table


def _matrix(title: str, stored: "Model", values: Any, written: Any) -> "Table":
    names = stored.schema.of_numbers.titles[:_MOST_COLUMNS]
    numbers = map(str, range(1, len(names) + 1))
    table = output.narrow_table("feature", *numbers, title=title)
    for number, name in enumerate(names):
        cells = (written(value) for value in values[number, : len(names)])
        table.add_row(f"{number + 1} {output.shortened(name, _WIDEST_NAME - 2)}", *cells)
    return table


def _left_out(stored: "Model") -> str:
    """What is not in the tables, in words."""
    structure, k = stored.settings.structure, len(stored.schema.classes)
    d = stored.schema.of_numbers.n_features
    parts = []
    if k > _MOST_CLASSES:
        parts.append(f"{k - _MOST_CLASSES} of {k} classes")
    if k > _MOST_COLUMNS:
        parts.append(f"the means of {k - _MOST_COLUMNS} classes")
    if d > _MOST_FEATURES:
        parts.append(f"the means of {d - _MOST_FEATURES} features")
    if structure.covariance == "full" and d > _MOST_COLUMNS:
        parts.append(f"the covariances of {d - _MOST_COLUMNS} features")
    if structure.covariance == "full" and not structure.shared and k > _MOST_MATRICES:
        parts.append(f"the covariances of {k - _MOST_MATRICES} classes")
    return ", ".join(parts + category_tables.left_out(stored))


def _correlation(value: float) -> str:
    return fixed(value, 3)
